#include "passes/expand/bitcast_dtypes_expander.h"

#include <algorithm>

namespace hlokit {
namespace {

// Numbers whose bits can be had as an unsigned integer.
bool HasBits(PrimitiveType type) {
  return (IsIntegerType(type) || IsFloatType(type)) &&
         UnsignedOfWidth(BitWidth(type)) != kInvalid;
}

}  // namespace

bool BitcastDtypesExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kBitcastConvert || !IsStatic(i)) return false;
  const PrimitiveType from = i.operand(0)->shape().element_type();
  const PrimitiveType to = i.shape().element_type();
  return HasBits(from) && HasBits(to) && BitWidth(from) != BitWidth(to);
}

absl::StatusOr<Instruction*> BitcastDtypesExpander::Expand(Instruction* i,
                                                           Emitter& e) {
  const int from = BitWidth(i->operand(0)->shape().element_type());
  const int to = BitWidth(i->shape().element_type());
  const PrimitiveType narrow = UnsignedOfWidth(std::min(from, to));
  const PrimitiveType wide = UnsignedOfWidth(std::max(from, to));
  Instruction* x = e.BitcastConvert(i->operand(0), UnsignedOfWidth(from));
  // The dimension that the narrow side has more is the last one.
  const std::vector<int64_t> dims =
      DimsOf(from < to ? static_cast<const Instruction*>(x) : i);
  const int64_t last = dims.size() - 1;
  Instruction* shift =
      e.Multiply(e.Iota(wide, dims, last), BitWidth(narrow));
  if (from < to) {
    Instruction* moved =
        e.Binary(Opcode::kShiftLeft, e.Convert(x, wide), shift);
    x = e.Reduce(moved, 0, {last}, Opcode::kOr);
  } else {
    Instruction* copies = e.Broadcast(x, Counting(last), dims);
    x = e.Convert(e.Binary(Opcode::kShiftRightLogical, copies, shift), narrow);
  }
  return e.BitcastConvert(x, i->shape().element_type());
}

}  // namespace hlokit
