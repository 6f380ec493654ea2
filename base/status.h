// Errors: makers of absl::Status with printf-style texts, and the two macros
// that pass a failure on.
//
// HLOKIT_CHECK is for our own mistakes only. Whatever comes from a file, a flag
// or a user is answered with a Status. A failed check throws InternalError, so
// that a tool can report it and go on with other modules; the pass manager and
// ToolMain catch it. Nothing else throws but allocations.
#ifndef HLOKIT_BASE_STATUS_H_
#define HLOKIT_BASE_STATUS_H_

#include <stdexcept>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// The input is wrong. Exit code 3 of the tools.
template <typename... Args>
absl::Status InvalidArgument(const absl::FormatSpec<Args...>& format,
                             const Args&... args) {
  return absl::InvalidArgumentError(absl::StrFormat(format, args...));
}

// The input may be right but nothing here can deal with it.
template <typename... Args>
absl::Status Unimplemented(const absl::FormatSpec<Args...>& format,
                           const Args&... args) {
  return absl::UnimplementedError(absl::StrFormat(format, args...));
}

template <typename... Args>
absl::Status NotFound(const absl::FormatSpec<Args...>& format,
                      const Args&... args) {
  return absl::NotFoundError(absl::StrFormat(format, args...));
}

// A limit on size, nesting or time was met.
template <typename... Args>
absl::Status ResourceExhausted(const absl::FormatSpec<Args...>& format,
                               const Args&... args) {
  return absl::ResourceExhaustedError(absl::StrFormat(format, args...));
}

template <typename... Args>
absl::Status FailedPrecondition(const absl::FormatSpec<Args...>& format,
                                const Args&... args) {
  return absl::FailedPreconditionError(absl::StrFormat(format, args...));
}

template <typename... Args>
absl::Status Internal(const absl::FormatSpec<Args...>& format,
                      const Args&... args) {
  return absl::InternalError(absl::StrFormat(format, args...));
}

// The same error with `context` and ": " before its text.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

// A failed HLOKIT_CHECK: "file:line: check failed: condition while ...", with
// what the thread was doing (activity.h).
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* what);
inline absl::Status ToStatus(absl::Status status) { return status; }
template <typename T>
absl::Status ToStatus(const absl::StatusOr<T>& value) {
  return value.status();
}
}  // namespace internal

}  // namespace hlokit

#define HLOKIT_CHECK(condition)                                       \
  do {                                                                \
    if (!(condition))                                                 \
      ::hlokit::internal::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#define HLOKIT_RETURN_IF_ERROR(...)                              \
  do {                                                           \
    absl::Status hlokit_status =                                 \
        ::hlokit::internal::ToStatus(__VA_ARGS__);               \
    if (!hlokit_status.ok()) return hlokit_status;               \
  } while (false)

#define HLOKIT_CONCAT_INNER(a, b) a##b
#define HLOKIT_CONCAT(a, b) HLOKIT_CONCAT_INNER(a, b)

// HLOKIT_ASSIGN_OR_RETURN(auto shape, ParseShape(text));
// Two statements: needs braces where an `if` rules it.
#define HLOKIT_ASSIGN_OR_RETURN(lhs, ...)                               \
  HLOKIT_ASSIGN_OR_RETURN_IMPL(                                         \
      HLOKIT_CONCAT(hlokit_status_or_, __LINE__), lhs, __VA_ARGS__)
#define HLOKIT_ASSIGN_OR_RETURN_IMPL(status_or, lhs, ...) \
  auto status_or = (__VA_ARGS__);                         \
  if (!status_or.ok()) return status_or.status();         \
  lhs = std::move(status_or).value()

#endif  // HLOKIT_BASE_STATUS_H_
