#include "hlo/verify/test_types.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace hlokit {
namespace {

Shape ReadType(absl::string_view* text);

Shape ReadTuple(absl::string_view* text) {
  std::vector<Shape> elements;
  while (!absl::ConsumePrefix(text, ")")) {
    absl::ConsumePrefix(text, ",");
    *text = absl::StripLeadingAsciiWhitespace(*text);
    elements.push_back(ReadType(text));
  }
  return Shape::Tuple(std::move(elements));
}

absl::string_view TakeUntil(absl::string_view* text, char end) {
  size_t length = text->find(end);
  HLOKIT_CHECK(length != absl::string_view::npos);
  absl::string_view taken = text->substr(0, length);
  text->remove_prefix(length + 1);
  return taken;
}

void ReadDimensions(absl::string_view list, Shape* shape) {
  DimensionVector sizes;
  std::vector<bool> dynamic;
  if (!list.empty()) {
    for (absl::string_view item : absl::StrSplit(list, ',')) {
      dynamic.push_back(absl::ConsumePrefix(&item, "<="));
      int64_t size = kUnboundedSize;
      HLOKIT_CHECK(item == "?" || absl::SimpleAtoi(item, &size));
      sizes.push_back(size);
    }
  }
  *shape = Shape::Array(shape->element_type(), sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (dynamic[i]) shape->set_dynamic_dimension(i, true);
  }
}

Shape ReadType(absl::string_view* text) {
  if (absl::ConsumePrefix(text, "(")) return ReadTuple(text);
  if (absl::ConsumePrefix(text, "token[]")) return Shape::Token();
  if (absl::ConsumePrefix(text, "b(")) {
    Shape array = ReadType(text);
    HLOKIT_CHECK(absl::ConsumePrefix(text, ")"));
    return Shape::Buffer(array);
  }
  auto type = PrimitiveTypeByName(TakeUntil(text, '['));
  HLOKIT_CHECK(type.has_value());
  Shape shape = Shape::Array(*type, {});
  ReadDimensions(TakeUntil(text, ']'), &shape);
  if (!absl::ConsumePrefix(text, "{")) return shape;
  Layout layout;
  absl::string_view order = TakeUntil(text, '}');
  for (absl::string_view item : absl::StrSplit(order, ',')) {
    int64_t dimension = 0;
    HLOKIT_CHECK(absl::SimpleAtoi(item, &dimension));
    layout.minor_to_major.push_back(dimension);
  }
  shape.set_layout(std::move(layout));
  return shape;
}

}  // namespace

Shape T(absl::string_view text) {
  Shape shape = ReadType(&text);
  HLOKIT_CHECK(text.empty());
  return shape;
}

Computation* Callees::Make(std::vector<std::string> parameters,
                           absl::string_view result) {
  auto computation = Computation::Create(
      &module_, absl::StrCat("callee", computations_.size()));
  std::vector<Instruction*> operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    operands.push_back(computation->AddParameter(i, T(parameters[i])));
  }
  computation->set_root(
      computation->Add(Opcode::kCustomCall, T(result), operands));
  computations_.push_back(std::move(computation));
  return computations_.back().get();
}

std::string Infer(const Query& query) {
  std::vector<Shape> shapes;
  for (const std::string& operand : query.operands) {
    shapes.push_back(T(operand));
  }
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  Shape declared = query.declared.empty() ? Shape() : T(query.declared);
  absl::StatusOr<Shape> result = InferShape(
      {.opcode = query.opcode,
       .operands = operands,
       .attrs = &query.attrs,
       .called = query.called,
       .number = query.number,
       .explicit_shape = query.declared.empty() ? nullptr : &declared});
  if (!result.ok()) return absl::StrCat("error: ", result.status().message());
  return result->ToString();
}

AttributeSet Attrs(std::initializer_list<std::pair<AttrId, AttrValue>> values) {
  AttributeSet set;
  for (const auto& [id, value] : values) set.Set(id, value);
  return set;
}

}  // namespace hlokit
