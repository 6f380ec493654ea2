// call-inliner: puts the bodies of calls in their place.
//
// With `single_call_site` only bodies that are called once. Left alone: calls
// of other execution threads, composites (is_composite=true), and calls whose
// frontend attributes say inlineable="false". Computations that nobody calls
// afterwards are removed. Calls stay that would together add
// more instructions than InliningBudget.
#ifndef HLOKIT_PASSES_CONTROL_CALL_INLINER_H_
#define HLOKIT_PASSES_CONTROL_CALL_INLINER_H_

#include "passes/pass.h"

namespace hlokit {

class CallInliner : public Pass {
 public:
  explicit CallInliner(bool single_call_site = false)
      : single_call_site_(single_call_site) {}
  absl::string_view name() const override { return "call-inliner"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  bool single_call_site_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_CALL_INLINER_H_
