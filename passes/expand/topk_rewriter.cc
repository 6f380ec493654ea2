#include "passes/expand/topk_rewriter.h"

#include <string>
#include <vector>

#include "passes/expand/emitter.h"

namespace hlokit {
namespace {

bool IsParameterNumber(const Instruction* i, int64_t number) {
  return i->opcode() == Opcode::kParameter && i->parameter_number() == number;
}

// The float parameter itself or the integer that comparison-expander makes of
// it: select(bits < 0, bits ^ max, bits).
bool IsKeyOf(const Instruction* i, int64_t number) {
  if (IsParameterNumber(i, number)) return true;
  if (i->opcode() != Opcode::kSelect) return false;
  const Instruction* bits = i->operand(2);
  const Instruction* flipped = i->operand(1);
  const Instruction* negative = i->operand(0);
  if (bits->opcode() != Opcode::kBitcastConvert ||
      !IsParameterNumber(bits->operand(0), number) ||
      flipped->opcode() != Opcode::kXor || flipped->operand(0) != bits ||
      negative->opcode() != Opcode::kCompare || negative->operand(0) != bits ||
      negative->comparison_direction() != ComparisonDirection::kLt) {
    return false;
  }
  const Literal* mask = flipped->operand(1)->literal();
  const Literal* zero = negative->operand(1)->literal();
  return mask != nullptr && mask->IsAll(0x7FFFFFFF) && zero != nullptr &&
         zero->IsAll(0);
}

// TopK gives the largest first, and so must the comparator.
bool PutsLargestFirst(const Computation& comparator) {
  const Instruction* root = comparator.root();
  return root->opcode() == Opcode::kCompare &&
         root->comparison_direction() == ComparisonDirection::kGt &&
         IsKeyOf(root->operand(0), 0) && IsKeyOf(root->operand(1), 1);
}

bool IsSortOfRows(const Instruction& i) {
  if (i.opcode() != Opcode::kSort || i.operand_count() > 2 || i.IsRoot()) {
    return false;
  }
  const Shape& values = i.operand(0)->shape();
  const int64_t last = values.rank() - 1;
  if (values.element_type() != kF32 || values.rank() < 1 ||
      values.rank() > 2 || i.dimension(0) != last || values.is_dynamic() ||
      !PutsLargestFirst(*i.to_apply())) {
    return false;
  }
  if (i.operand_count() == 1) return true;
  const Instruction* positions = i.operand(1);
  return positions->opcode() == Opcode::kIota &&
         positions->shape().element_type() == kS32 &&
         positions->attrs().GetInt(AttrId::kIotaDimension) == last;
}

// The number of elements a slice takes from the front of rows, -1 for other
// uses.
int64_t FrontOf(const Instruction* user) {
  const SliceRanges* ranges = user->attrs().Get<SliceRanges>(AttrId::kSlice);
  if (user->opcode() != Opcode::kSlice || ranges == nullptr) return -1;
  const Shape& shape = user->operand(0)->shape();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const SliceRange& range = (*ranges)[d];
    const bool is_last = d == shape.rank() - 1;
    if (range.start != 0 || range.stride != 1 ||
        (!is_last && range.limit != shape.dimension(d))) {
      return -1;
    }
  }
  return ranges->back().limit;
}

struct Use {
  Instruction* slice;
  int64_t part;
};

// All uses, when they are slices of one size k; nothing else. The sort's own
// result, or the elements of its tuple.
std::vector<Use> UsesOf(const Instruction& sort, int64_t* k) {
  std::vector<Use> uses;
  *k = -1;
  const auto add = [&](const Instruction& value, int64_t part) {
    if (value.IsRoot()) return false;
    for (Instruction* user : value.users()) {
      const int64_t front = FrontOf(user);
      if (front < 0 || (*k >= 0 && front != *k)) return false;
      *k = front;
      uses.push_back({user, part});
    }
    return true;
  };
  if (!sort.shape().IsTuple()) {
    if (!add(sort, 0)) uses.clear();
    return uses;
  }
  for (Instruction* element : sort.users()) {
    if (element->opcode() != Opcode::kGetTupleElement ||
        !add(*element, element->tuple_index())) {
      return {};
    }
  }
  return uses;
}

Instruction* TopKCall(const Instruction& sort, int64_t k) {
  Emitter e(&sort);
  const Shape scalar = Shape::Scalar(kF32);
  Computation* comparator = e.Subcomputation(
      "topk_comparator", {scalar, scalar}, [](Emitter& c, const Values& p) {
        return c.CompareOfType(ComparisonDirection::kGt,
                               ComparisonType::kFloatTotalOrder, p[0], p[1]);
      });
  Shape values = Shape::ArrayWithDescendingLayout(
      kF32, sort.operand(0)->shape().dimensions());
  values.set_dimension(values.rank() - 1, k);
  Shape positions = values;
  positions.set_element_type(kS32);
  AttributeSet attrs;
  attrs.Set(AttrId::kCustomCallTarget, std::string("TopK"));
  return e.OpOfShape(Opcode::kCustomCall, Shape::Tuple({values, positions}),
                     {sort.operand(0)}, std::move(attrs), {comparator});
}

bool Rewrite(Instruction* sort) {
  if (!IsSortOfRows(*sort)) return false;
  int64_t k = -1;
  const std::vector<Use> uses = UsesOf(*sort, &k);
  const Shape& values = sort->operand(0)->shape();
  if (uses.empty() || k < 1 || k >= values.dimension(values.rank() - 1)) {
    return false;
  }
  Instruction* call = TopKCall(*sort, k);
  Emitter e(sort);
  for (const Use& use : uses) {
    Instruction* part = e.Element(call, use.part);
    part->set_shape(use.slice->shape());
    // Takes the sort with it once its last use has gone.
    ReplaceInstruction(use.slice, part);
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> TopKRewriter::Run(Module* module) {
  std::vector<Instruction*> sorts;
  for (const auto& computation : module->computations()) {
    if (computation->IsFusionComputation() || !RunsOn(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kSort) sorts.push_back(i);
    }
  }
  bool changed = false;
  for (Instruction* sort : sorts) changed |= Rewrite(sort);
  if (changed) module->schedule.reset();
  return changed;
}

}  // namespace hlokit
