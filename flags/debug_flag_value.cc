// Reading and printing the values of flags, one function per kind.
#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/suggest.h"
#include "flags/debug_options.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::EnumValueDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

using StringMap = ::google::protobuf::Map<std::string, std::string>;

const FieldDescriptor* FieldOf(const DebugFlag& flag) {
  return xla::DebugOptions::descriptor()->FindFieldByNumber(flag.field_number);
}

absl::Status BadValue(const DebugFlag& flag, absl::string_view value,
                      absl::string_view more = "") {
  return InvalidArgument("--%s: '%s' is not %s%s", flag.name, value,
                         DebugFlagAccepts(flag), more);
}

// ---- enums ----

// "A_*_B" as prefix "A_" and suffix "_B"; "" has neither.
struct Pattern {
  absl::string_view prefix, suffix;
};

Pattern PatternOf(const DebugFlag& flag) {
  size_t star = flag.detail.find('*');
  if (star == absl::string_view::npos) return {};
  return {flag.detail.substr(0, star), flag.detail.substr(star + 1)};
}

// The short word for an enum value, or "" when the pattern does not fit.
std::string WordFor(const DebugFlag& flag, const std::string& enum_name) {
  Pattern pattern = PatternOf(flag);
  absl::string_view rest = enum_name;
  if (!absl::ConsumePrefix(&rest, pattern.prefix)) return "";
  if (!absl::ConsumeSuffix(&rest, pattern.suffix)) return "";
  return absl::AsciiStrToLower(rest);
}

// An older help text of the detection flags named words that the parser behind
// it never took; people write them.
absl::string_view KnownMistake(const DebugFlag& flag, absl::string_view word) {
  if (flag.detail != "DETECTION_MODE_*") return "";
  if (word == "log") return "warning";
  if (word == "crash") return "fail";
  return "";
}

struct EnumMatch {
  const EnumValueDescriptor* value = nullptr;
  bool as_upstream = true;  // spelt in a way that XLA takes, too
};

EnumMatch MatchEnum(const DebugFlag& flag, absl::string_view text) {
  const EnumDescriptor* type = FieldOf(flag)->enum_type();
  Pattern pattern = PatternOf(flag);
  std::string upper = absl::AsciiStrToUpper(text);
  auto full = [&] { return type->FindValueByName(upper); };
  auto by_word = [&](absl::string_view word) {
    return type->FindValueByName(
        absl::StrCat(pattern.prefix, word, pattern.suffix));
  };
  switch (flag.kind) {
    case DebugFlagKind::kEnum:
      return {full(), upper == text};
    case DebugFlagKind::kEnumAnyCase:
      return {full(), true};
    case DebugFlagKind::kEnumPrefix:
      if (const auto* value = full()) return {value, true};
      return {by_word(upper), true};
    case DebugFlagKind::kWord:
    case DebugFlagKind::kWordAnyCase: {
      if (const auto* value = by_word(upper)) {
        return {value, flag.kind == DebugFlagKind::kWordAnyCase ||
                           text == absl::AsciiStrToLower(text)};
      }
      absl::string_view meant =
          KnownMistake(flag, absl::AsciiStrToLower(text));
      if (!meant.empty()) {
        return {by_word(absl::AsciiStrToUpper(meant)), false};
      }
      return {full(), false};
    }
    default:
      return {};
  }
}

// The text that XLA takes for an enum value of a single-enum flag.
std::string EnumText(const DebugFlag& flag, const EnumValueDescriptor* value) {
  if (flag.kind == DebugFlagKind::kWord ||
      flag.kind == DebugFlagKind::kWordAnyCase) {
    std::string word = WordFor(flag, value->name());
    if (!word.empty()) return word;
  }
  return value->name();
}

absl::Status SetEnum(const DebugFlag& flag, absl::string_view value,
                     xla::DebugOptions* options, FlagEffects* effects) {
  EnumMatch match = MatchEnum(flag, value);
  if (match.value == nullptr) {
    return BadValue(flag, value, DidYouMean(value, DebugFlagWords(flag)));
  }
  if (!match.as_upstream) {
    effects->notes.push_back(
        absl::StrFormat("--%s=%s is taken as '%s'; XLA itself refuses this "
                        "spelling",
                        flag.name, value, EnumText(flag, match.value)));
  }
  options->GetReflection()->SetEnum(options, FieldOf(flag), match.value);
  return absl::OkStatus();
}

