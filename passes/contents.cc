#include "passes/contents.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace hlokit {

Contents::Contents(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      bits_.set(static_cast<int>(i->opcode()));
      Add(i->shape());
    }
  }
}

void Contents::Add(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) Add(element);
    return;
  }
  bits_.set(kFirstType + static_cast<int>(shape.element_type()));
  if (!shape.IsArray()) return;
  if (shape.is_dynamic()) bits_.set(kDynamic);
  for (int64_t size : shape.dimensions()) {
    if (size == 0) bits_.set(kEmpty);
  }
}

Contents Contents::OfWords(absl::string_view words) {
  Contents contents;
  for (absl::string_view word : absl::StrSplit(words, ' ')) {
    if (word == "dynamic") {
      contents.bits_.set(kDynamic);
    } else if (word == "empty") {
      contents.bits_.set(kEmpty);
    } else if (const auto opcode = OpcodeByName(word)) {
      contents.bits_.set(static_cast<int>(*opcode));
    } else {
      const auto type = PrimitiveTypeByName(word);
      HLOKIT_CHECK(type.has_value());
      contents.bits_.set(kFirstType + static_cast<int>(*type));
    }
  }
  return contents;
}

absl::string_view WorksOn(absl::string_view pass) {
  static const auto* rows =
      new absl::flat_hash_map<absl::string_view, absl::string_view>{
#define HLO_PASS_WORKS_ON(name, words) {name, words},
#include "passes/works_on.def"
      };
  const auto row = rows->find(pass);
  return row == rows->end() ? "" : row->second;
}

}  // namespace hlokit
