// What gather and scatter loops have in common: for a number of an index vector
// where its window begins in the operand.
#ifndef HLOKIT_PASSES_EXPAND_INDEX_WINDOWS_H_
#define HLOKIT_PASSES_EXPAND_INDEX_WINDOWS_H_

#include <cstdint>
#include <vector>

#include "passes/expand/emitter.h"

namespace hlokit {

struct IndexWindows {
  // Attributes of both instructions.
  int64_t operand_rank = 0;
  int64_t index_vector_dim = 0;
  std::vector<int64_t> map;  // component of the index vector -> dimension
  std::vector<int64_t> operand_batching;
  std::vector<int64_t> indices_batching;
  // Sizes of the indices' dimensions without the index vector.
  std::vector<int64_t> batch_sizes;
  std::vector<int64_t> batch_dims;  // their numbers in the indices

  static IndexWindows OfGather(const Instruction& gather);
  static IndexWindows OfScatter(const Instruction& scatter);
  // Index vectors.
  int64_t count() const;

  // The indices as [count, components], in a type that can hold positions of
  // batches, too.
  Instruction* Table(Instruction* indices, Emitter& e) const;
  // A scalar start for each operand dimension, from row `i` (a scalar) of the
  // table.
  Values StartsAt(Instruction* table, Instruction* i, Emitter& e) const;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_INDEX_WINDOWS_H_
