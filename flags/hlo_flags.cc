#include "flags/hlo_flags.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/suggest.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

constexpr char kTool[] = "hlo-flags";

struct Command {
  absl::string_view name;
  absl::StatusOr<int> (*run)(const HloFlagsOptions&,
                             absl::Span<const std::string>, const ToolIo&);
  int min_arguments, max_arguments;  // max -1: any number
  bool takes_flag_strings;           // arguments may start with dashes
};

constexpr Command kCommands[] = {
    {"list", ListFlags, 0, -1, false},
    {"explain", ExplainFlags, 1, -1, true},
    {"check", CheckFlags, 0, -1, true},
    {"diff", DiffFlags, 2, 2, true},
};

const Command* FindCommand(absl::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// Stands in front of arguments that look like options and are flag strings.
constexpr char kMark = '\x01';

bool IsOwnOption(const OptionSet& set, absl::string_view argument) {
  absl::string_view name = argument.substr(0, argument.find('='));
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name.empty() || set.Find(name) != nullptr || name == "help" ||
         name == "h" || name == "help-all" || name == "version" ||
         name == "completion";
}

std::vector<std::string> MarkFlagStrings(
    const OptionSet& set, absl::Span<const std::string> arguments) {
  std::vector<std::string> marked(arguments.begin(), arguments.end());
  if (marked.empty()) return marked;
  const Command* command = FindCommand(marked[0]);
  if (command == nullptr || !command->takes_flag_strings) return marked;
  for (std::string& argument : marked) {
    if (absl::StartsWith(argument, "-") && argument != "-" &&
        !IsOwnOption(set, argument)) {
      argument.insert(argument.begin(), kMark);
    }
  }
  return marked;
}

std::string Unmarked(const std::string& argument) {
  return absl::StartsWith(argument, absl::string_view(&kMark, 1))
             ? argument.substr(1)
             : argument;
}

absl::StatusOr<int> RunCommand(const HloFlagsOptions& options,
                               const std::vector<std::string>& positional,
                               const ToolIo& io) {
  const Command* command = FindCommand(positional[0]);
  if (command == nullptr) {
    std::vector<absl::string_view> names;
    for (const Command& one : kCommands) names.push_back(one.name);
    return absl::OutOfRangeError(
        absl::StrCat("there is no command '", positional[0], "'",
                     DidYouMean(positional[0], names)));
  }
  const int count = static_cast<int>(positional.size()) - 1;
  if (count < command->min_arguments ||
      (command->max_arguments >= 0 && count > command->max_arguments)) {
    return absl::OutOfRangeError(
        absl::StrCat("'", command->name, "' takes ", command->min_arguments,
                     command->max_arguments < 0 ? " or more" : "",
                     " arguments, not ", count));
  }
  return command->run(options, absl::MakeConstSpan(positional).subspan(1), io);
}

struct TypeNameRow {
  DebugFlagKind kind;
  absl::string_view name;
};

constexpr TypeNameRow kTypeNames[] = {
    {DebugFlagKind::kBool, "bool"},
    {DebugFlagKind::kInt32, "int32"},
    {DebugFlagKind::kInt64, "int64"},
    {DebugFlagKind::kPositive, "int32"},
    {DebugFlagKind::kFloat, "float"},
    {DebugFlagKind::kString, "string"},
    {DebugFlagKind::kUpper, "string"},
    {DebugFlagKind::kDuration, "duration"},
    {DebugFlagKind::kCommaList, "list"},
    {DebugFlagKind::kElement, "list"},
    {DebugFlagKind::kBlankList, "list"},
    {DebugFlagKind::kMap, "map"},
    {DebugFlagKind::kEnum, "enum"},
    {DebugFlagKind::kEnumAnyCase, "enum"},
    {DebugFlagKind::kEnumPrefix, "enum"},
    {DebugFlagKind::kWord, "enum"},
    {DebugFlagKind::kWordAnyCase, "enum"},
    {DebugFlagKind::kEnumList, "enum list"},
    {DebugFlagKind::kEnumSet, "enum list"},
    {DebugFlagKind::kFilterList, "list"},
    {DebugFlagKind::kRegexList, "list"},
    {DebugFlagKind::kRangeList, "list"},
    {DebugFlagKind::kBoolAlias, "bool"},
    {DebugFlagKind::kFuel, "list"},
    {DebugFlagKind::kIgnored, "bool"},
    {DebugFlagKind::kFieldOnly, "field"},
};

// The elements of a list flag: from the field where it holds strings, so that
// commas in them stay.
std::vector<std::string> Elements(const DebugFlag& flag,
                                  const xla::DebugOptions& options,
                                  absl::string_view value) {
  using google::protobuf::FieldDescriptor;
  const FieldDescriptor* field =
      xla::DebugOptions::descriptor()->FindFieldByNumber(flag.field_number);
  std::vector<std::string> elements;
  if (field == nullptr || !field->is_repeated() ||
      field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
    return absl::StrSplit(value, ',', absl::SkipEmpty());
  }
  const auto* reflection = options.GetReflection();
  for (int i = 0; i < reflection->FieldSize(options, field); ++i) {
    elements.push_back(reflection->GetRepeatedString(options, field, i));
  }
  return elements;
}

}  // namespace

