#include "passes/simplify/tree_reduction_rewriter.h"

#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

constexpr int64_t kBlock = 32;

// The smallest or largest value of an integer type of up to 32 bits.
bool IsLimit(const Instruction& init, bool lowest) {
  const PrimitiveType type = init.shape().element_type();
  const auto value = ScalarOfFull(&init);
  if (!value.has_value()) return false;
  if (IsFloatType(type)) return IsFull(&init, lowest ? -HUGE_VAL : HUGE_VAL);
  if (type == kPred) return IsFull(&init, lowest ? 0 : 1);
  if (!IsIntegerType(type) || BitWidth(type) > 32) return false;
  const int bits = BitWidth(type) - (IsSignedIntType(type) ? 1 : 0);
  const int64_t high = (int64_t{1} << bits) - 1;
  const int64_t low = IsSignedIntType(type) ? -high - 1 : 0;
  return value->GetAsInt64(0) == (lowest ? low : high);
}

// Whether the initial value may be taken any number of times.
bool StartsNeutral(const Instruction& i) {
  const Instruction& init = *i.operand(1);
  switch (CommutativeReducer(*i.to_apply())) {
    case Opcode::kAdd:
      return IsFull(&init, 0) || IsFull(&init, -0.0);
    case Opcode::kOr:
      return IsFull(&init, 0);
    case Opcode::kMultiply:
      return IsFull(&init, 1);
    case Opcode::kAnd:
      return init.shape().element_type() == kPred && IsFull(&init, 1);
    case Opcode::kMaximum:
      return IsLimit(init, /*lowest=*/true);
    case Opcode::kMinimum:
      return IsLimit(init, /*lowest=*/false);
    default:
      return false;
  }
}

// The reducer may compute in another type than the operand's (f32 over f16):
// then the two steps would not compose.
bool ReducesInItsType(const Instruction& i) {
  const PrimitiveType type = i.shape().element_type();
  const Computation& reducer = *i.to_apply();
  return reducer.root()->shape().element_type() == type &&
         reducer.parameter(0)->shape().element_type() == type;
}

bool IsLongReduction(const Instruction& i) {
  if (i.opcode() != Opcode::kReduce || i.operand_count() != 2 ||
      !i.shape().IsArray() || i.shape().is_dynamic() ||
      i.operand(0)->shape().is_dynamic() || i.dimensions().empty() ||
      (i.users().empty() && !i.IsRoot()) || !ReducesInItsType(i) ||
      !StartsNeutral(i)) {
    return false;
  }
  return absl::c_all_of(i.dimensions(), [&](int64_t d) {
    return i.operand(0)->shape().dimension(d) > kBlock;
  });
}

void SplitReduction(Instruction* reduce) {
  Instruction* x = reduce->operand(0);
  Window window;
  window.dimensions.resize(x->shape().rank());
  for (int64_t d : reduce->dimensions()) {
    WindowDimension& w = window.dimensions[d];
    w.size = w.stride = kBlock;
    // Whole blocks; the padding counts as the initial value.
    const int64_t rest = x->shape().dimension(d) % kBlock;
    const int64_t missing = rest == 0 ? 0 : kBlock - rest;
    w.padding_low = missing / 2;
    w.padding_high = missing - missing / 2;
  }
  Builder b(reduce);
  AttributeSet attrs;
  attrs.SetShared(AttrId::kWindow, std::move(window));
  Instruction* blocks =
      b.Op(Opcode::kReduceWindow, {x, reduce->operand(1)}, std::move(attrs),
           reduce->called_computations());
  ReplaceInstruction(reduce, b.Reduce(blocks, reduce->operand(1),
                                      reduce->dimensions(),
                                      reduce->to_apply()));
}

}  // namespace

absl::StatusOr<bool> TreeReductionRewriter::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      // What comes out of a block is short enough, or a step by itself.
      if (!IsLongReduction(*i) || i->operand(0)->opcode() == Opcode::kReduceWindow) {
        continue;
      }
      SplitReduction(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
