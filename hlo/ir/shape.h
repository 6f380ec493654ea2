// Shapes: element type, dimensions and layout of a value.
//
// A Shape is a small handle on shared, immutable data: copying costs a pointer,
// changing one copy never changes another. Modules hold the same few shapes
// thousands of times, so this is what keeps them small.
//
//   Shape s = Shape::Array(kF32, {2, 3});       // f32[2,3], no layout
//   s.set_layout(Layout::Descending(2));        // f32[2,3]{1,0}
//   Shape t = Shape::Tuple({s, Shape::Token()});
//
// Thread-safety: const access from several threads is fine.
#ifndef HLOKIT_HLO_IR_SHAPE_H_
#define HLOKIT_HLO_IR_SHAPE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit {

class Shape;

using DimensionVector = absl::InlinedVector<int64_t, 4>;
// Path to a part of a tuple shape: {} is the whole, {1,0} element 0 of 1.
using ShapeIndex = absl::InlinedVector<int64_t, 2>;

// The size of an unbounded dynamic dimension ("?").
inline constexpr int64_t kUnboundedSize = std::numeric_limits<int64_t>::min();

// One tile of a tiled layout: T(8,128). kCombine ("*") merges the dimension
// into the next more minor one.
struct Tile {
  static constexpr int64_t kCombine = std::numeric_limits<int64_t>::min();
  DimensionVector dimensions;
  bool operator==(const Tile& o) const { return dimensions == o.dimensions; }
};

// Where a dimension is cut over several cores: SC(dimension:indices).
struct SplitConfig {
  int64_t dimension = 0;
  DimensionVector split_indices;
  bool operator==(const SplitConfig& o) const {
    return dimension == o.dimension && split_indices == o.split_indices;
  }
};

// A word of a layout that this version does not know, "Q(3)": kept as it is, and
// printed behind the words that begin with `after` ("": first).
struct UnknownLayoutWord {
  std::string after;
  std::string text;
  bool operator==(const UnknownLayoutWord& o) const {
    return after == o.after && text == o.text;
  }
};

// How an array lies in memory.
struct Layout {
  DimensionVector minor_to_major;
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment_in_elements = 1;
  PrimitiveType index_primitive_type = kInvalid;    // #(u32)
  PrimitiveType pointer_primitive_type = kInvalid;  // *(u32)
  int64_t element_size_in_bits = 0;                 // E(4); 0: natural
  int64_t memory_space = 0;                         // S(5)
  std::vector<SplitConfig> split_configs;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;  // M(1024)
  std::shared_ptr<const Shape> physical_shape;      // P(...): protos only
  std::vector<UnknownLayoutWord> unknown_words;

  // {n-1, ..., 1, 0}: row-major.
  static Layout Descending(int64_t rank);
  bool IsDescending() const;  // by minor_to_major alone
  // Nothing but a minor_to_major.
  bool IsPlain() const;
  // Without dimension i; larger ones move down.
  void DeleteDimension(int64_t i);
  bool operator==(const Layout& other) const;
  bool operator!=(const Layout& other) const { return !(*this == other); }
  // "{1,0:T(8,128)S(5)}".
  void AppendTo(std::string* out) const;
  std::string ToString() const;
};

