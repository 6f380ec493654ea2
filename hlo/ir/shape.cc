#include "hlo/ir/shape.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr int64_t kSharedLayoutRanks = 9;

// The descending layout of a rank; the usual ranks share theirs, for ever.
std::shared_ptr<const Layout> DescendingLayout(int64_t rank) {
  using Table = std::array<std::shared_ptr<const Layout>, kSharedLayoutRanks>;
  static const Table* const kTable = [] {
    auto* table = new Table;
    for (int64_t rank = 0; rank < kSharedLayoutRanks; ++rank) {
      (*table)[rank] = std::make_shared<Layout>(Layout::Descending(rank));
    }
    return table;
  }();
  if (rank < kSharedLayoutRanks) return (*kTable)[rank];
  return std::make_shared<Layout>(Layout::Descending(rank));
}

// Hashes only what usually differs.
size_t HashOfLayout(const Layout& layout) {
  return absl::HashOf(layout.minor_to_major, layout.tiles.size(),
                      layout.memory_space, layout.element_size_in_bits);
}

}  // namespace

void Shape::Unref() {
  if (rep_ && rep_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete rep_;
  }
}

Shape::Rep* Shape::Mutable() {
  if (rep_ == nullptr) {
    rep_ = new Rep;
  } else if (rep_->refs.load(std::memory_order_acquire) != 1) {
    Rep* copy = new Rep;
    copy->type = rep_->type;
    copy->dimensions = rep_->dimensions;
    copy->dynamic = rep_->dynamic;
    copy->tuple = rep_->tuple;
    copy->layout = rep_->layout;
    Unref();
    rep_ = copy;
  }
  return rep_;
}

Shape Shape::Array(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  Rep* rep = new Rep;
  rep->type = type;
  rep->dimensions.assign(dimensions.begin(), dimensions.end());
  Shape shape(rep);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] == kUnboundedSize) shape.set_dynamic_dimension(i, true);
  }
  return shape;
}

Shape Shape::ArrayWithDescendingLayout(PrimitiveType type,
                                       absl::Span<const int64_t> dimensions) {
  if (dimensions.empty()) return Scalar(type);
  Shape shape = Array(type, dimensions);
  shape.rep_->layout = DescendingLayout(dimensions.size());
  return shape;
}

Shape Shape::Scalar(PrimitiveType type) {
  using Table = std::array<Shape, kPrimitiveTypeLimit>;
  static const Table* const kTable = [] {
    auto* table = new Table;
    for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
      Shape shape = Array(info.type, {});
      shape.rep_->layout = DescendingLayout(0);
      (*table)[info.type] = shape;
    }
    return table;
  }();
  if (type < kPrimitiveTypeLimit) return (*kTable)[type];
  // A type of unknown name.
  Shape shape = Array(type, {});
  shape.rep_->layout = DescendingLayout(0);
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Rep* rep = new Rep;
  rep->type = kTuple;
  rep->tuple = std::move(elements);
  return Shape(rep);
}

Shape Shape::Token() {
  static const Shape* const kShape = new Shape(Array(kToken, {}));
  return *kShape;
}

Shape Shape::Opaque() {
  static const Shape* const kShape = new Shape(Array(kOpaque, {}));
  return *kShape;
}

Shape Shape::Buffer(Shape array) {
  Rep* rep = new Rep;
  rep->type = kBuffer;
  rep->tuple.push_back(std::move(array));
  return Shape(rep);
}

bool Shape::is_dynamic() const {
  if (rep_ == nullptr) return false;
  for (bool dynamic : rep_->dynamic) {
    if (dynamic) return true;
  }
  for (const Shape& element : rep_->tuple) {
    if (element.is_dynamic()) return true;
  }
  return false;
}

bool Shape::has_unbounded_dimension() const {
  for (int64_t size : dimensions()) {
    if (size == kUnboundedSize) return true;
  }
  for (const Shape& element : tuple_shapes()) {
    if (element.has_unbounded_dimension()) return true;
  }
  return false;
}

void Shape::set_element_type(PrimitiveType type) { Mutable()->type = type; }

void Shape::set_dimension(int64_t i, int64_t size) {
  Mutable()->dimensions[i] = size;
  if (size == kUnboundedSize) set_dynamic_dimension(i, true);
}

void Shape::set_dynamic_dimension(int64_t i, bool dynamic) {
  if (is_dynamic_dimension(i) == dynamic) return;
  Rep* rep = Mutable();
  rep->dynamic.resize(rep->dimensions.size(), false);
  rep->dynamic[i] = dynamic;
}

void Shape::SetLayoutPointer(std::shared_ptr<const Layout> layout) {
  Mutable()->layout = std::move(layout);
}

