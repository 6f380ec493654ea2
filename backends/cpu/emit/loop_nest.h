// The loops over a result's elements: as few and as long as the computation
// allows.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_LOOP_NEST_H_
#define HLOKIT_BACKENDS_CPU_EMIT_LOOP_NEST_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "backends/cpu/emit/indexing.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

// Whether an instruction's operands are in memory (or are parameters): nothing
// below it is looked at.
using IsLeaf = absl::FunctionRef<bool(const Instruction&)>;

// Whether nothing lies between two dimensions in memory.
bool AreNeighbours(const Shape& shape, int64_t major, int64_t minor);

// Whether `i` can be computed with an index that has 0 at dimension `major` and
// i * size + j at `minor` in place of i and j.
bool MergesDimensions(const Instruction& i, int64_t major, int64_t minor,
                      IsLeaf is_leaf);
inline bool AlwaysMerge(int64_t, int64_t) { return true; }

class LoopNest {
 public:
  // Loops over the elements of `shape` in the order of its layout. Neighbouring
  // dimensions become one loop where `may_merge` allows it and everything that
  // `roots`, which have these dimensions, are computed from treats them as one.
  // The index then has the loop's number at the faster one of them and 0 at the
  // other.
  LoopNest(const Shape& shape, absl::Span<const Instruction* const> roots,
           IsLeaf is_leaf,
           absl::FunctionRef<bool(int64_t major, int64_t minor)> may_merge =
               AlwaysMerge);

  // Iterations that may be done by different threads, in any order.
  int64_t parallel_iterations() const { return iterations_; }
  // Elements in one of them.
  int64_t elements_each() const { return elements_each_; }

  // Writes the loops for iterations begin to end - 1.
  void Emit(IrFunction& f, const IrValue& begin, const IrValue& end,
            absl::FunctionRef<void(const Index&)> body) const;

 private:
  struct Run {          // one loop
    int64_t dimension;  // the fastest of its logical dimensions
    int64_t size;
  };
  int64_t rank_;
  std::vector<Run> runs_;
  int64_t iterations_ = 1;
  int64_t elements_each_ = 1;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_LOOP_NEST_H_
