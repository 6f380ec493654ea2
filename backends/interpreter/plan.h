// How a computation runs: its instructions in order, where their operands lie
// in the frame, and which values nobody needs afterwards.
#ifndef HLOKIT_BACKENDS_INTERPRETER_PLAN_H_
#define HLOKIT_BACKENDS_INTERPRETER_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/interpreter/evaluator.h"
#include "hlo/ir/computation.h"

namespace hlokit::interpreter {

// Values larger than this are refused.
inline constexpr int64_t kMaxValueBytes = int64_t{1} << 34;

// Before results of this size are made, the memory of the machine is looked at.
inline constexpr int64_t kLargeResultBytes = int64_t{1} << 28;

struct PlanStep {
  const Instruction* instruction = nullptr;
  Kernel kernel = nullptr;  // null for parameters
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  // Bytes of an array result that is large enough to ask whether there is memory
  // for it; else 0.
  int64_t large_bytes = 0;
  bool unused = false;  // nobody uses the value, and it is not the root
};

// Step i's value lies in slot i of the frame.
struct Plan {
  std::vector<PlanStep> steps;
  // Of all steps, one after another: the slot of each operand, and whether the
  // value is dead after this step (set on the last of equal operands).
  std::vector<uint32_t> operand_slots;
  std::vector<char> operand_dies;
  uint32_t max_operands = 0;
  uint32_t root_slot = 0;
};

// The order is the schedule's or PostOrder(), but that elements are taken out of
// a tuple parameter at once: so the tuple itself dies early, and its parts can
// be changed in place. Fails for opcodes without kernel, values that are too
// large, and orders that run an instruction before its operands.
absl::StatusOr<Plan> MakePlan(const Computation& computation);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_PLAN_H_