void Shape::set_layout(Layout layout) {
  if (layout.IsPlain() && layout.IsDescending()) {
    SetLayoutPointer(DescendingLayout(layout.minor_to_major.size()));
  } else {
    SetLayoutPointer(std::make_shared<Layout>(std::move(layout)));
  }
}

void Shape::clear_layout() {
  if (has_layout()) SetLayoutPointer(nullptr);
}

void Shape::set_tuple_shape(int64_t i, Shape shape) {
  Mutable()->tuple[i] = std::move(shape);
}

void Shape::add_tuple_shape(Shape shape) {
  Mutable()->tuple.push_back(std::move(shape));
}

void Shape::DeleteDimension(int64_t i) {
  Rep* rep = Mutable();
  rep->dimensions.erase(rep->dimensions.begin() + i);
  if (!rep->dynamic.empty()) rep->dynamic.erase(rep->dynamic.begin() + i);
  if (rep->layout != nullptr) {
    Layout layout = *rep->layout;
    layout.DeleteDimension(i);
    set_layout(std::move(layout));
  }
}

void Shape::SetDescendingLayouts(bool replace) {
  if (IsArray()) {
    if (!has_layout() ||
        (replace && *rep_->layout != *DescendingLayout(rank()))) {
      SetLayoutPointer(DescendingLayout(rank()));
    }
    return;
  }
  for (size_t i = 0; i < tuple_shapes().size(); ++i) {
    Shape element = tuple_shape(i);
    element.SetDescendingLayouts(replace);
    if (element.rep_ != tuple_shape(i).rep_) set_tuple_shape(i, element);
  }
}

void Shape::ClearLayouts() {
  clear_layout();
  for (size_t i = 0; i < tuple_shapes().size(); ++i) {
    Shape element = tuple_shape(i);
    element.ClearLayouts();
    if (element.rep_ != tuple_shape(i).rep_) set_tuple_shape(i, element);
  }
}

void Shape::ClearDynamicDimensions() {
  if (!is_dynamic()) return;
  for (int64_t i = 0; i < rank(); ++i) {
    if (!is_unbounded_dimension(i)) set_dynamic_dimension(i, false);
  }
  for (size_t i = 0; i < tuple_shapes().size(); ++i) {
    Shape element = tuple_shape(i);
    element.ClearDynamicDimensions();
    if (element.rep_ != tuple_shape(i).rep_) set_tuple_shape(i, element);
  }
}

const Shape& Shape::Subshape(absl::Span<const int64_t> index) const {
  const Shape* shape = this;
  for (int64_t i : index) {
    HLOKIT_CHECK(shape->IsTuple() && i >= 0 &&
                 i < static_cast<int64_t>(shape->tuple_shapes().size()));
    shape = &shape->tuple_shape(i);
  }
  return *shape;
}

bool Shape::IndexIsValid(absl::Span<const int64_t> index) const {
  const Shape* shape = this;
  for (int64_t i : index) {
    if (!shape->IsTuple() || i < 0 ||
        i >= static_cast<int64_t>(shape->tuple_shapes().size())) {
      return false;
    }
    shape = &shape->tuple_shape(i);
  }
  return true;
}

bool Shape::operator==(const Shape& other) const {
  if (rep_ == other.rep_) return true;
  if (element_type() != other.element_type() ||
      dimensions() != other.dimensions() ||
      has_layout() != other.has_layout()) {
    return false;
  }
  for (int64_t i = 0; i < rank(); ++i) {
    if (is_dynamic_dimension(i) != other.is_dynamic_dimension(i)) return false;
  }
  if (has_layout() && layout() != other.layout()) return false;
  return tuple_shapes() == other.tuple_shapes();
}

size_t Shape::Hash() const {
  size_t hash = absl::HashOf(static_cast<int>(element_type()), dimensions(),
                             has_layout() ? HashOfLayout(layout()) : 0);
  for (int64_t i = 0; i < rank(); ++i) {
    if (is_dynamic_dimension(i)) hash = absl::HashOf(hash, i);
  }
  for (const Shape& element : tuple_shapes()) {
    hash = absl::HashOf(hash, element.Hash());
  }
  return hash;
}

Shape Shape::Interned() const {
  // Direct-mapped: a new shape displaces an old one.
  static constexpr size_t kSlots = 512;
  static thread_local std::unique_ptr<std::array<Shape, kSlots>> cache;
  if (rep_ == nullptr) return *this;
  if (cache == nullptr) cache = std::make_unique<std::array<Shape, kSlots>>();
  Shape& slot = (*cache)[Hash() % kSlots];
  if (slot != *this) slot = *this;
  return slot;
}

}  // namespace hlokit
