// Types and literals: "f32[2]{0} {1, 2}".
#include "fuzz/target.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::fuzz {

void FuzzLiteral(absl::string_view bytes) {
  const size_t blank = bytes.find(' ');
  if (blank == absl::string_view::npos) return;
  const auto shape = ParseShape(bytes.substr(0, blank));
  if (!shape.ok()) return;
  const auto again = ParseShape(shape->ToString());
  Require(again.ok() && *again == *shape, "a type reads back");
  const auto literal = ParseLiteral(bytes.substr(blank + 1), *shape);
  if (!literal.ok()) return;
  xla::LiteralProto proto;
  LiteralToProto(*literal, &proto);
  // As much as one value may stand for in text.
  const auto from_proto = LiteralFromProto(proto, int64_t{1} << 28);
  Require(from_proto.ok() && *from_proto == *literal, "a literal reads back");
}

}  // namespace hlokit::fuzz
