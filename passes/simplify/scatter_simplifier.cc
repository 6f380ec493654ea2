#include "passes/simplify/scatter_simplifier.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

int64_t InputCount(const Instruction& scatter) {
  return (scatter.operand_count() - 1) / 2;
}

bool IsSimple(const Instruction& scatter, const ScatterDims& dims) {
  return dims.inserted_window_dims.empty() && dims.index_vector_dim == 1 &&
         scatter.operand(InputCount(scatter))->shape().rank() == 2 &&
         CountsUpFrom(dims.scatter_dims_to_operand_dims, 0) &&
         CountsUpFrom(dims.update_window_dims, 1);
}

bool IsGeneralScatter(const Instruction& i) {
  if (i.opcode() != Opcode::kScatter || i.shape().is_dynamic() ||
      (i.users().empty() && !i.IsRoot())) {
    return false;
  }
  for (const Instruction* operand : i.operands()) {
    if (operand->shape().is_dynamic() || ElementsIn(operand->shape()) == 0) {
      return false;
    }
  }
  const ScatterDims dims = ScatterDimsOf(i);
  return dims.input_batching_dims.empty() && !IsSimple(i, dims);
}

// Updates as [n, window in `order`], inserted dimensions with size 1.
Instruction* SimpleUpdates(Builder& b, Instruction* updates,
                           const ScatterDims& dims, const Int64List& order) {
  const int64_t rank = updates->shape().rank();
  Int64List batch_first;
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (absl::c_linear_search(dims.update_window_dims, d)) continue;
    batch_first.push_back(d);
    count *= updates->shape().dimension(d);
  }
  batch_first.insert(batch_first.end(), dims.update_window_dims.begin(),
                     dims.update_window_dims.end());
  updates = b.Transpose(updates, batch_first);
  const int64_t batch = rank - dims.update_window_dims.size();
  Int64List sizes = {count};
  int64_t window = batch;
  for (size_t d = 0; d < order.size(); ++d) {
    const bool inserted = absl::c_linear_search(dims.inserted_window_dims,
                                                static_cast<int64_t>(d));
    sizes.push_back(inserted ? 1 : updates->shape().dimension(window));
    window += inserted ? 0 : 1;
  }
  updates = b.Reshape(updates, sizes);
  Int64List permutation = {0};
  for (int64_t d : order) permutation.push_back(d + 1);
  return b.Transpose(updates, permutation);
}

void SimplifyScatter(Instruction* scatter) {
  const ScatterDims dims = ScatterDimsOf(*scatter);
  const int64_t inputs = InputCount(*scatter);
  Builder b(scatter);
  const int64_t rank = scatter->operand(0)->shape().rank();
  const Int64List order =
      MovedToFront(dims.scatter_dims_to_operand_dims, rank);
  ScatterDims simple;
  simple.index_vector_dim = 1;
  for (int64_t k = 0; k < rank; ++k) simple.update_window_dims.push_back(k + 1);
  for (size_t k = 0; k < dims.scatter_dims_to_operand_dims.size(); ++k) {
    simple.scatter_dims_to_operand_dims.push_back(k);
  }
  std::vector<Instruction*> operands;
  for (int64_t k = 0; k < inputs; ++k) {
    operands.push_back(b.Transpose(scatter->operand(k), order));
  }
  operands.push_back(
      IndexMatrix(b, scatter->operand(inputs), dims.index_vector_dim));
  for (int64_t k = 0; k < inputs; ++k) {
    operands.push_back(
        SimpleUpdates(b, scatter->operand(inputs + 1 + k), dims, order));
  }
  Instruction* result =
      b.Op(Opcode::kScatter, operands, ScatterAttributes(*scatter, simple),
           scatter->called_computations());
  const Int64List back = InverseOf(order);
  if (!scatter->shape().IsTuple()) {
    ReplaceInstruction(scatter, b.Transpose(result, back));
    return;
  }
  std::vector<Instruction*> parts;
  for (int64_t k = 0; k < inputs; ++k) {
    parts.push_back(b.Transpose(b.Element(result, k), back));
  }
  ReplaceInstruction(scatter, b.Tuple(parts));
}

}  // namespace

absl::StatusOr<bool> ScatterSimplifier::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsGeneralScatter(*i)) continue;
      SimplifyScatter(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
