// Checks a text against the check lines of a test file, as LLVM's FileCheck does
// (docs: https://llvm.org/docs/CommandGuide/FileCheck.html).
//
//   // CHECK-LABEL: ENTRY
//   // CHECK:       %[[x:[^ ]+]] = f32[4]{{.*}} parameter(0)
//   // CHECK-NEXT:  negate(%[[x]])
//   // CHECK-NOT:   transpose
//
// Known: CHECK, -NEXT, -SAME, -NOT, -DAG, -LABEL, -EMPTY, -COUNT-<n>, {LITERAL},
// {{regular expressions}}, variables [[name:regex]] and [[name]] (those that
// begin with $ outlast a label where --enable-var-scope is set), numbers
// [[#name:]] and [[#name+1]] (file_check_numbers.h) and [[@LINE]]. A number is
// known from the check after the one that defines it. Blanks count as one.
#ifndef HLOKIT_HLO_OPT_FILE_CHECK_H_
#define HLOKIT_HLO_OPT_FILE_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hlokit {

struct FileCheckOptions {
  std::vector<std::string> prefixes = {"CHECK"};
  bool enable_var_scope = false;
  std::map<std::string, std::string> defines;  // -D
  std::map<std::string, int64_t> numbers;      // -D#
};

// Internal, naming the check line (`file`:line) and where in `input` the search
// began, when a check does not hold; InvalidArgument for check lines that are
// wrong and for files without any.
absl::Status FileCheck(absl::string_view checks, absl::string_view file,
                       absl::string_view input,
                       const FileCheckOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_FILE_CHECK_H_
