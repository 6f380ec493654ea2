#include <algorithm>
#include <cstring>
#include <string>

#include "backends/interpreter/bits.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

bool IsRowMajor(const Shape& shape) {
  return !shape.has_layout() || shape.layout().IsDescending();
}

// Whether the elements are packed in memory.
bool IsPacked(const Shape& shape) {
  return BitWidth(shape.element_type()) < 8 && shape.has_layout() &&
         shape.layout().element_size_in_bits != 0;
}

// The bytes as they lie in memory.
std::string PhysicalBytes(const Literal& array) {
  std::string bytes(array.size_bytes(), '\0');
  RowMajorToLayout(array.shape(), array.untyped_data(), bytes.data());
  if (!IsPacked(array.shape())) return bytes;
  return PackBits(array.element_type(), bytes.data(), array.element_count());
}

Literal FromPhysicalBytes(const Shape& shape, const std::string& bytes) {
  const int64_t count = ElementsIn(shape);
  std::string elements(count * StorageBytes(shape.element_type()), '\0');
  if (IsPacked(shape)) {
    UnpackBits(shape.element_type(), bytes.data(), bytes.size(),
               elements.data(), count);
  } else {
    std::memcpy(elements.data(), bytes.data(),
                std::min(elements.size(), bytes.size()));
  }
  Literal result = Literal::Zeros(shape);
  LayoutToRowMajor(shape, elements.data(), result.mutable_untyped_data());
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvalBitcast(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const Shape from = operand.shape();
  const Shape& to = instruction.shape();
  if (from.IsTuple() && ShapesCompatible(from, to)) {
    return WithShape(context.TakeOperand(operands, 0), to);
  }
  if (!from.IsArray() || !to.IsArray()) {
    return InvalidArgument("%s cannot become %s", from.ToString(),
                           to.ToString());
  }
  const bool same_elements = from.element_type() == to.element_type() &&
                             ElementsIn(from) == ElementsIn(to);
  Literal result;
  if (same_elements && IsRowMajor(from) && IsRowMajor(to)) {
    return Reshaped(context.TakeOperand(operands, 0), to);
  } else if (same_elements) {
    std::string bytes(operand.size_bytes(), '\0');
    RowMajorToLayout(from, operand.untyped_data(), bytes.data());
    result = Literal::Zeros(to);
    LayoutToRowMajor(to, bytes.data(), result.mutable_untyped_data());
  } else {
    result = FromPhysicalBytes(to, PhysicalBytes(operand));
  }
  if (SameDimensions(from, to)) CopyDynamicSizes(operand, &result);
  return result;
}

}  // namespace hlokit::interpreter
