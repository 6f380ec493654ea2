#include "hlo_opt/file_check_numbers.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr int kMaxDepth = 50;

bool StartsVariable(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$';
}
bool IsInVariable(char c) { return StartsVariable(c) || absl::ascii_isdigit(c); }

struct NumericFunction {
  absl::string_view name;
  bool (*apply)(int64_t a, int64_t b, int64_t* result);
};
constexpr NumericFunction kFunctions[] = {
    {"add", [](int64_t a, int64_t b,
               int64_t* r) { return !__builtin_add_overflow(a, b, r); }},
    {"sub", [](int64_t a, int64_t b,
               int64_t* r) { return !__builtin_sub_overflow(a, b, r); }},
    {"mul", [](int64_t a, int64_t b,
               int64_t* r) { return !__builtin_mul_overflow(a, b, r); }},
    {"div",
     [](int64_t a, int64_t b, int64_t* r) {
       if (b == 0 || b == -1) return b == -1 && !__builtin_sub_overflow(
                                                    int64_t{0}, a, r);
       *r = a / b;
       return true;
     }},
    {"min",
     [](int64_t a, int64_t b, int64_t* r) {
       *r = std::min(a, b);
       return true;
     }},
    {"max",
     [](int64_t a, int64_t b, int64_t* r) {
       *r = std::max(a, b);
       return true;
     }},
};

// Expressions, read from left to right; + and - bind alike.
class ExpressionReader {
 public:
  ExpressionReader(absl::string_view text, const NumericVariables& variables,
                   int64_t line)
      : text_(text), variables_(variables), line_(line) {}

  absl::StatusOr<int64_t> ReadAll() {
    HLOKIT_ASSIGN_OR_RETURN(const int64_t value, Sum(0));
    SkipBlanks();
    if (!text_.empty()) {
      return InvalidArgument("'%s' is no numeric expression", text_);
    }
    return value;
  }
  // The form of the first variable in it, which the result takes over.
  const NumberForm& form() const { return form_; }

 private:
  void SkipBlanks() { text_ = absl::StripLeadingAsciiWhitespace(text_); }
  bool Take(absl::string_view what) {
    SkipBlanks();
    return absl::ConsumePrefix(&text_, what);
  }
  static absl::StatusOr<int64_t> Apply(absl::string_view name, int64_t a,
                                       int64_t b) {
    for (const NumericFunction& function : kFunctions) {
      if (function.name != name) continue;
      int64_t result = 0;
      if (function.apply(a, b, &result)) return result;
      return InvalidArgument("%s(%d, %d) has no value", name, a, b);
    }
    return InvalidArgument("no function is called %s", name);
  }

  absl::StatusOr<int64_t> Sum(int depth) {
    if (depth > kMaxDepth) return InvalidArgument("nested too deep");
    HLOKIT_ASSIGN_OR_RETURN(int64_t value, Term(depth));
    for (;;) {
      const bool plus = Take("+");
      if (!plus && !Take("-")) return value;
      HLOKIT_ASSIGN_OR_RETURN(const int64_t other, Term(depth));
      HLOKIT_ASSIGN_OR_RETURN(value,
                              Apply(plus ? "add" : "sub", value, other));
    }
  }

  absl::StatusOr<int64_t> Term(int depth) {
    if (Take("(")) {
      HLOKIT_ASSIGN_OR_RETURN(const int64_t value, Sum(depth + 1));
      if (!Take(")")) return InvalidArgument("( without )");
      return value;
    }
    if (Take("@LINE")) return line_;
    const bool negative = Take("-");
    SkipBlanks();
    size_t size = 0;
    while (size < text_.size() && IsInVariable(text_[size])) ++size;
    const absl::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    if (!word.empty() && absl::ascii_isdigit(word[0])) {
      return Number(absl::StrCat(negative ? "-" : "", word));
    }
    if (word.empty() || negative) {
      return InvalidArgument("a number or variable must stand before '%s'",
                             text_);
    }
    if (Take("(")) return Call(word, depth);
    const auto found = variables_.find(std::string(word));
    if (found == variables_.end()) {
      return NotFound("variable %s is not defined", word);
    }
    if (!has_form_) form_ = found->second.form;
    has_form_ = true;
    return found->second.value;
  }

  static absl::StatusOr<int64_t> Number(const std::string& text) {
    int64_t value = 0;
    const bool hex = absl::StrContains(text, "0x");
    if (hex ? absl::SimpleHexAtoi(text, &value)
            : absl::SimpleAtoi(text, &value)) {
      return value;
    }
    return InvalidArgument("'%s' is no number", text);
  }

