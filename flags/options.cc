#include "flags/options.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

// The name without the difference between '-' and '_'.
std::string Plain(absl::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  return plain;
}

template <typename T>
std::function<absl::Status(absl::string_view)> Store(
    T* target, bool (*parse)(absl::string_view, T*), const char* accepts) {
  return [=](absl::string_view text) {
    T value;
    if (!parse(text, &value)) {
      return InvalidArgument("'%s' is not %s", text, accepts);
    }
    *target = value;
    return absl::OkStatus();
  };
}

template <typename T>
bool ParseInt(absl::string_view text, T* value) {
  return absl::SimpleAtoi(text, value);
}

}  // namespace

bool CommandLine::IsSet(absl::string_view option) const {
  std::string plain = Plain(option);
  return std::any_of(given.begin(), given.end(), [&](const std::string& name) {
    return Plain(name) == plain;
  });
}

OptionSet::OptionSet(absl::string_view program, absl::string_view usage,
                     absl::string_view summary)
    : program_(program), usage_(usage), summary_(summary) {
  ExitCode(kOk, "success");
  ExitCode(kUsage, "the command line is wrong");
}

Option& OptionSet::AddOption(absl::string_view name, OptionKind kind,
                             OptionGroup group, absl::string_view help,
                             std::string default_text) {
  HLOKIT_CHECK(Find(name) == nullptr);
  Option& option = options_.emplace_back();
  option.name = std::string(name);
  option.kind = kind;
  option.group = group;
  option.help = std::string(help);
  option.default_text = std::move(default_text);
  return option;
}

Option& OptionSet::Add(absl::string_view name, bool* target, OptionGroup group,
                       absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kBool, group, help,
                             *target ? "true" : "false");
  option.store = Store<bool>(target, ParseBoolText, "true, false, 1 or 0");
  return option;
}

Option& OptionSet::Add(absl::string_view name, int32_t* target,
                       OptionGroup group, absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kInt32, group, help,
                             absl::StrCat(*target));
  option.store =
      Store<int32_t>(target, ParseInt, "a whole number of 32 bits");
  return option;
}

Option& OptionSet::Add(absl::string_view name, int64_t* target,
                       OptionGroup group, absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kInt64, group, help,
                             absl::StrCat(*target));
  option.store =
      Store<int64_t>(target, ParseInt, "a whole number of 64 bits");
  return option;
}

Option& OptionSet::Add(absl::string_view name, uint64_t* target,
                       OptionGroup group, absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kUint64, group, help,
                             absl::StrCat(*target));
  option.store = Store<uint64_t>(target, ParseInt,
                                 "a whole number of 64 bits, 0 or more");
  return option;
}

Option& OptionSet::Add(absl::string_view name, float* target, OptionGroup group,
                       absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kFloat, group, help,
                             FloatText(*target));
  option.store = Store<float>(target, ParseFloatText, "a number");
  return option;
}

Option& OptionSet::Add(absl::string_view name, double* target,
                       OptionGroup group, absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kDouble, group, help,
                             DoubleText(*target));
  option.store = Store<double>(target, ParseDoubleText, "a number");
  return option;
}

Option& OptionSet::Add(absl::string_view name, std::string* target,
                       OptionGroup group, absl::string_view help) {
  Option& option =
      AddOption(name, OptionKind::kString, group, help, *target);
  option.store = [target](absl::string_view text) {
    *target = std::string(text);
    return absl::OkStatus();
  };
  return option;
}

Option& OptionSet::Add(absl::string_view name,
                       std::vector<std::string>* target, OptionGroup group,
                       absl::string_view help) {
  Option& option = AddOption(name, OptionKind::kList, group, help,
                             absl::StrJoin(*target, ","));
  // Called for one element at a time.
  option.store = [target](absl::string_view text) {
    target->emplace_back(text);
    return absl::OkStatus();
  };
  option.clear = [target] { target->clear(); };
  return option;
}

Option& OptionSet::AddWords(absl::string_view name, OptionGroup group,
                            absl::string_view help,
                            std::vector<std::string> words,
                            std::string default_text,
                            std::function<void(size_t)> set) {
  Option& option = AddOption(name, OptionKind::kEnum, group, help,
                             std::move(default_text));
  option.words = words;
  option.store = [words = std::move(words),
                  set = std::move(set)](absl::string_view text) {
    auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
      return InvalidArgument("'%s' is not one of %s", text,
                             absl::StrJoin(words, ", "));
    }
    set(found - words.begin());
    return absl::OkStatus();
  };
  return option;
}

void OptionSet::Positional(int min, int max) {
  min_positional_ = min;
  max_positional_ = max;
}

void OptionSet::Example(absl::string_view command, absl::string_view what) {
  examples_.emplace_back(command, what);
}

void OptionSet::ExitCode(int code, absl::string_view meaning) {
  auto place = std::lower_bound(
      exit_codes_.begin(), exit_codes_.end(), code,
      [](const auto& entry, int wanted) { return entry.first < wanted; });
  if (place != exit_codes_.end() && place->first == code) {
    place->second = std::string(meaning);
  } else {
    exit_codes_.emplace(place, code, meaning);
  }
}

void OptionSet::AcceptDebugOptions() {
  debug_options_file_ = std::make_unique<std::string>();
  Add("debug_options_file", debug_options_file_.get(), OptionGroup::kCommon,
      "Take XLA's options from this text proto, as a dump's .debug_options")
      .Value("FILE");
}

const Option* OptionSet::Find(absl::string_view name) const {
  std::string plain = Plain(name);
  for (const Option& option : options_) {
    if (Plain(option.name) == plain) return &option;
  }
  return nullptr;
}

}  // namespace hlokit
