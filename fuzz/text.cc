// Lexer, parser and verifier.
#include "fuzz/target.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit::fuzz {

void FuzzText(absl::string_view bytes) {
  for (const ModuleText& part : SplitModules(bytes)) {
    Diagnostics diagnostics("fuzz", part.text, part.first_line);
    ParseOptions options;
    options.max_literal_bytes = 1 << 26;
    const std::unique_ptr<Module> module =
        ParseModule(part.text, &diagnostics, options);
    const std::string said = diagnostics.ToString();
    Require(module != nullptr || !said.empty(), "a refusal says why");
    if (module != nullptr) Verify(*module);
  }
}

}  // namespace hlokit::fuzz
