// The commands list, explain and diff.
#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/text_table.h"
#include "flags/environment.h"
#include "flags/hlo_flags.h"
#include "flags/removed_flags.h"
#include "flags/value_text.h"
#include "flags/xla_flags.h"

namespace hlokit {
namespace {

absl::string_view StatusName(DebugFlagStatus status) {
  switch (status) {
    case DebugFlagStatus::kExperimental: return "experimental";
    case DebugFlagStatus::kStable: return "stable";
    case DebugFlagStatus::kDeprecated: return "deprecated";
    case DebugFlagStatus::kRemoved: return "removed";
  }
  return "";
}

absl::string_view StatusMeaning(DebugFlagStatus status) {
  switch (status) {
    case DebugFlagStatus::kExperimental:
      return "experimental (XLA may change or drop it at any time)";
    case DebugFlagStatus::kStable:
      return "stable (XLA promises six months of notice)";
    case DebugFlagStatus::kDeprecated:
      return "deprecated (still read)";
    case DebugFlagStatus::kRemoved:
      return "removed (only some XLA releases know it; no effect here)";
  }
  return "";
}

// Words match the name; a word with a blank in it also the help.
bool MatchesAll(const DebugFlag& flag, absl::Span<const std::string> words) {
  const std::string help = absl::AsciiStrToLower(flag.help);
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::string lower = absl::AsciiStrToLower(word);
    return absl::StrContains(flag.name, lower) ||
           absl::StrContains(help, lower);
  });
}

void WriteFlagJson(const DebugFlag& flag, JsonWriter* json) {
  json->BeginObject();
  json->Member("name", flag.name)
      .Member("flag", flag.is_flag())
      .Member("type", DebugFlagTypeName(flag))
      .Member("accepts", flag.is_flag() ? DebugFlagAccepts(flag) : "");
  json->Key("words").BeginArray();
  for (const std::string& word : DebugFlagWords(flag)) json->String(word);
  json->EndArray();
  json->Member("default", flag.default_text)
      .Member("group", DebugFlagGroupName(flag.group))
      .Member("status", StatusName(flag.status))
      .Member("field", DebugFlagField(flag))
      .Member("field_number", flag.field_number)
      .Member("adds_up", flag.adds_up())
      .Member("help", flag.help);
  json->EndObject();
}

void ExplainFlag(const DebugFlag& flag, const ToolIo& io) {
  TextTable table({{""}, {""}});
  table.set_indent(2);
  auto row = [&](std::string title, std::string text) {
    if (!text.empty()) table.AddRow({std::move(title), std::move(text)});
  };
  *io.out << (flag.is_flag() ? "--" : "") << flag.name << "\n  " << flag.help
          << ".\n\n";
  row("type", std::string(DebugFlagTypeName(flag)));
  if (flag.is_flag()) row("accepts", DebugFlagAccepts(flag));
  row("default", flag.default_text.empty()
                     ? "(empty)"
                     : std::string(flag.default_text));
  if (flag.adds_up())
    row("repeated", "adds up; other flags: the last one wins");
  if (flag.is_bool())
    row("alone", absl::StrCat("--", flag.name, " means true"));
  row("group", std::string(DebugFlagGroupName(flag.group)));
  row("status", std::string(StatusMeaning(flag.status)));
  const std::string field = DebugFlagField(flag);
  row("field", field.empty() ? "none in xla.DebugOptions"
                             : absl::StrCat("xla.DebugOptions.", field, " = ",
                                            flag.field_number));
  if (flag.kind == DebugFlagKind::kBoolAlias) {
    row("writes", std::string(flag.detail));
  }
  if (!flag.is_flag()) {
    row("set by",
        "compile options and --debug_options_file; XLA refuses it in "
        "XLA_FLAGS");
  }
  *io.out << table.ToString();
}

