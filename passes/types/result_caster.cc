#include "passes/types/result_caster.h"

#include "passes/builders.h"
#include "passes/value_range.h"

namespace hlokit {
namespace {

// The type to compute in, kInvalid when the result's own is right.
PrimitiveType WideType(const Instruction& i) {
  if ((i.opcode() != Opcode::kDot && i.opcode() != Opcode::kConvolution) ||
      i.operand_count() != 2 || i.attrs().GetInt(AttrId::kDotAlgorithm) != 0) {
    return kInvalid;
  }
  const PrimitiveType wide =
      HigherPrecision(i.operand(0)->shape().element_type(),
                      i.operand(1)->shape().element_type());
  const PrimitiveType result = i.shape().element_type();
  const bool narrower =
      wide != result && IsFloatType(wide) == IsFloatType(result) &&
      IsComplexType(wide) == IsComplexType(result) &&
      HoldsAllValuesOf(wide, result);
  return narrower ? wide : kInvalid;
}

}  // namespace

absl::StatusOr<bool> ResultCaster::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      const PrimitiveType wide = WideType(*i);
      if (wide == kInvalid || (i->users().empty() && !i->IsRoot())) continue;
      Builder b(i);
      Shape shape = i->shape();
      shape.set_element_type(wide);
      Instruction* full = b.CloneOfShape(*i, shape, i->operands());
      ReplaceInstruction(i, b.Convert(full, i->shape().element_type()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
