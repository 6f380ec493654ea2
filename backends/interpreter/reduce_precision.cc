#include "backends/interpreter/reduce_precision.h"

#include <bit>
#include <type_traits>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

template <typename T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using Bits = uint32_t;
  static constexpr int kExponent = 8, kMantissa = 23;
};
template <>
struct FloatFormat<double> {
  using Bits = uint64_t;
  static constexpr int kExponent = 11, kMantissa = 52;
};

template <>
struct FloatFormat<Half> {
  using Bits = uint16_t;
  static constexpr int kExponent = 5, kMantissa = 10;
};

// T has a FloatFormat; a range of its own width or more stays as it is.
template <typename T>
T Reduce(T x, int64_t exponent_bits, int64_t mantissa_bits) {
  using Format = FloatFormat<T>;
  using Bits = typename Format::Bits;
  constexpr Bits kSign =
      static_cast<Bits>(Bits{1} << (Format::kExponent + Format::kMantissa));
  constexpr Bits kInfinity =
      static_cast<Bits>(kSign - (Bits{1} << Format::kMantissa));
  const Bits sign = std::bit_cast<Bits>(x) & kSign;
  Bits magnitude = std::bit_cast<Bits>(x) & ~kSign;
  if (magnitude > kInfinity) return x;
  if (mantissa_bits < Format::kMantissa) {
    const int drop = Format::kMantissa - static_cast<int>(mantissa_bits);
    const Bits odd = (magnitude >> drop) & 1;
    magnitude += (Bits{1} << (drop - 1)) - 1 + odd;
    magnitude &= ~((Bits{1} << drop) - 1);
  }
  if (exponent_bits < Format::kExponent) {
    constexpr int64_t kBias = (int64_t{1} << (Format::kExponent - 1)) - 1;
    const int64_t bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    const int64_t exponent =
        static_cast<int64_t>(magnitude >> Format::kMantissa) - kBias;
    if (exponent > bias) {
      magnitude = kInfinity;
    } else if (exponent <= -bias) {
      magnitude = 0;
    }
  }
  return std::bit_cast<T>(static_cast<Bits>(sign | magnitude));
}

// f16 is reduced in its own bits, as XLA does it: its denormals lose bits at
// fixed places. Smaller types are reduced as f32.
template <typename T>
using ReducedType =
    std::conditional_t<std::is_same_v<T, Half>, Half, ComputeTypeOf<T>>;

}  // namespace

void ReducePrecision(PrimitiveType type, int64_t exponent_bits,
                     int64_t mantissa_bits, const char* source, char* target,
                     int64_t count) {
  DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsFloat<T>) {
      const T* from = reinterpret_cast<const T*>(source);
      T* to = reinterpret_cast<T*>(target);
      using Reduced = ReducedType<T>;
      for (int64_t i = 0; i < count; ++i) {
        to[i] = T(Reduce<Reduced>(from[i], exponent_bits, mantissa_bits));
      }
    }
  });
}

absl::StatusOr<Literal> EvalReducePrecision(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const int64_t exponent = instruction.attrs().GetInt(AttrId::kExponentBits);
  const int64_t mantissa = instruction.attrs().GetInt(AttrId::kMantissaBits);
  if (!IsFloatType(operand.element_type()) || exponent < 1 || mantissa < 0 ||
      !ShapesCompatible(operand.shape(), instruction.shape())) {
    return InvalidArgument("e%dm%d cannot be applied to %s", exponent,
                           mantissa, operand.shape().ToString());
  }
  Literal result = Literal::Zeros(instruction.shape());
  ReducePrecision(operand.element_type(), exponent, mantissa,
                  operand.untyped_data(), result.mutable_untyped_data(),
                  result.element_count());
  CopyDynamicSizes(operand, &result);
  return result;
}

}  // namespace hlokit::interpreter
