// Elements: how values of HLO's element types stand in LLVM's registers and in
// memory, and conversions between types.
//
//   pred               i1, in memory i8
//   integers           iN; under 8 bits i8, sign- or zero-extended
//   f32, f64           float, double
//   f16                half
//   other small floats their bits: i16, i8; arithmetic is done in float
//   complex            two floats or doubles
#ifndef HLOKIT_BACKENDS_CPU_EMIT_ELEMENT_H_
#define HLOKIT_BACKENDS_CPU_EMIT_ELEMENT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

struct Element {
  PrimitiveType type = kInvalid;
  IrValue value;
  IrValue imag;  // of complex types
};

// "float"; of complex types that of their parts.
std::string RegisterType(PrimitiveType type);
std::string MemoryType(PrimitiveType type);

// The element number `index` of the array at `pointer`.
Element LoadElement(IrFunction& f, PrimitiveType type, const IrValue& pointer,
                    const IrValue& index, absl::string_view marks = "");
void StoreElement(IrFunction& f, const Element& element, const IrValue& pointer,
                  const IrValue& index, absl::string_view marks = "");

// Element `linear` of a literal as a constant.
Element ElementConstant(IrFunction& f, const Literal& literal, int64_t linear);
// A number of any type; integers wrap.
Element NumberConstant(IrFunction& f, PrimitiveType type, double value);

// Whether arithmetic on `type` is done in float.
bool ComputesInFloat(PrimitiveType type);
// A small float as f32, others as they are; and back.
Element Widen(IrFunction& f, const Element& x);
Element Narrow(IrFunction& f, const Element& x, PrimitiveType type);
// Brings the upper bits of a sub-byte integer in order after arithmetic.
Element Wrap(IrFunction& f, Element x);

// HLO's convert.
Element ConvertElementTo(IrFunction& f, const Element& x, PrimitiveType type);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_ELEMENT_H_
