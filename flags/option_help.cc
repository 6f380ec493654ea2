// --help and its like, and the manual page.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "flags/options.h"

namespace hlokit {
namespace {

constexpr OptionGroup kGroups[] = {
    OptionGroup::kInput,       OptionGroup::kOutput,
    OptionGroup::kSelection,   OptionGroup::kPasses,
    OptionGroup::kComparison,  OptionGroup::kExecution,
    OptionGroup::kDiagnostics, OptionGroup::kCommon};

// What every tool has, shown last in the group "Common".
struct CommonRow {
  absl::string_view left, help;
};

constexpr CommonRow kCommon[] = {
    {"--help, -h", "Show this text"},
    {"--help=TOPIC", "Show one group, option or XLA flag"},
    {"--help-all", "Show everything, hidden options and XLA flags too"},
    {"--version", "Show version and build"},
    {"--completion=SHELL", "Print the completion script for bash, zsh or fish"},
};

// Where the second column starts; longer names have their text below.
constexpr int kColumn = 30;
constexpr int kMinWidth = 40;
constexpr int kMaxWidth = 100;  // longer lines are hard to read
// Lists of words up to this length stand right behind the option's name.
constexpr size_t kMaxInlineWords = 20;

// Words in lines of `width` columns; lines after the first are indented.
std::string Wrap(absl::string_view text, int width, int indent) {
  std::string out;
  int column = indent;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    int length = DisplayWidth(word);
    bool first = column == indent;
    if (!first && column + 1 + length > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
      first = true;
    }
    if (!first) out += ' ';
    absl::StrAppend(&out, word);
    column += length + (first ? 0 : 1);
  }
  return out;
}

std::string Dashes(const std::string& name) {
  return absl::StrCat(name.size() == 1 ? "-" : "--", name);
}

// "--name=VALUE", "--[no]name".
std::string Left(const Option& option) {
  if (option.kind == OptionKind::kBool && option.default_text == "true") {
    return absl::StrCat("--[no]", option.name);
  }
  std::string value = ValueName(option);
  if (value.empty()) return Dashes(option.name);
  return absl::StrCat(Dashes(option.name), option.name.size() == 1 ? " " : "=",
                      value);
}

std::string Left(const DebugFlag& flag) {
  std::string value = ValueName(flag);
  return value.empty() ? absl::StrCat("--", flag.name)
                       : absl::StrCat("--", flag.name, "=", value);
}

// The sentence, accepted words and default.
std::string Right(const Option& option) {
  std::string text = option.help;
  if (!option.words.empty() &&
      !absl::StrContains(ValueName(option), "|")) {
    absl::StrAppend(&text, "; one of ", absl::StrJoin(option.words, ", "));
  }
  bool plain = option.default_text.empty() ||
               (option.kind == OptionKind::kBool &&
                option.default_text == "false");
  if (!plain) absl::StrAppend(&text, " (default: ", option.default_text, ")");
  return text;
}

std::string Right(const DebugFlag& flag) {
  std::string text(flag.help);
  std::string value = DebugFlagValue(flag, DefaultDebugOptions());
  if (!value.empty() && !(flag.is_bool() && value == "false")) {
    absl::StrAppend(&text, " (default: ",
                    absl::StrReplaceAll(value, {{",", ", "}}), ")");
  }
  return text;
}

bool ShownInHelp(const DebugFlag& flag) {
  return flag.is_flag() && flag.kind != DebugFlagKind::kIgnored;
}

// Text for roff: a line may not start with a dot, and '-' is a hyphen there.
std::string Roff(absl::string_view text) {
  std::string escaped =
      absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}});
  if (absl::StartsWith(escaped, ".")) escaped.insert(0, "\\&");
  return escaped;
}

}  // namespace

std::string ValueName(const Option& option) {
  if (!option.value_name.empty()) return option.value_name;
  std::string words = absl::StrJoin(option.words, "|");
  if (!words.empty() && words.size() <= kMaxInlineWords) return words;
  switch (option.kind) {
    case OptionKind::kBool:
      return "";
    case OptionKind::kInt32:
    case OptionKind::kInt64:
    case OptionKind::kUint64:
      return "N";
    case OptionKind::kFloat:
    case OptionKind::kDouble:
      return "X";
    case OptionKind::kEnum:
      return "WORD";
    case OptionKind::kList:
      return option.split_commas ? "TEXT,..." : "TEXT";
    case OptionKind::kString:
      break;
  }
  return option.words.empty() ? "TEXT" : "WORD";
}

