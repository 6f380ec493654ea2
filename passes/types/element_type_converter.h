// element_type_converter: computes everything of one type in another.
//
// As hlo-opt registers it: bf16 in f32. Every operation that computes with or
// gives the type takes converted operands and its result is converted back;
// parameters, constants, conversions, tuples, control flow and collectives
// stay.
#ifndef HLOKIT_PASSES_TYPES_ELEMENT_TYPE_CONVERTER_H_
#define HLOKIT_PASSES_TYPES_ELEMENT_TYPE_CONVERTER_H_

#include "hlo/ir/primitive_type.h"
#include "passes/pass.h"

namespace hlokit {

class ElementTypeConverter : public Pass {
 public:
  explicit ElementTypeConverter(PrimitiveType from = kBF16,
                                PrimitiveType to = kF32)
      : from_(from), to_(to) {}
  absl::string_view name() const override { return "element_type_converter"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  PrimitiveType from_, to_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_ELEMENT_TYPE_CONVERTER_H_
