// Patterns: short questions about an instruction and its operands.
//
//   Instruction *x, *y;
//   if (Match(i, Op(Opcode::kSubtract, Any(&x),
//                   Op(Opcode::kNegate, Any(&y))))) ...  // x - -y
//
// A pattern is a function of an instruction; Op takes one pattern an operand.
// What patterns bind (the pointers) is set even when the whole does not match.
#ifndef HLOKIT_PASSES_PATTERNS_H_
#define HLOKIT_PASSES_PATTERNS_H_

#include <cstdint>
#include <optional>

#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hlokit {

inline bool HasControlDependencies(const Instruction& i) {
  return !i.control_predecessors().empty() || !i.control_successors().empty();
}

// Whether all elements of an array literal are exactly `value`; -0 is not 0. An
// array without elements is not.
bool IsAll(const Literal& literal, double value);

// A constant, or a broadcast (up to 64 reshapes, broadcasts, transposes) of one;
// null otherwise.
const Literal* ConstantBelow(const Instruction* x);
// Whether `x` is such and all its elements are `value`.
bool IsFull(const Instruction* x, double value);
// A scalar constant, or an array made from one: that scalar.
std::optional<Literal> ScalarOfFull(const Instruction* x);

// A constant scalar (rank 0).
bool IsConstantScalar(const Instruction* x);
bool IsConstantScalar(const Instruction* x, double value);
// The number of an integer constant scalar.
std::optional<int64_t> ConstantInt(const Instruction* x);

inline bool IsOp(const Instruction* i, Opcode opcode) {
  return i->opcode() == opcode;
}
inline bool HasOneUser(const Instruction* i) { return i->user_count() == 1; }

namespace match {

inline auto Any(Instruction** out = nullptr) {
  return [=](Instruction* i) {
    if (out != nullptr) *out = i;
    return true;
  };
}
// The very instruction, also one that was bound earlier in the same pattern.
inline auto Same(Instruction* const* bound) {
  return [=](Instruction* i) { return i == *bound; };
}
template <typename Pattern>
auto As(Instruction** out, Pattern pattern) {
  return [=](Instruction* i) {
    *out = i;
    return pattern(i);
  };
}
template <typename... Patterns>
auto Op(Opcode opcode, Patterns... patterns) {
  return [=](Instruction* i) {
    if (i->opcode() != opcode ||
        i->operand_count() != static_cast<int64_t>(sizeof...(patterns))) {
      return false;
    }
    int64_t next = 0;
    (void)next;
    return (patterns(i->operand(next++)) && ...);
  };
}
// Two operands in either order.
template <typename P, typename Q>
auto Commutative(Opcode opcode, P p, Q q) {
  return [=](Instruction* i) {
    return i->opcode() == opcode && i->operand_count() == 2 &&
           ((p(i->operand(0)) && q(i->operand(1))) ||
            (p(i->operand(1)) && q(i->operand(0))));
  };
}
template <typename Pattern>
auto OneUser(Pattern pattern) {
  return [=](Instruction* i) { return HasOneUser(i) && pattern(i); };
}
// All elements known to be this number.
inline auto Full(double value) {
  return [=](Instruction* i) { return IsFull(i, value); };
}
// All elements known to be one and the same number.
inline auto FullOfAny(Instruction** out = nullptr) {
  return [=](Instruction* i) {
    if (out != nullptr) *out = i;
    return ScalarOfFull(i).has_value();
  };
}
inline auto Constant(Instruction** out = nullptr) {
  return [=](Instruction* i) {
    if (out != nullptr) *out = i;
    return i->opcode() == Opcode::kConstant;
  };
}

}  // namespace match

template <typename Pattern>
bool Match(Instruction* i, const Pattern& pattern) {
  return pattern(i);
}

}  // namespace hlokit

#endif  // HLOKIT_PASSES_PATTERNS_H_