  absl::StatusOr<int64_t> Call(absl::string_view name, int depth) {
    HLOKIT_ASSIGN_OR_RETURN(const int64_t a, Sum(depth + 1));
    if (!Take(",")) return InvalidArgument("%s takes two numbers", name);
    HLOKIT_ASSIGN_OR_RETURN(const int64_t b, Sum(depth + 1));
    if (!Take(")")) return InvalidArgument("%s takes two numbers", name);
    return Apply(name, a, b);
  }

  absl::string_view text_;
  const NumericVariables& variables_;
  const int64_t line_;
  NumberForm form_;
  bool has_form_ = false;
};

// "%#.8X": true and behind it when there is a form.
absl::StatusOr<bool> TakeForm(absl::string_view* text, NumberForm* form) {
  if (!absl::ConsumePrefix(text, "%")) return false;
  form->prefix = absl::ConsumePrefix(text, "#");
  if (absl::ConsumePrefix(text, ".")) {
    size_t size = 0;
    while (size < text->size() && absl::ascii_isdigit((*text)[size])) ++size;
    if (!absl::SimpleAtoi(text->substr(0, size), &form->digits) ||
        form->digits > 64) {
      return InvalidArgument("a number of digits must follow %%.");
    }
    text->remove_prefix(size);
  }
  if (text->empty() || !absl::StrContains("udxX", text->substr(0, 1))) {
    return InvalidArgument("numbers have the forms %%u, %%d, %%x and %%X");
  }
  form->kind = (*text)[0];
  text->remove_prefix(1);
  *text = absl::StripLeadingAsciiWhitespace(*text);
  absl::ConsumePrefix(text, ",");
  return true;
}

// "name:": the name, "" when there is none.
std::string TakeName(absl::string_view* text) {
  size_t size = 0;
  while (size < text->size() && IsInVariable((*text)[size])) ++size;
  absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(text->substr(size));
  if (size == 0 || !StartsVariable((*text)[0]) ||
      !absl::ConsumePrefix(&rest, ":")) {
    return "";
  }
  const std::string name(text->substr(0, size));
  *text = rest;
  return name;
}

}  // namespace

absl::StatusOr<NumericBlock> ParseNumericBlock(
    absl::string_view text, const NumericVariables& variables, int64_t line) {
  NumericBlock block;
  text = absl::StripAsciiWhitespace(text);
  HLOKIT_ASSIGN_OR_RETURN(const bool has_form, TakeForm(&text, &block.form));
  text = absl::StripLeadingAsciiWhitespace(text);
  block.name = TakeName(&text);
  text = absl::StripAsciiWhitespace(text);
  absl::ConsumePrefix(&text, "==");
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return block;
  ExpressionReader reader(text, variables, line);
  HLOKIT_ASSIGN_OR_RETURN(block.value, reader.ReadAll());
  if (!has_form) block.form = reader.form();
  return block;
}

std::string NumberPattern(const NumberForm& form) {
  const absl::string_view digit = form.kind == 'x'   ? "[0-9a-f]"
                                  : form.kind == 'X' ? "[0-9A-F]"
                                                     : "[0-9]";
  const absl::string_view first = form.kind == 'x'   ? "[1-9a-f]"
                                  : form.kind == 'X' ? "[1-9A-F]"
                                                     : "[1-9]";
  const std::string digits =
      form.digits == 0 ? absl::StrCat(digit, "+")
                       : absl::StrCat("(?:", first, digit, "*)?", digit, "{",
                                      form.digits, "}");
  return absl::StrCat(form.kind == 'd' ? "-?" : "", form.prefix ? "0x" : "",
                      digits);
}

std::string FormatNumber(int64_t value, const NumberForm& form) {
  const bool negative = value < 0;
  const uint64_t size = negative ? uint64_t{0} - static_cast<uint64_t>(value)
                                 : static_cast<uint64_t>(value);
  std::string digits = form.kind == 'x'   ? absl::StrFormat("%x", size)
                       : form.kind == 'X' ? absl::StrFormat("%X", size)
                                          : absl::StrCat(size);
  if (digits.size() < static_cast<size_t>(form.digits)) {
    digits.insert(0, form.digits - digits.size(), '0');
  }
  return absl::StrCat(negative ? "-" : "", form.prefix ? "0x" : "", digits);
}

absl::StatusOr<int64_t> ReadNumber(absl::string_view text,
                                   const NumberForm& form) {
  int64_t value = 0;
  const bool hex = form.kind == 'x' || form.kind == 'X';
  if (hex ? absl::SimpleHexAtoi(text, &value)
          : absl::SimpleAtoi(text, &value)) {
    return value;
  }
  return InvalidArgument("the number %s is too large", text);
}

}  // namespace hlokit
