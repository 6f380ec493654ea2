#include "flags/debug_options.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/suggest.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr DebugFlag kFlags[] = {
#define HLOKIT_DEBUG_FLAG(name, kind, field, default_text, detail, group,   \
                          status, help)                                     \
  {#name, DebugFlagKind::kind, field, default_text, detail,                 \
   DebugFlagGroup::group, DebugFlagStatus::status, help},
#include "flags/debug_options.def"
};

struct GroupRow {
  DebugFlagGroup group;
  absl::string_view name;
};

constexpr GroupRow kGroups[] = {
    {DebugFlagGroup::kDumping, "dumping"},
    {DebugFlagGroup::kPasses, "passes"},
    {DebugFlagGroup::kNumerics, "numerics"},
    {DebugFlagGroup::kDebugging, "debugging"},
    {DebugFlagGroup::kDevices, "devices"},
    {DebugFlagGroup::kSharding, "sharding"},
    {DebugFlagGroup::kCpu, "cpu"},
    {DebugFlagGroup::kGpu, "gpu"},
    {DebugFlagGroup::kGpuKernels, "gpu-kernels"},
    {DebugFlagGroup::kGpuLibraries, "gpu-libraries"},
    {DebugFlagGroup::kGpuScheduling, "gpu-scheduling"},
    {DebugFlagGroup::kCollectives, "collectives"},
    {DebugFlagGroup::kAutotuning, "autotuning"},
    {DebugFlagGroup::kLlvm, "llvm"},
    {DebugFlagGroup::kTesting, "testing"},
};

const std::vector<absl::string_view>& SettableNames() {
  static const auto& names = *[] {
    auto* all = new std::vector<absl::string_view>();
    for (const DebugFlag& flag : kFlags) {
      if (flag.is_flag()) all->push_back(flag.name);
    }
    return all;
  }();
  return names;
}

// Returns the words of a name, sorted: "as dump hlo html xla".
std::string WordsOf(absl::string_view name) {
  std::vector<absl::string_view> words =
      absl::StrSplit(name, '_', absl::SkipEmpty());
  std::sort(words.begin(), words.end());
  return absl::StrJoin(words, " ");
}

// Returns the flags by their words, whose order people mix up.
const std::map<std::string, absl::string_view>& FlagsByWords() {
  static const auto& flags = *[] {
    auto* all = new std::map<std::string, absl::string_view>();
    for (const DebugFlag& flag : kFlags) {
      if (flag.is_flag()) all->emplace(WordsOf(flag.name), flag.name);
    }
    return all;
  }();
  return flags;
}

// The row when it is a flag, else null.
const DebugFlag* FindSettable(absl::string_view name) {
  const DebugFlag* flag = FindDebugFlag(name);
  return flag != nullptr && flag->is_flag() ? flag : nullptr;
}

xla::DebugOptions MakeDefaults() {
  xla::DebugOptions options;
  for (const DebugFlag& flag : kFlags) {
    const FieldDescriptor* field =
        xla::DebugOptions::descriptor()->FindFieldByNumber(flag.field_number);
    if (field == nullptr) continue;
    if (!field->is_repeated() &&
        field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      // Words stand for enum values, so the flag's own grammar goes first.
      if (SetFieldText(*field, flag.default_text, &options)) continue;
    }
    if (flag.default_text.empty()) continue;
    HLOKIT_CHECK(SetDebugFlag(flag, flag.default_text, &options).ok());
  }
  return options;
}

bool AddElement(const FieldDescriptor& field, absl::string_view text,
                xla::DebugOptions* options) {
  const auto* reflection = options->GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    reflection->AddString(options, &field, std::string(text));
    return true;
  }
  const auto* value =
      field.enum_type()->FindValueByName(std::string(text));
  int number;
  if (value == nullptr && absl::SimpleAtoi(text, &number)) {
    value = field.enum_type()->FindValueByNumber(number);
  }
  if (value == nullptr) return false;
  reflection->AddEnum(options, &field, value);
  return true;
}

absl::string_view TypeName(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return "bool";
    case FieldDescriptor::CPPTYPE_INT32:
      return "int32";
    case FieldDescriptor::CPPTYPE_INT64:
      return "int64";
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "float";
    case FieldDescriptor::CPPTYPE_ENUM:
      return "enum";
    case FieldDescriptor::CPPTYPE_STRING:
      return "string";
    default:
      return "message";
  }
}

}  // namespace

