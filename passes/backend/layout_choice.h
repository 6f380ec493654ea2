// In which order element-wise chains should lie in memory, so that little has
// to be copied.
//
// Element-wise operations work in any order as long as their arrays agree.
// Those connected with one another by arrays of the same dimensions form a
// group that gets one order: the one for which the fewest bytes have to be
// copied where the group meets what lies in an order of its own (parameters,
// results, dots, calls) and where it meets transposes and reshapes, which cost
// nothing when the orders on both sides fit. Groups are decided one after
// another, from the parameters on. Row-major when nothing speaks against it.
//
//   p = f32[8,4]{0,1} parameter(0)
//   s = f32[8,4] sine(p)                -> {0,1}
//   ROOT t = f32[4,8]{1,0} transpose(s) -> moves nothing
#ifndef HLOKIT_PASSES_BACKEND_LAYOUT_CHOICE_H_
#define HLOKIT_PASSES_BACKEND_LAYOUT_CHOICE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/computation.h"

namespace hlokit {

// Dimensions from the minor-most to the major-most.
using DimensionOrder = DimensionVector;

// The same order with dimensions of size one as the major-most, where they make
// no difference; row-major orders are {n-1, ..., 0}.
DimensionOrder CanonicalOrder(const Shape& array,
                              absl::Span<const int64_t> order);

// The order of the result (or of the operand) for which a transpose, or a
// reshape that only adds or drops dimensions of size one, moves nothing.
// Nothing for other instructions.
std::optional<DimensionOrder> OrderBehind(const Instruction& mover,
                                          absl::Span<const int64_t> operand);
std::optional<DimensionOrder> OrderBefore(const Instruction& mover,
                                          absl::Span<const int64_t> result);

// Whether the order of an instruction's array is open.
bool HasOrderChoice(const Instruction& i);

// What is fixed. Nothing where any order will do, or none is known.
struct OrderBounds {
  // The order of a value that has no choice.
  std::function<std::optional<DimensionOrder>(const Instruction& value)> has;
  // The order that a user without choice asks of its operand.
  std::function<std::optional<DimensionOrder>(const Instruction& user,
                                              int64_t operand)>
      asks;
};

// The orders of the instructions with a choice, but for those that are best
// row-major.
absl::flat_hash_map<const Instruction*, DimensionOrder> ChooseOrders(
    absl::Span<Instruction* const> post_order, const OrderBounds& bounds);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_LAYOUT_CHOICE_H_
