#include "passes/expand/rng_expander.h"

#include <cmath>
#include <numbers>

#include "passes/expand/random_bits.h"

namespace hlokit {
namespace {

class Source {
 public:
  Source(Instruction* i, Emitter& e) : e_(e) {
    const Module& module = *i->module();
    AttributeSet attrs;
    attrs.Set(AttrId::kCustomCallTarget, std::string("GetRngSeed"));
    key_ = e.OpOfShape(Opcode::kCustomCall, Shape::Scalar(kU64), {},
                       std::move(attrs));
    // Different instructions draw different numbers.
    const uint64_t number = static_cast<uint64_t>(i->unique_id() + 1);
    const uint64_t mixed = (number * 0x9E3779B97F4A7C15) >> 32;
    key_ = e.Xor(key_, e.ScalarInt(kU64, static_cast<int64_t>(mixed)));
    if (module.replica_count > 1) Mix(Opcode::kReplicaId, 0);
    if (module.num_partitions > 1) Mix(Opcode::kPartitionId, 32);
  }

  Instruction* Bits(Dims sizes, int width) {
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    AttributeSet attrs;
    attrs.Set(AttrId::kDelta, (count * width / 32 + 3) / 4);
    Instruction* state = e_.OpOfShape(
        Opcode::kRngGetAndUpdateState,
        Shape::ArrayWithDescendingLayout(kU64, {2}), {}, std::move(attrs));
    const Counter128 counter = {
        e_.Reshape(e_.SliceInDim(state, 0, 0, 1), {}),
        e_.Reshape(e_.SliceInDim(state, 0, 1, 2), {})};
    return PhiloxBits(key_, counter, sizes, width, e_).bits;
  }

  // In [0, 1), a multiple of 2^-digits.
  Instruction* Unit(PrimitiveType type, Dims sizes, int digits) {
    const int width = type == kF64 ? 64 : 32;
    Instruction* bits = e_.ShiftRight(Bits(sizes, width), width - digits);
    return e_.Multiply(e_.Convert(bits, type), std::ldexp(1., -digits));
  }

 private:
  void Mix(Opcode opcode, int shift) {
    Instruction* id = e_.Convert(e_.Op(opcode, {}), kU64);
    key_ = e_.Xor(key_, shift == 0 ? id : e_.ShiftLeft(id, shift));
  }

  Emitter& e_;
  Instruction* key_;
};

Instruction* UniformFloat(Instruction* i, Source& source, Emitter& e) {
  const PrimitiveType type = i->shape().element_type();
  const PrimitiveType work = type == kF64 ? kF64 : kF32;
  Instruction* low = e.Convert(i->operand(0), work);
  Instruction* high = e.Convert(i->operand(1), work);
  Instruction* unit =
      source.Unit(work, i->shape().dimensions(), SignificandBits(type) - 1);
  Instruction* x = e.Convert(
      e.Add(e.Multiply(unit, e.Subtract(high, low)), low), type);
  // Rounding must not reach the end.
  return e.Select(
      e.Compare(ComparisonDirection::kGe, x, i->operand(1)), i->operand(0), x);
}

Instruction* UniformInteger(Instruction* i, Source& source, Emitter& e) {
  const PrimitiveType type = i->shape().element_type();
  const PrimitiveType wide = IsSignedIntType(type) ? kS64 : kU64;
  Instruction* low =
      e.BitcastConvert(e.Convert(i->operand(0), wide), kU64);
  Instruction* high =
      e.BitcastConvert(e.Convert(i->operand(1), wide), kU64);
  Instruction* range = e.Subtract(high, low);
  Instruction* offset =
      e.Binary(Opcode::kRemainder, source.Bits(i->shape().dimensions(), 64),
               range);
  Instruction* x =
      e.Convert(e.BitcastConvert(e.Add(offset, low), wide), type);
  Instruction* empty = e.Compare(ComparisonDirection::kLe, i->operand(1),
                                 i->operand(0));
  return e.Select(e.BroadcastScalar(empty, i->shape().dimensions()),
                  i->operand(0), x);
}

Instruction* UniformPred(Instruction* i, Source& source, Emitter& e) {
  Instruction* bit =
      e.And(source.Bits(i->shape().dimensions(), 32), e.ScalarInt(kU32, 1));
  Instruction* coin =
      e.Compare(ComparisonDirection::kNe, bit, e.ScalarInt(kU32, 0));
  Instruction* same = e.Compare(ComparisonDirection::kEq, i->operand(0),
                                i->operand(1));
  return e.Select(e.BroadcastScalar(same, i->shape().dimensions()),
                  i->operand(0), coin);
}

// radius sin(angle) for the first half, radius cos(angle) for the other.
Instruction* Normal(Instruction* i, Source& source, Emitter& e) {
  const PrimitiveType type = i->shape().element_type();
  const PrimitiveType work = type == kF64 ? kF64 : kF32;
  const int digits = SignificandBits(work) - 1;
  const int64_t count = ElementsIn(i->shape());
  const int64_t half = (count + 1) / 2;
  // The logarithm of 0 is no radius.
  Instruction* u = e.Binary(Opcode::kMaximum,
                            source.Unit(work, {half}, digits),
                            e.Scalar(work, 1e-7));
  Instruction* radius = e.Unary(
      Opcode::kSqrt, e.Multiply(e.Unary(Opcode::kLog, u), -2));
  Instruction* angle = e.Multiply(source.Unit(work, {half}, digits),
                                  2 * std::numbers::pi);
  Instruction* both = e.Concatenate(
      {e.Multiply(radius, e.Unary(Opcode::kSine, angle)),
       e.Multiply(radius, e.Unary(Opcode::kCosine, angle))},
      0);
  Instruction* x = e.Reshape(e.SliceInDim(both, 0, 0, count),
                             i->shape().dimensions());
  return e.Convert(e.Add(e.Multiply(x, e.Convert(i->operand(1), work)),
                         e.Convert(i->operand(0), work)),
                   type);
}

}  // namespace

bool RngExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kRng || !IsStatic(i)) return false;
  const PrimitiveType type = i.shape().element_type();
  const auto distribution = static_cast<RandomDistribution>(
      i.attrs().GetInt(AttrId::kDistribution));
  if (distribution == RandomDistribution::kNormal) return IsFloatType(type);
  return distribution == RandomDistribution::kUniform &&
         (type == kPred || IsIntegerType(type) ||
          (IsFloatType(type) && SignificandBits(type) > 1));
}

absl::StatusOr<Instruction*> RngExpander::Expand(Instruction* i, Emitter& e) {
  Source source(i, e);
  const PrimitiveType type = i->shape().element_type();
  if (i->attrs().GetInt(AttrId::kDistribution) ==
      static_cast<int64_t>(RandomDistribution::kNormal)) {
    return Normal(i, source, e);
  }
  if (type == kPred) return UniformPred(i, source, e);
  return IsFloatType(type) ? UniformFloat(i, source, e)
                           : UniformInteger(i, source, e);
}

}  // namespace hlokit
