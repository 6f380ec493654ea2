#include "passes/expand/convolution_pred_expander.h"

namespace hlokit {

bool ConvolutionPredExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kConvolution && IsStatic(i) &&
         i.operand(0)->shape().element_type() == kPred &&
         i.operand(1)->shape().element_type() == kPred &&
         i.shape().element_type() == kPred;
}

absl::StatusOr<Instruction*> ConvolutionPredExpander::Expand(Instruction* i,
                                                             Emitter& e) {
  Shape shape = i->shape();
  shape.set_element_type(kF16);
  AttributeSet attrs = i->attrs();
  attrs.Erase(AttrId::kSharding);
  Instruction* sum = e.OpOfShape(
      Opcode::kConvolution, shape,
      {e.Convert(i->operand(0), kF16), e.Convert(i->operand(1), kF16)},
      std::move(attrs));
  return e.Convert(sum, kPred);
}

}  // namespace hlokit
