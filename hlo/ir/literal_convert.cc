#include "hlo/ir/literal_convert.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "base/status.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

// Every pair of types goes through one of four wide types that holds all values
// of the source, so there are 5 x 33 loops instead of 33 x 33.
template <typename T>
using WideOf = std::conditional_t<
    kIsComplex<T>, std::complex<double>,
    std::conditional_t<
        kIsFloat<T>, double,
        std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>>>;

template <typename To, typename From>
void ConvertRange(const From* from, To* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = ConvertElement<To>(from[i]);
}

// Elements on the way at a time: the wide ones stay in the first-level cache.
constexpr int64_t kChunk = 1024;

template <typename Wide>
void EncodeChunk(const Wide* wide, PrimitiveType type, char* out,
                 int64_t count) {
  DispatchArrayType(type, [&](auto tag) {
    using To = typename decltype(tag)::type;
    ConvertRange(wide, reinterpret_cast<To*>(out), count);
  });
}

template <typename From>
void ConvertAll(const From* from, PrimitiveType type, char* out,
                int64_t count) {
  const int64_t width = StorageBytes(type);
  WideOf<From> wide[kChunk];
  for (int64_t done = 0; done < count; done += kChunk) {
    const int64_t part = std::min(kChunk, count - done);
    ConvertRange(from + done, wide, part);
    EncodeChunk(wide, type, out + done * width, part);
  }
}

Shape ConvertedShape(const Shape& shape, PrimitiveType type) {
  Shape result = shape;
  result.set_element_type(type);
  if (shape.has_layout() && shape.layout().element_size_in_bits != 0) {
    Layout layout = shape.layout();
    layout.element_size_in_bits = BitWidth(type) < 8 ? BitWidth(type) : 0;
    result.set_layout(std::move(layout));
  }
  return result;
}

}  // namespace

absl::StatusOr<Literal> ConvertLiteral(const Literal& value,
                                       PrimitiveType type) {
  if (!value.shape().IsArray() || !IsArrayType(type)) {
    return InvalidArgument("cannot convert %s to %s", value.shape().ToString(),
                           PrimitiveTypeName(type));
  }
  if (type == value.element_type()) return value;
  const Shape shape = ConvertedShape(value.shape(), type);
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape));
  Literal result = Literal::Zeros(shape);
  DispatchArrayType(value.element_type(), [&](auto tag) {
    using From = typename decltype(tag)::type;
    auto from = value.data<From>();
    ConvertAll(from.data(), type, result.mutable_untyped_data(), from.size());
  });
  for (size_t i = 0; i < value.dynamic_sizes().size(); ++i) {
    result.set_dynamic_size(i, value.dynamic_sizes()[i]);
  }
  return result;
}

}  // namespace hlokit
