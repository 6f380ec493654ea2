#include "backends/interpreter/dynamic_dimensions.h"

#include <memory>
#include <utility>

#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// Loops over `live` from and to arrays of these dimensions.
CopyLoops LiveLoops(absl::Span<const int64_t> live,
                    absl::Span<const int64_t> source,
                    absl::Span<const int64_t> target) {
  const DimensionVector from = RowMajorStrides(source);
  const DimensionVector to = RowMajorStrides(target);
  CopyLoops loops;
  for (size_t i = 0; i < live.size(); ++i) {
    loops.push_back({live[i], from[i], to[i]});
  }
  return loops;
}

}  // namespace

DimensionVector LiveDimensions(const Literal& array) {
  const absl::Span<const int64_t> bounds = array.shape().dimensions();
  DimensionVector live(bounds.begin(), bounds.end());
  for (size_t i = 0; i < array.dynamic_sizes().size(); ++i) {
    live[i] = array.dynamic_size(i);
  }
  return live;
}

bool HasDeadElements(const Literal& array) {
  for (size_t i = 0; i < array.dynamic_sizes().size(); ++i) {
    if (array.dynamic_size(i) < array.shape().dimension(i)) return true;
  }
  return false;
}

Literal Compact(const Literal& array) {
  if (!HasDeadElements(array)) return array;
  const DimensionVector live = LiveDimensions(array);
  Literal result = Literal::Zeros(
      Shape::ArrayWithDescendingLayout(array.element_type(), live));
  StridedCopy(LiveLoops(live, array.shape().dimensions(), live),
              array.untyped_data(), result.mutable_untyped_data(),
              StorageBytes(array.element_type()));
  return result;
}

Literal ExpandToBounds(Literal live, const Shape& bounds) {
  const Shape shape = live.shape();
  const absl::Span<const int64_t> sizes = shape.dimensions();
  Literal result;
  if (SameDimensions(shape, bounds)) {
    result = std::move(live);
    result.set_shape(bounds);
  } else {
    result = Literal::Zeros(bounds);
    StridedCopy(LiveLoops(sizes, sizes, bounds.dimensions()),
                live.untyped_data(), result.mutable_untyped_data(),
                StorageBytes(bounds.element_type()));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (bounds.is_dynamic_dimension(i)) result.set_dynamic_size(i, sizes[i]);
  }
  return result;
}

absl::StatusOr<Literal> MakeLive(const Shape& shape,
                                 absl::Span<const int64_t> live,
                                 absl::FunctionRef<void(char* target)> fill) {
  Shape small = Shape::ArrayWithDescendingLayout(shape.element_type(), live);
  if (!FitsBounds(small, shape)) {
    return InvalidArgument("the result would be %s, but must be %s",
                           small.ToString(/*layout=*/false), shape.ToString());
  }
  Literal result = Literal::Zeros(small);
  fill(result.mutable_untyped_data());
  return ExpandToBounds(std::move(result), shape);
}

bool FitsBounds(const Shape& shape, const Shape& bounds) {
  if (!shape.IsArray() || !bounds.IsArray() ||
      shape.element_type() != bounds.element_type() ||
      shape.rank() != bounds.rank()) {
    return false;
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.dimension(i);
    if (size != bounds.dimension(i) &&
        (!bounds.is_dynamic_dimension(i) || size < 0 ||
         size > bounds.dimension(i))) {
      return false;
    }
  }
  return true;
}

Literal Reshaped(Literal array, const Shape& shape) {
  HLOKIT_CHECK(ElementsIn(shape) == array.element_count());
  if (array.dynamic_sizes().empty() || SameDimensions(array.shape(), shape)) {
    array.set_shape(shape);
    return array;
  }
  auto owner = std::make_shared<Literal>(std::move(array));
  return Literal::View(shape, owner->untyped_data(), owner);
}

void CopyDynamicSizes(const Literal& from, Literal* to) {
  for (size_t i = 0; i < from.dynamic_sizes().size(); ++i) {
    to->set_dynamic_size(i, from.dynamic_sizes()[i]);
  }
}

Literal WithShape(Literal value, const Shape& shape) {
  if (value.shape() == shape || !ShapesCompatible(value.shape(), shape)) {
    return value;
  }
  if (shape.IsTuple()) {
    std::vector<Literal>& elements = value.mutable_elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] = WithShape(std::move(elements[i]), shape.tuple_shape(i));
    }
  }
  value.set_shape(shape);
  return value;
}

}  // namespace hlokit::interpreter
