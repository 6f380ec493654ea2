#include "passes/expand/op_expander.h"

#include <vector>

#include "base/status.h"

namespace hlokit {
namespace {

// The sharding of the old instruction is right for new arrays of its
// dimensions.
void CarrySharding(const Instruction& old, int64_t first_new) {
  const AttrValue* sharding = old.attrs().Find(AttrId::kSharding);
  if (sharding == nullptr || !old.shape().IsArray()) return;
  const Computation& computation = *old.parent();
  for (int64_t id = first_new; id < computation.id_limit(); ++id) {
    Instruction* i = computation.InstructionById(id);
    if (i != nullptr && i->shape().IsArray() &&
        SameDimensions(i->shape(), old.shape()) &&
        !i->attrs().Has(AttrId::kSharding)) {
      i->mutable_attrs().Set(AttrId::kSharding, *sharding);
    }
  }
}

void CarryOver(const Instruction& old, Instruction* replacement) {
  if (ShapesCompatible(replacement->shape(), old.shape())) {
    replacement->set_shape(old.shape());
  }
  for (AttrId id :
       {AttrId::kSharding, AttrId::kFrontendAttributes, AttrId::kOrigin}) {
    const AttrValue* value = old.attrs().Find(id);
    if (value != nullptr && !replacement->attrs().Has(id)) {
      replacement->mutable_attrs().Set(id, *value);
    }
  }
}

// What an asynchronous operation wraps must stay a single operation.
bool IsAsyncWrapped(const Computation& computation) {
  for (const Instruction* caller : computation.callers()) {
    if (caller->opcode() == Opcode::kAsyncStart) {
      return computation.execution_thread().empty();
    }
  }
  return false;
}

}  // namespace

bool IsStatic(const Instruction& i) {
  for (const Instruction* operand : i.operands()) {
    if (operand->shape().is_dynamic()) return false;
  }
  return i.shape().is_static();
}

absl::StatusOr<bool> OpExpander::Run(Module* module) {
  std::vector<Instruction*> matches;
  for (const auto& computation : module->computations()) {
    if (computation->IsFusionComputation() || !RunsOn(*computation) ||
        IsAsyncWrapped(*computation)) {
      continue;
    }
    for (Instruction* i : computation->PostOrder()) {
      if (Matches(*i)) matches.push_back(i);
    }
  }
  for (Instruction* i : matches) {
    Emitter e(i);
    const int64_t first_new = i->parent()->id_limit();
    HLOKIT_ASSIGN_OR_RETURN(Instruction * replacement, Expand(i, e));
    // What was there before keeps what it has.
    if (replacement->id() >= first_new) {
      CarrySharding(*i, first_new);
      CarryOver(*i, replacement);
    }
    ReplaceInstruction(i, replacement);
  }
  if (!matches.empty()) module->schedule.reset();
  return !matches.empty();
}

}  // namespace hlokit
