#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <type_traits>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/float_mode.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"
#include "hlo/ir/literal_convert.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// Pairs of types without a loop of their own go through one of these, which
// hold every value of the source.
template <typename T>
using WideOf = std::conditional_t<
    kIsComplex<T>, std::complex<double>,
    std::conditional_t<kIsFloat<T>, double,
                       std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t,
                                          int64_t>>>;

constexpr int64_t kConvertChunk = 512;

template <typename To, typename From>
void Range(const From* from, To* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = ConvertElement<To>(from[i]);
}

template <typename Wide>
void Encode(const Wide* wide, PrimitiveType type, char* target,
            int64_t count) {
  DispatchArrayType(type, [&](auto tag) {
    using To = typename decltype(tag)::type;
    Range(wide, reinterpret_cast<To*>(target), count);
  });
}

void ConvertThroughWide(PrimitiveType from, const char* source,
                        PrimitiveType to, char* target, int64_t count) {
  DispatchArrayType(from, [&](auto tag) {
    using From = typename decltype(tag)::type;
    const From* elements = reinterpret_cast<const From*>(source);
    WideOf<From> wide[kConvertChunk];
    for (int64_t done = 0; done < count; done += kConvertChunk) {
      const int64_t part = std::min(kConvertChunk, count - done);
      Range(elements + done, wide, part);
      Encode(wide, to, target + done * StorageBytes(to), part);
    }
  });
}

// Pairs that programs use all the time. False if it is none of them.
bool ConvertCommonPair(PrimitiveType from, const char* source,
                       PrimitiveType to, char* target, int64_t count) {
  const auto is = [&](PrimitiveType a, PrimitiveType b) {
    return from == a && to == b;
  };
  const auto convert = [&](auto from_tag, auto to_tag) {
    Range(reinterpret_cast<const decltype(from_tag)*>(source),
          reinterpret_cast<decltype(to_tag)*>(target), count);
    return true;
  };
  if (is(kBF16, kF32)) return convert(BFloat16(), float());
  if (is(kF32, kBF16)) return convert(float(), BFloat16());
  if (is(kF16, kF32)) return convert(Half(), float());
  if (is(kF32, kF16)) return convert(float(), Half());
  if (is(kS32, kF32)) return convert(int32_t(), float());
  if (is(kS32, kF64)) return convert(int32_t(), double());
  if (is(kU32, kF32)) return convert(uint32_t(), float());
  if (is(kF32, kS32)) return convert(float(), int32_t());
  if (is(kPred, kF32)) return convert(bool(), float());
  if (is(kPred, kS32)) return convert(bool(), int32_t());
  if (is(kS32, kS64)) return convert(int32_t(), int64_t());
  if (is(kS64, kS32)) return convert(int64_t(), int32_t());
  if (is(kU8, kS32)) return convert(uint8_t(), int32_t());
  if (is(kS8, kS32)) return convert(int8_t(), int32_t());
  return false;
}

bool IsFloatOrComplex(PrimitiveType type) {
  return IsFloatType(type) || IsComplexType(type);
}

bool IsDouble(PrimitiveType type) { return type == kF64 || type == kC128; }

// Between f64 and the types with f32's range the processor converts, and its
// mode counts; the rest moves bits.
bool KeepsDenormals(PrimitiveType from, PrimitiveType to) {
  if (!IsFloatOrComplex(from) || !IsFloatOrComplex(to)) return false;
  if (IsDouble(from) == IsDouble(to)) return true;
  const PrimitiveType narrow = IsDouble(from) ? to : from;
  return narrow != kF32 && narrow != kBF16 && narrow != kC64;
}

// Whether a bf16 is zero by its bits.
bool IsZero(const char* bf16) {
  uint16_t bits;
  std::memcpy(&bits, bf16, sizeof(bits));
  return (bits & 0x7fff) == 0;
}

}  // namespace

void ConvertElements(PrimitiveType from, const char* source, PrimitiveType to,
                     char* target, int64_t count) {
  if (ConvertCommonPair(from, source, to, target, count)) return;
  if (from == kBF16 && to == kPred) {
    for (int64_t i = 0; i < count; ++i) target[i] = !IsZero(source + 2 * i);
  } else if (KeepsDenormals(from, to)) {
    const ScopedFloatMode keep(/*flush=*/false);
    ConvertThroughWide(from, source, to, target, count);
  } else {
    ConvertThroughWide(from, source, to, target, count);
  }
}

absl::StatusOr<Literal> ConvertTo(const Literal& operand, const Shape& shape) {
  if (!operand.shape().IsArray() || !shape.IsArray() ||
      !SameDimensions(operand.shape(), shape)) {
    return InvalidArgument("cannot convert %s to %s",
                           operand.shape().ToString(), shape.ToString());
  }
  if (operand.element_type() == shape.element_type()) {
    return WithShape(operand, shape);
  }
  Literal result = Literal::Zeros(shape);
  ConvertElements(operand.element_type(), operand.untyped_data(),
                  shape.element_type(), result.mutable_untyped_data(),
                  result.element_count());
  CopyDynamicSizes(operand, &result);
  return result;
}

absl::StatusOr<Literal> EvalConvert(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  return ConvertTo(*operands[0], instruction.shape());
}

}  // namespace hlokit::interpreter
