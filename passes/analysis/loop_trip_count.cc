#include "passes/analysis/loop_trip_count.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/literal.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

// Index of the element of the computation's parameter that `x` is, -1 if none.
int64_t ElementIndex(const Instruction* x) {
  while (x->opcode() == Opcode::kCopy || x->opcode() == Opcode::kBitcast) {
    x = x->operand(0);
  }
  return x->opcode() == Opcode::kGetTupleElement &&
                 x->operand(0)->opcode() == Opcode::kParameter
             ? x->tuple_index()
             : -1;
}

std::optional<int64_t> IntOf(const Instruction* x) {
  while (x->opcode() == Opcode::kCopy || x->opcode() == Opcode::kBitcast) {
    x = x->operand(0);
  }
  return ConstantInt(x);
}

// The constant that element `index` starts with.
std::optional<int64_t> InitOf(const Instruction& loop, int64_t index) {
  const Instruction* init = loop.operand(0);
  if (init->opcode() != Opcode::kTuple) return std::nullopt;
  return IntOf(init->operand(index));
}

// A constant, or an invariant element that starts as one.
std::optional<int64_t> BoundOf(const Instruction& loop, const Instruction* x) {
  if (const auto value = IntOf(x)) return value;
  const int64_t index = ElementIndex(x);
  if (index < 0 || !IsInvariantElement(loop, index)) return std::nullopt;
  return InitOf(loop, index);
}

// What the body adds to element `index`.
std::optional<int64_t> StepOf(const Instruction& loop, int64_t index) {
  const Instruction* root = loop.while_body()->root();
  if (root->opcode() != Opcode::kTuple) return std::nullopt;
  const Instruction* next = root->operand(index);
  while (next->opcode() == Opcode::kCopy) next = next->operand(0);
  if (next->opcode() == Opcode::kSubtract &&
      ElementIndex(next->operand(0)) == index) {
    const auto step = BoundOf(loop, next->operand(1));
    if (!step.has_value() || *step == INT64_MIN) return std::nullopt;
    return -*step;
  }
  if (next->opcode() != Opcode::kAdd) return std::nullopt;
  for (int64_t k : {0, 1}) {
    if (ElementIndex(next->operand(k)) == index) {
      return BoundOf(loop, next->operand(1 - k));
    }
  }
  return std::nullopt;
}

ComparisonDirection Swapped(ComparisonDirection d) {
  switch (d) {
    case ComparisonDirection::kGe: return ComparisonDirection::kLe;
    case ComparisonDirection::kGt: return ComparisonDirection::kLt;
    case ComparisonDirection::kLe: return ComparisonDirection::kGe;
    case ComparisonDirection::kLt: return ComparisonDirection::kGt;
    default: return d;
  }
}

// How many of init, init + step, ... come before the comparison is false.
std::optional<int64_t> Count(ComparisonDirection direction, int64_t init,
                             int64_t step, int64_t bound) {
  using Wide = __int128;
  const Wide distance = static_cast<Wide>(bound) - init;
  Wide count;
  switch (direction) {
    case ComparisonDirection::kLt:
      if (distance <= 0) return 0;
      if (step <= 0) return std::nullopt;
      count = (distance + step - 1) / step;
      break;
    case ComparisonDirection::kLe:
      if (distance < 0) return 0;
      if (step <= 0) return std::nullopt;
      count = distance / step + 1;
      break;
    case ComparisonDirection::kGt:
      if (distance >= 0) return 0;
      if (step >= 0) return std::nullopt;
      count = (-distance - step - 1) / -static_cast<Wide>(step);
      break;
    case ComparisonDirection::kGe:
      if (distance > 0) return 0;
      if (step >= 0) return std::nullopt;
      count = -distance / -static_cast<Wide>(step) + 1;
      break;
    case ComparisonDirection::kNe:
      if (distance == 0) return 0;
      if (step == 0 || distance % step != 0 || distance / step < 0) {
        return std::nullopt;
      }
      count = distance / step;
      break;
    case ComparisonDirection::kEq:
      if (distance != 0) return 0;
      if (step == 0) return std::nullopt;
      count = 1;
      break;
    default:
      return std::nullopt;
  }
  if (count > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(count);
}

// Whether the counter's type holds all values that it takes.
bool Holds(PrimitiveType type, int64_t value) {
  if (BitWidth(type) >= 64) {
    return IsSignedIntType(type) || value >= 0;
  }
  return Literal::ScalarOfInt(type, value).GetAsInt64(0) == value;
}

}  // namespace

bool IsInvariantElement(const Instruction& loop, int64_t index) {
  const Instruction* root = loop.while_body()->root();
  if (root->opcode() != Opcode::kTuple) return false;
  const Instruction* next = root->operand(index);
  return next->opcode() == Opcode::kGetTupleElement &&
         next->tuple_index() == index &&
         next->operand(0) == loop.while_body()->parameter(0);
}

std::optional<CountedLoop> FindCountedLoop(const Instruction& loop) {
  if (!loop.shape().IsTuple()) return std::nullopt;
  const Instruction* condition = loop.while_condition()->root();
  while (condition->opcode() == Opcode::kCopy) {
    condition = condition->operand(0);
  }
  if (condition->opcode() != Opcode::kCompare) return std::nullopt;
  for (int64_t k : {0, 1}) {
    CountedLoop found;
    found.index = ElementIndex(condition->operand(k));
    if (found.index < 0) continue;
    const PrimitiveType type = condition->operand(k)->shape().element_type();
    // Unsigned 64-bit bounds beyond int64 look negative.
    if (!IsIntegerType(type)) continue;
    const auto bound = BoundOf(loop, condition->operand(1 - k));
    const auto init = InitOf(loop, found.index);
    const auto step = StepOf(loop, found.index);
    if (!bound.has_value() || !init.has_value() || !step.has_value()) continue;
    if (!Holds(type, *bound) || !Holds(type, *init)) continue;
    const ComparisonDirection direction =
        k == 0 ? condition->comparison_direction()
               : Swapped(condition->comparison_direction());
    // A step of an unsigned counter that goes down shows as a large number.
    const auto count = Count(direction, *init, *step, *bound);
    if (!count.has_value()) continue;
    const __int128 last =
        *init + static_cast<__int128>(*count) * static_cast<__int128>(*step);
    if (last > INT64_MAX || last < INT64_MIN ||
        !Holds(type, static_cast<int64_t>(last))) {
      continue;
    }
    found.init = *init;
    found.step = *step;
    found.trip_count = *count;
    return found;
  }
  return std::nullopt;
}

}  // namespace hlokit
