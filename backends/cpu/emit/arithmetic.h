// The elementwise operations of HLO on single elements.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_ARITHMETIC_H_
#define HLOKIT_BACKENDS_CPU_EMIT_ARITHMETIC_H_

#include <optional>

#include "absl/types/span.h"
#include "backends/cpu/emit/element.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

// The result of an elementwise instruction (unary, binary, ternary, compare,
// convert, bitcast-convert between equal widths, reduce-precision, ...) on one
// element of each operand. Nothing when it is not compiled: the interpreter
// runs it then.
std::optional<Element> EmitArithmetic(IrFunction& f, const Instruction& i,
                                      absl::Span<const Element> operands);
// Whether EmitArithmetic may know the opcode.
bool IsArithmetic(Opcode opcode);

// A binary operation by opcode, for combiners.
std::optional<Element> EmitBinary(IrFunction& f, Opcode opcode,
                                  const Element& a, const Element& b);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_ARITHMETIC_H_
