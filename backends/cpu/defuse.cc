#include "backends/cpu/defuse.h"

#include <vector>

#include "backends/cpu/emit/elemental.h"
#include "backends/cpu/native_kernel.h"
#include "passes/control/inline.h"

namespace hlokit::cpu {
namespace {

// Multiplications of a dot that are worth a kernel's call.
constexpr int64_t kSmallDot = 1 << 12;

int64_t Multiplications(const Instruction& dot) {
  int64_t count = ElementsIn(dot.shape());
  const Shape& lhs = dot.operand(0)->shape();
  for (int64_t d : dot.attrs().GetList(AttrId::kLhsContractingDims)) {
    count *= lhs.dimension(d);
  }
  return count;
}

bool StaysFused(const Instruction& fusion) {
  const Instruction* only = OnlyInstruction(fusion);
  if (only != nullptr && NativeKernelOf(only->opcode()) != nullptr) return true;
  const Computation& body = *fusion.called_computation(0);
  if (!IsElemental(body)) return false;
  for (const Instruction* i : body.instructions()) {
    if (i->opcode() == Opcode::kDot && Multiplications(*i) > kSmallDot) {
      return false;
    }
  }
  return true;
}

}  // namespace

const Instruction* OnlyInstruction(const Instruction& fusion) {
  const Instruction& root = *fusion.called_computation(0)->root();
  if (root.opcode() == Opcode::kParameter || root.opcode() == Opcode::kTuple) {
    return nullptr;
  }
  for (const Instruction* operand : root.operands()) {
    if (operand->opcode() != Opcode::kParameter) return nullptr;
  }
  return &root;
}

bool DefuseWhatIsNotCompiled(Module* module) {
  std::vector<Instruction*> apart;
  for (const auto& computation : module->computations()) {
    if (computation->IsFusionComputation()) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kFusion && !StaysFused(*i)) {
        apart.push_back(i);
      }
    }
  }
  for (Instruction* fusion : apart) InlineCall(fusion);
  if (apart.empty()) return false;
  module->RemoveUnreachableComputations();
  module->schedule.reset();
  return true;
}

}  // namespace hlokit::cpu
