// What reductions do with an accumulator and a value.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_COMBINER_H_
#define HLOKIT_BACKENDS_CPU_EMIT_COMBINER_H_

#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/emit/element.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

class ElementalEmitter;

// total op value, with leave to do many of them in any order (sums of floats
// too, as XLA's reductions do), so that loops over it become vector code.
Element Accumulate(IrFunction& f, Opcode opcode, const Element& total,
                   const Element& value);

// The type that totals of `type` are kept in: f32 where many additions or
// multiplications in a smaller float would lose what they add up to.
PrimitiveType TotalType(const Computation& combiner, PrimitiveType type);

// The combiner applied to totals (of their TotalType, or of the values' types)
// and values; in any order where it is simple.
std::vector<Element> Combine(ElementalEmitter& emitter, IrFunction& f,
                             const Computation& combiner,
                             absl::Span<const Element> totals,
                             absl::Span<const Element> values);

// Whether a reduction by `combiner` may be done in pieces, and what totals of
// its TotalType begin with that leaves every value as it is. With fast-math flags
// that say that there are no infinities, none may stand for "no value yet".
bool HasIdentity(const Computation& combiner, const IrModule& module);
Element Identity(IrFunction& f, const Computation& combiner,
                 PrimitiveType type);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_COMBINER_H_
