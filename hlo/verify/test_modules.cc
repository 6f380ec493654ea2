#include "hlo/verify/test_modules.h"

#include "absl/strings/str_cat.h"
#include "hlo/parse/parser.h"

namespace hlokit {

std::string FindingsText(const Module& module,
                         const VerifierOptions& options) {
  std::string text;
  for (const VerifierFinding& finding : Verify(module, options)) {
    absl::StrAppend(&text, text.empty() ? "" : "\n");
    if (finding.instruction != nullptr) {
      absl::StrAppend(&text, "%", finding.instruction->name(), " ");
    }
    absl::StrAppend(&text, finding.rule, ": ", finding.message);
  }
  return text;
}

std::string Findings(absl::string_view text, const VerifierOptions& options) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  if (!module.ok()) {
    return absl::StrCat("unreadable: ", module.status().message());
  }
  return FindingsText(**module, options);
}

std::string EntryFindings(absl::string_view lines,
                          const VerifierOptions& options) {
  return Findings(absl::StrCat("HloModule m\n\nENTRY e {\n", lines, "\n}\n"),
                  options);
}

}  // namespace hlokit