absl::string_view DebugFlagTypeName(const DebugFlag& flag) {
  for (const TypeNameRow& row : kTypeNames) {
    if (row.kind == flag.kind) return row.name;
  }
  return "";
}

void WriteFlagValue(const DebugFlag& flag, const xla::DebugOptions& options,
                    absl::string_view written, JsonWriter* json) {
  std::string value = DebugFlagValue(flag, options);
  if (flag.field_number == 0 && !flag.is_bool()) value = std::string(written);
  if (flag.kind == DebugFlagKind::kIgnored) value = std::string(written);
  const absl::string_view type = DebugFlagTypeName(flag);
  bool boolean;
  float number;
  int64_t integer;
  if (type == "bool" && ParseBoolText(value, &boolean)) {
    json->Bool(boolean);
  } else if ((type == "int32" || type == "int64") &&
             absl::SimpleAtoi(value, &integer)) {
    json->Int(integer);
  } else if (type == "float" && ParseFloatText(value, &number)) {
    if (std::isfinite(number)) {
      json->Raw(FloatText(number));
    } else {
      json->Double(number);
    }
  } else if (type == "list" || type == "enum list") {
    json->BeginArray();
    for (const std::string& one : Elements(flag, options, value)) {
      json->String(one);
    }
    json->EndArray();
  } else if (type == "map") {
    json->BeginObject();
    for (absl::string_view pair :
         absl::StrSplit(value, ',', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(pair, absl::MaxSplits('=', 1));
      json->Member(parts.first, parts.second);
    }
    json->EndObject();
  } else {
    json->String(value);
  }
}

OptionSet MakeHloFlagsOptions(HloFlagsOptions* o) {
  OptionSet set(kTool, "list|explain|check|diff [OPTION...] [ARGUMENT...]",
                "List the flags of XLA_FLAGS (list [WORD...]), explain one "
                "(explain NAME...), check a string as XLA reads it (check "
                "[STRING], without one the variable XLA_FLAGS) and compare two "
                "(diff A B: strings, files with flags, or .debug_options "
                "files). Variables of JAX, libtpu and TensorFlow are explained "
                "too.");
  set.Add("json", &o->json, OptionGroup::kOutput, "Print JSON for programs");
  set.Add("group", &o->group, OptionGroup::kSelection,
          "List the flags of this group only")
      .Value("GROUP");
  set.Add("who", &o->who, OptionGroup::kSelection,
          "Tell where each value that is set comes from");
  set.Add("variable", &o->variable, OptionGroup::kInput,
          "Check the value of this variable, e.g. LIBTPU_INIT_ARGS")
      .Value("NAME");
  set.Add("debug_options_file", &o->debug_options_file, OptionGroup::kInput,
          "Put this file below XLA_FLAGS (with --who)")
      .Value("FILE");
  set.Add("command_line", &o->command_line, OptionGroup::kInput,
          "Put these flags above XLA_FLAGS (with --who)")
      .Value("STRING");
  set.Positional(1, -1);
  set.Example("hlo-flags check", "tell what XLA makes of XLA_FLAGS");
  set.Example("hlo-flags check --json '--xla_dump_to=/tmp/x'",
              "check a string, for a program");
  set.Example("hlo-flags list dump pass", "list flags by words of their names");
  set.Example("hlo-flags explain xla_dump_hlo_pass_re", "explain a flag");
  set.Example("hlo-flags diff a.debug_options '--xla_dump_to=/x'",
              "compare options");
  set.ExitCode(1, "the string is refused, or the two differ");
  set.ExitCode(3, "a flag or file is not there");
  return set;
}

int RunHloFlags(absl::Span<const std::string> arguments, const ToolIo& io) {
  HloFlagsOptions options;
  OptionSet set = MakeHloFlagsOptions(&options);
  CommandLine line = set.ParseMain(MarkFlagStrings(set, arguments), io);
  if (line.exit_code.has_value()) return *line.exit_code;
  for (std::string& one : line.positional) one = Unmarked(one);
  options.command_line = Unmarked(options.command_line);
  absl::StatusOr<int> code = RunCommand(options, line.positional, io);
  const int finish = FinishTool(io, kTool, code.status());
  if (absl::IsOutOfRange(code.status())) return kUsage;
  return code.ok() && finish == kOk ? *code : finish;
}

}  // namespace hlokit
