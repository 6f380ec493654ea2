#include "passes/expand/topk_splitter.h"

#include <utility>
#include <vector>

namespace hlokit {
namespace {

bool IsTopK(const Instruction& i) {
  return i.opcode() == Opcode::kTopK ||
         (i.opcode() == Opcode::kCustomCall &&
          i.custom_call_target() == "TopK");
}

// Elements of a list at these places.
Instruction* Take(Emitter& e, Instruction* list, Instruction* places) {
  AttributeSet attrs;
  SetList(AttrId::kCollapsedSliceDims, {0}, &attrs);
  SetList(AttrId::kStartIndexMap, {0}, &attrs);
  SetList(AttrId::kSliceSizes, {1}, &attrs);
  attrs.Set(AttrId::kIndexVectorDim, int64_t{1});
  return e.Op(Opcode::kGather, {list, places}, std::move(attrs));
}

}  // namespace

bool TopKSplitter::Matches(const Instruction& i) const {
  if (!IsTopK(i) || i.operand_count() != 1 || !IsStatic(i) ||
      !i.shape().IsTuple() || i.shape().tuple_shapes().size() != 2) {
    return false;
  }
  const Shape& row = i.operand(0)->shape();
  if (!row.IsArray() || row.rank() != 1 || row.dimension(0) <= size_ ||
      row.dimension(0) % size_ != 0 ||
      i.shape().tuple_shape(1).element_type() != kS32) {
    return false;
  }
  const int64_t k = i.shape().tuple_shape(0).dimension(0);
  return k <= size_ && k * (row.dimension(0) / size_) <= size_;
}

absl::StatusOr<Instruction*> TopKSplitter::Expand(Instruction* i, Emitter& e) {
  Instruction* row = i->operand(0);
  const int64_t pieces = row->shape().dimension(0) / size_;
  const int64_t k = i->shape().tuple_shape(0).dimension(0);
  const PrimitiveType type = row->shape().element_type();
  const Shape inner = Shape::Tuple(
      {Shape::ArrayWithDescendingLayout(type, {pieces, k}),
       Shape::ArrayWithDescendingLayout(kS32, {pieces, k})});
  Values of_pieces = e.Elements(
      e.CloneOfShape(*i, inner, {e.Reshape(row, {pieces, size_})}));
  Instruction* first = e.Multiply(e.Iota(kS32, {pieces, k}, 0),
                                  e.ScalarInt(kS32, size_));
  Instruction* places =
      e.Reshape(e.Add(of_pieces[1], first), {pieces * k});
  Values found = e.Elements(e.CloneOfShape(
      *i, i->shape(), {e.Reshape(of_pieces[0], {pieces * k})}));
  return e.Tuple(std::vector<Instruction*>{found[0], Take(e, places, found[1])});
}

}  // namespace hlokit
