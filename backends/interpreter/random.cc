#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/integer_functions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/random_bits.h"
#include "base/status.h"
#include "hlo/ir/literal_convert.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// Puts the low bits of each number into the elements.
void StoreBits(absl::Span<const uint64_t> bits, Literal* array) {
  DispatchArrayType(array->element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    absl::Span<T> elements = array->mutable_data<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      if constexpr (kIsPred<T>) {
        elements[i] = bits[i] & 1;
      } else if constexpr (kIsInteger<T>) {
        elements[i] = IntegerOfBits<T>(bits[i]);
      } else {
        std::memcpy(reinterpret_cast<char*>(&elements[i]), &bits[i],
                    std::min(sizeof(T), sizeof(uint64_t)));
      }
    }
  });
}

struct BitsAndState {
  std::vector<uint64_t> bits;
  std::vector<uint64_t> state;
};

// The Philox counter is the state's words after the first, low first; with two
// words the key is its high half.
BitsAndState Generate(RandomAlgorithm algorithm,
                      absl::Span<const uint64_t> state, const Shape& shape) {
  BitsAndState result;
  result.state.assign(state.begin(), state.end());
  const int width = std::max(BitWidth(shape.element_type()), 8);
  if (algorithm == RandomAlgorithm::kThreeFry) {
    RandomBitsResult made =
        ThreeFryBits(state[0], state[1], shape.dimensions(), width);
    result.bits = std::move(made.bits);
    result.state[1] += made.blocks;
    return result;
  }
  const uint64_t high = state.size() > 2 ? state[2] : state[0];
  unsigned __int128 counter =
      static_cast<unsigned __int128>(high) << 64 | state[1];
  RandomBitsResult made =
      PhiloxBits(state[0], counter, ElementsIn(shape), width);
  result.bits = std::move(made.bits);
  counter += made.blocks;
  result.state[1] = static_cast<uint64_t>(counter);
  if (state.size() > 2) result.state[2] = static_cast<uint64_t>(counter >> 64);
  return result;
}

// Numbers for `rng`, from the execution's seed and its running state.
class RngSource {
 public:
  explicit RngSource(Context& context) : context_(context) {}
  uint64_t Next64() {
    if (used_ == 2) {
      words_ = Philox(context_.options().seed, context_.rng_state()++);
      used_ = 0;
    }
    const uint64_t low = words_[2 * used_];
    const uint64_t high = words_[2 * used_ + 1];
    ++used_;
    return low | high << 32;
  }
  // In [0, 1), a multiple of 2^-bits.
  double Unit(int bits) {
    return std::ldexp(static_cast<double>(Next64() >> (64 - bits)), -bits);
  }
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(std::max(Unit(53), 1e-300)));
    return radius * std::sin(2 * std::numbers::pi * Unit(53));
  }

 private:
  Context& context_;
  std::array<uint32_t, 4> words_ = {};
  int used_ = 2;
};

// In [low, high); low where that is empty.
template <typename T>
T UniformInteger(RngSource& source, T low, T high) {
  const uint64_t range = BitsOf(high) - BitsOf(low);
  if (high <= low) return low;
  const unsigned __int128 wide = source.Next64();
  return IntegerOfBits<T>(BitsOf(low) +
                          static_cast<uint64_t>((wide * range) >> 64));
}

template <typename T>
T UniformFloat(RngSource& source, T low, T high) {
  constexpr int kBits = std::numeric_limits<T>::digits - 1;
  const double a = ConvertElement<double>(low);
  const double b = ConvertElement<double>(high);
  const T value = T(source.Unit(std::max(kBits, 1)) * (b - a) + a);
  // Rounding must not reach the end.
  return a < b && ConvertElement<double>(value) >= b ? low : value;
}

template <typename T>
constexpr bool kHasRng = !kIsComplex<T>;

