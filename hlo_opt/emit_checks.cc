#include "hlo_opt/emit_checks.h"

#include <re2/re2.h>

#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hlokit {
namespace {

// Names of variables for the instructions of one computation.
class VariableNames {
 public:
  // The variable of a name that is new, "" if it has one already.
  std::string Define(const std::string& name) {
    std::string variable;
    for (char c : name) variable += absl::ascii_isalnum(c) ? c : '_';
    if (variable.empty() || absl::ascii_isdigit(variable[0])) {
      variable.insert(0, "_");
    }
    const std::string base = variable;
    for (int k = 1; !taken_.insert(variable).second; ++k) {
      variable = absl::StrCat(base, "_", k);
    }
    names_[name] = variable;
    return variable;
  }
  const std::string* Find(const std::string& name) const {
    const auto it = names_.find(name);
    return it == names_.end() ? nullptr : &it->second;
  }

 private:
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

// Text that stands for itself in a check.
std::string Escaped(absl::string_view text) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    if (absl::StartsWith(text.substr(k), "{{")) {
      out += "{{[{][{]}}";
      ++k;
    } else if (absl::StartsWith(text.substr(k), "[[")) {
      out += "{{[[][[]}}";
      ++k;
    } else {
      out += text[k];
    }
  }
  return out;
}

bool IsNameChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

// "%a = f32[] add(%b, %c)" with variables for the names.
std::string InstructionCheck(absl::string_view line, VariableNames* names) {
  std::string out, plain;
  const auto flush = [&] {
    out += Escaped(plain);
    plain.clear();
  };
  absl::string_view rest = line;
  bool quoted = false;
  while (!rest.empty()) {
    if (rest[0] == '"') quoted = !quoted;
    if (rest[0] != '%' || quoted) {
      plain += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    size_t end = 1;
    while (end < rest.size() && IsNameChar(rest[end])) ++end;
    const std::string name(rest.substr(1, end - 1));
    const bool defines = absl::StartsWith(rest.substr(end), " = ") &&
                         (plain.empty() || plain == "ROOT ") && out.empty();
    rest.remove_prefix(end);
    if (defines) {
      flush();
      absl::StrAppend(&out, "%[[", names->Define(name), ":[^ ]+]]");
    } else if (const std::string* variable = names->Find(name)) {
      flush();
      absl::StrAppend(&out, "%[[", *variable, "]]");
    } else {
      absl::StrAppend(&plain, "%", name);
    }
  }
  flush();
  return out;
}

bool IsTestLine(absl::string_view line) {
  static const RE2* const words =
      new RE2(R"(^\s*(//|#)\s*(RUN|COM|[A-Z0-9_]*CHECK[A-Z0-9_-]*)(\{LITERAL\})?:)");
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *words);
}

}  // namespace

std::string RunLine(absl::Span<const std::string> arguments) {
  std::vector<std::string> words = {"hlo-opt", "%s"};
  for (size_t k = 0; k < arguments.size(); ++k) {
    absl::string_view word = arguments[k];
    const bool is_flag = absl::StartsWith(word, "-") && word != "-";
    if (!is_flag) continue;
    while (absl::ConsumePrefix(&word, "-")) {
    }
    const absl::string_view name = word.substr(0, word.find('='));
    if (name == "emit-checks" || name == "emit_checks") continue;
    if (name == "o") {
      if (!absl::StrContains(word, "=")) ++k;
      continue;
    }
    words.push_back(arguments[k]);
    // The value of `--name value`: everything but switches, which stand alone.
    if (!absl::StrContains(word, "=") && k + 2 < arguments.size() &&
        !absl::StartsWith(arguments[k + 1], "-") &&
        (name == "passes" || name == "platform" || name == "stage" ||
         name == "format" || name == "print_options" || name == "verify")) {
      words.push_back(arguments[++k]);
    }
  }
  return absl::StrCat("// RUN: ", absl::StrJoin(words, " "),
                      " | FileCheck %s\n");
}

std::string ChecksFor(absl::string_view output) {
  std::string checks;
  VariableNames names;
  bool inside = false;
  for (absl::string_view raw : absl::StrSplit(output, '\n')) {
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    const bool opens = !inside && absl::EndsWith(line, "{") &&
                       !absl::StartsWith(line, "HloModule");
    if (absl::StartsWith(raw, "HloModule") || opens) {
      absl::StrAppend(&checks, "// CHECK-LABEL: ", Escaped(line), "\n");
      names = VariableNames();
      inside = opens;
    } else if (inside && !line.empty()) {
      absl::StrAppend(&checks, "// CHECK-NEXT:  ",
                      InstructionCheck(line, &names), "\n");
      inside = raw != "}" && !absl::StartsWith(raw, "}, ");
    }
  }
  return checks;
}

std::string TestWithChecks(absl::string_view run_line,
                           absl::Span<const std::string> inputs,
                           absl::Span<const std::string> outputs) {
  std::string test =
      absl::StrCat("// The checks were written by hlo-opt --emit-checks.\n",
                   run_line);
  for (size_t k = 0; k < outputs.size(); ++k) {
    absl::StrAppend(&test, k > 0 ? "\n// -----\n\n" : "\n",
                    ChecksFor(outputs[k]), "\n");
    std::string input;
    for (absl::string_view line : absl::StrSplit(inputs[k], '\n')) {
      if (!IsTestLine(line)) absl::StrAppend(&input, line, "\n");
    }
    absl::StrAppend(&test, absl::StripAsciiWhitespace(input), "\n");
  }
  return test;
}

}  // namespace hlokit
