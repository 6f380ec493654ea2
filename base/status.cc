#include "base/status.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/cord.h"
#include "base/activity.h"
#include "base/errno_status.h"

namespace hlokit {

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(),
                         absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    annotated.SetPayload(type, payload);
  });
  return annotated;
}

namespace {

absl::StatusCode CodeOfErrno(int error) {
  switch (error) {
    case 0:
      return absl::StatusCode::kOk;
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EEXIST:
    case ENOTEMPTY:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOTDIR:
      return absl::StatusCode::kInvalidArgument;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

}  // namespace

absl::Status ErrnoStatus(int error, absl::string_view what) {
  return absl::Status(
      CodeOfErrno(error),
      absl::StrCat(what, ": ", std::generic_category().message(error)));
}

absl::Status FileError(int error, absl::string_view verb,
                       absl::string_view path) {
  return ErrnoStatus(error, absl::StrCat("cannot ", verb, " '", path, "'"));
}

namespace internal {

void CheckFailed(const char* file, int line, const char* what) {
  const std::string activity = Activity::Describe();
  throw InternalError(absl::StrCat(file, ":", line, ": check failed: ", what,
                                   activity.empty() ? "" : " while ",
                                   activity));
}

}  // namespace internal
}  // namespace hlokit
