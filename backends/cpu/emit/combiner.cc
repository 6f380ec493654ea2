#include "backends/cpu/emit/combiner.h"

#include "backends/cpu/emit/arithmetic.h"
#include "backends/cpu/emit/elemental.h"

namespace hlokit::cpu {

std::optional<Opcode> SimpleCombiner(const Computation& computation) {
  if (computation.parameter_count() != 2) return std::nullopt;
  const Instruction& root = *computation.root();
  switch (root.opcode()) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      break;
    default:
      return std::nullopt;
  }
  const Instruction* a = computation.parameter(0);
  const Instruction* b = computation.parameter(1);
  const bool both = (root.operand(0) == a && root.operand(1) == b) ||
                    (root.operand(0) == b && root.operand(1) == a);
  return both ? std::optional<Opcode>(root.opcode()) : std::nullopt;
}

Element Accumulate(IrFunction& f, Opcode opcode, const Element& total,
                   const Element& value) {
  const bool sum = opcode == Opcode::kAdd;
  if ((sum || opcode == Opcode::kMultiply) &&
      (total.type == kF32 || total.type == kF64)) {
    return {total.type,
            f.Op(sum ? "fadd" : "fmul", total.value, value.value, "reassoc")};
  }
  return *EmitBinary(f, opcode, total, value);
}

std::vector<Element> Combine(ElementalEmitter& emitter, IrFunction& f,
                             const Computation& combiner,
                             absl::Span<const Element> totals,
                             absl::Span<const Element> values) {
  const std::optional<Opcode> simple = SimpleCombiner(combiner);
  if (simple && !IsComplexType(totals[0].type)) {
    return {Accumulate(f, *simple, totals[0], values[0])};
  }
  std::vector<Element> arguments(totals.begin(), totals.end());
  arguments.insert(arguments.end(), values.begin(), values.end());
  return emitter.Apply(combiner, arguments);
}

}  // namespace hlokit::cpu
