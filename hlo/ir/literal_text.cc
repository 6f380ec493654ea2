#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "hlo/ir/empty_rows.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/literal_number_text.h"
#include "hlo/ir/text_sink.h"

namespace hlokit {
namespace {

// Prints one array with native type T.
template <typename T>
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, TextSink* out)
      : data_(literal.data<T>().data()), text_(*out) {
    const int64_t rank = literal.shape().rank();
    sizes_.resize(rank);
    strides_.resize(rank);
    int64_t stride = 1;
    for (int64_t i = rank - 1; i >= 0; --i) {
      sizes_[i] = literal.dynamic_size(i);
      strides_[i] = stride;
      // Overflows only where another dimension is 0, and nothing is read then.
      if (__builtin_mul_overflow(stride, literal.shape().dimension(i),
                                 &stride)) {
        stride = 0;
      }
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
      if (i > 0) text_.Append(", ");
      text_.Advance(
          WriteNumber(data_[offset + i], text_.Reserve(kMaxNumberText)));
    }
  }

  // The braces of a row have blanks only around several elements of an array of
  // several dimensions.
  void PrintInnermost(int64_t offset) {
    const bool blanks = rank() > 1 && sizes_.back() > 1;
    text_.Append(blanks ? "{ " : "{");
    PrintRow(offset, sizes_.back());
    text_.Append(blanks ? " }" : "}");
  }

  // `position` is the index in the dimension outside `depth`.
  void PrintDimension(int64_t depth, int64_t offset, int64_t position) {
    if (depth == rank() - 1) return PrintInnermost(offset);
    text_.Append("{");
    // Deep arrays tell where they are.
    const bool numbered = rank() > 3 && depth > 0;
    if (numbered) {
      text_.Append(" /*i");
      text_.AppendInt(depth - 1);
      text_.Append("=");
      text_.AppendInt(position);
      text_.Append("*/");
    }
    if (!numbered || sizes_[depth] > 0) text_.Append(" ");
    for (int64_t i = 0; i < sizes_[depth]; ++i) {
      if (i > 0) text_.Append(", ");
      PrintDimension(depth + 1, offset + i * strides_[depth], i);
    }
    text_.Append(" }");
  }

  const T* data_;
  DimensionVector sizes_;
  DimensionVector strides_;
  TextSink& text_;
};

bool HasTooManyEmptyRows(const Literal& literal) {
  DimensionVector sizes;
  for (int64_t i = 0; i < literal.shape().rank(); ++i) {
    sizes.push_back(literal.dynamic_size(i));
  }
  return EmptyRows(sizes) > kMaxEmptyRows;
}

void AppendArray(const Literal& literal, TextSink* out) {
  if (HasTooManyEmptyRows(literal)) return out->Append("{...}");
  if (literal.shape().rank() == 0) {
    return out->Through(
        [&](std::string* text) { literal.AppendElement(0, text); });
  }
  DispatchArrayType(literal.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    ArrayPrinter<T>(literal, out).PrintAll();
  });
}

void AppendTuple(const Literal& literal, bool typed, TextSink* out) {
  out->Append("( ");
  absl::string_view separator;
  for (const Literal& element : literal.elements()) {
    out->Append(separator);
    typed ? element.AppendTypedTo(out) : element.AppendTo(out);
    separator = ", ";
  }
  out->Append(" )");
}

}  // namespace

int64_t EmptyRows(absl::Span<const int64_t> sizes) {
  int64_t rows = 1;
  for (int64_t size : sizes) {
    if (size == 0) return rows;
    if (__builtin_mul_overflow(rows, size, &rows)) {
      rows = std::numeric_limits<int64_t>::max();
    }
  }
  return 0;
}

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

void Literal::AppendTo(TextSink* out) const {
  if (shape_.IsTuple()) return AppendTuple(*this, /*typed=*/false, out);
  if (shape_.IsArray()) return AppendArray(*this, out);
  out->Append(PrimitiveTypeName(element_type()));
}

void Literal::AppendTypedTo(TextSink* out) const {
  if (shape_.IsTuple()) return AppendTuple(*this, /*typed=*/true, out);
  if (!shape_.IsArray()) return AppendTo(out);
  out->Through([&](std::string* text) { shape_.AppendTo(text); });
  if (shape_.is_dynamic()) {
    absl::string_view separator = "(";
    for (int64_t i = 0; i < shape_.rank(); ++i) {
      out->AppendAll(separator, dynamic_size(i));
      separator = ",";
    }
    out->Append(')');
  }
  out->Append(' ');
  AppendArray(*this, out);
}

void Literal::AppendTo(std::string* out) const {
  TextSink sink(out);
  AppendTo(&sink);
}

void Literal::AppendTypedTo(std::string* out) const {
  TextSink sink(out);
  AppendTypedTo(&sink);
}

std::string Literal::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

}  // namespace hlokit