std::string ValueName(const DebugFlag& flag) {
  if (flag.is_bool()) {
    return DebugFlagValue(flag, DefaultDebugOptions()) == "true" ? "false" : "";
  }
  switch (flag.kind) {
    case DebugFlagKind::kInt32:
    case DebugFlagKind::kInt64:
    case DebugFlagKind::kPositive:
      return "N";
    case DebugFlagKind::kFloat:
      return "X";
    case DebugFlagKind::kDuration:
      return "TIME";
    case DebugFlagKind::kCommaList:
      return "NAME,...";
    case DebugFlagKind::kMap:
      return "KEY=VALUE,...";
    case DebugFlagKind::kFuel:
      return "PASS=N,...";
    case DebugFlagKind::kEnumList:
    case DebugFlagKind::kEnumSet:
      return "WORD,...";
    case DebugFlagKind::kFilterList:
      return "KIND:BYTES,...";
    case DebugFlagKind::kRegexList:
      return "REGEX,...";
    case DebugFlagKind::kRangeList:
      return "A:B,...";
    case DebugFlagKind::kEnum:
    case DebugFlagKind::kEnumAnyCase:
    case DebugFlagKind::kEnumPrefix:
    case DebugFlagKind::kWord:
    case DebugFlagKind::kWordAnyCase: {
      std::string words = absl::StrJoin(DebugFlagWords(flag), "|");
      return words.size() <= kMaxInlineWords ? words : "WORD";
    }
    default:
      return absl::EndsWith(flag.name, "_re") ? "REGEX" : "TEXT";
  }
}

class HelpWriter {
 public:
  HelpWriter(const OptionSet& set, const HelpStyle& style)
      : set_(set),
        width_(std::clamp(style.width, kMinWidth, kMaxWidth)),
        paint_(style.color) {}

  void Heading(absl::string_view text) {
    if (!out_.empty()) out_ += '\n';
    absl::StrAppend(&out_, paint_(Style::kBold, absl::StrCat(text, ":")), "\n");
  }

  // One entry in two columns.
  void Row(absl::string_view left, absl::string_view right) {
    std::string line = absl::StrCat("  ", left);
    int used = DisplayWidth(line);
    if (used + 2 > kColumn) {
      line += '\n';
      used = 0;
    }
    line.append(kColumn - used, ' ');
    absl::StrAppend(&out_, line, Wrap(right, width_, kColumn), "\n");
  }

  void Paragraph(absl::string_view text) {
    absl::StrAppend(&out_, Wrap(text, width_, 0), "\n");
  }

  void Top() {
    absl::StrAppend(&out_, paint_(Style::kBold, "Usage:"), " ", set_.program_,
                    " ", set_.usage_, "\n\n");
    Paragraph(set_.summary_);
  }

  void OptionGroupRows(OptionGroup group, bool with_hidden) {
    bool any = group == OptionGroup::kCommon;
    for (const Option& option : set_.options_) {
      any |= option.group == group && (with_hidden || !option.hidden);
    }
    if (!any) return;
    Heading(OptionSet::GroupName(group));
    for (const Option& option : set_.options_) {
      if (option.group == group && (with_hidden || !option.hidden)) {
        Row(Left(option), Right(option));
      }
    }
    if (group != OptionGroup::kCommon) return;
    for (const CommonRow& row : kCommon) Row(row.left, row.help);
    if (set_.debug_options_file_ != nullptr) {
      Row("--xla_...", "Set any XLA flag, over those in XLA_FLAGS");
    }
  }

  void DebugGroupRows(DebugFlagGroup group) {
    Heading(absl::StrCat("XLA flags: ", DebugFlagGroupName(group)));
    for (const DebugFlag& flag : DebugFlags()) {
      if (flag.group == group && ShownInHelp(flag)) {
        Row(Left(flag), Right(flag));
      }
    }
  }

  void Bottom() {
    if (!set_.examples_.empty()) {
      Heading("Examples");
      for (const auto& [command, what] : set_.examples_) {
        absl::StrAppend(&out_, "  ", command, "\n      ",
                        Wrap(what, width_, 6), "\n");
      }
    }
    Heading("Exit codes");
    for (const auto& [code, meaning] : set_.exit_codes_) {
      absl::StrAppend(&out_, "  ", code, "  ", Wrap(meaning, width_, 5), "\n");
    }
  }

  void Detail(const Option& option) {
    absl::StrAppend(&out_, paint_(Style::kBold, Left(option)), "\n");
    Row("", Right(option));
    if (option.range.has_value()) {
      Row("", absl::StrFormat("From %g to %g.", option.range->first,
                              option.range->second));
    }
  }

