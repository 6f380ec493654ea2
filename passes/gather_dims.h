// The dimension numbers of gathers and scatters as plain structures.
#ifndef HLOKIT_PASSES_GATHER_DIMS_H_
#define HLOKIT_PASSES_GATHER_DIMS_H_

#include "hlo/ir/instruction.h"
#include "passes/builders.h"

namespace hlokit {

// Whether the list is first, first + 1, ...
bool CountsUpFrom(const Int64List& dimensions, int64_t first);

struct GatherDims {
  Int64List offset_dims;
  Int64List collapsed_slice_dims;
  Int64List start_index_map;
  Int64List operand_batching_dims;
  Int64List start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Int64List slice_sizes;
};
GatherDims GatherDimsOf(const Instruction& gather);
// With the sortedness of `like`.
Instruction* MakeGather(Builder& b, const Instruction& like,
                        Instruction* operand, Instruction* indices,
                        const GatherDims& dims);

struct ScatterDims {
  Int64List update_window_dims;
  Int64List inserted_window_dims;
  Int64List scatter_dims_to_operand_dims;
  Int64List input_batching_dims;
  Int64List scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
ScatterDims ScatterDimsOf(const Instruction& scatter);
// The attributes of `like` with other dimension numbers.
AttributeSet ScatterAttributes(const Instruction& like,
                               const ScatterDims& dims);

// Indices as a matrix [n, index size], their index vector last; n counts the
// other dimensions in order.
Instruction* IndexMatrix(Builder& b, Instruction* indices,
                         int64_t index_vector_dim);

// The dimensions 0 to rank - 1: those of `first` in order, then the others.
Int64List MovedToFront(const Int64List& first, int64_t rank);
// p with p[permutation[i]] = i.
Int64List InverseOf(const Int64List& permutation);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_GATHER_DIMS_H_
