// For tests of this folder: what the verifier says about a module's text.
#ifndef HLOKIT_HLO_VERIFY_TEST_MODULES_H_
#define HLOKIT_HLO_VERIFY_TEST_MODULES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "hlo/verify/verifier.h"

namespace hlokit {

// Findings, each "[%instruction] rule: message" on a line; empty when there are
// none. Text that cannot be read gives "unreadable: ...".
std::string FindingsText(const Module& module,
                         const VerifierOptions& options = {});
std::string Findings(absl::string_view text,
                     const VerifierOptions& options = {});

// A module of one computation with the given lines.
std::string EntryFindings(absl::string_view lines,
                          const VerifierOptions& options = {});

inline VerifierOptions LayoutMode() {
  VerifierOptions options;
  options.layout_sensitive = true;
  return options;
}

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_TEST_MODULES_H_
