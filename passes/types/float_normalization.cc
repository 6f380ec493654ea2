#include "passes/types/float_normalization.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/types/type_change.h"

namespace hlokit {
namespace {

bool DependsOnWidth(const Instruction& i, PrimitiveType type) {
  switch (i.opcode()) {
    case Opcode::kCountLeadingZeros:
      return IsIntegerType(type);
    case Opcode::kPopcnt:
    case Opcode::kShiftRightLogical:
      return IsSignedIntType(type);
    case Opcode::kMulhi:
      return IsIntegerType(type);
    case Opcode::kShiftRightArithmetic:
      // Fills with the highest bit, which is another one in a wider type.
      return IsUnsignedIntType(type);
    default:
      return false;
  }
}

}  // namespace

FloatNormalization::FloatNormalization(PrimitiveType type, PrimitiveType wide)
    : type_(type),
      wide_(wide),
      name_(absl::StrCat("float-normalization-", PrimitiveTypeName(type))) {}

absl::StatusOr<bool> FloatNormalization::Run(Module* module) {
  bool changed = false;
  ComputationTypes computations(type_, wide_);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!ComputesWithElements(i->opcode()) || !UsesType(*i, type_) ||
          DependsOnWidth(*i, type_) || i->shape().is_dynamic() ||
          (i->users().empty() && !i->IsRoot())) {
        continue;
      }
      changed |= ComputeInType(i, type_, wide_, &computations);
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
