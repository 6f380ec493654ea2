// Short ways to run small modules in tests.
#ifndef HLOKIT_BACKENDS_INTERPRETER_TEST_UTIL_H_
#define HLOKIT_BACKENDS_INTERPRETER_TEST_UTIL_H_

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/parse/parser.h"

namespace hlokit::interpreter {

// A module from its text or, without HloModule line, from its computations.
inline absl::StatusOr<ExecutionResult> TryExecute(
    absl::string_view text, absl::Span<const Literal> arguments = {},
    const ExecuteOptions& options = {}) {
  const std::string whole =
      absl::StrContains(text, "HloModule")
          ? std::string(text)
          : absl::StrCat("HloModule test\n", text);
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(whole);
  if (!module.ok()) return module.status();
  return Evaluate(**module, arguments, options);
}

// The root's value. An error ends the test: GoogleTest reports what is thrown
// as a failure.
inline Literal RunText(absl::string_view text,
                   absl::Span<const Literal> arguments = {},
                   const ExecuteOptions& options = {}) {
  absl::StatusOr<ExecutionResult> result = TryExecute(text, arguments, options);
  if (!result.ok()) {
    throw std::runtime_error(
        absl::StrCat(result.status().ToString(), "\nin\n", text));
  }
  return result->value;
}

// An array with numbers that are converted to its type.
inline Literal Numbers(PrimitiveType type, std::vector<int64_t> dimensions,
                       std::vector<double> values) {
  Literal result =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(type, dimensions));
  EXPECT_EQ(result.element_count(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    result.SetFromDouble(i, values[i]);
  }
  return result;
}
inline Literal Vector(PrimitiveType type, std::vector<double> values) {
  const int64_t size = values.size();
  return Numbers(type, {size}, std::move(values));
}
inline Literal Counting(PrimitiveType type, std::vector<int64_t> dimensions) {
  Literal result =
      Literal::Zeros(Shape::ArrayWithDescendingLayout(type, dimensions));
  for (int64_t i = 0; i < result.element_count(); ++i) {
    result.SetFromDouble(i, i);
  }
  return result;
}

// All elements, of complex ones real and imaginary part.
inline std::vector<double> Values(const Literal& array) {
  std::vector<double> values;
  if (!array.shape().IsArray()) return values;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    if (array.element_type() == kC64) {
      values.push_back(array.data<std::complex<float>>()[i].real());
      values.push_back(array.data<std::complex<float>>()[i].imag());
    } else if (array.element_type() == kC128) {
      values.push_back(array.data<std::complex<double>>()[i].real());
      values.push_back(array.data<std::complex<double>>()[i].imag());
    } else {
      values.push_back(array.GetAsDouble(i));
    }
  }
  return values;
}

// Applies one instruction to its arguments: `line` is what follows "ROOT r =",
// with the operands named a, b, c, ...
inline std::string OneOp(absl::string_view line,
                         absl::Span<const Literal> arguments) {
  std::string text = "HloModule test\nENTRY e {\n";
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StrAppend(&text, "  ", std::string(1, static_cast<char>('a' + i)),
                    " = ", arguments[i].shape().ToString(), " parameter(", i,
                    ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = ", line, "\n}\n");
  return text;
}
inline Literal RunOp(absl::string_view line,
                     absl::Span<const Literal> arguments,
                     const ExecuteOptions& options = {}) {
  return RunText(OneOp(line, arguments), arguments, options);
}
inline absl::Status OpError(absl::string_view line,
                            absl::Span<const Literal> arguments) {
  return TryExecute(OneOp(line, arguments), arguments).status();
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_TEST_UTIL_H_