class Shape {
 public:
  Shape() = default;  // kInvalid
  Shape(const Shape& other) : rep_(other.rep_) { Ref(); }
  Shape(Shape&& other) noexcept : rep_(other.rep_) { other.rep_ = nullptr; }
  Shape& operator=(const Shape& other) {
    Shape copy(other);
    std::swap(rep_, copy.rep_);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Shape() { Unref(); }

  // Arrays start without layout. Sizes are 0 or more; kUnboundedSize marks the
  // dimension dynamic.
  static Shape Array(PrimitiveType type, absl::Span<const int64_t> dimensions);
  static Shape Array(PrimitiveType type,
                     std::initializer_list<int64_t> dimensions) {
    return Array(type,
                 absl::MakeConstSpan(dimensions.begin(), dimensions.size()));
  }
  // With the descending layout that most modules use.
  static Shape ArrayWithDescendingLayout(PrimitiveType type,
                                         absl::Span<const int64_t> dimensions);
  static Shape Scalar(PrimitiveType type);  // with the empty layout
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  static Shape Buffer(Shape array);

  PrimitiveType element_type() const { return rep_ ? rep_->type : kInvalid; }
  bool IsValid() const { return element_type() != kInvalid; }
  bool IsArray() const { return IsArrayType(element_type()); }
  bool IsTuple() const { return element_type() == kTuple; }
  bool IsToken() const { return element_type() == kToken; }
  bool IsOpaque() const { return element_type() == kOpaque; }
  bool IsBuffer() const { return element_type() == kBuffer; }
  bool IsScalar() const { return IsArray() && rank() == 0; }

  int64_t rank() const { return dimensions().size(); }
  // The sizes; of bounded dynamic dimensions the bounds.
  absl::Span<const int64_t> dimensions() const {
    return rep_ ? absl::MakeConstSpan(rep_->dimensions)
                : absl::Span<const int64_t>();
  }
  int64_t dimension(int64_t i) const { return rep_->dimensions[i]; }
  bool is_dynamic_dimension(int64_t i) const {
    return rep_ && i < static_cast<int64_t>(rep_->dynamic.size()) &&
           rep_->dynamic[i];
  }
  bool is_unbounded_dimension(int64_t i) const {
    return rep_->dimensions[i] == kUnboundedSize;
  }
  // Any dynamic dimension, in tuples at any depth.
  bool is_dynamic() const;
  bool is_static() const { return !is_dynamic(); }
  bool has_unbounded_dimension() const;

  // Elements of a tuple; of a buffer its one array shape; else empty.
  absl::Span<const Shape> tuple_shapes() const {
    return rep_ ? absl::MakeConstSpan(rep_->tuple) : absl::Span<const Shape>();
  }
  const Shape& tuple_shape(int64_t i) const { return rep_->tuple[i]; }

  bool has_layout() const { return rep_ && rep_->layout != nullptr; }
  const Layout& layout() const { return *rep_->layout; }

  void set_element_type(PrimitiveType type);
  void set_dimension(int64_t i, int64_t size);
  void set_dynamic_dimension(int64_t i, bool dynamic);
  void set_layout(Layout layout);
  void clear_layout();
  void set_tuple_shape(int64_t i, Shape shape);
  void add_tuple_shape(Shape shape);
  // Without dimension i (its layout shrinks too).
  void DeleteDimension(int64_t i);
  // Gives every array part without layout the descending one; with `replace`
  // also those that have another.
  void SetDescendingLayouts(bool replace = false);
  // Removes all layouts, in tuples too.
  void ClearLayouts();
  // Makes all dimensions static, keeping the bounds.
  void ClearDynamicDimensions();

  // The part at `index`; must be valid.
  const Shape& Subshape(absl::Span<const int64_t> index) const;
  bool IndexIsValid(absl::Span<const int64_t> index) const;

  // Everything equal, layouts included.
  bool operator==(const Shape& other) const;
  bool operator!=(const Shape& other) const { return !(*this == other); }
  size_t Hash() const;
  // Equal for shapes that share their data, which are equal then; as long as
  // one of them lives.
  const void* identity() const { return rep_; }
  // An equal shape that shares its data with earlier equal ones of this thread,
  // as far as a small cache remembers them. Readers of modules pass every shape
  // through it: that saves memory and makes comparisons short.
  Shape Interned() const;
  template <typename H>
  friend H AbslHashValue(H h, const Shape& s) {
    return H::combine(std::move(h), s.Hash());
  }

  // "f32[2,<=3]{1,0}", "(f32[], /*index=5*/...)"; without `layout` no braces.
  void AppendTo(std::string* out, bool layout = true) const;
  std::string ToString(bool layout = true) const;

 private:
  struct Rep {
    std::atomic<int> refs{1};
    PrimitiveType type = kInvalid;
    DimensionVector dimensions;
    absl::InlinedVector<bool, 4> dynamic;  // empty: all static
    std::vector<Shape> tuple;
    // Plain descending layouts are shared by all shapes.
    std::shared_ptr<const Layout> layout;
  };
  explicit Shape(Rep* rep) : rep_(rep) {}
  void Ref() const {
    if (rep_) rep_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  void Unref();
  // This handle's own data, copied first when shared.
  Rep* Mutable();
  void SetLayoutPointer(std::shared_ptr<const Layout> layout);

  Rep* rep_ = nullptr;
};

// What may differ between shapes that still count as equal.
struct ShapeEqual {
  bool ignore_layout = false;
  bool ignore_element_type = false;
  bool ignore_fp_precision = false;  // any two floats are equal
  bool ignore_dynamic_dimension = false;
  bool ignore_tiles = false;
  bool ignore_element_size = false;
  bool ignore_memory_space = false;
  bool ignore_tail_padding = false;
  bool ignore_split_configs = false;
  bool minor_to_major_only = false;  // of the layout, compare only that
  bool operator()(const Shape& a, const Shape& b) const;
};

// Same element types and dimensions; layouts and dynamic flags ignored (HLO's
// "compatible").
bool ShapesCompatible(const Shape& a, const Shape& b);
bool SameDimensions(const Shape& a, const Shape& b);
bool SameElementType(const Shape& a, const Shape& b);

// Number of elements, of bounded dynamic dimensions the bounds. Saturates at
// int64 max; unbounded dimensions give int64 max.
int64_t ElementsIn(const Shape& array);
// Bytes of an array by element width (sub-byte types packed when the layout
// says so through element_size_in_bits, else a byte each), of a tuple
// `pointer_bytes` an element plus nothing for its parts (as XLA's shape size
// function counts it). Saturates.
int64_t ByteSizeOf(const Shape& shape, int64_t pointer_bytes = 8);

// Calls `fn` for the shape itself and all its parts, depth first.
void ForEachSubshape(
    const Shape& shape,
    absl::FunctionRef<void(const Shape&, const ShapeIndex&)> fn);
// The same for leaves (all that are no tuple; buffers are leaves).
void ForEachLeaf(const Shape& shape,
                 absl::FunctionRef<void(const Shape&, const ShapeIndex&)> fn);
int64_t LeafCount(const Shape& shape);

// "{0,1}".
std::string ShapeIndexToString(absl::Span<const int64_t> index);

// Finds negative sizes, a layout that is no permutation of the dimensions,
// element counts or byte sizes that overflow int64, element types that are
// unknown or do not fit (a buffer of a tuple).
absl::Status ValidateShape(const Shape& shape);

// Parameters and result of a computation or of the module's entry.
struct ProgramShape {
  std::vector<Shape> parameters;
  std::vector<std::string> parameter_names;
  Shape result;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_SHAPE_H_
