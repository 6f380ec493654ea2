#include <cstdint>

#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

bool HasFrontendAttribute(const Instruction& i, const char* key) {
  const FrontendAttributes* attributes =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  return attributes != nullptr && attributes->contains(key);
}

// Every array part has a layout.
bool LayoutsComplete(const Shape& shape) {
  if (shape.IsArray()) return shape.has_layout();
  for (const Shape& element : shape.tuple_shapes()) {
    if (!LayoutsComplete(element)) return false;
  }
  return true;
}

void CheckConstrainedLayouts(const Instruction& i, Checker& checker) {
  const ShapeList* constraints =
      i.attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
  if (constraints == nullptr) return;
  // These say nothing about how their operands lie in memory.
  if (i.custom_call_target() == "LayoutConstraint" ||
      i.custom_call_target() == "control_dep") {
    return;
  }
  if (!LayoutsComplete(i.shape())) {
    checker.Reportf(&i, "custom-call",
                    "with operand_layout_constraints the result needs a "
                    "layout, found %s",
                    infer::TypeText(i.shape()));
  }
  int64_t count = constraints->size();
  if (count != i.operand_count()) {
    checker.Reportf(&i, "custom-call",
                    "operand_layout_constraints has %d entries, expected one "
                    "for each of %d operands",
                    count, i.operand_count());
    return;
  }
  for (int64_t n = 0; n < count; ++n) {
    const Shape& wanted = (*constraints)[n];
    if (!ShapesCompatible(wanted, i.operand(n)->shape())) {
      checker.Reportf(&i, "custom-call",
                      "operand_layout_constraints says %s for operand %d, "
                      "found %s",
                      infer::TypeText(wanted), n,
                      infer::TypeText(i.operand(n)->shape()));
    } else if (!LayoutsComplete(wanted)) {
      checker.Reportf(&i, "custom-call",
                      "operand_layout_constraints has no layout for operand "
                      "%d",
                      n);
    }
  }
}

// The type that output indices refer to: of an async-start the result part.
const Shape& AliasedResult(const Instruction& i) {
  if (i.opcode() == Opcode::kAsyncStart && i.shape().IsTuple() &&
      i.shape().tuple_shapes().size() >= 2) {
    return i.shape().tuple_shape(1);
  }
  return i.shape();
}

// T of b(T): an array and its buffer may share memory.
const Shape& WithoutBuffer(const Shape& shape) {
  return shape.IsBuffer() && shape.tuple_shapes().size() == 1
             ? shape.tuple_shape(0)
             : shape;
}

}  // namespace

void CheckOutputAliasing(const Instruction& i, Checker& checker) {
  const AliasingList* aliases =
      i.attrs().Get<AliasingList>(AttrId::kOutputToOperandAliasing);
  if (aliases == nullptr) return;
  bool types_may_differ =
      i.opcode() == Opcode::kAsyncStart ||
      HasFrontendAttribute(i, "xla_skip_custom_call_alias_shape_check");
  for (const OutputOperandAlias& alias : *aliases) {
    const Shape* result = &AliasedResult(i);
    if (!result->IndexIsValid(alias.output_index)) result = &i.shape();
    if (!result->IndexIsValid(alias.output_index)) {
      checker.Reportf(&i, "output aliasing",
                      "output index %s is not part of %s",
                      ShapeIndexToString(alias.output_index),
                      infer::TypeText(i.shape()));
      continue;
    }
    if (alias.operand < 0 || alias.operand >= i.operand_count()) {
      checker.Reportf(&i, "output aliasing",
                      "operand %d is outside of %d operands", alias.operand,
                      i.operand_count());
      continue;
    }
    const Shape& operand = i.operand(alias.operand)->shape();
    if (!operand.IndexIsValid(alias.operand_index)) {
      checker.Reportf(&i, "output aliasing",
                      "operand index %s is not part of operand %d, %s",
                      ShapeIndexToString(alias.operand_index), alias.operand,
                      infer::TypeText(operand));
      continue;
    }
    if (types_may_differ) continue;
    const Shape& out = WithoutBuffer(result->Subshape(alias.output_index));
    const Shape& in = WithoutBuffer(operand.Subshape(alias.operand_index));
    bool same = checker.options().layout_sensitive ? out == in
                                                   : ShapesCompatible(out, in);
    if (same) continue;
    checker.Reportf(&i, "output aliasing",
                    "output %s is %s, operand %d part %s is %s",
                    ShapeIndexToString(alias.output_index),
                    infer::TypeText(out), alias.operand,
                    ShapeIndexToString(alias.operand_index),
                    infer::TypeText(in));
  }
}

void CheckCustomCall(const Instruction& i, Checker& checker) {
  CheckConstrainedLayouts(i, checker);
  if (i.custom_call_target() == "GetRngSeed") {
    bool fits = i.operand_count() == 0 && i.shape().IsScalar() &&
                i.shape().element_type() == kU64;
    if (!fits) {
      checker.Reportf(&i, "custom-call",
                      "GetRngSeed takes no operands and gives u64[], found %d "
                      "operands and %s",
                      i.operand_count(), infer::TypeText(i.shape()));
    }
  }
}

}  // namespace hlokit::verify