template <typename T>
T NextNumber(RngSource& source, RandomDistribution distribution, T a, T b) {
  if constexpr (kIsPred<T>) {
    return a == b ? a : (source.Next64() & 1) != 0;
  } else if constexpr (kIsInteger<T>) {
    return UniformInteger(source, a, b);
  } else if (distribution == RandomDistribution::kUniform) {
    return UniformFloat(source, a, b);
  } else {
    return T(ConvertElement<double>(a) +
             source.Normal() * ConvertElement<double>(b));
  }
}

absl::Status CheckRng(const Instruction& instruction,
                      absl::Span<const Literal* const> operands) {
  const PrimitiveType type = instruction.shape().element_type();
  for (const Literal* operand : operands) {
    if (!operand->shape().IsScalar() || operand->element_type() != type) {
      return InvalidArgument("the operand is %s, the result %s",
                             operand->shape().ToString(),
                             instruction.shape().ToString());
    }
  }
  const auto distribution = static_cast<RandomDistribution>(
      instruction.attrs().GetInt(AttrId::kDistribution));
  if (!IsArrayType(type) || IsComplexType(type) ||
      (distribution == RandomDistribution::kNormal && !IsFloatType(type)) ||
      distribution == RandomDistribution::kInvalid) {
    return InvalidArgument("%s cannot be drawn from this distribution",
                           instruction.shape().ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvalRngBitGenerator(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& state = *operands[0];
  const Shape& shape = instruction.shape();
  const bool tuple = shape.IsTuple() && shape.tuple_shapes().size() == 2;
  const Shape& bits_shape = tuple ? shape.tuple_shape(1) : shape;
  if (state.element_type() != kU64 || state.element_count() < 2 ||
      state.element_count() > 3 || !bits_shape.IsArray() ||
      (tuple && !ShapesCompatible(state.shape(), shape.tuple_shape(0)))) {
    return InvalidArgument("%s cannot come of the state %s", shape.ToString(),
                           state.shape().ToString());
  }
  if (!IsIntegerType(bits_shape.element_type()) &&
      !IsFloatType(bits_shape.element_type())) {
    return InvalidArgument("random bits are integers or floats, not %s",
                           PrimitiveTypeName(bits_shape.element_type()));
  }
  const auto algorithm = static_cast<RandomAlgorithm>(
      instruction.attrs().GetInt(AttrId::kRngAlgorithm));
  const BitsAndState made =
      Generate(algorithm, state.data<uint64_t>(), bits_shape);
  Literal bits = Literal::Zeros(bits_shape);
  StoreBits(made.bits, &bits);
  if (!tuple) return bits;
  Literal new_state = Literal::Zeros(shape.tuple_shape(0));
  std::copy(made.state.begin(), made.state.end(),
            new_state.mutable_data<uint64_t>().begin());
  std::vector<Literal> parts;
  parts.push_back(std::move(new_state));
  parts.push_back(std::move(bits));
  return WithShape(Literal::Tuple(std::move(parts)), shape);
}

absl::StatusOr<Literal> EvalRng(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckRng(instruction, operands));
  const auto distribution = static_cast<RandomDistribution>(
      instruction.attrs().GetInt(AttrId::kDistribution));
  Literal result = Literal::Zeros(instruction.shape());
  RngSource source(context);
  DispatchArrayType(result.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kHasRng<T>) {
      const T a = operands[0]->First<T>();
      const T b = operands[1]->First<T>();
      for (T& element : result.mutable_data<T>()) {
        element = NextNumber(source, distribution, a, b);
      }
    }
  });
  return result;
}

// The state of before, low word first.
absl::StatusOr<Literal> EvalRngGetAndUpdateState(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const>) {
  if (instruction.shape().element_type() != kU64 ||
      ElementsIn(instruction.shape()) != 2) {
    return InvalidArgument("%s cannot hold the state",
                           instruction.shape().ToString());
  }
  Literal result = Literal::Zeros(instruction.shape());
  absl::Span<uint64_t> words = result.mutable_data<uint64_t>();
  words[0] = static_cast<uint64_t>(context.rng_state());
  words[1] = static_cast<uint64_t>(context.rng_state() >> 64);
  context.rng_state() += instruction.attrs().GetInt(AttrId::kDelta);
  return result;
}

}  // namespace hlokit::interpreter
