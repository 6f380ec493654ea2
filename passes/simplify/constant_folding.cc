#include "passes/simplify/constant_folding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/ir/empty_rows.h"
#include "passes/builders.h"
#include "passes/constant_evaluator.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxElements = 45'000'000;
constexpr int64_t kSmallBytes = 65536;

bool IsFoldable(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConstant:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:  // what a spread scalar costs nothing
    case Opcode::kIota:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kCustomCall:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kStochasticConvert:
    case Opcode::kOptBarrier:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kReplicaId:
    case Opcode::kPartitionId:
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
    case Opcode::kSort:
    case Opcode::kScan:
      return false;
    default:
      return !IsCollective(opcode) &&
             InfoOf(opcode).family != OpFamily::kTransfer &&
             InfoOf(opcode).family != OpFamily::kAsync;
  }
}

bool MayFold(const Instruction& i) {
  if (!IsFoldable(i.opcode()) || i.operand_count() == 0 ||
      !i.shape().IsArray() || i.shape().is_dynamic() ||
      !i.control_predecessors().empty() || !i.control_successors().empty()) {
    return false;
  }
  int64_t operand_bytes = 0;
  for (const Instruction* operand : i.operands()) {
    if (operand->opcode() != Opcode::kConstant ||
        operand->shape().is_dynamic()) {
      return false;
    }
    operand_bytes += ByteSizeOf(operand->shape());
  }
  const int64_t bytes = ByteSizeOf(i.shape());
  if (ElementsIn(i.shape()) > kMaxElements ||
      operand_bytes > 8 * kMaxElements) {
    return false;
  }
  // Large dots and convolutions would take the compiler longer than the
  // program.
  if (InfoOf(i.opcode()).family == OpFamily::kDot &&
      ElementsIn(i.operand(0)->shape()) > (1 << 20)) {
    return false;
  }
  // The text of such a constant would have to leave out its rows.
  if (EmptyRows(i.shape().dimensions()) > kMaxEmptyRows) return false;
  return bytes <= std::max(kSmallBytes, 2 * operand_bytes) &&
         !i.HasSideEffect();
}

// The value to put in `i`'s place. When it must be exact, an error where the
// result depends on whether denormals are flushed, which the module does not
// say.
absl::StatusOr<Literal> ValueOf(const Instruction& i, bool exact) {
  const ConstantEvaluator& evaluate = GetConstantEvaluator();
  HLOKIT_ASSIGN_OR_RETURN(Literal value,
                          evaluate(i, /*flush_denormals=*/false));
  if (exact) {
    HLOKIT_ASSIGN_OR_RETURN(const Literal flushed,
                            evaluate(i, /*flush_denormals=*/true));
    if (flushed != value) {
      return FailedPrecondition("%s depends on how denormals are treated",
                                i.name());
    }
  }
  return value;
}

}  // namespace

absl::StatusOr<bool> ConstantFolding::Run(Module* module) {
  if (GetConstantEvaluator() == nullptr) return false;
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      // A fold takes its operands away with it when nobody else uses them, but
      // never what comes later in the order.
      if (!MayFold(*i) || (i->users().empty() && !i->IsRoot())) continue;
      absl::StatusOr<Literal> value = ValueOf(*i, exact_arithmetic());
      // What cannot be computed here is left to the program.
      if (!value.ok()) continue;
      if (!ShapesCompatible(value->shape(), i->shape())) continue;
      value->set_shape(i->shape());
      Builder b(i);
      ReplaceInstruction(i, b.Constant(*std::move(value)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
