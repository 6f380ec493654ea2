#include "passes/simplify/batched_gather_scatter_normalizer.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

// The indices with numbers along `batching` before each index vector.
Instruction* WithBatchNumbers(Builder& b, Instruction* indices,
                              const Int64List& batching,
                              int64_t* index_vector_dim) {
  const int64_t rank = indices->shape().rank();
  if (*index_vector_dim == rank) {
    Int64List sizes(indices->shape().dimensions().begin(),
                    indices->shape().dimensions().end());
    sizes.push_back(1);
    indices = b.Reshape(indices, sizes);
  }
  Shape one = indices->shape();
  one.set_dimension(*index_vector_dim, 1);
  std::vector<Instruction*> parts;
  for (int64_t d : batching) parts.push_back(b.Iota(one, d));
  parts.push_back(indices);
  return b.Concatenate(parts, *index_vector_dim);
}

// The number of the largest index must be representable.
bool IndicesHold(const Instruction* indices, const Int64List& batching) {
  const int bits = BitWidth(indices->shape().element_type());
  for (int64_t d : batching) {
    if (bits < 32 && indices->shape().dimension(d) > (1 << (bits - 1))) {
      return false;
    }
  }
  return true;
}

void Merge(Int64List* dims, const Int64List& more) {
  dims->insert(dims->end(), more.begin(), more.end());
  absl::c_sort(*dims);
}

bool NormalizeGather(Instruction* gather) {
  GatherDims dims = GatherDimsOf(*gather);
  if (dims.operand_batching_dims.empty() ||
      !IndicesHold(gather->operand(1), dims.start_indices_batching_dims)) {
    return false;
  }
  Builder b(gather);
  Instruction* indices =
      WithBatchNumbers(b, gather->operand(1), dims.start_indices_batching_dims,
                       &dims.index_vector_dim);
  dims.start_index_map.insert(dims.start_index_map.begin(),
                              dims.operand_batching_dims.begin(),
                              dims.operand_batching_dims.end());
  Merge(&dims.collapsed_slice_dims, dims.operand_batching_dims);
  dims.operand_batching_dims.clear();
  dims.start_indices_batching_dims.clear();
  Instruction* plain =
      MakeGather(b, *gather, gather->operand(0), indices, dims);
  plain->mutable_attrs().Erase(AttrId::kIndicesAreSorted);
  ReplaceInstruction(gather, plain);
  return true;
}

bool NormalizeScatter(Instruction* scatter) {
  ScatterDims dims = ScatterDimsOf(*scatter);
  const int64_t at = (scatter->operand_count() - 1) / 2;
  if (dims.input_batching_dims.empty() ||
      !IndicesHold(scatter->operand(at), dims.scatter_indices_batching_dims)) {
    return false;
  }
  Builder b(scatter);
  std::vector<Instruction*> operands(scatter->operands().begin(),
                                     scatter->operands().end());
  operands[at] =
      WithBatchNumbers(b, operands[at], dims.scatter_indices_batching_dims,
                       &dims.index_vector_dim);
  dims.scatter_dims_to_operand_dims.insert(
      dims.scatter_dims_to_operand_dims.begin(),
      dims.input_batching_dims.begin(), dims.input_batching_dims.end());
  Merge(&dims.inserted_window_dims, dims.input_batching_dims);
  dims.input_batching_dims.clear();
  dims.scatter_indices_batching_dims.clear();
  Instruction* plain =
      b.OpOfShape(Opcode::kScatter, scatter->shape(), operands,
                  ScatterAttributes(*scatter, dims),
                  scatter->called_computations());
  plain->mutable_attrs().Erase(AttrId::kIndicesAreSorted);
  ReplaceInstruction(scatter, plain);
  return true;
}

}  // namespace

absl::StatusOr<bool> BatchedGatherScatterNormalizer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if ((i->opcode() != Opcode::kGather &&
           i->opcode() != Opcode::kScatter) ||
          i->shape().is_dynamic() || (i->users().empty() && !i->IsRoot())) {
        continue;
      }
      if (i->opcode() == Opcode::kGather) changed |= NormalizeGather(i);
      if (i->opcode() == Opcode::kScatter) changed |= NormalizeScatter(i);
    }
  }
  return changed;
}

}  // namespace hlokit
