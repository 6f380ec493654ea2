// Comparisons, selections, clamps.
#include <optional>

#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

using Direction = ComparisonDirection;

Direction Swapped(Direction d) {
  switch (d) {
    case Direction::kGe: return Direction::kLe;
    case Direction::kGt: return Direction::kLt;
    case Direction::kLe: return Direction::kGe;
    case Direction::kLt: return Direction::kGt;
    default: return d;
  }
}

Direction Inverse(Direction d) {
  switch (d) {
    case Direction::kEq: return Direction::kNe;
    case Direction::kNe: return Direction::kEq;
    case Direction::kGe: return Direction::kLt;
    case Direction::kGt: return Direction::kLe;
    case Direction::kLe: return Direction::kGt;
    case Direction::kLt: return Direction::kGe;
  }
  return d;
}

bool HoldsForEqual(Direction d) {
  return d == Direction::kEq || d == Direction::kGe || d == Direction::kLe;
}

// Whether NaN cannot play a part.
bool IsTotal(const Instruction* compare) {
  return compare->comparison_type() != ComparisonType::kFloat;
}

// x < x and so on.
Instruction* CompareWithItself(Builder& b, Instruction* i) {
  if (i->operand(0) != i->operand(1)) return nullptr;
  const Direction d = i->comparison_direction();
  // NaN < NaN and NaN > NaN are false as well.
  if (!IsTotal(i) && d != Direction::kLt && d != Direction::kGt) {
    return nullptr;
  }
  return b.Full(i->shape(), HoldsForEqual(d) ? 1 : 0);
}

// c < x -> x > c.
Instruction* ComparedConstantRight(Builder& b, Instruction* i) {
  if (ConstantBelow(i->operand(0)) == nullptr ||
      ConstantBelow(i->operand(1)) != nullptr) {
    return nullptr;
  }
  return b.CompareOfType(Swapped(i->comparison_direction()),
                         i->comparison_type(), i->operand(1), i->operand(0));
}

// pred == true -> pred; pred == false -> not pred; and so !=.
Instruction* CompareTruth(Builder& b, Instruction* i) {
  const auto value = ScalarOfFull(i->operand(1));
  const Direction d = i->comparison_direction();
  if (!IsPred(i->operand(0)) || !value.has_value() ||
      (d != Direction::kEq && d != Direction::kNe)) {
    return nullptr;
  }
  const bool keeps = (value->GetAsInt64(0) != 0) == (d == Direction::kEq);
  return keeps ? i->operand(0) : b.Unary(Opcode::kNot, i->operand(0));
}

struct Range {
  int64_t low, high;
};

// What the elements of an integer array are known to lie in.
std::optional<Range> RangeOf(const Instruction* x) {
  const PrimitiveType type = TypeOf(x);
  if (!IsIntegerType(type) || BitWidth(type) > 32) return std::nullopt;
  const int bits = BitWidth(type);
  Range all = IsSignedIntType(type)
                  ? Range{-(int64_t{1} << (bits - 1)),
                          (int64_t{1} << (bits - 1)) - 1}
                  : Range{0, (int64_t{1} << bits) - 1};
  for (int k = 0; k < 8 && (x->opcode() == Opcode::kBroadcast ||
                            x->opcode() == Opcode::kReshape);
       ++k) {
    x = x->operand(0);
  }
  if (x->opcode() == Opcode::kIota) {
    const int64_t size =
        x->shape().dimension(x->attrs().GetInt(AttrId::kIotaDimension));
    if (size > 0 && size - 1 <= all.high) return Range{0, size - 1};
  }
  return all;
}

// Comparisons with a constant that the value's range decides: unsigned < 0,
// iota < size, ...
Instruction* CompareOutOfRange(Builder& b, Instruction* i) {
  const auto constant = ScalarOfFull(i->operand(1));
  const auto range = RangeOf(i->operand(0));
  if (!constant.has_value() || !range.has_value()) return nullptr;
  const int64_t c = constant->GetAsInt64(0);
  const auto decided = [&]() -> std::optional<bool> {
    switch (i->comparison_direction()) {
      case Direction::kLt:
        if (range->high < c) return true;
        if (range->low >= c) return false;
        break;
      case Direction::kLe:
        if (range->high <= c) return true;
        if (range->low > c) return false;
        break;
      case Direction::kGt:
        if (range->low > c) return true;
        if (range->high <= c) return false;
        break;
      case Direction::kGe:
        if (range->low >= c) return true;
        if (range->high < c) return false;
        break;
      case Direction::kEq:
        if (c < range->low || c > range->high) return false;
        break;
      case Direction::kNe:
        if (c < range->low || c > range->high) return true;
        break;
    }
    return std::nullopt;
  }();
  if (!decided.has_value()) return nullptr;
  return b.Full(i->shape(), *decided ? 1 : 0);
}

