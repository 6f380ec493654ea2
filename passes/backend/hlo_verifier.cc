#include "passes/backend/hlo_verifier.h"

#include "base/status.h"
#include "hlo/verify/verifier.h"

namespace hlokit {

absl::StatusOr<bool> HloVerifierPass::Run(Module* module) {
  HLOKIT_RETURN_IF_ERROR(VerifyModule(*module));
  return false;
}

}  // namespace hlokit
