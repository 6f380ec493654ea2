#include "passes/expand/stable_sort_expander.h"

#include <limits>
#include <utility>

namespace hlokit {
namespace {

// (a0, b0, a1, b1, ..., i, j) -> a < b, or neither of a and b is less than the
// other and i < j.
Computation* WithPositions(const Computation& comparator, PrimitiveType index,
                           Emitter& e) {
  std::vector<Shape> parameters;
  for (const Instruction* p : comparator.parameters()) {
    parameters.push_back(p->shape());
  }
  const size_t count = parameters.size();
  parameters.resize(count + 2, Shape::Scalar(index));
  return e.Subcomputation(
      absl::StrCat(comparator.name(), "_stable"), parameters,
      [&](Emitter& c, const Values& p) {
        const Values forward(p.begin(), p.begin() + count);
        Values backward = forward;
        for (size_t i = 0; i + 1 < count; i += 2) {
          std::swap(backward[i], backward[i + 1]);
        }
        Instruction* less = c.Inline(comparator, forward);
        Instruction* greater = c.Inline(comparator, backward);
        Instruction* before =
            c.Compare(ComparisonDirection::kLt, p[count], p[count + 1]);
        return c.Select(c.Op(Opcode::kXor, {less, greater}), less, before);
      });
}

}  // namespace

bool StableSortExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kSort &&
         i.attrs().GetBool(AttrId::kIsStable) && IsStatic(i);
}

absl::StatusOr<Instruction*> StableSortExpander::Expand(Instruction* i,
                                                        Emitter& e) {
  const std::vector<int64_t> dims = DimsOf(i->operand(0));
  const int64_t along = i->dimension(0);
  const PrimitiveType index =
      dims[along] <= std::numeric_limits<int32_t>::max() ? kS32 : kS64;
  const int64_t count = i->operand_count();
  Values operands(i->operands().begin(), i->operands().end());
  operands.push_back(e.Iota(index, dims, along));
  AttributeSet attrs;
  SetList(AttrId::kDimensions, {along}, &attrs);
  Instruction* sort = e.Op(Opcode::kSort, operands, std::move(attrs),
                           {WithPositions(*i->to_apply(), index, e)});
  Values parts;
  for (int64_t n = 0; n < count; ++n) parts.push_back(e.Element(sort, n));
  return i->shape().IsTuple() ? e.Tuple(parts) : parts[0];
}

}  // namespace hlokit
