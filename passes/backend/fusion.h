// fusion: chains of operations that walk over elements become one loop.
//
// An instruction joins the fusions of its users when it is loop-like
// (element-wise, broadcast, reshape, transpose, slice, pad, iota, gather, ...),
// all its users are in fusions, and joining does not compute anything dear more
// often than before: transcendental functions, divisions and the like do not go
// below a broadcast nor into several fusions. What is cheap is computed in up
// to four of them, what reads nothing in as many as use it. A
// dynamic-update-slice may only be the root of a fusion; behind a reduction
// stands what needs each of its elements once. Constants of one element, iotas
// and broadcasts of scalars are copied into every fusion that uses them. Since
// only the root is used from outside, there are no cycles.
//
// All fusions are of kind kLoop. Left alone: dynamic shapes, side effects,
// control dependencies, and computations that are applied to elements.
// A recorder is told of each fusion, and of what stays out of one although it
// has only users in fusions.
#ifndef HLOKIT_PASSES_BACKEND_FUSION_H_
#define HLOKIT_PASSES_BACKEND_FUSION_H_

#include "passes/fusion_pass.h"

namespace hlokit {

class InstructionFusion : public FusionPass {
 public:
  absl::string_view name() const override { return "fusion"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_FUSION_H_