const xla::DebugOptions& DefaultDebugOptions() {
  static const auto& options = *new xla::DebugOptions(MakeDefaults());
  return options;
}

absl::Status SetDebugField(absl::string_view name, absl::string_view value,
                           xla::DebugOptions* options) {
  const FieldDescriptor* field =
      xla::DebugOptions::descriptor()->FindFieldByName(std::string(name));
  if (field == nullptr) {
    return InvalidArgument("no such compile option: '%s'%s", name,
                           DidYouMean(name, SettableNames()));
  }
  bool ok = field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
  xla::DebugOptions copy = *options;
  if (ok && field->is_repeated()) {
    copy.GetReflection()->ClearField(&copy, field);
    for (absl::string_view item : absl::StrSplit(value, ',')) {
      if (!value.empty()) ok = ok && AddElement(*field, item, &copy);
    }
  } else if (ok) {
    ok = SetFieldText(*field, value, &copy);
    int number;
    if (!ok && field->enum_type() != nullptr &&
        absl::SimpleAtoi(value, &number) &&
        field->enum_type()->FindValueByNumber(number) != nullptr) {
      copy.GetReflection()->SetEnumValue(&copy, field, number);
      ok = true;
    }
  }
  if (!ok) {
    return InvalidArgument(
        "while setting option %s, '%s' is not a valid %s value", name, value,
        TypeName(*field));
  }
  *options = std::move(copy);
  return absl::OkStatus();
}

bool DebugFlag::adds_up() const {
  switch (kind) {
    case DebugFlagKind::kCommaList:
    case DebugFlagKind::kElement:
    case DebugFlagKind::kBlankList:
    case DebugFlagKind::kMap:
    case DebugFlagKind::kEnumList:
    case DebugFlagKind::kFilterList:
    case DebugFlagKind::kRegexList:
    case DebugFlagKind::kRangeList:
      return true;
    default:
      return false;
  }
}

absl::Span<const DebugFlag> DebugFlags() { return kFlags; }

const DebugFlag* FindDebugFlag(absl::string_view name) {
  const DebugFlag* row = std::lower_bound(
      std::begin(kFlags), std::end(kFlags), name,
      [](const DebugFlag& flag, absl::string_view n) { return flag.name < n; });
  return row != std::end(kFlags) && row->name == name ? row : nullptr;
}

std::string NearestDebugFlag(absl::string_view name) {
  while (absl::ConsumePrefix(&name, "-")) {
  }
  // Longer than any flag by far: not worth a search.
  if (name.size() > 200) return "";
  std::string plain = absl::StrReplaceAll(absl::AsciiStrToLower(name),
                                          {{"-", "_"}});
  for (absl::string_view prefix : {"", "no_", "no"}) {
    absl::string_view rest = plain;
    if (!absl::ConsumePrefix(&rest, prefix)) continue;
    for (absl::string_view start : {"", "xla_", "xla_gpu_", "xla_cpu_"}) {
      const DebugFlag* flag = FindSettable(absl::StrCat(start, rest));
      if (flag != nullptr) return std::string(flag->name);
    }
  }
  if (plain.size() < 3) return "";
  if (const auto it = FlagsByWords().find(WordsOf(plain));
      it != FlagsByWords().end()) {
    return std::string(it->second);
  }
  std::vector<absl::string_view> near = NearestNames(plain, SettableNames(), 1);
  if (near.empty() && !absl::StartsWith(plain, "xla_")) {
    near = NearestNames(absl::StrCat("xla_", plain), SettableNames(), 1);
  }
  return near.empty() ? "" : std::string(near[0]);
}

absl::string_view DebugFlagGroupName(DebugFlagGroup group) {
  for (const GroupRow& row : kGroups) {
    if (row.group == group) return row.name;
  }
  return "";
}

absl::Span<const DebugFlagGroup> DebugFlagGroups() {
  static const auto& groups = *[] {
    auto* all = new std::vector<DebugFlagGroup>();
    for (const GroupRow& row : kGroups) all->push_back(row.group);
    return all;
  }();
  return groups;
}

std::string DebugFlagField(const DebugFlag& flag) {
  if (flag.kind == DebugFlagKind::kBoolAlias) {
    return std::string(flag.detail.substr(0, flag.detail.find('=')));
  }
  const auto* field = xla::DebugOptions::descriptor()->FindFieldByNumber(
      flag.field_number);
  return field == nullptr ? "" : field->name();
}

}  // namespace hlokit
