#include <cstdint>

#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

constexpr int64_t kHostMemorySpace = 5;

bool InHostMemory(const Shape& shape) {
  return shape.has_layout() &&
         shape.layout().memory_space == kHostMemorySpace;
}

bool Tiled(const Shape& shape) {
  return shape.has_layout() && !shape.layout().tiles.empty();
}

// Types of `actual` and `wanted` are the same where `wanted` says so: parts
// whose layout it leaves open fit any.
bool FitsLayout(const Shape& actual, const Shape& wanted) {
  if (wanted.IsTuple()) {
    if (!actual.IsTuple() ||
        actual.tuple_shapes().size() != wanted.tuple_shapes().size()) {
      return false;
    }
    for (size_t i = 0; i < wanted.tuple_shapes().size(); ++i) {
      if (!FitsLayout(actual.tuple_shape(i), wanted.tuple_shape(i))) {
        return false;
      }
    }
    return true;
  }
  ShapeEqual equal;
  equal.ignore_layout = !wanted.has_layout() || !actual.has_layout();
  equal.ignore_tiles = true;
  equal.ignore_tail_padding = true;
  equal.ignore_memory_space = true;
  return equal(actual, wanted);
}

void CheckEntryType(const Instruction& i, const Shape& wanted,
                    absl::string_view what, Checker& checker) {
  bool fits = checker.options().layout_sensitive
                  ? FitsLayout(i.shape(), wanted)
                  : ShapesCompatible(i.shape(), wanted);
  if (fits) return;
  checker.Reportf(&i, "entry layout",
                  "entry_computation_layout says %s for the %s, declared %s",
                  wanted.ToString(), what, i.shape().ToString());
}

// An operation whose operands and result must lie in memory alike unless the
// layout assignment put a copy between them.
bool KeepsLayout(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kClamp:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kPad:
    case Opcode::kReduceWindow:
    case Opcode::kReverse:
    case Opcode::kSelectAndScatter:
    case Opcode::kSlice:
    case Opcode::kSort:
      return true;
    default:
      return IsElementwise(opcode);
  }
}

}  // namespace

void CheckBitcast(const Instruction& i, Checker& checker) {
  if (!checker.options().layout_sensitive) return;
  const Instruction& source = *i.operand(0);
  const Shape& from = source.shape();
  const Shape& to = i.shape();
  if (!checker.options().allow_bitcast_to_have_different_size &&
      from.IsArray() && to.IsArray() && !Tiled(from) && !Tiled(to) &&
      ByteSizeOf(from) != ByteSizeOf(to)) {
    checker.Reportf(&i, "bitcast",
                    "%s has %d bytes, %s has %d", infer::TypeText(from),
                    ByteSizeOf(from), infer::TypeText(to), ByteSizeOf(to));
  }
  if (source.opcode() != Opcode::kConstant &&
      InHostMemory(from) != InHostMemory(to)) {
    checker.Report(&i, "bitcast",
                   "a bitcast cannot move between host and device memory");
  }
}

void CheckCopy(const Instruction& i, Checker& checker) {
  const Shape& from = i.operand(0)->shape();
  const Shape& to = i.shape();
  if (InHostMemory(from) == InHostMemory(to)) return;
  ShapeEqual equal;
  equal.ignore_memory_space = true;
  equal.ignore_layout = !checker.options().layout_sensitive;
  if (equal(from, to)) return;
  checker.Reportf(&i, "memory space",
                  "a copy between host and device changes the type from %s to "
                  "%s",
                  from.ToString(), to.ToString());
}

void CheckLayoutChange(const Instruction& i, Checker& checker) {
  if (!checker.options().verify_layouts_kept ||
      !checker.options().layout_sensitive || !KeepsLayout(i.opcode())) {
    return;
  }
  if (!i.shape().IsArray() || !i.shape().has_layout()) return;
  for (const Instruction* operand : i.operands()) {
    const Shape& shape = operand->shape();
    if (!shape.IsArray() || !shape.has_layout() ||
        shape.rank() != i.shape().rank() ||
        shape.layout().minor_to_major == i.shape().layout().minor_to_major) {
      continue;
    }
    checker.Reportf(&i, "layout",
                    "%s cannot change the layout: operand %%%s is %s, "
                    "declared %s",
                    OpcodeName(i.opcode()), operand->name(), shape.ToString(),
                    i.shape().ToString());
  }
}

void CheckHostMemory(const Instruction& i, Checker& checker) {
  if (!checker.options().verify_no_host_memory_space) return;
  bool host = false;
  ForEachLeaf(i.shape(), [&](const Shape& leaf, const ShapeIndex&) {
    host = host || InHostMemory(leaf);
  });
  if (!host) return;
  checker.Reportf(&i, "memory space", "host memory is not supported: %s",
                  i.shape().ToString());
}

void CheckEntryLayout(Checker& checker) {
  const Module& module = checker.module();
  if (!module.entry_layout.has_value()) return;
  const ProgramShape& layout = *module.entry_layout;
  const Computation& entry = *module.entry();
  int64_t count = layout.parameters.size();
  if (count != entry.parameter_count()) {
    checker.Reportf(nullptr, "entry layout",
                    "entry_computation_layout has %d parameters, the entry %d",
                    count, entry.parameter_count());
    return;
  }
  for (int64_t n = 0; n < count; ++n) {
    CheckEntryType(*entry.parameter(n), layout.parameters[n], "parameter",
                   checker);
  }
  CheckEntryType(*entry.root(), layout.result, "result", checker);
}

}  // namespace hlokit::verify
