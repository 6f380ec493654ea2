// What a module costs: floating point operations, bytes read and written,
// kernels.
//
// Counts follow XLA's cost analysis: an element-wise operation is one flop (or
// one transcendental) an element, a dot two a multiply-add, a reduction one a
// combined element; bytes are those of operands and result. Loops count by
// their trip count where it is known, else once.
#ifndef HLOKIT_PASSES_ANALYSIS_COST_H_
#define HLOKIT_PASSES_ANALYSIS_COST_H_

#include <cstdint>

#include "hlo/ir/module.h"

namespace hlokit {

struct Cost {
  double flops = 0;
  double transcendentals = 0;
  double bytes = 0;
  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const;
};

// Of one instruction with what it calls.
Cost CostOf(const Instruction& instruction);
Cost CostOf(const Computation& computation);
inline Cost CostOf(const Module& module) { return CostOf(*module.entry()); }

// Instructions that stand for work: no parameters, constants, tuples, bitcasts.
int64_t KernelCount(const Computation& computation);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_COST_H_
