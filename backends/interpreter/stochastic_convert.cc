#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/integer_functions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"
#include "hlo/ir/literal_convert.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// The magnitude is rounded up if the random number is below the fraction of its
// range that the fraction of the magnitude is. Infinities and what is too large
// saturate, NaN gives 0.
template <typename To>
To Round(double value, uint64_t random, int random_bits) {
  if (value != value) return To(0);
  const double magnitude = std::fabs(value);
  // Of types that double cannot hold all values of, the limits are exact powers
  // of two on the way.
  const double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
  const To highest = std::numeric_limits<To>::max();
  const To lowest = std::numeric_limits<To>::min();
  if (magnitude >= beyond) return value < 0 ? lowest : highest;
  const double whole = std::floor(magnitude);
  uint64_t rounded = static_cast<uint64_t>(whole);
  const double threshold = std::ldexp(magnitude - whole, random_bits);
  if (static_cast<double>(random) < threshold) ++rounded;
  if (value < 0) {
    return rounded >= static_cast<uint64_t>(beyond)
               ? lowest
               : IntegerOfBits<To>(-rounded);
  }
  return rounded >= static_cast<uint64_t>(beyond) ? highest
                                                  : IntegerOfBits<To>(rounded);
}

absl::Status Check(const Literal& operand, const Literal& random,
                   const Shape& shape) {
  if (!IsFloatType(operand.element_type()) ||
      !IsUnsignedIntType(random.element_type()) ||
      BitWidth(operand.element_type()) != BitWidth(random.element_type()) ||
      !SameDimensions(operand.shape(), random.shape()) ||
      !SameDimensions(operand.shape(), shape)) {
    return InvalidArgument("operands %s and %s", operand.shape().ToString(),
                           random.shape().ToString());
  }
  if (!IsSignedIntType(shape.element_type())) {
    return Unimplemented("stochastic-convert gives signed integers, not %s",
                         shape.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvalStochasticConvert(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const Literal& random = *operands[1];
  HLOKIT_RETURN_IF_ERROR(Check(operand, random, instruction.shape()));
  Literal result = Literal::Zeros(instruction.shape());
  const int random_bits = BitWidth(random.element_type());
  DispatchArrayType(result.element_type(), [&](auto tag) {
    using To = typename decltype(tag)::type;
    if constexpr (kIsSignedInteger<To>) {
      absl::Span<To> out = result.mutable_data<To>();
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = Round<To>(operand.GetAsDouble(i),
                           static_cast<uint64_t>(random.GetAsInt64(i)),
                           random_bits);
      }
    }
  });
  CopyDynamicSizes(operand, &result);
  return result;
}

}  // namespace hlokit::interpreter
