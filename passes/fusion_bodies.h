// Keeping the bodies of fusions apart in a module that a pass has changed.
#ifndef HLOKIT_PASSES_FUSION_BODIES_H_
#define HLOKIT_PASSES_FUSION_BODIES_H_

#include "hlo/ir/module.h"

namespace hlokit {

// Gives every fusion a body of its own, as the verifier demands. Passes that
// copy instructions (inlining, unrolling, expanding a combiner) make copies of
// fusions that call the same computation. Takes time for the computations of the
// module and for what it copies.
void SeparateFusionBodies(Module* module);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_FUSION_BODIES_H_