// ---- lists of enums ----

std::vector<int> GetEnums(const xla::DebugOptions& options,
                          const FieldDescriptor* field) {
  const Reflection* reflection = options.GetReflection();
  std::vector<int> values;
  for (int i = 0; i < reflection->FieldSize(options, field); ++i) {
    values.push_back(reflection->GetRepeatedEnumValue(options, field, i));
  }
  return values;
}

void PutEnums(const std::vector<int>& values, const FieldDescriptor* field,
              xla::DebugOptions* options) {
  const Reflection* reflection = options->GetReflection();
  reflection->ClearField(options, field);
  for (int value : values) reflection->AddEnumValue(options, field, value);
}

void AddOnce(int value, std::vector<int>* values) {
  if (std::find(values->begin(), values->end(), value) == values->end()) {
    values->push_back(value);
  }
}

absl::Status SetEnumList(const DebugFlag& flag, absl::string_view value,
                         xla::DebugOptions* options) {
  const FieldDescriptor* field = FieldOf(flag);
  std::vector<absl::string_view> items = absl::StrSplit(value, ',');
  size_t signs = 0, named = 0;
  for (absl::string_view& item : items) {
    item = absl::StripAsciiWhitespace(item);
    if (item.empty()) continue;
    ++named;
    if (item[0] == '+' || item[0] == '-') ++signs;
  }
  // Only a value without any byte clears the list.
  if (named == 0 && !value.empty()) return absl::OkStatus();
  if (signs != 0 && signs != items.size()) {
    return InvalidArgument(
        "--%s: '%s' mixes items with and without + or -; all of them have a "
        "sign (to edit the list) or none has (to replace it)",
        flag.name, value);
  }
  std::vector<int> values;
  if (signs != 0) values = GetEnums(*options, field);
  for (absl::string_view item : items) {
    if (item.empty()) continue;
    char sign = signs != 0 ? item[0] : ' ';
    std::string name = absl::AsciiStrToUpper(item.substr(signs != 0 ? 1 : 0));
    const auto* found = field->enum_type()->FindValueByName(name);
    if (found == nullptr) {
      found = field->enum_type()->FindValueByName(
          absl::StrCat(PatternOf(flag).prefix, name));
    }
    if (found == nullptr) {
      return BadValue(flag, item, DidYouMean(name, DebugFlagWords(flag)));
    }
    if (sign == '-') {
      values.erase(std::remove(values.begin(), values.end(), found->number()),
                   values.end());
    } else {
      AddOnce(found->number(), &values);
    }
  }
  PutEnums(values, field, options);
  return absl::OkStatus();
}

absl::Status SetEnumSet(const DebugFlag& flag, absl::string_view value,
                        xla::DebugOptions* options, FlagEffects* effects) {
  const FieldDescriptor* field = FieldOf(flag);
  std::vector<int> values;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    absl::string_view trimmed = absl::StripAsciiWhitespace(item);
    const auto* found = field->enum_type()->FindValueByName(
        absl::AsciiStrToUpper(trimmed));
    if (found == nullptr) {
      return BadValue(flag, item, DidYouMean(trimmed, DebugFlagWords(flag)));
    }
    if (trimmed.size() != item.size()) {
      effects->notes.push_back(absl::StrFormat(
          "--%s: XLA itself refuses blanks around '%s'", flag.name, trimmed));
    }
    if (found->number() != xla::DebugOptions::ALLCOLLECTIVES) {
      AddOnce(found->number(), &values);
      continue;
    }
    for (int kind = xla::DebugOptions::ALLREDUCE;
         kind < xla::DebugOptions::ALLCOLLECTIVES; ++kind) {
      AddOnce(kind, &values);
    }
  }
  PutEnums(values, field, options);
  return absl::OkStatus();
}

// ---- lists and maps of strings ----

absl::Status SetStrings(const DebugFlag& flag, absl::string_view value,
                        xla::DebugOptions* options) {
  std::vector<std::string> items;
  if (flag.kind == DebugFlagKind::kElement) {
    items.emplace_back(value);
  } else if (flag.kind == DebugFlagKind::kCommaList) {
    items = absl::StrSplit(value, ',');
  } else {
    items = absl::StrSplit(value, absl::ByAnyChar(" \t\r\n\v\f"),
                           absl::SkipEmpty());
  }
  for (std::string& item : items) {
    options->GetReflection()->AddString(options, FieldOf(flag),
                                        std::move(item));
  }
  return absl::OkStatus();
}

