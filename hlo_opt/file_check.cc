#include "hlo_opt/file_check.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "hlo_opt/file_check_numbers.h"

namespace hlokit {
namespace {

enum class CheckKind { kPlain, kNext, kSame, kNot, kDag, kLabel, kEmpty };

struct Check {
  CheckKind kind = CheckKind::kPlain;
  int64_t count = 1;
  bool literal = false;
  std::string pattern;  // blanks collapsed
  int64_t line = 0;     // in the check file
  std::string words;    // "CHECK-NEXT: ..." for messages
};

using Variables = std::map<std::string, std::string>;

struct Span {
  size_t begin = 0, end = 0;
};

// Runs of blanks become one; lines keep their ends.
std::string CollapseBlanks(absl::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\r') continue;
    if (c == '\t') c = ' ';
    if (c == ' ' && !out.empty() && out.back() == ' ') continue;
    out += c;
  }
  return out;
}

// ---- check lines ----

bool IsWordChar(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_'; }

// The check that stands at `at` of the line, after a prefix; false if none.
absl::StatusOr<bool> ParseDirective(absl::string_view rest, Check* check) {
  static constexpr std::pair<absl::string_view, CheckKind> kSuffixes[] = {
      {"-NEXT", CheckKind::kNext},   {"-SAME", CheckKind::kSame},
      {"-NOT", CheckKind::kNot},     {"-DAG", CheckKind::kDag},
      {"-LABEL", CheckKind::kLabel}, {"-EMPTY", CheckKind::kEmpty},
      {"-COUNT-", CheckKind::kPlain}};
  absl::string_view suffix;
  for (const auto& [text, kind] : kSuffixes) {
    if (!absl::StartsWith(rest, text)) continue;
    check->kind = kind;
    suffix = text;
    rest.remove_prefix(text.size());
  }
  if (suffix == "-COUNT-") {
    size_t digits = 0;
    while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
    if (!absl::SimpleAtoi(rest.substr(0, digits), &check->count) ||
        check->count < 1) {
      return InvalidArgument("-COUNT- takes a number");
    }
    rest.remove_prefix(digits);
  }
  if (absl::StartsWith(rest, "{LITERAL}")) {
    check->literal = true;
    rest.remove_prefix(9);
  }
  if (!absl::StartsWith(rest, ":")) return false;
  check->pattern =
      CollapseBlanks(absl::StripAsciiWhitespace(rest.substr(1)));
  return true;
}

absl::StatusOr<std::vector<Check>> ParseChecks(absl::string_view text,
                                               absl::string_view file,
                                               const FileCheckOptions& options) {
  std::vector<Check> checks;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    for (const std::string& prefix : options.prefixes) {
      size_t at = 0;
      bool found = false;
      while (!found &&
             (at = line.find(prefix, at)) != absl::string_view::npos) {
        const bool word = at == 0 || !IsWordChar(line[at - 1]);
        Check check;
        check.line = number;
        check.words = std::string(absl::StripAsciiWhitespace(line.substr(at)));
        at += prefix.size();
        if (!word) continue;
        auto directive = ParseDirective(line.substr(at), &check);
        if (!directive.ok()) {
          return InvalidArgument("%s:%d: %s", file, number,
                                 directive.status().message());
        }
        if (!*directive) continue;
        checks.push_back(std::move(check));
        found = true;
      }
      if (found) break;
    }
  }
  if (checks.empty()) {
    return InvalidArgument("%s: no check lines with the prefix %s", file,
                           absl::StrJoin(options.prefixes, ", "));
  }
  return checks;
}

// ---- patterns ----

// A pattern as a regular expression: group k + 1 captures names[k]; the names
// that were defined earlier in the same pattern must capture the same again.
struct Compiled {
  std::unique_ptr<RE2> regex;
  std::vector<std::string> names;
  std::vector<int> groups;
  // Numbers to be defined: names, forms and their groups.
  struct Number {
    std::string name;
    NumberForm form;
    int group = 0;
  };
  std::vector<Number> numbers;
};

// Whether a numeric block starts here; `skip` what stands before its inside.
bool IsNumericStart(absl::string_view rest, size_t* skip) {
  *skip = absl::StartsWith(rest, "[[#") ? 3 : 2;
  return *skip == 3 || absl::StartsWith(rest, "[[@LINE");
}

// Where "]]" or "}}" closes what began at `at`.
size_t FindClose(absl::string_view pattern, size_t at, absl::string_view close) {
  int brackets = 0;
  for (size_t k = at; k < pattern.size(); ++k) {
    if (close == "]]") {
      if (pattern[k] == '\\') {
        ++k;
        continue;
      }
      if (brackets == 0 && absl::StartsWith(pattern.substr(k), close)) return k;
      if (pattern[k] == '[') ++brackets;
      if (pattern[k] == ']' && brackets > 0) --brackets;
    } else if (absl::StartsWith(pattern.substr(k), close)) {
      // }}} ends with the last two.
      while (k + 2 < pattern.size() && pattern[k + 2] == '}') ++k;
      return k;
    }
  }
  return absl::string_view::npos;
}

int GroupsIn(const std::string& regex) {
  const RE2 compiled(regex, RE2::Quiet);
  return compiled.ok() ? compiled.NumberOfCapturingGroups() : 0;
}

absl::StatusOr<Compiled> Compile(const Check& check,
                                 const Variables& variables,
                                 const NumericVariables& numbers) {
  Compiled compiled;
  std::string regex;
  int groups = 0;
  const absl::string_view pattern = check.pattern;
  std::map<std::string, std::string> here;  // defined in this pattern
  const auto capture = [&](const std::string& name, const std::string& inner) {
    absl::StrAppend(&regex, "(", inner, ")");
    compiled.names.push_back(name);
    compiled.groups.push_back(++groups);
    groups += GroupsIn(inner);
  };
  const auto add_number = [&](absl::string_view inside) -> absl::Status {
    HLOKIT_ASSIGN_OR_RETURN(const NumericBlock block,
                            ParseNumericBlock(inside, numbers, check.line));
    absl::StrAppend(&regex, "(",
                    block.value.has_value()
                        ? RE2::QuoteMeta(FormatNumber(*block.value, block.form))
                        : NumberPattern(block.form),
                    ")");
    ++groups;
    if (!block.name.empty()) {
      compiled.numbers.push_back({block.name, block.form, groups});
    }
    return absl::OkStatus();
  };
  size_t at = 0;
  size_t skip = 0;
  while (at < pattern.size()) {
    const absl::string_view rest = pattern.substr(at);
    if (!check.literal && absl::StartsWith(rest, "{{")) {
      const size_t close = FindClose(pattern, at + 2, "}}");
      if (close == absl::string_view::npos) {
        return InvalidArgument("{{ without }}");
      }
      const std::string inner(pattern.substr(at + 2, close - at - 2));
      absl::StrAppend(&regex, "(?:", inner, ")");
      groups += GroupsIn(inner);
      at = close + 2;
    } else if (!check.literal && absl::StartsWith(rest, "[[") &&
               rest.size() > 2 &&
               (absl::ascii_isalpha(rest[2]) || rest[2] == '_' ||
                rest[2] == '$')) {
      const size_t close = FindClose(pattern, at + 2, "]]");
      if (close == absl::string_view::npos) {
        return InvalidArgument("[[ without ]]");
      }
      const absl::string_view inside = pattern.substr(at + 2, close - at - 2);
      const size_t colon = inside.find(':');
      const std::string name(inside.substr(0, colon));
      if (colon != absl::string_view::npos) {
        here[name] = std::string(inside.substr(colon + 1));
        capture(name, here[name]);
      } else if (here.contains(name)) {
        capture(name, here[name]);
      } else if (auto it = variables.find(name); it != variables.end()) {
        regex += RE2::QuoteMeta(it->second);
      } else {
        return NotFound("variable %s is not defined", name);
      }
      at = close + 2;
    } else if (!check.literal && IsNumericStart(rest, &skip)) {
      const size_t close = pattern.find("]]", at);
      if (close == absl::string_view::npos) {
        return InvalidArgument("[[ without ]]");
      }
      HLOKIT_RETURN_IF_ERROR(
          add_number(pattern.substr(at + skip, close - at - skip)));
      at = close + 2;
    } else {
      size_t next = at + 1;
      while (next < pattern.size() &&
             !absl::StartsWith(pattern.substr(next), "{{") &&
             !absl::StartsWith(pattern.substr(next), "[[")) {
        ++next;
      }
      if (check.literal) next = pattern.size();
      regex += RE2::QuoteMeta(
          re2::StringPiece(pattern.data() + at, next - at));
      at = next;
    }
  }
  RE2::Options re_options;
  re_options.set_log_errors(false);
  re_options.set_never_nl(false);
  re_options.set_one_line(false);
  compiled.regex = std::make_unique<RE2>("(?m)" + regex, re_options);
  if (!compiled.regex->ok()) return InvalidArgument("%s", compiled.regex->error());
  return compiled;
}

// ---- matching ----

class Matcher {
 public:
  Matcher(absl::string_view file, std::string input,
          const FileCheckOptions& options)
      : file_(file),
        input_(std::move(input)),
        options_(options),
        variables_(options.defines) {
    for (const auto& [name, value] : options.numbers) {
      numbers_[name].value = value;
    }
  }

