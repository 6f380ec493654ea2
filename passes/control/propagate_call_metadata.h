// propagate-call-metadata: what runs inside a loop, a branch or a call tells in
// its metadata where that was called.
//
// An instruction of a called computation without op_name gets the caller's; one
// whose op_name does not begin with the caller's gets "caller's/own". One
// without stack frame gets the caller's; one whose call stack does not go
// through the caller's frame gets its own frames put inside it. Only
// computations with one caller, outer ones first; fusions, reducers and the
// like are left alone.
#ifndef HLOKIT_PASSES_CONTROL_PROPAGATE_CALL_METADATA_H_
#define HLOKIT_PASSES_CONTROL_PROPAGATE_CALL_METADATA_H_

#include "passes/pass.h"

namespace hlokit {

class PropagateCallMetadata : public Pass {
 public:
  absl::string_view name() const override { return "propagate-call-metadata"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_PROPAGATE_CALL_METADATA_H_
