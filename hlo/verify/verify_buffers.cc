#include <cstdint>

#include "absl/strings/str_cat.h"

#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

constexpr absl::string_view kBufferRule = "buffer";

bool HasBuffer(const Shape& shape) {
  if (shape.IsBuffer()) return true;
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasBuffer(element)) return true;
  }
  return false;
}

bool IsStreamAnnotated(const Instruction& i) {
  const FrontendAttributes* attributes =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  return attributes != nullptr &&
         attributes->contains("_xla_stream_annotation");
}

// Operations that a buffer may go through.
bool MayHandle(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCustomCall:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    case Opcode::kCall:
      return IsStreamAnnotated(i);
    default:
      return false;
  }
}

// The array inside of a buffer type that is exactly b(T).
const Shape* ArrayOf(const Shape& buffer) {
  return buffer.IsBuffer() && buffer.tuple_shapes().size() == 1
             ? &buffer.tuple_shape(0)
             : nullptr;
}

// Pin takes an array and gives its buffer, Unpin the reverse, CreateBuffer
// makes one from nothing.
void CheckWellKnownCall(const Instruction& i, Checker& checker) {
  absl::string_view target = i.custom_call_target();
  bool fits = true;
  if (target == "CreateBuffer") {
    fits = i.operand_count() == 0 && i.shape().IsBuffer();
  } else if (i.operand_count() != 1) {
    fits = false;
  } else {
    bool pins = target == "Pin";
    const Shape* array = ArrayOf(pins ? i.shape() : i.operand(0)->shape());
    fits = array != nullptr &&
           ShapesCompatible(*array,
                            pins ? i.operand(0)->shape() : i.shape());
  }
  if (fits) return;
  checker.Reportf(&i, kBufferRule, "%s has the wrong operands or result: %s",
                  target, infer::TypeText(i.shape()));
}

bool IsWellKnown(absl::string_view target) {
  return target == "Pin" || target == "Unpin" || target == "CreateBuffer";
}

// Pairs of `aliases` that name the operand (by number) or the output.
int64_t CountAliases(const Instruction& i, int64_t operand,
                     const ShapeIndex& index) {
  const AliasingList* aliases =
      i.attrs().Get<AliasingList>(AttrId::kOutputToOperandAliasing);
  int64_t count = 0;
  if (aliases == nullptr) return 0;
  for (const OutputOperandAlias& alias : *aliases) {
    bool same = operand >= 0 ? alias.operand == operand &&
                                   alias.operand_index == index
                             : alias.output_index == index;
    if (same) ++count;
  }
  return count;
}

void CheckCallAliases(const Instruction& i, Checker& checker) {
  for (int64_t n = -1; n < i.operand_count(); ++n) {
    const Shape& shape = n < 0 ? i.shape() : i.operand(n)->shape();
    if (!HasBuffer(shape)) continue;
    ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex& index) {
      if (!leaf.IsBuffer() || CountAliases(i, n, index) == 1) return;
      checker.Reportf(&i, kBufferRule,
                      "%s %s must be in exactly one pair of "
                      "output_to_operand_aliasing",
                      n < 0 ? "output" : "operand",
                      n < 0 ? ShapeIndexToString(index) : absl::StrCat(n));
    });
  }
}

bool Writes(const Instruction& user, const Instruction& buffer) {
  switch (user.opcode()) {
    case Opcode::kDynamicUpdateSlice:
      return user.operand_count() > 0 && user.operand(0) == &buffer;
    case Opcode::kWhile:
    case Opcode::kCustomCall:
      return true;
    default:
      return false;
  }
}

void CheckUsers(const Instruction& i, Checker& checker) {
  int64_t writers = 0;
  for (const Instruction* user : i.users()) {
    // A get-tuple-element may leave the buffer behind.
    if (!MayHandle(*user)) {
      checker.Reportf(&i, kBufferRule, "%%%s (%s) cannot take a buffer",
                      user->name(), OpcodeName(user->opcode()));
    } else if (user->opcode() == Opcode::kDynamicUpdateSlice &&
               user->operand_count() > 1 && user->operand(1) == &i) {
      checker.Reportf(&i, kBufferRule, "%%%s can only take a buffer as operand 0",
                      user->name());
    }
    if (i.shape().IsBuffer() && Writes(*user, i)) ++writers;
  }
  if (writers > 1) {
    checker.Reportf(&i, kBufferRule, "the buffer has %d writers, expected at most "
                    "one",
                    writers);
  }
}

}  // namespace

void CheckBuffers(const Instruction& i, Checker& checker) {
  if (i.opcode() == Opcode::kCustomCall) {
    if (IsWellKnown(i.custom_call_target())) {
      CheckWellKnownCall(i, checker);
    } else {
      CheckCallAliases(i, checker);
    }
  }
  if (!HasBuffer(i.shape())) return;
  if (!MayHandle(i)) {
    checker.Reportf(&i, kBufferRule, "%s cannot give a buffer",
                    OpcodeName(i.opcode()));
  } else if (i.opcode() == Opcode::kParameter && i.parent()->IsEntry()) {
    checker.Report(&i, kBufferRule, "the entry cannot take a buffer");
  }
  if (i.parent()->IsEntry() && i.IsRoot()) {
    checker.Report(&i, kBufferRule, "the entry cannot give a buffer");
  }
  CheckUsers(i, checker);
}

}  // namespace hlokit::verify