void ExplainVariable(const EnvironmentVariable& variable, const ToolIo& io) {
  *io.out << variable.name << "  (environment variable, read by "
          << variable.reader << ")\n  " << variable.help << ".\n";
  TextTable table({{""}, {""}});
  table.set_indent(2);
  if (!variable.words.empty()) {
    table.AddRow({"accepts", absl::StrCat("a comma list of ", variable.words)});
  }
  table.AddRow({"default", variable.default_text.empty()
                               ? "(empty)"
                               : std::string(variable.default_text)});
  *io.out << "\n" << table.ToString();
  if (!variable.more.empty()) *io.out << "\n  " << variable.more << "\n";
  TextTable flags({{"flag"}, {"what it does"}});
  flags.set_indent(2);
  if (variable.kind == VariableKind::kTfXlaFlags) {
    for (const TfXlaFlag& flag : TfXlaFlags()) {
      flags.AddRow({absl::StrCat("--", flag.name), std::string(flag.help)});
    }
    *io.out << "\n" << flags.ToString();
  }
  if (variable.kind != VariableKind::kLibtpuFlags) return;
  for (const LibtpuFlag& flag : LibtpuFlags()) {
    flags.AddRow({absl::StrCat("--", flag.name),
                  flag.trouble.empty()
                      ? std::string(flag.help)
                      : absl::StrCat(flag.help, " (", flag.trouble, ")")});
  }
  *io.out << "\n" << flags.ToString();
}

void ExplainLibtpuFlag(const LibtpuFlag& flag, const ToolIo& io) {
  *io.out << "--" << flag.name << "  (libtpu; goes into LIBTPU_INIT_ARGS, not "
          << "XLA_FLAGS)\n  " << flag.help << ".\n";
  if (!flag.trouble.empty()) *io.out << "  Note: " << flag.trouble << ".\n";
}

absl::Status ExplainOne(absl::string_view name, const ToolIo& io) {
  name = name.substr(0, name.find('='));
  while (absl::ConsumePrefix(&name, "-")) {
  }
  if (const DebugFlag* flag = FindDebugFlag(name)) {
    ExplainFlag(*flag, io);
  } else if (const auto* variable = FindEnvironmentVariable(name)) {
    ExplainVariable(*variable, io);
  } else if (const LibtpuFlag* libtpu = FindLibtpuFlag(name)) {
    ExplainLibtpuFlag(*libtpu, io);
  } else if (const TfXlaFlag* tf = FindTfXlaFlag(name)) {
    *io.out << "--" << tf->name << "  (TensorFlow; goes into TF_XLA_FLAGS, not "
            << "XLA_FLAGS)\n  " << tf->help << ".\n";
  } else if (const RemovedFlag* removed = FindRemovedFlag(name)) {
    *io.out << "--" << removed->name << "  (XLA dropped this flag and ends the "
            << "process for it)\n  Today: " << removed->advice << ".\n";
  } else {
    const std::string nearest = NearestDebugFlag(name);
    return NotFound("there is no flag '%s'%s", name,
                    nearest.empty()
                        ? ""
                        : absl::StrCat("; did you mean '", nearest, "'?"));
  }
  return absl::OkStatus();
}

// ---- diff ----

// A string of flags, or what a file with flags or options holds.
absl::StatusOr<xla::DebugOptions> ReadSide(const std::string& side,
                                           const ToolIo& io) {
  xla::DebugOptions options = DefaultDebugOptions();
  std::string text = side;
  const size_t first = side.find_first_not_of(" \t\r\n");
  const bool is_flags =
      first == std::string::npos || side[first] == '-';
  if (side == "-" || !is_flags) {
    HLOKIT_ASSIGN_OR_RETURN(text, ReadInput(io, side));
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string::npos || text[start] != '-') {
      std::vector<std::string> warnings;
      HLOKIT_RETURN_IF_ERROR(ApplyDebugOptionsText(text, InputName(side),
                                                   &options, &warnings));
      for (const std::string& one : warnings) {
        *io.err << "warning: " << one << "\n";
      }
      return options;
    }
  }
  const XlaFlagsReport report = ParseXlaFlags(text, io.files, &options);
  *io.err << report.WarningText();
  if (!report.accept) {
    const std::string error = report.ErrorText();
    return absl::InvalidArgumentError(absl::StripSuffix(error, "\n"));
  }
  return options;
}

struct Difference {
  const DebugFlag* flag;
  std::string name;
  std::string left, right;
};

