#include "backends/interpreter/bits.h"

#include <algorithm>
#include <cstring>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

bool IsSubByte(PrimitiveType type) { return BitWidth(type) < 8; }

// How many elements of the narrower type one of the wider holds; 0 if they do
// not fit.
int64_t WidthRatio(PrimitiveType a, PrimitiveType b) {
  const int wide = std::max(BitWidth(a), BitWidth(b));
  const int narrow = std::min(BitWidth(a), BitWidth(b));
  return wide % narrow == 0 ? wide / narrow : 0;
}

// Whether the dimensions are those of a bitcast-convert: the narrower side has
// one minor dimension more, of the ratio's size.
bool DimensionsFit(const Shape& from, const Shape& to) {
  const int64_t ratio = WidthRatio(from.element_type(), to.element_type());
  if (ratio == 0) return false;
  if (ratio == 1) return SameDimensions(from, to);
  const bool narrows =
      BitWidth(from.element_type()) > BitWidth(to.element_type());
  const Shape& narrow = narrows ? to : from;
  const Shape& wide = narrows ? from : to;
  const int64_t rank = wide.rank();
  if (narrow.rank() != rank + 1 || narrow.dimension(rank) != ratio) {
    return false;
  }
  return wide.dimensions() == narrow.dimensions().first(rank);
}

}  // namespace

std::string PackBits(PrimitiveType type, const char* elements, int64_t count) {
  if (!IsSubByte(type)) {
    return std::string(elements, count * StorageBytes(type));
  }
  const int bits = BitWidth(type);
  std::string packed((count * bits + 7) / 8, '\0');
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const unsigned value = static_cast<unsigned char>(elements[i]) & mask;
    const int64_t at = i * bits;
    packed[at / 8] |= static_cast<char>(value << (at % 8));
    if (at % 8 + bits > 8) {
      packed[at / 8 + 1] |= static_cast<char>(value >> (8 - at % 8));
    }
  }
  return packed;
}

void UnpackBits(PrimitiveType type, const char* packed, int64_t size,
                char* elements, int64_t count) {
  if (!IsSubByte(type)) {
    const int64_t bytes = std::min(size, count * StorageBytes(type));
    std::memcpy(elements, packed, bytes);
    if (type == kPred) {
      for (int64_t i = 0; i < bytes; ++i) elements[i] = elements[i] != 0;
    }
    return;
  }
  const int bits = BitWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * bits;
    if (at / 8 >= size) return;
    unsigned value = static_cast<unsigned char>(packed[at / 8]) >> (at % 8);
    if (at % 8 + bits > 8 && at / 8 + 1 < size) {
      value |= static_cast<unsigned char>(packed[at / 8 + 1])
               << (8 - at % 8);
    }
    value &= (1u << bits) - 1;
    if (IsSignedIntType(type) && value >> (bits - 1)) value |= ~0u << bits;
    elements[i] = static_cast<char>(value);
  }
}

absl::StatusOr<Literal> EvalBitcastConvert(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const Shape& shape = instruction.shape();
  const PrimitiveType from = operand.element_type();
  const PrimitiveType to = shape.element_type();
  if (!operand.shape().IsArray() || !shape.IsArray() ||
      !DimensionsFit(operand.shape(), shape)) {
    return InvalidArgument("%s cannot be converted to %s",
                           operand.shape().ToString(), shape.ToString());
  }
  Literal result = Literal::Zeros(shape);
  char* target = result.mutable_untyped_data();
  if (!IsSubByte(from)) {
    UnpackBits(to, operand.untyped_data(), operand.size_bytes(), target,
               result.element_count());
  } else {
    const std::string packed =
        PackBits(from, operand.untyped_data(), operand.element_count());
    UnpackBits(to, packed.data(), packed.size(), target,
               result.element_count());
  }
  const int64_t common = std::min(operand.shape().rank(), shape.rank());
  for (int64_t i = 0; i < common; ++i) {
    if (shape.is_dynamic_dimension(i)) {
      result.set_dynamic_size(i, operand.dynamic_size(i));
    }
  }
  return result;
}

}  // namespace hlokit::interpreter
