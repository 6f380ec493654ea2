#include "backends/interpreter/plan.h"

#include <algorithm>
#include <string>

#include "base/status.h"
#include "hlo/ir/module.h"

namespace hlokit::interpreter {
namespace {

constexpr uint32_t kNoSlot = ~uint32_t{0};

bool IsElementOfParameter(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kGetTupleElement &&
         instruction.operand_count() == 1 &&
         instruction.operand(0)->opcode() == Opcode::kParameter;
}

std::vector<const Instruction*> Order(const Computation& computation) {
  std::vector<const Instruction*> order;
  const std::vector<Instruction*> given =
      computation.module()->ExecutionOrder(computation);
  order.reserve(given.size());
  for (const Instruction* instruction : given) {
    if (IsElementOfParameter(*instruction)) continue;
    order.push_back(instruction);
    if (instruction->opcode() != Opcode::kParameter) continue;
    for (const Instruction* user : instruction->users()) {
      if (IsElementOfParameter(*user)) order.push_back(user);
    }
  }
  return order;
}

absl::Status CheckInstruction(const Instruction& instruction, Kernel kernel) {
  if (instruction.opcode() == Opcode::kParameter) return absl::OkStatus();
  if (kernel == nullptr) {
    return Unimplemented("%s: the interpreter cannot execute %s",
                         instruction.name(), OpcodeName(instruction.opcode()));
  }
  const int arity = InfoOf(instruction.opcode()).arity;
  if (arity >= 0 && instruction.operand_count() != arity) {
    return InvalidArgument("%s: %s takes %d operands, not %d",
                           instruction.name(), OpcodeName(instruction.opcode()),
                           arity, instruction.operand_count());
  }
  if (instruction.shape().IsOpaque() || instruction.shape().IsBuffer()) {
    return Unimplemented("%s: the interpreter has no values of %s",
                         instruction.name(), instruction.shape().ToString());
  }
  absl::Status size = CheckLiteralSize(instruction.shape(), kMaxValueBytes);
  return size.ok() ? size : Annotate(size, instruction.name());
}

// Whether the value has no elements and the instruction does nothing else.
// Kernels need not care for such arrays then, whose other sizes may be huge.
bool HasNothingToCompute(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kCustomCall:
    case Opcode::kWhile:
      return false;
    default:
      return instruction.shape().IsArray() && instruction.shape().is_static() &&
             ElementsIn(instruction.shape()) == 0 &&
             !instruction.HasSideEffect() &&
             InfoOf(instruction.opcode()).family != OpFamily::kAsync;
  }
}

absl::StatusOr<Literal> MakeNothing(Context&, const Instruction& instruction,
                                    absl::Span<const Literal* const>) {
  return Literal::Zeros(instruction.shape());
}

// Marks the last use of each slot.
void MarkDeaths(Plan* plan) {
  std::vector<char> used(plan->steps.size(), 0);
  used[plan->root_slot] = 1;
  for (size_t i = plan->operand_slots.size(); i-- > 0;) {
    char& seen = used[plan->operand_slots[i]];
    plan->operand_dies[i] = !seen;
    seen = 1;
  }
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    plan->steps[i].unused = !used[i];
  }
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const Computation& computation) {
  if (computation.root() == nullptr) {
    return InvalidArgument("%s has no root", computation.name());
  }
  Plan plan;
  std::vector<uint32_t> slots(computation.id_limit(), kNoSlot);
  for (const Instruction* instruction : Order(computation)) {
    PlanStep step;
    step.instruction = instruction;
    step.kernel = HasNothingToCompute(*instruction)
                      ? MakeNothing
                      : KernelOf(instruction->opcode());
    HLOKIT_RETURN_IF_ERROR(CheckInstruction(*instruction, step.kernel));
    if (instruction->opcode() == Opcode::kParameter) step.kernel = nullptr;
    step.first_operand = plan.operand_slots.size();
    step.operand_count = instruction->operand_count();
    if (step.kernel != nullptr && instruction->shape().IsArray()) {
      const int64_t bytes = ElementsIn(instruction->shape()) *
                            StorageBytes(instruction->shape().element_type());
      if (bytes >= kLargeResultBytes) step.large_bytes = bytes;
    }
    plan.max_operands = std::max(plan.max_operands, step.operand_count);
    for (const Instruction* operand : instruction->operands()) {
      const uint32_t slot =
          operand->parent() == &computation ? slots[operand->id()] : kNoSlot;
      if (slot == kNoSlot) {
        return InvalidArgument("%s runs %s before its operand %s",
                               computation.name(), instruction->name(),
                               operand->name());
      }
      plan.operand_slots.push_back(slot);
    }
    slots[instruction->id()] = plan.steps.size();
    plan.steps.push_back(step);
  }
  plan.root_slot = slots[computation.root()->id()];
  if (plan.root_slot == kNoSlot) {
    return InvalidArgument("the order of %s leaves out its root",
                           computation.name());
  }
  plan.operand_dies.resize(plan.operand_slots.size());
  MarkDeaths(&plan);
  return plan;
}

}  // namespace hlokit::interpreter