StringMap* MutableMap(const DebugFlag& flag, xla::DebugOptions* options) {
  switch (flag.field_number) {
    case xla::DebugOptions::kXlaBackendExtraOptionsFieldNumber:
      return options->mutable_xla_backend_extra_options();
    case xla::DebugOptions::kXlaGpuAnalyticalLatencyEstimatorOptionsFieldNumber:
      return options->mutable_xla_gpu_analytical_latency_estimator_options();
    default:
      return options
          ->mutable_xla_gpu_experimental_cost_model_gemm_tiling_options();
  }
}

absl::Status SetMap(const DebugFlag& flag, absl::string_view value,
                    xla::DebugOptions* options) {
  StringMap* map = MutableMap(flag, options);
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    (*map)[std::string(pair.first)] = std::string(pair.second);
  }
  return absl::OkStatus();
}

std::string MapText(const DebugFlag& flag, const xla::DebugOptions& options) {
  xla::DebugOptions copy = options;
  std::vector<std::string> items;
  for (const auto& [key, value] : *MutableMap(flag, &copy)) {
    items.push_back(absl::StrCat(key, "=", value));
  }
  std::sort(items.begin(), items.end());
  return absl::StrJoin(items, ",");
}

// ---- filters ----

absl::Status SetFilters(const DebugFlag& flag, absl::string_view value,
                        xla::DebugOptions* options) {
  std::vector<xla::DebugOptions::CollectiveFilter> filters;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    std::vector<std::string> parts = absl::StrSplit(item, ':');
    xla::DebugOptions::CollectiveFilter filter;
    std::string name;
    for (char c : parts[0]) {
      if (c != '-' && c != '_') name += absl::ascii_toupper(c);
    }
    if (name == "ALL") name = "ALLCOLLECTIVES";
    xla::DebugOptions::CollectiveOpType kind;
    if (!xla::DebugOptions::CollectiveOpType_Parse(name, &kind)) {
      return BadValue(flag, item, DidYouMean(name, DebugFlagWords(flag)));
    }
    filter.set_collective(kind);
    int64_t bytes;
    if (parts.size() > 1) {
      if (!absl::SimpleAtoi(parts[1], &bytes)) return BadValue(flag, item);
      filter.set_max_size_bytes(bytes);
    }
    xla::PrimitiveType type;
    if (parts.size() > 2) {
      if (!xla::PrimitiveType_Parse(absl::AsciiStrToUpper(parts[2]), &type)) {
        return BadValue(flag, item);
      }
      filter.set_op_type(type);
    }
    if (parts.size() > 3) return BadValue(flag, item);
    filters.push_back(filter);
  }
  for (const auto& filter : filters) {
    *options->add_xla_enable_nccl_symmetric_buffers_for_collectives() = filter;
  }
  return absl::OkStatus();
}

std::string FiltersText(const xla::DebugOptions& options) {
  std::vector<std::string> items;
  for (const auto& filter :
       options.xla_enable_nccl_symmetric_buffers_for_collectives()) {
    std::string item =
        xla::DebugOptions::CollectiveOpType_Name(filter.collective());
    if (filter.has_max_size_bytes() || filter.has_op_type()) {
      absl::StrAppend(&item, ":", filter.max_size_bytes());
    }
    if (filter.has_op_type()) {
      absl::StrAppend(&item, ":",
                      absl::AsciiStrToLower(
                          xla::PrimitiveType_Name(filter.op_type())));
    }
    items.push_back(item);
  }
  return absl::StrJoin(items, ",");
}

absl::Status SetRegexes(absl::string_view value, xla::DebugOptions* options) {
  auto* filter =
      options->mutable_xla_gpu_experimental_thunk_buffer_debug_filter();
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    filter->add_profile_annotation_regexes(std::string(item));
  }
  return absl::OkStatus();
}

