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

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct Cost {
  double flops = 0;
  double transcendentals = 0;
  double bytes = 0;
  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const;
};

// Costs of many instructions of one module; what each computation costs is
// found once. The module may get new computations meanwhile; those that were
// asked for should not change.
class CostCounter {
 public:
  CostCounter() = default;
  // Counts callees before callers, so that no nesting is too deep.
  explicit CostCounter(const Module& module);
  Cost Of(const Computation& computation);
  // With what it calls.
  Cost Of(const Instruction& instruction);

 private:
  Cost Work(const Instruction& i);
  Cost Applied(const Instruction& i);

  absl::flat_hash_map<const Computation*, Cost> done_;
};

// One instruction with what it calls; recurses as deep as calls are nested.
Cost CostOf(const Instruction& instruction);
Cost CostOf(const Module& module);

// Instructions that stand for work: no parameters, constants, tuples, bitcasts.
int64_t KernelCount(const Computation& computation);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_COST_H_
