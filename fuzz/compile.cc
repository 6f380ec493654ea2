// Valid modules compile for the CPU, or are refused with a reason.
#include <memory>

#include "backends/backend.h"
#include "fuzz/target.h"
#include "fuzz/valid_module.h"

namespace hlokit::fuzz {

void FuzzCompile(absl::string_view bytes) {
  std::unique_ptr<Module> module = ReadValidModule(bytes);
  if (module == nullptr) return;
  const auto backend = BackendByName("cpu");
  Require(backend.ok(), "there is a CPU backend");
  CompileOptions options;
  options.optimization_level = 0;
  RequireNoInternalError(
      (*backend)->Compile(std::move(module), options).status());
}

}  // namespace hlokit::fuzz
