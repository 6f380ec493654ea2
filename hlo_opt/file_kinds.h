// Names files that are not HLO for what they are.
#ifndef HLOKIT_HLO_OPT_FILE_KINDS_H_
#define HLOKIT_HLO_OPT_FILE_KINDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hlokit {

struct FileKind {
  absl::string_view what;  // "a buffer assignment report"
  absl::string_view advice;  // what to do, as a sentence without a full stop
};

// The kind of binary or text file that these bytes are, by magic numbers, the
// first line or a look at the first kilobytes; null for HLO and for all that is
// not known. Text that holds a HloModule line is never named: modules are taken
// out of it.
const FileKind* FindFileKind(absl::string_view bytes);

// InvalidArgument: "x.txt is a buffer assignment report, not HLO; ...".
absl::Status NotHloError(absl::string_view file, const FileKind& kind);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_FILE_KINDS_H_
