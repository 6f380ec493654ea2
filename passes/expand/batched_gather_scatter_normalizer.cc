#include "passes/expand/batched_gather_scatter_normalizer.h"

#include <algorithm>

namespace hlokit {
namespace {

// The attributes of the two, by what they are for.
struct Names {
  AttrId operand_batching, indices_batching, map, missing;
};
Names NamesOf(const Instruction& i) {
  if (i.opcode() == Opcode::kGather) {
    return {AttrId::kOperandBatchingDims, AttrId::kStartIndicesBatchingDims,
            AttrId::kStartIndexMap, AttrId::kCollapsedSliceDims};
  }
  return {AttrId::kInputBatchingDims, AttrId::kScatterIndicesBatchingDims,
          AttrId::kScatterDimsToOperandDims, AttrId::kInsertedWindowDims};
}

bool Holds(PrimitiveType type, int64_t position) {
  const int bits = BitWidth(type) - (IsSignedIntType(type) ? 1 : 0);
  return bits >= 63 || position < (int64_t{1} << bits);
}

// A type for the indices and for positions in the batches.
PrimitiveType IndexType(PrimitiveType type, int64_t largest) {
  if (Holds(type, largest)) return type;
  if (Holds(kS32, largest) && !(type == kU32)) return kS32;
  return kS64;
}

}  // namespace

bool BatchedGatherScatterNormalizer::Matches(const Instruction& i) const {
  return (i.opcode() == Opcode::kGather || i.opcode() == Opcode::kScatter) &&
         IsStatic(i) &&
         !i.attrs().GetList(NamesOf(i).operand_batching).empty();
}

absl::StatusOr<Instruction*> BatchedGatherScatterNormalizer::Expand(
    Instruction* i, Emitter& e) {
  const Names names = NamesOf(*i);
  const int64_t at =
      i->opcode() == Opcode::kGather ? 1 : i->operand_count() / 2;
  const Dims operand_batching = i->attrs().GetList(names.operand_batching);
  const Dims indices_batching = i->attrs().GetList(names.indices_batching);
  Instruction* indices = i->operand(at);
  const int64_t vector_dim = i->attrs().GetInt(AttrId::kIndexVectorDim);
  std::vector<int64_t> dims = DimsOf(indices);
  if (vector_dim == static_cast<int64_t>(dims.size())) {
    dims.push_back(1);
    indices = e.Reshape(indices, dims);
  }
  int64_t largest = 0;
  for (int64_t d : indices_batching) largest = std::max(largest, dims[d]);
  indices = e.Convert(
      indices, IndexType(indices->shape().element_type(), largest));
  dims[vector_dim] = 1;
  Values parts;
  for (int64_t d : indices_batching) {
    parts.push_back(e.Iota(indices->shape().element_type(), dims, d));
  }
  parts.push_back(indices);

  AttributeSet attrs = i->attrs();
  const auto joined = [](Dims a, Dims b) {
    std::vector<int64_t> both(a.begin(), a.end());
    both.insert(both.end(), b.begin(), b.end());
    return both;
  };
  std::vector<int64_t> missing =
      joined(operand_batching, i->attrs().GetList(names.missing));
  std::sort(missing.begin(), missing.end());
  const std::vector<int64_t> map =
      joined(operand_batching, i->attrs().GetList(names.map));
  for (AttrId id : {names.operand_batching, names.indices_batching,
                    names.missing, names.map, AttrId::kSharding,
                    AttrId::kIndicesAreSorted}) {
    attrs.Erase(id);
  }
  SetList(names.missing, missing, &attrs);
  SetList(names.map, map, &attrs);
  Values operands(i->operands().begin(), i->operands().end());
  operands[at] = e.Concatenate(parts, vector_dim);
  return e.OpOfShape(i->opcode(), i->shape(), operands, std::move(attrs),
                     i->called_computations());
}

}  // namespace hlokit
