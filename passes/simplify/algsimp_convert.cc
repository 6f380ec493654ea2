// Conversions, copies, and what only names a value.
#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"
#include "passes/value_range.h"

namespace hlokit::algsimp {
namespace {

Instruction* ConvertToSame(Builder&, Instruction* i) {
  return SameShape(i, i->operand(0)) ? i->operand(0) : nullptr;
}

// convert(convert(x)) -> convert(x) when the inner one loses nothing.
Instruction* ConvertTwice(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != Opcode::kConvert) return nullptr;
  Instruction* x = inner->operand(0);
  if (!HoldsAllValuesOf(TypeOf(inner), TypeOf(x))) return nullptr;
  return b.Convert(x, TypeOf(i));
}

Instruction* BitcastConvertToSame(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (SameShape(i, x)) return x;
  // Of the same width, one after the other is one.
  if (x->opcode() == Opcode::kBitcastConvert &&
      BitWidth(TypeOf(x)) == BitWidth(TypeOf(i)) &&
      BitWidth(TypeOf(x)) == BitWidth(TypeOf(x->operand(0)))) {
    return b.BitcastConvert(x->operand(0), TypeOf(i));
  }
  return nullptr;
}

// Bitcasts keep bytes: only the last type counts.
Instruction* BitcastTwice(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (i->shape() == x->shape()) return x;
  if (x->opcode() != Opcode::kBitcast) return nullptr;
  Instruction* source = x->operand(0);
  if (source->shape() == i->shape()) return source;
  if (ByteSizeOf(source->shape()) != ByteSizeOf(x->shape()) ||
      ByteSizeOf(i->shape()) != ByteSizeOf(x->shape())) {
    return nullptr;
  }
  return b.OpOfShape(Opcode::kBitcast, i->shape(), {source}, i->attrs());
}

Instruction* CopyOfAnything(Builder&, Instruction* i) {
  return i->operand(0)->shape().IsArray() ? i->operand(0) : nullptr;
}

// To a precision that the type has anyway, or twice the same.
Instruction* ReducePrecision(Builder&, Instruction* i) {
  Instruction* x = i->operand(0);
  const int64_t exponent = i->attrs().GetInt(AttrId::kExponentBits);
  const int64_t mantissa = i->attrs().GetInt(AttrId::kMantissaBits);
  if (x->opcode() == Opcode::kReducePrecision &&
      x->attrs().GetInt(AttrId::kExponentBits) == exponent &&
      x->attrs().GetInt(AttrId::kMantissaBits) == mantissa) {
    return x;
  }
  const PrimitiveType type = TypeOf(i);
  // Only IEEE-like types: others have no room for infinities.
  if (type != kF16 && type != kBF16 && type != kF32 && type != kF64) {
    return nullptr;
  }
  const int64_t own = SignificandBits(type) - 1;
  return mantissa >= own && exponent >= BitWidth(type) - 1 - own ? x : nullptr;
}

Instruction* ElementOfTuple(Builder&, Instruction* i) {
  Instruction* tuple = i->operand(0);
  return tuple->opcode() == Opcode::kTuple ? tuple->operand(i->tuple_index())
                                           : nullptr;
}

// One token among equal ones.
Instruction* AfterOne(Builder&, Instruction* i) {
  if (i->operand_count() == 0) return nullptr;
  for (const Instruction* token : i->operands()) {
    if (token != i->operand(0)) return nullptr;
  }
  return i->operand(0);
}

Instruction* DependencyOnNothing(Builder&, Instruction* i) {
  const Instruction* token = i->operand(1);
  return token->opcode() == Opcode::kAfterAll && token->operand_count() == 0
             ? i->operand(0)
             : nullptr;
}

constexpr Rule kConvertRules[] = {
    {Opcode::kConvert, ConvertToSame, Rewrite::kConvertToSame},
    {Opcode::kConvert, ConvertTwice, Rewrite::kConvertTwice},
    {Opcode::kBitcastConvert, BitcastConvertToSame,
     Rewrite::kBitcastConvertToSame},
    {Opcode::kBitcast, BitcastTwice, Rewrite::kBitcastTwice},
    {Opcode::kCopy, CopyOfAnything, Rewrite::kCopyOfAnything},
    {Opcode::kReducePrecision, ReducePrecision, Rewrite::kReducePrecision},
    {Opcode::kGetTupleElement, ElementOfTuple, Rewrite::kElementOfTuple},
    {Opcode::kAfterAll, AfterOne, Rewrite::kAfterOne},
    {Opcode::kAddDependency, DependencyOnNothing,
     Rewrite::kDependencyOnNothing},
};

}  // namespace

absl::Span<const Rule> ConvertRules() { return kConvertRules; }

}  // namespace hlokit::algsimp
