#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/ir/shape.h"

namespace hlokit {
namespace {

void AppendDimensions(const Shape& shape, std::string* out) {
  out->push_back('[');
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) out->push_back(',');
    if (shape.is_unbounded_dimension(i)) {
      out->push_back('?');
      continue;
    }
    if (shape.is_dynamic_dimension(i)) *out += "<=";
    absl::StrAppend(out, shape.dimension(i));
  }
  out->push_back(']');
}

void AppendTuple(absl::Span<const Shape> elements, bool layout,
                 std::string* out) {
  // Long tuples are hard to count in, so every fifth element is numbered.
  constexpr size_t kNumbered = 5;
  out->push_back('(');
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) *out += ", ";
    if (i > 0 && i % kNumbered == 0) absl::StrAppend(out, "/*index=", i, "*/");
    elements[i].AppendTo(out, layout);
  }
  out->push_back(')');
}

// Whether the layout is written: always for arrays with dimensions, of scalars
// only when it says anything.
bool ShowsLayout(const Shape& shape) {
  return shape.has_layout() && !shape.IsTuple() &&
         (shape.rank() > 0 || !shape.layout().IsPlain());
}

}  // namespace

void Shape::AppendTo(std::string* out, bool layout) const {
  if (IsTuple()) return AppendTuple(tuple_shapes(), layout, out);
  if (IsBuffer()) {
    *out += "b(";
    for (const Shape& array : tuple_shapes()) array.AppendTo(out, layout);
    out->push_back(')');
    return;
  }
  absl::StrAppend(out, PrimitiveTypeName(element_type()));
  AppendDimensions(*this, out);
  if (layout && ShowsLayout(*this)) this->layout().AppendTo(out);
}

std::string Shape::ToString(bool layout) const {
  std::string out;
  AppendTo(&out, layout);
  return out;
}

std::string ShapeIndexToString(absl::Span<const int64_t> index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

}  // namespace hlokit
