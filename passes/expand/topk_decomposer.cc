#include "passes/expand/topk_decomposer.h"

#include "absl/strings/match.h"

namespace hlokit {
namespace {

bool IsTopKCall(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall &&
         i.custom_call_target() == "TopK" && i.operand_count() == 1 &&
         i.shape().IsTuple() && i.shape().tuple_shapes().size() == 2;
}

bool WantsLargest(const Instruction& i) {
  if (i.opcode() == Opcode::kTopK) {
    return i.attrs().GetBool(AttrId::kLargest, true);
  }
  if (i.called_computations().size() == 1) {
    const Instruction* root = i.called_computation(0)->root();
    return root->opcode() != Opcode::kCompare ||
           root->comparison_direction() != ComparisonDirection::kLt;
  }
  return !absl::StrContains(i.backend_config(), "largest = false");
}

// Comparators that look at a value and another are those of the total order;
// any other may mean something else.
bool ComparatorIsKnown(const Instruction& i) {
  if (i.called_computations().empty()) return true;
  const Computation& comparator = *i.called_computation(0);
  const Instruction* root = comparator.root();
  if (root->opcode() != Opcode::kCompare) return false;
  const Instruction* a = root->operand(0);
  const Instruction* b = root->operand(1);
  const ComparisonDirection direction = root->comparison_direction();
  return a->opcode() == Opcode::kParameter && a->parameter_number() == 0 &&
         b->opcode() == Opcode::kParameter && b->parameter_number() == 1 &&
         (direction == ComparisonDirection::kGt ||
          direction == ComparisonDirection::kLt);
}

Computation* Comparator(PrimitiveType type, bool largest, Emitter& e) {
  const Shape value = Shape::Scalar(type), index = Shape::Scalar(kS32);
  return e.Subcomputation(
      "topk_comparator", {value, value, index, index},
      [&](Emitter& c, const Values& p) {
        Instruction* compare =
            c.Compare(largest ? ComparisonDirection::kGt
                              : ComparisonDirection::kLt,
                      p[0], p[1]);
        if (IsFloatType(type)) {
          compare->mutable_attrs().Set(
              AttrId::kComparisonType,
              static_cast<int64_t>(ComparisonType::kFloatTotalOrder));
        }
        return compare;
      });
}

}  // namespace

bool TopKDecomposer::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kTopK && !IsTopKCall(i)) return false;
  if (!IsStatic(i) || !ComparatorIsKnown(i)) return false;
  const Shape& operand = i.operand(0)->shape();
  return operand.IsArray() && operand.rank() > 0 &&
         !IsComplexType(operand.element_type()) &&
         i.shape().tuple_shape(1).element_type() == kS32;
}

absl::StatusOr<Instruction*> TopKDecomposer::Expand(Instruction* i,
                                                    Emitter& e) {
  Instruction* x = i->operand(0);
  const std::vector<int64_t> dims = DimsOf(x);
  const int64_t last = dims.size() - 1;
  const int64_t k = i->shape().tuple_shape(0).dimension(last);
  AttributeSet attrs;
  SetList(AttrId::kDimensions, {last}, &attrs);
  attrs.Set(AttrId::kIsStable, true);
  Instruction* sort = e.Op(
      Opcode::kSort, {x, e.Iota(kS32, dims, last)}, std::move(attrs),
      {Comparator(x->shape().element_type(), WantsLargest(*i), e)});
  Values parts = e.Elements(sort);
  for (Instruction*& part : parts) part = e.SliceInDim(part, last, 0, k);
  return e.Tuple(parts);
}

}  // namespace hlokit
