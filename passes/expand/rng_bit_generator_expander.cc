#include "passes/expand/rng_bit_generator_expander.h"

#include <algorithm>

#include "passes/expand/random_bits.h"

namespace hlokit {
namespace {

const Shape& BitsShape(const Instruction& i) {
  return i.shape().IsTuple() ? i.shape().tuple_shape(1) : i.shape();
}

bool HasKnownType(PrimitiveType type) {
  return (IsIntegerType(type) || IsFloatType(type)) &&
         UnsignedOfWidth(BitWidth(type)) != kInvalid;
}

}  // namespace

bool RngBitGeneratorExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kRngBitGenerator || !IsStatic(i)) return false;
  const Shape& state = i.operand(0)->shape();
  return state.element_type() == kU64 && state.rank() == 1 &&
         (state.dimension(0) == 2 || state.dimension(0) == 3) &&
         BitsShape(i).IsArray() && HasKnownType(BitsShape(i).element_type());
}

absl::StatusOr<Instruction*> RngBitGeneratorExpander::Expand(Instruction* i,
                                                             Emitter& e) {
  Instruction* state = i->operand(0);
  const Shape& shape = BitsShape(*i);
  const int bits = BitWidth(shape.element_type());
  const int64_t words = state->shape().dimension(0);
  const auto word = [&](int64_t n) {
    return e.Reshape(e.SliceInDim(state, 0, n, n + 1), {});
  };
  Values next = {word(0), word(1)};
  if (words == 3) next.push_back(word(2));
  auto algorithm = static_cast<RandomAlgorithm>(
      i->attrs().GetInt(AttrId::kRngAlgorithm));
  if (algorithm == RandomAlgorithm::kDefault) algorithm = default_algorithm_;
  RandomBits made;
  if (algorithm == RandomAlgorithm::kThreeFry) {
    made = ThreeFryBits(next[0], next[1], shape.dimensions(),
                        std::max(bits, 32), e);
    next[1] = e.Add(next[1], e.ScalarInt(kU64, made.blocks));
  } else {
    // With two words the key is the counter's high half as well.
    const Counter128 counter = {next[1], words == 3 ? next[2] : next[0]};
    made = PhiloxBits(next[0], counter, shape.dimensions(),
                      std::max(bits, 32), e);
    const Counter128 after =
        Advance(counter, e.ScalarInt(kU64, made.blocks), e);
    next[1] = after.low;
    if (words == 3) next[2] = after.high;
  }
  Instruction* result = e.BitcastConvert(
      e.Convert(made.bits, UnsignedOfWidth(bits)), shape.element_type());
  if (!i->shape().IsTuple()) return result;
  for (Instruction*& part : next) part = e.Reshape(part, {1});
  return e.Tuple({e.Concatenate(next, 0), result});
}

}  // namespace hlokit
