// Parsing of command lines.
#include <algorithm>
#include <ostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "flags/options.h"
#include "flags/value_text.h"

namespace hlokit {

class CommandLineParser {
 public:
  CommandLineParser(OptionSet* set, absl::Span<const std::string> arguments,
                    const HelpStyle& style)
      : set_(*set), arguments_(arguments), style_(style) {}

  CommandLine Parse() {
    while (next_ < arguments_.size() && !line_.exit_code.has_value()) {
      ParseArgument(arguments_[next_++]);
    }
    if (line_.exit_code.has_value() && *line_.exit_code == kOk) {
      return std::move(line_);
    }
    CheckPositional();
    if (set_.debug_options_file_ != nullptr) {
      line_.debug_options_file = *set_.debug_options_file_;
    }
    if (!mistakes_.empty()) FinishWithMistakes();
    return std::move(line_);
  }

 private:
  struct Written {
    absl::string_view argument;  // as given
    absl::string_view name;      // without dashes and value
    absl::optional<absl::string_view> value;
  };

  bool accepts_debug_options() const {
    return set_.debug_options_file_ != nullptr;
  }

  void Mistake(std::string text) { mistakes_.push_back(std::move(text)); }

  void Answer(int code, std::string text) {
    line_.exit_code = code;
    line_.text = std::move(text);
  }

  void ParseArgument(absl::string_view argument) {
    if (only_positional_ || argument.size() < 2 || argument[0] != '-') {
      line_.positional.emplace_back(argument);
      return;
    }
    if (argument == "--") {
      only_positional_ = true;
      return;
    }
    Written written{argument, argument, absl::nullopt};
    bool long_form = absl::ConsumePrefix(&written.name, "--");
    if (!long_form) written.name.remove_prefix(1);
    size_t equals = written.name.find('=');
    if (equals != absl::string_view::npos) {
      written.value = written.name.substr(equals + 1);
      written.name = written.name.substr(0, equals);
    }
    if (!long_form && written.name.size() > 1) {
      Mistake(absl::StrFormat("options start with two dashes: -%s", argument));
      return;
    }
    if (ParseCommon(written) || ParseOwn(written) || ParseDebug(written)) {
      return;
    }
    Unknown(written);
  }

  // --help and its like, unless the tool has an option of that name.
  bool ParseCommon(const Written& written) {
    absl::string_view name = written.name;
    if (set_.Find(name) != nullptr) return false;
    if (name == "h" || (name == "help" && !written.value.has_value())) {
      Answer(kOk, set_.Help(style_));
    } else if (name == "help") {
      AnswerOrMistake(set_.HelpOn(*written.value, style_));
    } else if (name == "help-all" || name == "help_all") {
      Answer(kOk, set_.HelpAll(style_));
    } else if (name == "version") {
      Answer(kOk, set_.Version());
    } else if (name == "completion") {
      AnswerOrMistake(set_.Completion(written.value.value_or("")));
    } else {
      return false;
    }
    return true;
  }

  void AnswerOrMistake(absl::StatusOr<std::string> text) {
    if (text.ok()) {
      Answer(kOk, *std::move(text));
    } else {
      Mistake(std::string(text.status().message()));
    }
  }

  // The option whose name is this one without a leading "no", if it is a bool.
  const Option* FindNegated(absl::string_view name) const {
    if (!absl::ConsumePrefix(&name, "no")) return nullptr;
    if (!name.empty() && (name[0] == '-' || name[0] == '_')) {
      name.remove_prefix(1);
    }
    const Option* option = set_.Find(name);
    return option != nullptr && option->kind == OptionKind::kBool ? option
                                                                  : nullptr;
  }

  bool ParseOwn(const Written& written) {
    if (const Option* option = set_.Find(written.name)) {
      absl::optional<absl::string_view> value = written.value;
      if (!value.has_value() && option->kind == OptionKind::kBool) {
        value = "true";
      }
      if (!value.has_value()) value = TakeValue(written);
      if (value.has_value()) StoreValue(*option, *value);
      return true;
    }
    const Option* negated = FindNegated(written.name);
    if (negated == nullptr) return false;
    if (written.value.has_value()) {
      Mistake(absl::StrFormat("--%s takes no value; write --%s=%s",
                              written.name, negated->name, *written.value));
    } else {
      StoreValue(*negated, "false");
    }
    return true;
  }

  // The next argument as the value of an option.
  absl::optional<absl::string_view> TakeValue(const Written& written) {
    if (next_ < arguments_.size() &&
        !absl::StartsWith(arguments_[next_], "--")) {
      return arguments_[next_++];
    }
    Mistake(absl::StrFormat("%s needs a value: %s=VALUE", written.argument,
                            written.argument));
    return absl::nullopt;
  }

  void StoreValue(const Option& option, absl::string_view value) {
    bool first = !line_.IsSet(option.name);
    if (first) line_.given.push_back(option.name);
    if (option.kind != OptionKind::kList) {
      StoreElement(option, value);
      return;
    }
    if (first) option.clear();
    if (!option.split_commas) {
      StoreElement(option, value);
      return;
    }
    for (absl::string_view item :
         absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      StoreElement(option, absl::StripAsciiWhitespace(item));
    }
  }

