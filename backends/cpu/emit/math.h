// Mathematical functions in generated code.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_MATH_H_
#define HLOKIT_BACKENDS_CPU_EMIT_MATH_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cpu/emit/ir.h"

namespace hlokit::cpu {

// The function `name` of the C library for doubles ("exp"), or its sibling for
// floats, according to the arguments; or "logistic".
//
// exp and tanh, and the log of floats, are written out where the processor
// multiplies and adds in one step, so that loops over them become vector code
// without calls; the others are calls (with vector variants, see
// llvm/runtime_symbols.h). Within 4 units of the last place in float, 2 in
// double (3 without FMA); exact where numbers end (infinities, NaN, zeros).
// Denormals are numbers like others, unless the processor was told that they
// count as zero: then each function follows its rule in docs/numerics.md.
IrValue EmitMath(IrFunction& f, absl::string_view name,
                 absl::Span<const IrValue> arguments);

// Returns x, or a zero of its sign where it is a denormal that counts as zero:
// the C library's functions work on bits and would see it.
IrValue Flushed(IrFunction& f, const IrValue& x);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_MATH_H_
