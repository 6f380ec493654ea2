// Comparisons, sizes, traversal and validation of shapes.
#include <limits>
#include <string>
#include <vector>

#include "base/status.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/unknown.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

// Of non-negative numbers; stays at int64 max.
int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? kMaxInt64 : product;
}

// ceil(elements * bits / 8)
int64_t PackedBytes(int64_t elements, int64_t bits) {
  __int128 bytes = (static_cast<__int128>(elements) * bits + 7) / 8;
  return bytes > kMaxInt64 ? kMaxInt64 : static_cast<int64_t>(bytes);
}

bool LayoutsEqual(const ShapeEqual& options, const Layout& a, const Layout& b) {
  if (a.minor_to_major != b.minor_to_major) return false;
  if (options.minor_to_major_only) return true;
  if (!options.ignore_tiles && a.tiles != b.tiles) return false;
  if (!options.ignore_tail_padding &&
      a.tail_padding_alignment_in_elements !=
          b.tail_padding_alignment_in_elements) {
    return false;
  }
  if (!options.ignore_element_size &&
      a.element_size_in_bits != b.element_size_in_bits) {
    return false;
  }
  if (!options.ignore_memory_space && a.memory_space != b.memory_space) {
    return false;
  }
  if (!options.ignore_split_configs && a.split_configs != b.split_configs) {
    return false;
  }
  // What no option is about.
  Layout rest_a = a, rest_b = b;
  for (Layout* rest : {&rest_a, &rest_b}) {
    rest->tiles.clear();
    rest->tail_padding_alignment_in_elements = 1;
    rest->element_size_in_bits = 0;
    rest->memory_space = 0;
    rest->split_configs.clear();
  }
  return rest_a == rest_b;
}

bool ElementTypesEqual(const ShapeEqual& options, PrimitiveType a,
                       PrimitiveType b) {
  if (a == b) return true;
  if (options.ignore_element_type) return IsArrayType(a) && IsArrayType(b);
  return options.ignore_fp_precision && IsFloatType(a) && IsFloatType(b);
}

bool DynamicFlagsEqual(const Shape& a, const Shape& b) {
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (a.is_dynamic_dimension(i) != b.is_dynamic_dimension(i)) return false;
  }
  return true;
}

template <typename Visit>
void Walk(const Shape& shape, ShapeIndex* index, const Visit& visit) {
  visit(shape, *index);
  if (!shape.IsTuple()) return;
  int64_t i = 0;
  for (const Shape& element : shape.tuple_shapes()) {
    index->push_back(i++);
    Walk(element, index, visit);
    index->pop_back();
  }
}

absl::Status ValidateLayout(const Shape& shape) {
  const auto& order = shape.layout().minor_to_major;
  const int64_t rank = shape.rank();
  if (static_cast<int64_t>(order.size()) != rank) {
    return InvalidArgument(
        "the layout of %s names %d dimensions, but the shape has %d",
        shape.ToString(), order.size(), rank);
  }
  std::vector<bool> seen(rank);
  for (int64_t dimension : order) {
    if (dimension < 0 || dimension >= rank || seen[dimension]) {
      return InvalidArgument(
          "the layout of %s is no permutation of its dimensions",
          shape.ToString());
    }
    seen[dimension] = true;
  }
  if (shape.layout().element_size_in_bits < 0) {
    return InvalidArgument("negative element size in the layout of %s",
                           shape.ToString());
  }
  return absl::OkStatus();
}

