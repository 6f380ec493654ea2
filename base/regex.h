// Regular expressions of users and of files.
#ifndef HLOKIT_BASE_REGEX_H_
#define HLOKIT_BASE_REGEX_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace hlokit {

// RE2 matches in time linear in the text, but the factor is the size of the
// program that the expression compiles to: one of 30,000 instructions reads 100
// kB a second. Names of 600 passes in one expression need 6,000.
inline constexpr size_t kMaxRegexBytes = 16'000;
inline constexpr int kMaxRegexProgram = 10'000;

// Returns the compiled expression.
// Errors: InvalidArgument, with the reason only: the caller names the flag or
// the expression. One reason is that the expression is longer than the limits
// above allow.
absl::StatusOr<std::shared_ptr<const RE2>> CompileRegex(
    absl::string_view expression, RE2::Options options = RE2::Options());

// Returns a text of the user for messages: long ones are cut in the middle.
std::string Shortened(absl::string_view text, size_t max_bytes = 100);

}  // namespace hlokit

#endif  // HLOKIT_BASE_REGEX_H_
