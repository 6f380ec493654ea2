// Passes leave a valid module valid, alone and in the pipeline.
//
// The text chooses which passes run, so that one input tries a few of them and
// a corpus tries all.
#include <xxhash.h>

#include <cstdio>
#include <memory>
#include <string>

#include "backends/cpu/compiler.h"
#include "fuzz/target.h"
#include "fuzz/valid_module.h"
#include "hlo/verify/verifier.h"
#include "passes/pass.h"

namespace hlokit::fuzz {
namespace {

// Runs one pass as tools do, which mend the schedule; a module that it changed
// must verify.
void RunPass(std::unique_ptr<Pass> pass, Module* module) {
  const std::string name(pass->name());
  Pipeline pipeline("fuzz");
  pipeline.AddPass(std::move(pass));
  const auto changed = pipeline.Run(module);
  RequireNoInternalError(changed.status());
  if (!changed.ok()) return;
  const absl::Status valid = VerifyModule(*module);
  if (valid.ok()) return;
  std::fprintf(stderr, "after %s: %s\n", name.c_str(),
               valid.ToString().c_str());
  Require(false, "a module is valid after a pass");
}

}  // namespace

void FuzzPasses(absl::string_view bytes) {
  const std::unique_ptr<Module> module = ReadValidModule(bytes);
  if (module == nullptr) return;
  constexpr int kPassesAnInput = 4;
  uint64_t choice = XXH3_64bits(bytes.data(), bytes.size());
  for (int k = 0; k < kPassesAnInput; ++k) {
    const auto passes = AllPasses();
    const PassInfo& info = passes[choice % passes.size()];
    choice = choice * 6364136223846793005u + 1442695040888963407u;
    auto pass = CreatePass(info.name);
    Require(pass.ok(), "a pass of the table can be created");
    RunPass(*std::move(pass), module->Clone().get());
  }
  const std::unique_ptr<Module> whole = module->Clone();
  const absl::Status status = cpu::OptimizeForCpu(whole.get());
  RequireNoInternalError(status);
  if (status.ok()) {
    Require(VerifyModule(*whole).ok(), "a module is valid after the pipeline");
  }
}

}  // namespace hlokit::fuzz
