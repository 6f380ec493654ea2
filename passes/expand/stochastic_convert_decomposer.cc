#include "passes/expand/stochastic_convert_decomposer.h"

#include <cmath>

namespace hlokit {

bool StochasticConvertDecomposer::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kStochasticConvert || !IsStatic(i)) return false;
  const PrimitiveType random = i.operand(1)->shape().element_type();
  return IsFloatType(i.operand(0)->shape().element_type()) &&
         IsUnsignedIntType(random) && IsSignedIntType(i.shape().element_type());
}

absl::StatusOr<Instruction*> StochasticConvertDecomposer::Expand(
    Instruction* i, Emitter& e) {
  constexpr auto kLt = ComparisonDirection::kLt;
  constexpr auto kGe = ComparisonDirection::kGe;
  Instruction* x = i->operand(0);
  Instruction* random = i->operand(1);
  const PrimitiveType from = x->shape().element_type();
  const PrimitiveType to = i->shape().element_type();
  const PrimitiveType bits = random->shape().element_type();
  // Narrow floats cannot hold what follows.
  const PrimitiveType work = BitWidth(from) < 32 ? kF32 : from;
  x = e.Convert(x, work);
  Instruction* magnitude = e.Unary(Opcode::kAbs, x);
  Instruction* whole = e.Unary(Opcode::kFloor, magnitude);
  // An integer is below a number if it is below that rounded up.
  Instruction* threshold = e.Convert(
      e.Unary(Opcode::kCeil, e.Multiply(e.Subtract(magnitude, whole),
                                        std::ldexp(1., BitWidth(bits)))),
      bits);
  Instruction* up = e.Compare(kLt, random, threshold);
  Instruction* truncated = e.Convert(whole, to);
  Instruction* rounded = e.Select(
      up, e.Add(truncated, 1), truncated);
  const int digits = BitWidth(to) - 1;
  const int64_t highest = static_cast<int64_t>((uint64_t{1} << digits) - 1);
  Instruction* max = e.ScalarInt(to, highest);
  Instruction* min = e.ScalarInt(to, -highest - 1);
  // Adding one may pass the end: the sum is negative then.
  Instruction* zero = e.ScalarInt(to, 0);
  Instruction* beyond =
      e.Or(e.Compare(kGe, magnitude, e.Scalar(work, std::ldexp(1., digits))),
           e.Compare(kLt, rounded, zero));
  Instruction* negative = e.Compare(kLt, x, e.Scalar(work, 0));
  Instruction* result =
      e.Select(beyond, e.Select(negative, min, max),
               e.Select(negative, e.Unary(Opcode::kNegate, rounded), rounded));
  return e.Select(e.Compare(ComparisonDirection::kNe, x, x), zero, result);
}

}  // namespace hlokit
