#include "hlo/wire/nesting.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/wire/part_convert.h"

namespace hlokit {
namespace {

// The messages from one module down to the module of a recovery table.
constexpr int kLevelsOfRecovery = 3;

class NestingCheck {
 public:
  explicit NestingCheck(int max_levels) : max_levels_(max_levels) {}

  bool Fits(const Shape& shape) { return LevelsOf(shape, 0) <= max_levels_; }

 private:
  // The levels of messages below the one for the shape. Shapes share parts, so
  // each part is looked at once.
  int LevelsOf(const Shape& shape, int depth) {
    const bool has_inner_shape =
        shape.IsArray() && shape.has_layout() &&
        shape.layout().physical_shape != nullptr;
    if (!shape.IsTuple() && !has_inner_shape) return 0;
    if (depth > max_levels_) return 1;
    const auto known = levels_.find(shape.identity());
    if (known != levels_.end()) return known->second;
    int levels = 0;
    for (const Shape& element : shape.tuple_shapes()) {
      levels = std::max(levels, LevelsOf(element, depth + 1));
    }
    if (has_inner_shape) {
      // In the layout's message.
      levels = LevelsOf(*shape.layout().physical_shape, depth + 2) + 1;
    }
    levels_[shape.identity()] = levels + 1;
    return levels + 1;
  }

  const int max_levels_;
  absl::flat_hash_map<const void*, int> levels_;
};

absl::Status TooDeep(const std::string& what) {
  return InvalidArgument(
      "%s is nested deeper than %d levels, which no reader of protos takes; "
      "HLO text has no such limit (--emit=text)",
      what, wire::kMaxPartNesting);
}

absl::Status CheckModule(const Module& module, int max_levels) {
  if (max_levels <= 0) return TooDeep("the origin recovery table");
  NestingCheck check(max_levels);
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const ShapeList* operands =
          i->attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
      const Shape* outfeed = i->attrs().Get<Shape>(AttrId::kOutfeedShape);
      if (check.Fits(i->shape()) &&
          (outfeed == nullptr || check.Fits(*outfeed)) &&
          (operands == nullptr ||
           std::all_of(operands->begin(), operands->end(),
                       [&](const Shape& s) { return check.Fits(s); })) &&
          (i->literal() == nullptr || check.Fits(i->literal()->shape()))) {
        continue;
      }
      return TooDeep(absl::StrCat("the shape of %", i->name()));
    }
  }
  if (module.entry_layout) {
    const ProgramShape& entry = *module.entry_layout;
    if (!check.Fits(entry.result) ||
        !std::all_of(entry.parameters.begin(), entry.parameters.end(),
                     [&](const Shape& s) { return check.Fits(s); })) {
      return TooDeep("the entry computation layout");
    }
  }
  for (const OriginalValueRecovery& entry : module.recovery_table) {
    if (entry.module == nullptr) continue;
    HLOKIT_RETURN_IF_ERROR(
        CheckModule(*entry.module, max_levels - kLevelsOfRecovery));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNesting(const Module& module) {
  return CheckModule(module, wire::kMaxPartNesting);
}

absl::Status CheckNesting(const Literal& literal) {
  if (NestingCheck(wire::kMaxPartNesting).Fits(literal.shape())) {
    return absl::OkStatus();
  }
  return TooDeep("a literal");
}

absl::Status CheckNesting(const MessageParts& parts) {
  if (parts.module != nullptr) {
    HLOKIT_RETURN_IF_ERROR(CheckNesting(*parts.module));
  }
  for (const Literal& argument : parts.arguments) {
    HLOKIT_RETURN_IF_ERROR(CheckNesting(argument));
  }
  return parts.result == nullptr ? absl::OkStatus()
                                 : CheckNesting(*parts.result);
}

}  // namespace hlokit