  void StoreElement(const Option& option, absl::string_view value) {
    absl::Status status;
    if (!option.words.empty() &&
        std::find(option.words.begin(), option.words.end(), value) ==
            option.words.end()) {
      status = InvalidArgument("'%s' is not one of %s%s", value,
                               absl::StrJoin(option.words, ", "),
                               DidYouMean(value, option.words));
    } else if (double number; option.range.has_value() &&
                              ParseDoubleText(value, &number) &&
                              !(number >= option.range->first &&
                                number <= option.range->second)) {
      status = InvalidArgument("'%s' is not from %s to %s", value,
                               DoubleText(option.range->first),
                               DoubleText(option.range->second));
    }
    if (status.ok()) status = option.store(value);
    if (!status.ok()) {
      Mistake(absl::StrCat("--", option.name, ": ", status.message()));
    }
  }

  static const DebugFlag* FindNegatedDebugFlag(absl::string_view name) {
    if (!absl::ConsumePrefix(&name, "no")) return nullptr;
    absl::ConsumePrefix(&name, "_");
    const DebugFlag* flag = FindDebugFlag(name);
    return flag != nullptr && flag->is_bool() ? flag : nullptr;
  }

  bool ParseDebug(const Written& written) {
    if (!absl::StartsWith(written.argument, "--")) return false;
    std::string name(written.name);
    std::replace(name.begin(), name.end(), '-', '_');
    absl::optional<absl::string_view> value = written.value;
    const DebugFlag* flag = FindDebugFlag(name);
    if (flag == nullptr && !value.has_value()) {
      flag = FindNegatedDebugFlag(name);
      if (flag != nullptr) value = "false";
    }
    if (flag == nullptr) return false;
    if (!accepts_debug_options()) {
      Mistake(absl::StrFormat("%s takes no --xla_ flags: %s", set_.program_,
                              written.argument));
      return true;
    }
    if (!flag->is_flag()) {
      Mistake(absl::StrFormat("%s is a field of DebugOptions that no flag "
                              "sets; use --debug_options_file",
                              flag->name));
      return true;
    }
    if (!value.has_value() && flag->is_bool()) value = "true";
    if (!value.has_value()) value = TakeValue(written);
    if (value.has_value()) StoreDebug(*flag, *value);
    return true;
  }

  void StoreDebug(const DebugFlag& flag, absl::string_view value) {
    // Tried at once, so that all mistakes show together. Lists may be edited
    // relative to the defaults.
    xla::DebugOptions scratch = DefaultDebugOptions();
    absl::Status status = SetDebugFlag(flag, value, &scratch);
    if (!status.ok()) {
      Mistake(std::string(status.message()));
      return;
    }
    line_.given.emplace_back(flag.name);
    line_.debug_settings.push_back({&flag, std::string(value)});
  }

  // The nearest of the tool's own options and, where accepted, XLA's flags.
  std::string Nearest(absl::string_view name) const {
    std::vector<std::string> own = {"help", "help-all", "version",
                                    "completion"};
    for (const Option& option : set_.options_) {
      if (!option.hidden) own.push_back(option.name);
    }
    std::vector<absl::string_view> near = NearestNames(name, own, 1);
    std::string xla = accepts_debug_options() ? NearestDebugFlag(name) : "";
    if (near.empty() || xla.empty()) {
      return near.empty() ? xla : std::string(near[0]);
    }
    return EditDistance(name, xla) < EditDistance(name, near[0])
               ? xla
               : std::string(near[0]);
  }

  void Unknown(const Written& written) {
    std::string text = absl::StrFormat("unknown option '%s'", written.argument);
    std::string nearest =
        written.name.size() < 200 ? Nearest(written.name) : "";
    if (!nearest.empty()) {
      absl::StrAppend(&text, "; did you mean '--", nearest, "'?");
    }
    Mistake(std::move(text));
  }

  void CheckPositional() {
    int count = static_cast<int>(line_.positional.size());
    int min = set_.min_positional_, max = set_.max_positional_;
    if (max >= 0 && count > max) {
      Mistake(max == 0
                  ? absl::StrFormat("unexpected argument '%s'",
                                    line_.positional[0])
                  : absl::StrFormat("too many arguments: '%s' (at most %d)",
                                    line_.positional[max], max));
    } else if (count < min && mistakes_.empty()) {
      Mistake(absl::StrFormat("%d argument%s missing: %s %s", min - count,
                              min - count == 1 ? " is" : "s are",
                              set_.program_, set_.usage_));
    }
  }

  void FinishWithMistakes() {
    std::string text;
    for (const std::string& mistake : mistakes_) {
      absl::StrAppend(&text, set_.program_, ": error: ", mistake, "\n");
    }
    absl::StrAppend(&text, "Run '", set_.program_,
                    " --help' for the options.\n");
    Answer(kUsage, std::move(text));
  }

  OptionSet& set_;
  absl::Span<const std::string> arguments_;
  HelpStyle style_;
  size_t next_ = 0;
  bool only_positional_ = false;
  CommandLine line_;
  std::vector<std::string> mistakes_;
};

CommandLine OptionSet::Parse(absl::Span<const std::string> arguments,
                             const HelpStyle& style) {
  return CommandLineParser(this, arguments, style).Parse();
}

CommandLine OptionSet::ParseMain(int argc, const char* const* argv,
                                 const ToolIo& io) {
  return ParseMain(
      std::vector<std::string>(argv + std::min(argc, 1), argv + argc), io);
}

CommandLine OptionSet::ParseMain(absl::Span<const std::string> arguments,
                                 const ToolIo& io) {
  HelpStyle style;
  style.width = TerminalWidth(io);
  style.color = UseColorOnOut(ColorMode::kAuto, io);
  CommandLine line = Parse(arguments, style);
  if (line.exit_code.has_value()) {
    std::ostream& stream = *line.exit_code == kOk ? *io.out : *io.err;
    stream << line.text << std::flush;
  }
  return line;
}

}  // namespace hlokit
