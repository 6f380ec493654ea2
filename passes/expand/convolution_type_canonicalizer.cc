#include "passes/expand/convolution_type_canonicalizer.h"

namespace hlokit {

bool ConvolutionTypeCanonicalizer::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kConvolution) return false;
  const PrimitiveType type = i.shape().element_type();
  return i.operand(0)->shape().element_type() != type ||
         i.operand(1)->shape().element_type() != type;
}

absl::StatusOr<Instruction*> ConvolutionTypeCanonicalizer::Expand(
    Instruction* i, Emitter& e) {
  const PrimitiveType type = i->shape().element_type();
  return e.CloneOfShape(
      *i, i->shape(),
      {e.Convert(i->operand(0), type), e.Convert(i->operand(1), type)});
}

}  // namespace hlokit