// not (x < y) -> x >= y, where NaN plays no part.
Instruction* NotOfCompare(Builder& b, Instruction* i) {
  Instruction* compare = i->operand(0);
  if (compare->opcode() != Opcode::kCompare || !HasOneUser(compare)) {
    return nullptr;
  }
  const Direction d = compare->comparison_direction();
  const bool equality = d == Direction::kEq || d == Direction::kNe;
  if (!IsTotal(compare) && !equality) return nullptr;
  return b.CompareOfType(Inverse(d), compare->comparison_type(),
                         compare->operand(0), compare->operand(1));
}

Instruction* SelectKnown(Builder&, Instruction* i) {
  if (i->operand(1) == i->operand(2)) return i->operand(1);
  const auto pred = ScalarOfFull(i->operand(0));
  if (!pred.has_value()) return nullptr;
  return i->operand(pred->GetAsInt64(0) != 0 ? 1 : 2);
}

// The condition for elements of select's result: a scalar one is spread.
Instruction* SpreadPred(Builder& b, Instruction* i) {
  Instruction* pred = i->operand(0);
  if (!pred->shape().IsScalar()) return pred;
  return b.BroadcastScalar(pred, i->shape().dimensions());
}

// Selections of truth values are logic:
//   select(p, true, false) -> p;     select(p, false, true) -> not p
//   select(p, x, false) -> p and x;  select(p, true, x) -> p or x
Instruction* SelectTruth(Builder& b, Instruction* i) {
  if (!IsPred(i)) return nullptr;
  Instruction *x = i->operand(1), *y = i->operand(2);
  if (IsFull(x, 1) && IsFull(y, 0)) return SpreadPred(b, i);
  if (IsFull(x, 0) && IsFull(y, 1)) {
    return b.Unary(Opcode::kNot, SpreadPred(b, i));
  }
  if (IsFull(y, 0)) return b.Binary(Opcode::kAnd, SpreadPred(b, i), x);
  if (IsFull(x, 1)) return b.Binary(Opcode::kOr, SpreadPred(b, i), y);
  return nullptr;
}

// select(not p, x, y) -> select(p, y, x).
Instruction* SelectOfNot(Builder& b, Instruction* i) {
  if (i->operand(0)->opcode() != Opcode::kNot) return nullptr;
  return b.Select(i->operand(0)->operand(0), i->operand(2), i->operand(1));
}

// select(p, select(p, x, y), z) -> select(p, x, z), and on the other side.
Instruction* SelectOfSelect(Builder& b, Instruction* i) {
  Instruction *p = i->operand(0), *x = i->operand(1), *y = i->operand(2);
  if (x->opcode() == Opcode::kSelect && x->operand(0) == p) {
    return b.Select(p, x->operand(1), y);
  }
  if (y->opcode() == Opcode::kSelect && y->operand(0) == p) {
    return b.Select(p, x, y->operand(2));
  }
  return nullptr;
}

// clamp(low, clamp(low, x, high), high) -> the inner one.
Instruction* ClampTwice(Builder&, Instruction* i) {
  Instruction* inner = i->operand(1);
  if (inner->opcode() != Opcode::kClamp) return nullptr;
  for (int64_t k : {0, 2}) {
    if (inner->operand(k) == i->operand(k)) continue;
    const auto a = ScalarOfFull(inner->operand(k));
    const auto c = ScalarOfFull(i->operand(k));
    if (!a.has_value() || !c.has_value() || *a != *c) return nullptr;
  }
  return inner;
}

constexpr Rule kCompareRules[] = {
    {Opcode::kCompare, CompareWithItself, Rewrite::kCompareWithItself},
    {Opcode::kCompare, ComparedConstantRight, Rewrite::kComparedConstantRight},
    {Opcode::kCompare, CompareTruth, Rewrite::kCompareTruth},
    {Opcode::kCompare, CompareOutOfRange, Rewrite::kCompareOutOfRange},
    {Opcode::kNot, NotOfCompare, Rewrite::kNotOfCompare},
    {Opcode::kSelect, SelectKnown, Rewrite::kSelectKnown},
    {Opcode::kSelect, SelectOfNot, Rewrite::kSelectOfNot},
    {Opcode::kSelect, SelectTruth, Rewrite::kSelectTruth},
    {Opcode::kSelect, SelectOfSelect, Rewrite::kSelectOfSelect},
    {Opcode::kClamp, ClampTwice, Rewrite::kClampTwice},
};

}  // namespace

absl::Span<const Rule> CompareRules() { return kCompareRules; }

}  // namespace hlokit::algsimp