  void Detail(const DebugFlag& flag) {
    absl::StrAppend(&out_, paint_(Style::kBold, Left(flag)), "\n");
    Row("", Right(flag));
    Row("", absl::StrCat("Accepts ", DebugFlagAccepts(flag), "."));
    if (flag.adds_up()) Row("", "Several occurrences add up.");
    if (flag.kind == DebugFlagKind::kBoolAlias) {
      Row("", absl::StrCat("Sets the field ", DebugFlagField(flag), "."));
    }
    switch (flag.status) {
      case DebugFlagStatus::kExperimental:
        break;
      case DebugFlagStatus::kStable:
        Row("", "Stable: XLA gives six months of notice before it changes.");
        break;
      case DebugFlagStatus::kDeprecated:
        Row("", flag.kind == DebugFlagKind::kIgnored
                    ? "Deprecated, without effect."
                    : "Deprecated.");
        break;
      case DebugFlagStatus::kRemoved:
        Row("", "Known to older releases of XLA only, without effect here.");
        break;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  const OptionSet& set_;
  int width_;
  Painter paint_;
  std::string out_;
};

absl::string_view OptionSet::GroupName(OptionGroup group) {
  switch (group) {
    case OptionGroup::kInput:
      return "Input";
    case OptionGroup::kOutput:
      return "Output";
    case OptionGroup::kSelection:
      return "Selection";
    case OptionGroup::kPasses:
      return "Passes";
    case OptionGroup::kComparison:
      return "Comparison";
    case OptionGroup::kExecution:
      return "Execution";
    case OptionGroup::kDiagnostics:
      return "Diagnostics";
    case OptionGroup::kCommon:
      return "Common";
  }
  return "";
}

absl::Span<const OptionGroup> OptionSet::Groups() { return kGroups; }

std::string OptionSet::Help(const HelpStyle& style) const {
  HelpWriter writer(*this, style);
  writer.Top();
  for (OptionGroup group : kGroups) writer.OptionGroupRows(group, false);
  writer.Bottom();
  return writer.Take();
}

std::string OptionSet::HelpAll(const HelpStyle& style) const {
  HelpWriter writer(*this, style);
  writer.Top();
  for (OptionGroup group : kGroups) writer.OptionGroupRows(group, true);
  if (debug_options_file_ != nullptr) {
    for (DebugFlagGroup group : DebugFlagGroups()) {
      writer.DebugGroupRows(group);
    }
  }
  writer.Bottom();
  return writer.Take();
}

absl::StatusOr<std::string> OptionSet::HelpOn(absl::string_view topic,
                                              const HelpStyle& style) const {
  HelpWriter writer(*this, style);
  std::vector<std::string> topics;
  for (OptionGroup group : kGroups) {
    if (absl::EqualsIgnoreCase(topic, GroupName(group))) {
      writer.OptionGroupRows(group, true);
    }
    topics.push_back(absl::AsciiStrToLower(GroupName(group)));
  }
  if (debug_options_file_ != nullptr) {
    for (DebugFlagGroup group : DebugFlagGroups()) {
      absl::string_view name = DebugFlagGroupName(group);
      if (absl::EqualsIgnoreCase(topic, name)) writer.DebugGroupRows(group);
      // The passes have a group of XLA flags, too.
      if (std::find(topics.begin(), topics.end(), name) == topics.end()) {
        topics.emplace_back(name);
      }
    }
  }
  std::string text = writer.Take();
  if (!text.empty()) return text;

  absl::string_view name = topic;
  while (absl::StartsWith(name, "-")) name.remove_prefix(1);
  if (const Option* option = Find(name)) {
    writer.Detail(*option);
    return writer.Take();
  }
  const DebugFlag* flag =
      FindDebugFlag(absl::StrReplaceAll(name, {{"-", "_"}}));
  if (flag != nullptr && flag->is_flag() && debug_options_file_ != nullptr) {
    writer.Detail(*flag);
    return writer.Take();
  }
  return NotFound("no help on '%s'%s (topics: %s)", topic,
                  DidYouMean(topic, topics), absl::StrJoin(topics, ", "));
}

std::string OptionSet::Version() const {
#ifdef NDEBUG
  constexpr absl::string_view kAssertions = "without assertions";
#else
  constexpr absl::string_view kAssertions = "with assertions";
#endif
  absl::string_view type = HLOKIT_BUILD_TYPE;
  return absl::StrCat(program_, " (hlokit) ", HLOKIT_VERSION, "\nbuild type ",
                      type.empty() ? "None" : type, ", ", kAssertions, "\n");
}

std::string OptionSet::ManPage() const {
  std::string page = absl::StrFormat(
      ".TH \"%s\" 1 \"\" \"hlokit %s\"\n.SH NAME\n%s \\- %s\n"
      ".SH SYNOPSIS\n.B %s\n%s\n.SH DESCRIPTION\n%s\n",
      absl::AsciiStrToUpper(program_), HLOKIT_VERSION, Roff(program_),
      Roff(summary_.substr(0, summary_.find('.'))), Roff(program_),
      Roff(usage_), Roff(summary_));
  auto row = [&](absl::string_view left, absl::string_view right) {
    absl::StrAppend(&page, ".TP\n.B ", Roff(left), "\n", Roff(right), "\n");
  };
  absl::StrAppend(&page, ".SH OPTIONS\n");
  for (OptionGroup group : kGroups) {
    bool any = group == OptionGroup::kCommon;
    for (const Option& option : options_) {
      any |= option.group == group && !option.hidden;
    }
    if (!any) continue;
    absl::StrAppend(&page, ".SS ", GroupName(group), "\n");
    for (const Option& option : options_) {
      if (option.group == group && !option.hidden) {
        row(Left(option), Right(option));
      }
    }
    if (group != OptionGroup::kCommon) continue;
    for (const CommonRow& common : kCommon) row(common.left, common.help);
  }
  if (!examples_.empty()) absl::StrAppend(&page, ".SH EXAMPLES\n");
  for (const auto& [command, what] : examples_) row(command, what);
  absl::StrAppend(&page, ".SH EXIT STATUS\n");
  for (const auto& [code, meaning] : exit_codes_) {
    row(absl::StrCat(code), meaning);
  }
  return page;
}

}  // namespace hlokit