absl::Status ValidateArray(const Shape& shape) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_unbounded_dimension(i)) {
      if (shape.is_dynamic_dimension(i)) continue;
      return InvalidArgument("dimension %d has no bound but is not dynamic", i);
    }
    if (shape.dimension(i) < 0) {
      return InvalidArgument("dimension %d has the negative size %d", i,
                             shape.dimension(i));
    }
  }
  if (shape.has_layout()) HLOKIT_RETURN_IF_ERROR(ValidateLayout(shape));
  if (!shape.has_unbounded_dimension() && ByteSizeOf(shape) == kMaxInt64) {
    return InvalidArgument("the size of %s overflows 64 bits",
                           shape.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

bool ShapeEqual::operator()(const Shape& a, const Shape& b) const {
  if (!ElementTypesEqual(*this, a.element_type(), b.element_type())) {
    return false;
  }
  if (a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
  for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
    if (!(*this)(a.tuple_shape(i), b.tuple_shape(i))) return false;
  }
  if (a.dimensions() != b.dimensions()) return false;
  if (!ignore_dynamic_dimension && !DynamicFlagsEqual(a, b)) return false;
  if (ignore_layout || !a.IsArray()) return true;
  if (a.has_layout() != b.has_layout()) return false;
  return !a.has_layout() || LayoutsEqual(*this, a.layout(), b.layout());
}

bool ShapesCompatible(const Shape& a, const Shape& b) {
  ShapeEqual equal;
  equal.ignore_layout = true;
  equal.ignore_dynamic_dimension = true;
  return equal(a, b);
}

bool SameDimensions(const Shape& a, const Shape& b) {
  return a.dimensions() == b.dimensions();
}

bool SameElementType(const Shape& a, const Shape& b) {
  return a.element_type() == b.element_type();
}

int64_t ElementsIn(const Shape& array) {
  int64_t count = 1;
  for (int64_t size : array.dimensions()) {
    if (size < 0) return kMaxInt64;
    if (size == 0) count = 0;
  }
  for (int64_t size : array.dimensions()) {
    count = SaturatingProduct(count, size);
  }
  return count;
}

int64_t ByteSizeOf(const Shape& shape, int64_t pointer_bytes) {
  if (shape.IsTuple()) {
    return SaturatingProduct(shape.tuple_shapes().size(), pointer_bytes);
  }
  if (shape.IsBuffer() && !shape.tuple_shapes().empty()) {
    return ByteSizeOf(shape.tuple_shape(0), pointer_bytes);
  }
  if (shape.IsOpaque()) return pointer_bytes;
  if (!shape.IsArray()) return 0;
  const int64_t elements = ElementsIn(shape);
  if (shape.has_layout() && shape.layout().element_size_in_bits > 0) {
    return PackedBytes(elements, shape.layout().element_size_in_bits);
  }
  return SaturatingProduct(elements, StorageBytes(shape.element_type()));
}

void ForEachSubshape(
    const Shape& shape,
    absl::FunctionRef<void(const Shape&, const ShapeIndex&)> fn) {
  ShapeIndex index;
  Walk(shape, &index, fn);
}

void ForEachLeaf(const Shape& shape,
                 absl::FunctionRef<void(const Shape&, const ShapeIndex&)> fn) {
  ShapeIndex index;
  Walk(shape, &index, [&](const Shape& part, const ShapeIndex& at) {
    if (!part.IsTuple()) fn(part, at);
  });
}

int64_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

absl::Status ValidateShape(const Shape& shape) {
  if (shape.IsArray()) return ValidateArray(shape);
  if (!shape.IsValid()) return InvalidArgument("shape without element type");
  // A type of unknown name has dimensions and a layout as arrays do.
  if (IsUnknownType(shape.element_type())) return ValidateArray(shape);
  if (shape.rank() != 0) {
    return InvalidArgument("%s has dimensions",
                           PrimitiveTypeName(shape.element_type()));
  }
  if (shape.IsBuffer() &&
      (shape.tuple_shapes().size() != 1 || !shape.tuple_shape(0).IsArray())) {
    return InvalidArgument("a buffer holds exactly one array");
  }
  if (!shape.IsTuple() && !shape.IsBuffer() && !shape.tuple_shapes().empty()) {
    return InvalidArgument("%s has elements",
                           PrimitiveTypeName(shape.element_type()));
  }
  for (const Shape& element : shape.tuple_shapes()) {
    HLOKIT_RETURN_IF_ERROR(ValidateShape(element));
  }
  return absl::OkStatus();
}

}  // namespace hlokit
