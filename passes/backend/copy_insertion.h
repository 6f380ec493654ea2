// copy-insertion: adds the copies without which values that must share memory
// would be written over while they are still needed.
//
// Loops keep their state in place, dynamic-update-slice and scatter update their
// operand in place, branches of a conditional write one result, results of the
// program are buffers of their own (or those of aliased parameters). Where the
// old value is needed afterwards, cannot be written over (a constant, a
// parameter of the program) or stands at two places, a copy comes between:
//
//   d = dynamic-update-slice(p, u, i)        c = copy(p)
//   s = add(p, d)                      ->    d = dynamic-update-slice(c, u, i)
//                                            s = add(p, d)
//
// A module without schedule gets control dependencies instead of copies where
// it is enough that the last use of the old value comes before the new one is
// written; so the copies suffice for every schedule. The call graph must be
// flat: the pass flattens it first where it is not.
#ifndef HLOKIT_PASSES_BACKEND_COPY_INSERTION_H_
#define HLOKIT_PASSES_BACKEND_COPY_INSERTION_H_

#include "passes/pass.h"

namespace hlokit {

class CopyInsertion : public Pass {
 public:
  absl::string_view name() const override { return "copy-insertion"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_COPY_INSERTION_H_
