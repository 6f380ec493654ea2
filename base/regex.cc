#include "base/regex.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace hlokit {

absl::StatusOr<std::shared_ptr<const RE2>> CompileRegex(
    absl::string_view expression, RE2::Options options) {
  if (expression.size() > kMaxRegexBytes) {
    return InvalidArgument("it is too long: %d bytes, at most %d are allowed",
                           expression.size(), kMaxRegexBytes);
  }
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(
      re2::StringPiece(expression.data(), expression.size()), options);
  if (!regex->ok()) {
    return InvalidArgument("%s", Shortened(regex->error()));
  }
  if (regex->ProgramSize() > kMaxRegexProgram) {
    return InvalidArgument(
        "it is too complex: it compiles to %d steps, at most %d are allowed",
        regex->ProgramSize(), kMaxRegexProgram);
  }
  return regex;
}

std::string Shortened(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  const size_t half = max_bytes / 2;
  return absl::StrCat(text.substr(0, half), "...",
                      text.substr(text.size() - half));
}

}  // namespace hlokit
