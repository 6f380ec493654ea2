#include "backends/cpu/emit/combiner.h"

#include <limits>

#include "backends/cpu/emit/arithmetic.h"
#include "backends/cpu/emit/elemental.h"
#include "backends/interpreter/combiner.h"

namespace hlokit::cpu {

Element Accumulate(IrFunction& f, Opcode opcode, const Element& total,
                   const Element& value) {
  const bool sum = opcode == Opcode::kAdd;
  if ((sum || opcode == Opcode::kMultiply) &&
      (total.type == kF32 || total.type == kF64)) {
    const std::string& fast = f.module().fast_math();
    const bool reorders = fast.empty() && f.module().reorders_sums();
    return {total.type, f.Op(sum ? "fadd" : "fmul", total.value, value.value,
                             reorders ? "reassoc" : fast)};
  }
  return *EmitBinary(f, opcode, total, value);
}

PrimitiveType TotalType(const Computation& combiner, PrimitiveType type) {
  const interpreter::Combiner known = interpreter::RecognizeCombiner(combiner);
  const bool sums =
      known.kind == interpreter::Combiner::kBinary &&
      (known.opcode == Opcode::kAdd || known.opcode == Opcode::kMultiply);
  return sums && ComputesInFloat(type) ? kF32 : type;
}

std::vector<Element> Combine(ElementalEmitter& emitter, IrFunction& f,
                             const Computation& combiner,
                             absl::Span<const Element> totals,
                             absl::Span<const Element> values) {
  const interpreter::Combiner known = interpreter::RecognizeCombiner(combiner);
  if (known.kind == interpreter::Combiner::kBinary &&
      !IsComplexType(known.type)) {
    const bool wide = totals[0].type != values[0].type;
    return {Accumulate(f, known.opcode, totals[0],
                       wide ? Widen(f, values[0]) : values[0])};
  }
  std::vector<Element> arguments(totals.begin(), totals.end());
  arguments.insert(arguments.end(), values.begin(), values.end());
  return emitter.Apply(combiner, arguments);
}

bool HasIdentity(const Computation& combiner, const IrModule& module) {
  const interpreter::Combiner known = interpreter::RecognizeCombiner(combiner);
  if (known.kind != interpreter::Combiner::kBinary) return false;
  if (!IsFloatType(known.type)) return !IsComplexType(known.type);
  if (known.opcode == Opcode::kAdd || known.opcode == Opcode::kMultiply) {
    return true;
  }
  // The least and the greatest number of a small float are no infinities.
  return BitWidth(known.type) >= 16 && module.has_infinities();
}

Element Identity(IrFunction& f, const Computation& combiner,
                 PrimitiveType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_float = IsFloatType(type);
  const bool is_signed = IsSignedIntType(type);
  const int bits = type == kPred ? 1 : BitWidth(type);
  const auto integer = [&](int64_t value) {
    return Element{type, f.Const(RegisterType(type), value)};
  };
  // All bits of the type and no others.
  const int64_t ones =
      is_signed || bits == 64 ? -1 : (int64_t{1} << bits) - 1;
  const int64_t least = is_signed ? -1 - (INT64_MAX >> (64 - bits)) : 0;
  switch (interpreter::RecognizeCombiner(combiner).opcode) {
    case Opcode::kAdd:
      // Minus zero, for it leaves minus zeros.
      return is_float ? NumberConstant(f, type, -0.0) : integer(0);
    case Opcode::kMultiply:
      return NumberConstant(f, type, 1);
    case Opcode::kMaximum:
      return is_float ? NumberConstant(f, type, -kInfinity) : integer(least);
    case Opcode::kMinimum:
      return is_float ? NumberConstant(f, type, kInfinity)
                      : integer(is_signed ? -1 - least : ones);
    case Opcode::kAnd:
      return integer(ones);
    default:
      return integer(0);
  }
}

}  // namespace hlokit::cpu
