// Logical operations and shifts.
#include <cstdint>

#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"

namespace hlokit::algsimp {
namespace {

using match::Any;
using match::Commutative;
using match::Op;

// All bits set: true, or -1 in any signedness.
bool IsAllOnes(const Instruction* i) {
  const auto value = ScalarOfFull(i);
  if (!value.has_value()) return false;
  if (IsPred(i)) return value->GetAsInt64(0) == 1;
  if (!IsInteger(i)) return false;
  const int bits = BitWidth(TypeOf(i));
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return (static_cast<uint64_t>(value->GetAsInt64(0)) & mask) == mask;
}

auto AllOnes() {
  return [](Instruction* i) { return IsAllOnes(i); };
}

// x & x, x | x; x & 0, x | 0; x & ~0, x | ~0.
Instruction* AndOr(Builder&, Instruction* i) {
  Instruction *x = i->operand(0), *y = i->operand(1);
  if (x == y) return x;
  const bool is_and = i->opcode() == Opcode::kAnd;
  for (auto [value, constant] : {std::pair(x, y), std::pair(y, x)}) {
    if (IsFull(constant, 0)) return is_and ? constant : value;
    if (IsAllOnes(constant)) return is_and ? value : constant;
  }
  return nullptr;
}

// x & (x & y) -> x & y; so or.
Instruction* Absorb(Builder&, Instruction* i) {
  Instruction *x = i->operand(0), *y = i->operand(1);
  for (auto [inner, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (inner->opcode() == i->opcode() &&
        (inner->operand(0) == other || inner->operand(1) == other)) {
      return inner;
    }
  }
  return nullptr;
}

Instruction* Xor(Builder& b, Instruction* i) {
  Instruction* x;
  if (i->operand(0) == i->operand(1)) return b.Full(i->shape(), 0);
  if (Match(i, Commutative(Opcode::kXor, Any(&x), match::Full(0)))) return x;
  if (Match(i, Commutative(Opcode::kXor, Any(&x), AllOnes()))) {
    return b.Unary(Opcode::kNot, x);
  }
  return nullptr;
}

Instruction* NotTwice(Builder&, Instruction* i) {
  Instruction* x = i->operand(0);
  return x->opcode() == Opcode::kNot ? x->operand(0) : nullptr;
}

// Shifts by 0, and by the width or more.
Instruction* ShiftByConstant(Builder& b, Instruction* i) {
  const auto amount = ScalarOfFull(i->operand(1));
  if (!amount.has_value()) return nullptr;
  const int64_t by = amount->GetAsInt64(0);
  if (by == 0) return i->operand(0);
  const bool beyond = by < 0 || by >= BitWidth(TypeOf(i));
  if (beyond && i->opcode() != Opcode::kShiftRightArithmetic) {
    return b.Full(i->shape(), 0);
  }
  return nullptr;
}

// (x << a) << b -> x << (a + b), and so for right shifts.
Instruction* ShiftTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != i->opcode()) return nullptr;
  const auto first = ScalarOfFull(inner->operand(1));
  const auto second = ScalarOfFull(i->operand(1));
  if (!first.has_value() || !second.has_value()) return nullptr;
  const int64_t x = first->GetAsInt64(0), y = second->GetAsInt64(0);
  const int64_t width = BitWidth(TypeOf(i));
  if (x < 0 || y < 0 || x >= width || y >= width || x + y >= width) {
    return nullptr;
  }
  return b.Binary(i->opcode(), inner->operand(0),
                  b.FullInt(i->shape(), x + y));
}

constexpr Rule kLogicRules[] = {
    {Opcode::kAnd, AndOr, Rewrite::kAndOr},
    {Opcode::kAnd, Absorb, Rewrite::kAbsorb},
    {Opcode::kOr, AndOr, Rewrite::kAndOr},
    {Opcode::kOr, Absorb, Rewrite::kAbsorb},
    {Opcode::kXor, Xor, Rewrite::kXor},
    {Opcode::kNot, NotTwice, Rewrite::kNotTwice},
    {Opcode::kShiftLeft, ShiftByConstant, Rewrite::kShiftByConstant},
    {Opcode::kShiftLeft, ShiftTwice, Rewrite::kShiftTwice},
    {Opcode::kShiftRightLogical, ShiftByConstant, Rewrite::kShiftByConstant},
    {Opcode::kShiftRightLogical, ShiftTwice, Rewrite::kShiftTwice},
    {Opcode::kShiftRightArithmetic, ShiftByConstant, Rewrite::kShiftByConstant},
};

}  // namespace

absl::Span<const Rule> LogicRules() { return kLogicRules; }

}  // namespace hlokit::algsimp
