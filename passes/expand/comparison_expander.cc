#include "passes/expand/comparison_expander.h"

namespace hlokit {
namespace {

// An integer for each float, in the total order.
Instruction* Key(Instruction* x, Emitter& e) {
  // Has no sign.
  if (x->shape().element_type() == kF8E8M0FNU) return e.BitcastConvert(x, kU8);
  const int bits = BitWidth(x->shape().element_type());
  const PrimitiveType type = SignedOfWidth(bits);
  Instruction* raw = e.BitcastConvert(x, type);
  Instruction* all_but_sign = e.ScalarInt(
      type, static_cast<int64_t>(~uint64_t{0} >> (65 - bits)));
  return e.Select(
      e.Compare(ComparisonDirection::kLt, raw, e.ScalarInt(type, 0)),
      e.Xor(raw, all_but_sign), raw);
}

}  // namespace

PrimitiveType ComparisonExpander::UpcastOf(PrimitiveType type) const {
  for (const auto& [from, to] : upcasts_) {
    if (from == type) return to;
  }
  return type;
}

bool ComparisonExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kCompare || !IsStatic(i)) return false;
  const PrimitiveType type = i.operand(0)->shape().element_type();
  if (i.operand(1)->shape().element_type() != type) return false;
  if (UpcastOf(type) != type) return true;
  return i.comparison_type() == ComparisonType::kFloatTotalOrder &&
         IsFloatType(type) && SignedOfWidth(BitWidth(type)) != kInvalid;
}

absl::StatusOr<Instruction*> ComparisonExpander::Expand(Instruction* i,
                                                        Emitter& e) {
  const PrimitiveType type = UpcastOf(i->operand(0)->shape().element_type());
  Instruction* a = e.Convert(i->operand(0), type);
  Instruction* b = e.Convert(i->operand(1), type);
  if (i->comparison_type() == ComparisonType::kFloatTotalOrder) {
    a = Key(a, e);
    b = Key(b, e);
  }
  return e.Compare(i->comparison_direction(), a, b);
}

}  // namespace hlokit