absl::Status SetRanges(const DebugFlag& flag, absl::string_view value,
                       xla::DebugOptions* options) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    size_t colon = item.find(':');
    absl::string_view low = item.substr(0, colon), high = low;
    if (colon != absl::string_view::npos) high = item.substr(colon + 1);
    int64_t first = std::numeric_limits<int64_t>::min();
    int64_t last = std::numeric_limits<int64_t>::max();
    bool ok = !low.empty() || !high.empty();
    if (!low.empty()) ok = ok && absl::SimpleAtoi(low, &first);
    if (!high.empty()) ok = ok && absl::SimpleAtoi(high, &last);
    if (!ok || first > last) return BadValue(flag, item);
    ranges.emplace_back(first, last);
  }
  auto* filter =
      options->mutable_xla_gpu_experimental_thunk_buffer_debug_filter();
  for (const auto& [first, last] : ranges) {
    auto* range = filter->add_thunk_id_ranges();
    range->set_first(first);
    range->set_last(last);
  }
  return absl::OkStatus();
}

std::string RangesText(const xla::DebugOptions& options) {
  std::vector<std::string> items;
  for (const auto& range :
       options.xla_gpu_experimental_thunk_buffer_debug_filter()
           .thunk_id_ranges()) {
    if (range.first() == range.last()) {
      items.push_back(absl::StrCat(range.first()));
      continue;
    }
    std::string item;
    if (range.first() != std::numeric_limits<int64_t>::min()) {
      absl::StrAppend(&item, range.first());
    }
    item += ':';
    if (range.last() != std::numeric_limits<int64_t>::max()) {
      absl::StrAppend(&item, range.last());
    }
    items.push_back(item);
  }
  return absl::StrJoin(items, ",");
}

absl::Status SetFuel(const DebugFlag& flag, absl::string_view value,
                     FlagEffects* effects) {
  std::vector<std::pair<std::string, int64_t>> fuel;
  for (absl::string_view item : absl::StrSplit(value, ',')) {
    std::vector<absl::string_view> parts = absl::StrSplit(item, '=');
    int64_t amount;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &amount)) {
      return BadValue(flag, item);
    }
    fuel.emplace_back(std::string(parts[0]), amount);
  }
  effects->fuel = std::move(fuel);
  return absl::OkStatus();
}

// ---- bools that are not a field of their own ----

absl::Status SetIgnored(const DebugFlag& flag, absl::string_view value,
                        FlagEffects* effects) {
  bool unused;
  if (!ParseBoolText(value, &unused)) return BadValue(flag, value);
  effects->notes.push_back(
      absl::StrCat("--", flag.name,
                   flag.status == DebugFlagStatus::kRemoved
                       ? " has no effect here; only older releases of XLA "
                         "know it"
                       : " has no effect any more"));
  return absl::OkStatus();
}

struct Alias {
  absl::string_view target, if_true, if_false;
};

Alias AliasOf(const DebugFlag& flag) {
  size_t equals = flag.detail.find('=');
  size_t bar = flag.detail.find('|');
  return {flag.detail.substr(0, equals),
          flag.detail.substr(equals + 1, bar - equals - 1),
          flag.detail.substr(bar + 1)};
}

absl::Status SetAlias(const DebugFlag& flag, absl::string_view value,
                      xla::DebugOptions* options, FlagEffects* effects) {
  bool on;
  if (!ParseBoolText(value, &on)) return BadValue(flag, value);
  Alias alias = AliasOf(flag);
  absl::string_view text = on ? alias.if_true : alias.if_false;
  const DebugFlag* target = FindDebugFlag(alias.target);
  HLOKIT_CHECK(target != nullptr);
  if (!target->is_flag()) return SetDebugField(alias.target, text, options);
  return SetDebugFlag(*target, text, options, effects);
}

bool AliasValue(const DebugFlag& flag, const xla::DebugOptions& options) {
  Alias alias = AliasOf(flag);
  xla::DebugOptions set = options;
  FlagEffects effects;
  HLOKIT_CHECK(SetAlias(flag, "true", &set, &effects).ok());
  const auto* field = xla::DebugOptions::descriptor()->FindFieldByName(
      std::string(alias.target));
  HLOKIT_CHECK(field != nullptr);
  return FieldText(options, *field) == FieldText(set, *field);
}

absl::Status SetScalar(const DebugFlag& flag, absl::string_view value,
                       xla::DebugOptions* options) {
  if (!SetFieldText(*FieldOf(flag), value, options)) {
    return BadValue(flag, value);
  }
  return absl::OkStatus();
}

