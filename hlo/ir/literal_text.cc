#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/literal_number_text.h"

namespace hlokit {
namespace {

// Past this many rows an array without elements is left out.
constexpr int64_t kMaxEmptyRows = 1 << 20;

// Collects text in a small buffer: appending number by number to the string is
// what would take the time.
class TextBuffer {
 public:
  explicit TextBuffer(std::string* out) : out_(out) {}
  ~TextBuffer() { Flush(); }
  // Room for one number or comment.
  char* Reserve() {
    if (end_ > buffer_ + sizeof(buffer_) - kMaxNumberText) Flush();
    return end_;
  }
  void Advance(char* end) { end_ = end; }
  void Add(absl::string_view text) {
    end_ = std::copy(text.begin(), text.end(), Reserve());
  }

 private:
  void Flush() {
    out_->append(buffer_, end_ - buffer_);
    end_ = buffer_;
  }
  std::string* out_;
  char buffer_[4096];
  char* end_ = buffer_;
};

// Prints one array with native type T.
template <typename T>
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, std::string* out)
      : data_(literal.data<T>().data()), text_(out) {
    const int64_t rank = literal.shape().rank();
    sizes_.resize(rank);
    strides_.resize(rank);
    int64_t stride = 1;
    for (int64_t i = rank - 1; i >= 0; --i) {
      sizes_[i] = literal.dynamic_size(i);
      strides_[i] = stride;
      stride *= literal.shape().dimension(i);
    }
  }

  void PrintAll() {
    if (sizes_.empty()) {
      PrintRow(0, 1);
    } else {
      PrintDimension(0, 0, -1);
    }
  }

 private:
  int64_t rank() const { return sizes_.size(); }

  void PrintRow(int64_t offset, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) text_.Add(", ");
      text_.Advance(WriteNumber(data_[offset + i], text_.Reserve()));
    }
  }

  // The braces of a row have blanks only around several elements of an array of
  // several dimensions.
  void PrintInnermost(int64_t offset) {
    const bool blanks = rank() > 1 && sizes_.back() > 1;
    text_.Add(blanks ? "{ " : "{");
    PrintRow(offset, sizes_.back());
    text_.Add(blanks ? " }" : "}");
  }

  // `position` is the index in the dimension outside `depth`.
  void PrintDimension(int64_t depth, int64_t offset, int64_t position) {
    if (depth == rank() - 1) return PrintInnermost(offset);
    text_.Add("{");
    // Deep arrays tell where they are.
    const bool numbered = rank() > 3 && depth > 0;
    if (numbered) {
      text_.Add(" /*i");
      text_.Advance(WriteNumber(depth - 1, text_.Reserve()));
      text_.Add("=");
      text_.Advance(WriteNumber(position, text_.Reserve()));
      text_.Add("*/");
    }
    if (!numbered || sizes_[depth] > 0) text_.Add(" ");
    for (int64_t i = 0; i < sizes_[depth]; ++i) {
      if (i > 0) text_.Add(", ");
      PrintDimension(depth + 1, offset + i * strides_[depth], i);
    }
    text_.Add(" }");
  }

  const T* data_;
  DimensionVector sizes_;
  DimensionVector strides_;
  TextBuffer text_;
};

// Rows of an array that holds no element: the sizes before the first zero.
bool HasTooManyEmptyRows(const Literal& literal) {
  int64_t rows = 1;
  for (int64_t i = 0; i < literal.shape().rank(); ++i) {
    const int64_t size = literal.dynamic_size(i);
    if (size == 0) return rows > kMaxEmptyRows;
    if (__builtin_mul_overflow(rows, size, &rows)) rows = INT64_MAX;
  }
  return false;
}

void AppendArray(const Literal& literal, std::string* out) {
  if (HasTooManyEmptyRows(literal)) {
    *out += "{...}";
    return;
  }
  if (literal.shape().rank() == 0) return literal.AppendElement(0, out);
  DispatchArrayType(literal.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    ArrayPrinter<T>(literal, out).PrintAll();
  });
}

void AppendTuple(const Literal& literal, bool typed, std::string* out) {
  *out += "( ";
  absl::string_view separator;
  for (const Literal& element : literal.elements()) {
    absl::StrAppend(out, separator);
    typed ? element.AppendTypedTo(out) : element.AppendTo(out);
    separator = ", ";
  }
  *out += " )";
}

}  // namespace

void Literal::AppendElement(int64_t linear, std::string* out) const {
  DispatchArrayType(element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = data<T>()[linear];
    if (kIsPred<T> && shape_.rank() == 0) {
      *out += value != T() ? "true" : "false";
    } else {
      AppendNumber(value, out);
    }
  });
}

void Literal::AppendTo(std::string* out) const {
  if (shape_.IsTuple()) return AppendTuple(*this, /*typed=*/false, out);
  if (shape_.IsArray()) return AppendArray(*this, out);
  absl::StrAppend(out, PrimitiveTypeName(element_type()));
}

void Literal::AppendTypedTo(std::string* out) const {
  if (shape_.IsTuple()) return AppendTuple(*this, /*typed=*/true, out);
  if (!shape_.IsArray()) return AppendTo(out);
  shape_.AppendTo(out);
  if (shape_.is_dynamic()) {
    absl::string_view separator = "(";
    for (int64_t i = 0; i < shape_.rank(); ++i) {
      absl::StrAppend(out, separator, dynamic_size(i));
      separator = ",";
    }
    out->push_back(')');
  }
  out->push_back(' ');
  AppendArray(*this, out);
}

std::string Literal::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

}  // namespace hlokit
