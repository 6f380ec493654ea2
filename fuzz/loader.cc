// Files of every format: detection, decompression, snapshots with their
// arguments, text and JSON protos.
#include "fuzz/target.h"
#include "hlo_opt/loader.h"

namespace hlokit::fuzz {

void FuzzLoader(absl::string_view bytes) {
  LoadOptions options;
  options.verify = VerifyMode::kWarn;
  options.max_bytes = 1 << 26;
  for (const char* name : {"m.txt", "m.hlo_snapshot.pb"}) {
    const auto loaded = LoadModules(bytes, name, options);
    Require(loaded.ok() || !loaded.status().message().empty(),
            "a refusal says why");
  }
}

}  // namespace hlokit::fuzz