absl::Status SetPositive(const DebugFlag& flag, absl::string_view value,
                         xla::DebugOptions* options) {
  int32_t number;
  if (!absl::SimpleAtoi(value, &number) || number < 1) {
    return BadValue(flag, value);
  }
  return SetScalar(flag, value, options);
}

absl::Status SetDuration(const DebugFlag& flag, absl::string_view value,
                         xla::DebugOptions* options) {
  absl::Duration unused;
  if (!absl::ParseDuration(value, &unused)) return BadValue(flag, value);
  return SetScalar(flag, value, options);
}

absl::Status Set(const DebugFlag& flag, absl::string_view value,
                 xla::DebugOptions* options, FlagEffects* effects) {
  switch (flag.kind) {
    case DebugFlagKind::kBool:
    case DebugFlagKind::kInt32:
    case DebugFlagKind::kInt64:
    case DebugFlagKind::kFloat:
    case DebugFlagKind::kString:
      return SetScalar(flag, value, options);
    case DebugFlagKind::kPositive:
      return SetPositive(flag, value, options);
    case DebugFlagKind::kUpper:
      return SetScalar(flag, absl::AsciiStrToUpper(value), options);
    case DebugFlagKind::kDuration:
      return SetDuration(flag, value, options);
    case DebugFlagKind::kCommaList:
    case DebugFlagKind::kElement:
    case DebugFlagKind::kBlankList:
      return SetStrings(flag, value, options);
    case DebugFlagKind::kMap:
      return SetMap(flag, value, options);
    case DebugFlagKind::kEnum:
    case DebugFlagKind::kEnumAnyCase:
    case DebugFlagKind::kEnumPrefix:
    case DebugFlagKind::kWord:
    case DebugFlagKind::kWordAnyCase:
      return SetEnum(flag, value, options, effects);
    case DebugFlagKind::kEnumList:
      return SetEnumList(flag, value, options);
    case DebugFlagKind::kEnumSet:
      return SetEnumSet(flag, value, options, effects);
    case DebugFlagKind::kFilterList:
      return SetFilters(flag, value, options);
    case DebugFlagKind::kRegexList:
      return SetRegexes(value, options);
    case DebugFlagKind::kRangeList:
      return SetRanges(flag, value, options);
    case DebugFlagKind::kBoolAlias:
      return SetAlias(flag, value, options, effects);
    case DebugFlagKind::kFuel:
      return SetFuel(flag, value, effects);
    case DebugFlagKind::kIgnored:
      return SetIgnored(flag, value, effects);
    case DebugFlagKind::kFieldOnly:
      break;
  }
  return InvalidArgument(
      "%s is a field of DebugOptions that no flag sets; use a debug options "
      "file",
      flag.name);
}

std::string EnumNames(const xla::DebugOptions& options,
                      const FieldDescriptor* field) {
  std::vector<std::string> names;
  for (int number : GetEnums(options, field)) {
    const auto* value = field->enum_type()->FindValueByNumber(number);
    names.push_back(value != nullptr ? value->name() : absl::StrCat(number));
  }
  return absl::StrJoin(names, ",");
}

std::string StringsText(const DebugFlag& flag,
                        const xla::DebugOptions& options) {
  const FieldDescriptor* field = FieldOf(flag);
  std::vector<std::string> items;
  for (int i = 0; i < options.GetReflection()->FieldSize(options, field); ++i) {
    items.push_back(options.GetReflection()->GetRepeatedString(options, field,
                                                               i));
  }
  return absl::StrJoin(items,
                       flag.kind == DebugFlagKind::kBlankList ? " " : ",");
}

}  // namespace

absl::Status SetDebugFlag(const DebugFlag& flag, absl::string_view value,
                          xla::DebugOptions* options, FlagEffects* effects) {
  FlagEffects unused;
  return Set(flag, value, options, effects != nullptr ? effects : &unused);
}

