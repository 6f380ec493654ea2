// Literals: values of a shape (constants, arguments, results).
//
// The elements of an array literal always lie in row-major order of its
// dimensions, whatever the layout of its shape says: the layout only decides
// how the literal is written to a proto and is drawn from random numbers. One
// element takes StorageBytes(type) bytes; types under 8 bits take a byte,
// signed ones sign-extended, others with the upper bits zero. pred is 0 or 1.
// Complex numbers are (re, im).
//
// A Literal shares its data: copying costs a few pointers, and elements of a
// tuple are shared too. Mutable access copies the data first when it is shared
// or belongs to a mapped file. Not thread-safe for writing.
#ifndef HLOKIT_HLO_IR_LITERAL_H_
#define HLOKIT_HLO_IR_LITERAL_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/shape.h"

namespace hlokit {

class TextSink;

class Literal {
 public:
  Literal() = default;  // of the invalid shape

  // Zeros, of tuples in all parts. The caller has made sure that the size is
  // acceptable (CheckLiteralSize). Data is 64-byte aligned from 64 bytes on.
  static Literal Zeros(const Shape& shape);
  // Takes row-major data of exactly the right size; `owner` keeps it alive. The
  // data is never written to, and may lie at any address that suits the type.
  static Literal View(const Shape& shape, const char* data,
                      std::shared_ptr<const void> owner);
  static Literal Tuple(std::vector<Literal> elements);
  static Literal Token();
  // An array of `type` with a descending layout.
  template <typename T>
  static Literal Array(absl::Span<const int64_t> dimensions,
                       absl::Span<const T> values);
  template <typename T>
  static Literal Scalar(T value);
  // Scalar of any type from a double / int64 (converted as `convert` does).
  static Literal ScalarOf(PrimitiveType type, double value);
  static Literal ScalarOfInt(PrimitiveType type, int64_t value);

  bool IsValid() const { return shape_.IsValid(); }
  const Shape& shape() const { return shape_; }
  PrimitiveType element_type() const { return shape_.element_type(); }
  // Replaces the layout (or any other detail of the shape) without touching
  // data; `shape` must have as many elements of the same storage width, and the
  // same dimensions if there are dynamic sizes.
  void set_shape(Shape shape) { shape_ = std::move(shape); }

  // Elements that are stored (bounds for dynamic dimensions).
  int64_t element_count() const { return ElementsIn(shape_); }
  int64_t size_bytes() const { return size_; }

  // Row-major bytes.
  const char* untyped_data() const { return data_; }
  char* mutable_untyped_data();
  template <typename T>
  absl::Span<const T> data() const {
    HLOKIT_CHECK(sizeof(T) ==
                 static_cast<size_t>(StorageBytes(element_type())));
    return absl::MakeConstSpan(reinterpret_cast<const T*>(data_),
                               size_ / sizeof(T));
  }
  template <typename T>
  absl::Span<T> mutable_data() {
    HLOKIT_CHECK(sizeof(T) ==
                 static_cast<size_t>(StorageBytes(element_type())));
    return absl::MakeSpan(reinterpret_cast<T*>(mutable_untyped_data()),
                          size_ / sizeof(T));
  }
  template <typename T>
  T First() const {
    return data<T>()[0];
  }

  // Elements of a tuple.
  absl::Span<const Literal> elements() const { return elements_; }
  std::vector<Literal>& mutable_elements() { return elements_; }
  // The part at `index`.
  const Literal& Sub(absl::Span<const int64_t> index) const;

  // Actual size of dimension i: the dynamic size where one is set.
  int64_t dynamic_size(int64_t i) const;
  void set_dynamic_size(int64_t i, int64_t size);
  absl::Span<const int32_t> dynamic_sizes() const { return dynamic_sizes_; }

  // Element `linear` (row-major) as a number: floats and integers as double,
  // real part of complex, pred 0/1.
  double GetAsDouble(int64_t linear) const;
  // Exact for every integer type and pred (u64 wraps); floats truncate with
  // saturation.
  int64_t GetAsInt64(int64_t linear) const;
  void SetFromDouble(int64_t linear, double value);
  void SetFromInt64(int64_t linear, int64_t value);
  // Whether this is an array and every element is exactly `value`: -0 is not 0,
  // and no element of a type that cannot hold `value` is.
  bool IsAll(int64_t value) const;

  // Same shape (layouts ignored) and the same bits.
  bool operator==(const Literal& other) const;
  bool operator!=(const Literal& other) const { return !(*this == other); }

  // Element `linear` as printed inside constants: "1", "0.1", "(1, 2)", "true"
  // (pred in arrays "1" / "0").
  void AppendElement(int64_t linear, std::string* out) const;
  // The forms of the HLO text format:
  //   one line: "{ { 1, 2 }, { 3, 4 } }" (constants in modules). Of a dynamic
  //   array only the live part. "{...}" for an array without elements that has
  //   more than a million rows.
  void AppendTo(TextSink* out) const;
  void AppendTo(std::string* out) const;
  //   with types, for `literal=` of custom-calls: "s32[2]{0} {1, 2}",
  //   "( s32[] 1, pred[1]{0} {1} )", "s32[<=3]{0}(2) {1, 2}".
  void AppendTypedTo(TextSink* out) const;
  void AppendTypedTo(std::string* out) const;
  std::string ToString() const;

 private:
  Shape shape_;
  std::shared_ptr<const void> owner_;
  bool owned_ = false;  // data_ belongs to owner_ and may be written if unique
  const char* data_ = nullptr;
  int64_t size_ = 0;
  std::vector<int32_t> dynamic_sizes_;  // empty, or one a dimension
  std::vector<Literal> elements_;
};

// Whether a literal of this shape may be allocated: arrays and tuples of them,
// token; at most `max_bytes` in all (default 64 GiB; readers pass far less). An
// array with a dimension of size 0 takes nothing, whatever its other sizes.
absl::Status CheckLiteralSize(const Shape& shape,
                              int64_t max_bytes = int64_t{1} << 36);

// Calls fn(linear, index) for each element of an array shape in the storage
// order of its layout (minor-to-major); row-major without layout. `linear` is
// row-major. `index` is valid during the call only.
void ForEachInLayoutOrder(
    const Shape& shape,
    absl::FunctionRef<void(int64_t linear, absl::Span<const int64_t> index)>
        fn);
// Reorders row-major bytes into the layout's order and back (same bytes when
// the layout is descending). Tiles are ignored. The buffers must not overlap.
void RowMajorToLayout(const Shape& shape, const char* row_major, char* out);
void LayoutToRowMajor(const Shape& shape, const char* in, char* row_major);

// `value` converted element by element with the semantics of HLO's convert
// (float to integer truncates and saturates, NaN gives 0; integers wrap; pred
// is "not 0"; of complex numbers the real part counts). Single elements:
// ConvertElement in literal_convert.h.
absl::StatusOr<Literal> ConvertLiteral(const Literal& value,
                                       PrimitiveType type);

template <typename T>
Literal Literal::Array(absl::Span<const int64_t> dimensions,
                       absl::Span<const T> values) {
  Literal result =
      Zeros(Shape::ArrayWithDescendingLayout(PrimitiveTypeOf<T>(), dimensions));
  auto data = result.mutable_data<T>();
  HLOKIT_CHECK(data.size() == values.size());
  for (size_t i = 0; i < values.size(); ++i) data[i] = values[i];
  return result;
}

template <typename T>
Literal Literal::Scalar(T value) {
  return Array<T>({}, absl::MakeConstSpan(&value, 1));
}

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_LITERAL_H_