std::vector<Difference> Compare(const xla::DebugOptions& a,
                                const xla::DebugOptions& b) {
  std::vector<Difference> differences;
  const auto* descriptor = xla::DebugOptions::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto& field = *descriptor->field(i);
    const DebugFlag* flag = FindDebugFlag(field.name());
    // A flag's own text has maps in order.
    const bool by_flag = flag != nullptr && flag->is_flag();
    std::string left = by_flag ? DebugFlagValue(*flag, a) : FieldText(a, field);
    std::string right =
        by_flag ? DebugFlagValue(*flag, b) : FieldText(b, field);
    if (left == right) continue;
    differences.push_back({flag, field.name(), left, right});
  }
  std::sort(differences.begin(), differences.end(),
            [](const auto& x, const auto& y) { return x.name < y.name; });
  return differences;
}

std::string Quoted(const std::string& value) {
  return value.empty() ? "\"\"" : value;
}

}  // namespace

absl::StatusOr<int> ListFlags(const HloFlagsOptions& options,
                              absl::Span<const std::string> arguments,
                              const ToolIo& io) {
  std::vector<const DebugFlag*> flags;
  std::set<absl::string_view> groups;
  for (const DebugFlag& flag : DebugFlags()) {
    groups.insert(DebugFlagGroupName(flag.group));
    if (!options.group.empty() &&
        DebugFlagGroupName(flag.group) != options.group) {
      continue;
    }
    if (MatchesAll(flag, arguments)) flags.push_back(&flag);
  }
  if (!options.group.empty() && groups.count(options.group) == 0) {
    return absl::OutOfRangeError(
        absl::StrCat("there is no group '", options.group, "'; groups are ",
                     absl::StrJoin(groups, ", ")));
  }
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginArray();
    for (const DebugFlag* flag : flags) WriteFlagJson(*flag, &json);
    json.EndArray();
    *io.out << "\n";
    return kOk;
  }
  TextTable table({{"flag"}, {"type"}, {"default"}, {"what it does"}});
  for (const DebugFlag* flag : flags) {
    table.AddRow({std::string(flag->name),
                  std::string(DebugFlagTypeName(*flag)),
                  ElideMiddle(flag->default_text, 24),
                  std::string(flag->help)});
  }
  *io.out << table.ToString() << flags.size() << " of " << DebugFlags().size()
          << " flags\n";
  return kOk;
}

absl::StatusOr<int> ExplainFlags(const HloFlagsOptions& options,
                                 absl::Span<const std::string> arguments,
                                 const ToolIo& io) {
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginArray();
    for (absl::string_view name : arguments) {
      while (absl::ConsumePrefix(&name, "-")) {
      }
      const DebugFlag* flag = FindDebugFlag(name);
      if (flag == nullptr) return NotFound("there is no flag '%s'", name);
      WriteFlagJson(*flag, &json);
    }
    json.EndArray();
    *io.out << "\n";
    return kOk;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) *io.out << "\n";
    HLOKIT_RETURN_IF_ERROR(ExplainOne(arguments[i], io));
  }
  return kOk;
}

absl::StatusOr<int> DiffFlags(const HloFlagsOptions& options,
                              absl::Span<const std::string> arguments,
                              const ToolIo& io) {
  HLOKIT_ASSIGN_OR_RETURN(const xla::DebugOptions a,
                          ReadSide(arguments[0], io));
  HLOKIT_ASSIGN_OR_RETURN(const xla::DebugOptions b,
                          ReadSide(arguments[1], io));
  const std::vector<Difference> differences = Compare(a, b);
  if (options.json) {
    JsonWriter json(io.out, 1);
    json.BeginArray();
    for (const Difference& one : differences) {
      json.BeginObject().Member("name", one.name);
      json.Member("a", one.left).Member("b", one.right).EndObject();
    }
    json.EndArray();
    *io.out << "\n";
  } else if (!differences.empty()) {
    TextTable table({{"flag"}, {"A"}, {"B"}, {"default"}});
    for (const Difference& one : differences) {
      table.AddRow({one.name, Quoted(one.left), Quoted(one.right),
                    one.flag == nullptr
                        ? ""
                        : Quoted(std::string(one.flag->default_text))});
    }
    *io.out << table.ToString();
  }
  return differences.empty() ? kOk : kDifferent;
}

}  // namespace hlokit