  absl::Status Run(const std::vector<Check>& checks) {
    // Labels cut the input; checks between two labels look between them only.
    size_t at = 0;
    size_t next = 0;
    while (next < checks.size()) {
      size_t last = next;
      if (checks[next].kind == CheckKind::kLabel) ++last;
      while (last < checks.size() && checks[last].kind != CheckKind::kLabel) {
        ++last;
      }
      size_t limit = input_.size();
      if (last < checks.size()) {
        size_t from = at;
        if (checks[next].kind == CheckKind::kLabel) {
          HLOKIT_ASSIGN_OR_RETURN(const Span label,
                                  Find(checks[next], at, input_.size()));
          from = label.end;
        }
        HLOKIT_ASSIGN_OR_RETURN(const Span label,
                                Find(checks[last], from, input_.size()));
        limit = label.begin;
      }
      if (checks[next].kind == CheckKind::kLabel && options_.enable_var_scope) {
        std::erase_if(variables_, [&](const auto& v) {
          return v.first[0] != '$' && !options_.defines.contains(v.first);
        });
        std::erase_if(numbers_, [&](const auto& v) {
          return v.first[0] != '$' && !options_.numbers.contains(v.first);
        });
      }
      HLOKIT_RETURN_IF_ERROR(
          RunBlock({checks.begin() + next, checks.begin() + last}, at, limit));
      at = limit;
      next = last;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunBlock(const std::vector<Check>& checks, size_t at,
                        size_t limit) {
    std::vector<const Check*> nots;
    for (size_t k = 0; k < checks.size(); ++k) {
      if (checks[k].kind == CheckKind::kNot) {
        nots.push_back(&checks[k]);
        continue;
      }
      const size_t from = at;
      size_t begin;
      if (checks[k].kind == CheckKind::kDag) {
        HLOKIT_ASSIGN_OR_RETURN(const Span all, RunDags(checks, &k, at, limit));
        begin = all.begin;
        at = all.end;
      } else {
        HLOKIT_ASSIGN_OR_RETURN(const Span match, RunOne(checks[k], at, limit));
        begin = match.begin;
        at = match.end;
      }
      HLOKIT_RETURN_IF_ERROR(RunNots(nots, from, begin));
      nots.clear();
    }
    return RunNots(nots, at, limit);
  }

  // A row of -DAG checks, `*k` the first and in the end the last: any order.
  absl::StatusOr<Span> RunDags(const std::vector<Check>& checks, size_t* k,
                               size_t at, size_t limit) {
    std::vector<Span> taken;
    for (;; ++*k) {
      size_t from = at;
      Span match;
      for (;;) {
        HLOKIT_ASSIGN_OR_RETURN(match, Find(checks[*k], from, limit));
        const auto over = std::find_if(
            taken.begin(), taken.end(), [&](const Span& other) {
              return match.begin < other.end && other.begin < match.end;
            });
        if (over == taken.end()) break;
        from = over->end;
      }
      taken.push_back(match);
      if (*k + 1 == checks.size() ||
          checks[*k + 1].kind != CheckKind::kDag) {
        break;
      }
    }
    Span all = taken[0];
    for (const Span& match : taken) {
      all.begin = std::min(all.begin, match.begin);
      all.end = std::max(all.end, match.end);
    }
    return all;
  }

  absl::StatusOr<Span> RunOne(const Check& check, size_t at, size_t limit) {
    if (check.kind == CheckKind::kEmpty) {
      const size_t end = input_.find('\n', at);
      if (end == std::string::npos || end + 1 >= input_.size() ||
          input_[end + 1] != '\n') {
        return Fault(check, at, "the next line is not empty");
      }
      return Span{end + 1, end + 1};
    }
    Span all;
    for (int64_t n = 0; n < check.count; ++n) {
      HLOKIT_ASSIGN_OR_RETURN(const Span match, Find(check, at, limit));
      const int64_t lines = std::count(input_.begin() + at,
                                       input_.begin() + match.begin, '\n');
      if (check.kind == CheckKind::kNext && lines != 1) {
        return Fault(check, at,
                     absl::StrCat("found, but ", lines, " lines further on: ",
                                  LineAt(match.begin)));
      }
      if (check.kind == CheckKind::kSame && lines != 0) {
        return Fault(check, at,
                     absl::StrCat("found, but not on the same line: ",
                                  LineAt(match.begin)));
      }
      if (n == 0) all.begin = match.begin;
      all.end = at = match.end;
    }
    return all;
  }

  absl::Status RunNots(const std::vector<const Check*>& nots, size_t begin,
                       size_t end) {
    for (const Check* check : nots) {
      auto match = Find(*check, begin, std::max(begin, end));
      if (match.ok()) {
        return Fault(*check, match->begin,
                     absl::StrCat("found: ", LineAt(match->begin)));
      }
      if (!absl::IsInternal(match.status())) return match.status();
    }
    return absl::OkStatus();
  }

  // The first match in [at, limit); keeps what its variables hold.
  absl::StatusOr<Span> Find(const Check& check, size_t at, size_t limit) {
    auto compiled = Compile(check, variables_, numbers_);
    if (absl::IsNotFound(compiled.status())) {
      return Fault(check, at, compiled.status().message());
    }
    if (!compiled.ok()) {
      return absl::Status(
          compiled.status().code(),
          absl::StrCat(file_, ":", check.line, ": ",
                       compiled.status().message(), "\n  ", check.words));
    }
    const int count = 1 + compiled->regex->NumberOfCapturingGroups();
    std::vector<re2::StringPiece> groups(count);
    const re2::StringPiece text(input_.data(), input_.size());
    while (at <= limit &&
           compiled->regex->Match(text, at, limit, RE2::UNANCHORED,
                                  groups.data(), count)) {
      const size_t begin = groups[0].data() - input_.data();
      Variables found;
      bool same = true;
      for (size_t k = 0; k < compiled->names.size(); ++k) {
        const re2::StringPiece& group = groups[compiled->groups[k]];
        const std::string value(group.data(), group.size());
        const auto [it, fresh] = found.emplace(compiled->names[k], value);
        same &= fresh || it->second == value;
      }
      if (same) {
        for (auto& [name, value] : found) variables_[name] = value;
        HLOKIT_RETURN_IF_ERROR(KeepNumbers(*compiled, groups));
        return Span{begin, begin + groups[0].size()};
      }
      at = begin + 1;
    }
    return Fault(check, at, "not found");
  }

  absl::Status KeepNumbers(const Compiled& compiled,
                           const std::vector<re2::StringPiece>& groups) {
    for (const Compiled::Number& number : compiled.numbers) {
      const re2::StringPiece& text = groups[number.group];
      HLOKIT_ASSIGN_OR_RETURN(
          const int64_t value,
          ReadNumber(absl::string_view(text.data(), text.size()),
                     number.form));
      numbers_[number.name] = {value, number.form};
    }
    return absl::OkStatus();
  }

  absl::string_view LineAt(size_t at) const {
    const size_t begin = at == 0 ? 0 : input_.rfind('\n', at - 1) + 1;
    const size_t end = input_.find('\n', at);
    return absl::string_view(input_).substr(begin, end - begin);
  }

  absl::Status Fault(const Check& check, size_t at,
                     absl::string_view what) const {
    at = std::min(at, input_.size());
    const int64_t line =
        1 + std::count(input_.begin(), input_.begin() + at, '\n');
    return Internal("%s:%d: %s\n  %s\n  searched from line %d: %s", file_,
                    check.line, what, check.words, line, LineAt(at));
  }

  const std::string file_;
  const std::string input_;
  const FileCheckOptions& options_;
  Variables variables_;
  NumericVariables numbers_;
};

}  // namespace

absl::Status FileCheck(absl::string_view checks, absl::string_view file,
                       absl::string_view input,
                       const FileCheckOptions& options) {
  HLOKIT_ASSIGN_OR_RETURN(const std::vector<Check> parsed,
                          ParseChecks(checks, file, options));
  return Matcher(file, CollapseBlanks(input), options).Run(parsed);
}

}  // namespace hlokit
