#include "passes/simplify/gather_simplifier.h"

#include "absl/algorithm/container.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

bool IsSimple(const Instruction& gather, const GatherDims& dims) {
  return dims.collapsed_slice_dims.empty() && dims.index_vector_dim == 1 &&
         gather.operand(1)->shape().rank() == 2 &&
         CountsUpFrom(dims.offset_dims, 1);
}

bool IsGeneralGather(const Instruction& i) {
  if (i.opcode() != Opcode::kGather || i.shape().is_dynamic() ||
      i.operand(0)->shape().is_dynamic() ||
      i.operand(1)->shape().is_dynamic() || ElementsIn(i.shape()) == 0 ||
      (i.users().empty() && !i.IsRoot())) {
    return false;
  }
  const GatherDims dims = GatherDimsOf(i);
  return dims.operand_batching_dims.empty() && !IsSimple(i, dims);
}

void SimplifyGather(Instruction* gather) {
  const GatherDims dims = GatherDimsOf(*gather);
  Builder b(gather);
  const int64_t rank = gather->operand(0)->shape().rank();
  GatherDims simple;
  for (int64_t k = 0; k < rank; ++k) simple.offset_dims.push_back(k + 1);
  simple.slice_sizes = dims.slice_sizes;
  simple.start_index_map = dims.start_index_map;
  simple.index_vector_dim = 1;
  Instruction* result = MakeGather(
      b, *gather, gather->operand(0),
      IndexMatrix(b, gather->operand(1), dims.index_vector_dim), simple);
  // [n, slice] -> [batch..., slice without collapsed].
  Int64List sizes, batch_dims;
  for (int64_t d = 0; d < gather->shape().rank(); ++d) {
    if (absl::c_linear_search(dims.offset_dims, d)) continue;
    batch_dims.push_back(d);
    sizes.push_back(gather->shape().dimension(d));
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(dims.collapsed_slice_dims, d)) {
      sizes.push_back(dims.slice_sizes[d]);
    }
  }
  result = b.Reshape(result, sizes);
  // Now [batch..., offset...]; each goes where the result has it.
  Int64List places = batch_dims;
  places.insert(places.end(), dims.offset_dims.begin(),
                dims.offset_dims.end());
  ReplaceInstruction(gather, b.Transpose(result, InverseOf(places)));
}

}  // namespace

absl::StatusOr<bool> GatherSimplifier::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsGeneralGather(*i)) continue;
      SimplifyGather(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
