#include "passes/control/while_loop_unroller.h"

#include "passes/analysis/loop_trip_count.h"
#include "passes/builders.h"
#include "passes/control/inline.h"
#include "passes/control/while_util.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxTrips = 64;
constexpr int64_t kMaxUnrolledInstructions = 800;

bool Unroll(Instruction* loop) {
  const auto counted = FindCountedLoop(*loop);
  if (!counted.has_value() || counted->trip_count < 1 ||
      counted->trip_count > kMaxTrips || loop->HasSideEffect() ||
      counted->trip_count * loop->while_body()->instruction_count() >
          kMaxUnrolledInstructions) {
    return false;
  }
  Instruction* state = loop->operand(0);
  for (int64_t k = 0; k < counted->trip_count; ++k) {
    state = CloneBody(loop->parent(), *loop->while_body(), {state});
  }
  ReplaceInstruction(loop, state);
  return true;
}

}  // namespace

absl::StatusOr<bool> WhileLoopUnroller::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* loop : LoopsOf(*computation)) changed |= Unroll(loop);
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
