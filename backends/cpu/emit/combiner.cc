#include "backends/cpu/emit/combiner.h"

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
    return {total.type, f.Op(sum ? "fadd" : "fmul", total.value, value.value,
                             fast.empty() ? "reassoc" : fast)};
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

}  // namespace hlokit::cpu