std::string DebugFlagValue(const DebugFlag& flag,
                           const xla::DebugOptions& options) {
  switch (flag.kind) {
    case DebugFlagKind::kFuel:
    case DebugFlagKind::kIgnored:
      return "";
    case DebugFlagKind::kBoolAlias:
      return AliasValue(flag, options) ? "true" : "false";
    case DebugFlagKind::kMap:
      return MapText(flag, options);
    case DebugFlagKind::kFilterList:
      return FiltersText(options);
    case DebugFlagKind::kRegexList:
      return absl::StrJoin(
          options.xla_gpu_experimental_thunk_buffer_debug_filter()
              .profile_annotation_regexes(),
          ",");
    case DebugFlagKind::kRangeList:
      return RangesText(options);
    case DebugFlagKind::kEnumList:
    case DebugFlagKind::kEnumSet:
      return EnumNames(options, FieldOf(flag));
    case DebugFlagKind::kCommaList:
    case DebugFlagKind::kElement:
    case DebugFlagKind::kBlankList:
      return StringsText(flag, options);
    case DebugFlagKind::kEnum:
    case DebugFlagKind::kEnumAnyCase:
    case DebugFlagKind::kEnumPrefix:
    case DebugFlagKind::kWord:
    case DebugFlagKind::kWordAnyCase: {
      const FieldDescriptor* field = FieldOf(flag);
      const auto* value = field->enum_type()->FindValueByNumber(
          options.GetReflection()->GetEnumValue(options, field));
      if (value != nullptr) return EnumText(flag, value);
      return FieldText(options, *field);
    }
    default: {
      const FieldDescriptor* field = FieldOf(flag);
      return field == nullptr ? "" : FieldText(options, *field);
    }
  }
}

std::vector<std::string> DebugFlagWords(const DebugFlag& flag) {
  if (flag.is_bool()) return {"true", "false"};
  const FieldDescriptor* field = FieldOf(flag);
  if (flag.kind == DebugFlagKind::kFilterList) {
    field = xla::DebugOptions::CollectiveFilter::descriptor()->FindFieldByName(
        "collective");
  }
  if (field == nullptr || field->enum_type() == nullptr) return {};
  std::vector<std::string> words;
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    const EnumValueDescriptor* value = field->enum_type()->value(i);
    if (flag.kind != DebugFlagKind::kWord &&
        flag.kind != DebugFlagKind::kWordAnyCase) {
      words.push_back(value->name());
    } else if (std::string word = WordFor(flag, value->name()); !word.empty()) {
      words.push_back(word);
    }
  }
  return words;
}

std::string DebugFlagAccepts(const DebugFlag& flag) {
  switch (flag.kind) {
    case DebugFlagKind::kBool:
    case DebugFlagKind::kBoolAlias:
    case DebugFlagKind::kIgnored:
      return "true, false, 1 or 0";
    case DebugFlagKind::kInt32:
      return "a whole number from -2147483648 to 2147483647";
    case DebugFlagKind::kInt64:
      return "a whole number of 64 bits";
    case DebugFlagKind::kPositive:
      return "a whole number of 1 or more";
    case DebugFlagKind::kFloat:
      return "a number";
    case DebugFlagKind::kString:
    case DebugFlagKind::kUpper:
    case DebugFlagKind::kElement:
    case DebugFlagKind::kFieldOnly:
      return "a text";
    case DebugFlagKind::kDuration:
      return "a duration such as 10s, 1h30m or inf";
    case DebugFlagKind::kCommaList:
      return "a list of names with commas between";
    case DebugFlagKind::kBlankList:
      return "a list of words with blanks between";
    case DebugFlagKind::kMap:
      return "a list of KEY=VALUE with commas between";
    case DebugFlagKind::kEnumList:
    case DebugFlagKind::kEnumSet:
      return absl::StrCat("a list of ",
                          absl::StrJoin(DebugFlagWords(flag), ", "),
                          flag.kind == DebugFlagKind::kEnumList
                              ? "; with + or - before each name to edit it"
                              : "");
    case DebugFlagKind::kFilterList:
      return "a list of COLLECTIVE, COLLECTIVE:BYTES or COLLECTIVE:BYTES:TYPE";
    case DebugFlagKind::kRegexList:
      return "a list of regular expressions with commas between";
    case DebugFlagKind::kRangeList:
      return "a list of ranges such as 3, 2:5, 7: or :4";
    case DebugFlagKind::kFuel:
      return "a list of PASS=NUMBER with commas between";
    default:
      return absl::StrCat("one of ", absl::StrJoin(DebugFlagWords(flag), ", "));
  }
}

}  // namespace hlokit
