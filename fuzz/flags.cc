// XLA_FLAGS and .debug_options files.
#include "base/file_system.h"
#include "flags/debug_options.h"
#include "flags/xla_flags.h"
#include "fuzz/target.h"

namespace hlokit::fuzz {

void FuzzFlags(absl::string_view bytes) {
  MemoryFileSystem files({{"f", std::string(bytes)}});
  for (absl::string_view value : {bytes, absl::string_view("f")}) {
    xla::DebugOptions options = DefaultDebugOptions();
    const XlaFlagsReport report = ParseXlaFlags(value, &files, &options);
    Require(report.accept == report.ErrorText().empty(), "a refusal says why");
    report.WarningText();
  }
  xla::DebugOptions options = DefaultDebugOptions();
  std::vector<std::string> warnings;
  (void)ApplyDebugOptionsText(bytes, "f", &options, &warnings);
}

}  // namespace hlokit::fuzz
