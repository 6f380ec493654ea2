// The operating system's errors as statuses.
#ifndef HLOKIT_BASE_ERRNO_STATUS_H_
#define HLOKIT_BASE_ERRNO_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// `what` (such as "cannot read 'a.hlo'"), ": " and the text of the errno value
// `error`. Codes as file_system.h says.
absl::Status ErrnoStatus(int error, absl::string_view what);

// The same with "cannot `verb` '`path`'".
absl::Status FileError(int error, absl::string_view verb,
                       absl::string_view path);

}  // namespace hlokit

#endif  // HLOKIT_BASE_ERRNO_STATUS_H_
