#include "hlo/ir/literal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "hlo/ir/literal_convert.h"

namespace hlokit {
namespace {

constexpr size_t kAlignment = 64;

// Zeroed memory. Small blocks share one allocation with their reference count;
// fresh pages of large blocks are zero without being touched.
std::shared_ptr<char> AllocateZeros(size_t size) {
  struct Small {
    alignas(16) char bytes[16];
  };
  if (size <= sizeof(Small::bytes)) {
    auto small = std::make_shared<Small>();
    return std::shared_ptr<char>(small, small->bytes);
  }
  void* block = std::calloc(size + kAlignment, 1);
  if (block == nullptr) throw std::bad_alloc();
  void* aligned = block;
  size_t space = size + kAlignment;
  std::align(kAlignment, size, aligned, space);
  AdviseHugePages(block, size);
  std::shared_ptr<void> owner(block, std::free);
  return std::shared_ptr<char>(owner, static_cast<char*>(aligned));
}

int64_t DataBytes(const Shape& array) {
  int64_t bytes;
  const int64_t width = StorageBytes(array.element_type());
  return __builtin_mul_overflow(ElementsIn(array), width, &bytes)
             ? std::numeric_limits<int64_t>::max()
             : bytes;
}

// Adds what `shape` takes to `total`.
absl::Status AddSize(const Shape& shape, int64_t max_bytes, int64_t* total) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      HLOKIT_RETURN_IF_ERROR(AddSize(element, max_bytes, total));
    }
    return absl::OkStatus();
  }
  if (shape.IsToken()) return absl::OkStatus();
  if (!shape.IsArray()) {
    return InvalidArgument("%s has no literals", shape.ToString());
  }
  if (shape.has_unbounded_dimension()) {
    return InvalidArgument("%s has no bounded size", shape.ToString());
  }
  if (__builtin_add_overflow(*total, DataBytes(shape), total) || *total > max_bytes) {
    return ResourceExhausted("a literal of %s is larger than %d bytes",
                             shape.ToString(), max_bytes);
  }
  return absl::OkStatus();
}

}  // namespace

Literal Literal::Zeros(const Shape& shape) {
  Literal result;
  result.shape_ = shape;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      result.elements_.push_back(Zeros(element));
    }
  } else if (shape.IsArray()) {
    result.size_ = DataBytes(shape);
    auto memory = AllocateZeros(result.size_);
    result.data_ = memory.get();
    result.owner_ = std::move(memory);
    result.owned_ = true;
  }
  return result;
}

Literal Literal::View(const Shape& shape, const char* data,
                      std::shared_ptr<const void> owner) {
  HLOKIT_CHECK(shape.IsArray());
  Literal result;
  result.shape_ = shape;
  result.size_ = DataBytes(shape);
  result.data_ = data;
  result.owner_ = std::move(owner);
  return result;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal result;
  result.shape_ = Shape::Tuple(std::move(shapes));
  result.elements_ = std::move(elements);
  return result;
}

Literal Literal::Token() {
  Literal result;
  result.shape_ = Shape::Token();
  return result;
}

Literal Literal::ScalarOf(PrimitiveType type, double value) {
  Literal result = Zeros(Shape::Scalar(type));
  result.SetFromDouble(0, value);
  return result;
}

Literal Literal::ScalarOfInt(PrimitiveType type, int64_t value) {
  Literal result = Zeros(Shape::Scalar(type));
  result.SetFromInt64(0, value);
  return result;
}

char* Literal::mutable_untyped_data() {
  if (!owned_ || owner_.use_count() > 1) {
    auto memory = AllocateZeros(size_);
    if (size_ > 0) std::memcpy(memory.get(), data_, size_);
    data_ = memory.get();
    owner_ = std::move(memory);
    owned_ = true;
  }
  // Memory that this class allocated.
  return const_cast<char*>(data_);
}

const Literal& Literal::Sub(absl::Span<const int64_t> index) const {
  const Literal* literal = this;
  for (int64_t i : index) {
    HLOKIT_CHECK(i >= 0 && i < static_cast<int64_t>(literal->elements_.size()));
    literal = &literal->elements_[i];
  }
  return *literal;
}

int64_t Literal::dynamic_size(int64_t i) const {
  return dynamic_sizes_.empty() ? shape_.dimension(i) : dynamic_sizes_[i];
}

void Literal::set_dynamic_size(int64_t i, int64_t size) {
  HLOKIT_CHECK(size >= 0 && size <= shape_.dimension(i));
  if (dynamic_sizes_.empty()) {
    for (int64_t bound : shape_.dimensions()) {
      dynamic_sizes_.push_back(static_cast<int32_t>(
          std::min<int64_t>(bound, std::numeric_limits<int32_t>::max())));
    }
  }
  dynamic_sizes_[i] = static_cast<int32_t>(
      std::min<int64_t>(size, std::numeric_limits<int32_t>::max()));
}

double Literal::GetAsDouble(int64_t linear) const {
  return DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return ConvertElement<double>(data<T>()[linear]);
  });
}

int64_t Literal::GetAsInt64(int64_t linear) const {
  return DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return ConvertElement<int64_t>(data<T>()[linear]);
  });
}

void Literal::SetFromDouble(int64_t linear, double value) {
  DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    mutable_data<T>()[linear] = ConvertElement<T>(value);
  });
}

void Literal::SetFromInt64(int64_t linear, int64_t value) {
  DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    mutable_data<T>()[linear] = ConvertElement<T>(value);
  });
}

bool Literal::IsAll(int64_t value) const {
  if (!shape_.IsArray()) return false;
  return DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T wanted = ConvertElement<T>(value);
    if (ConvertElement<int64_t>(wanted) != value) return false;
    for (const T& element : data<T>()) {
      if (std::memcmp(&element, &wanted, sizeof(T)) != 0) return false;
    }
    return true;
  });
}

bool Literal::operator==(const Literal& other) const {
  ShapeEqual same_shape;
  same_shape.ignore_layout = true;
  if (!same_shape(shape_, other.shape_) || size_ != other.size_) return false;
  for (int64_t i = 0; i < shape_.rank(); ++i) {
    if (dynamic_size(i) != other.dynamic_size(i)) return false;
  }
  if (size_ > 0 && data_ != other.data_ &&
      std::memcmp(data_, other.data_, size_) != 0) {
    return false;
  }
  return elements_ == other.elements_;
}

absl::Status CheckLiteralSize(const Shape& shape, int64_t max_bytes) {
  int64_t total = 0;
  return AddSize(shape, max_bytes, &total);
}

}  // namespace hlokit
