#include "passes/collectives/async_pair.h"

#include <string>
#include <utility>
#include <vector>

#include "passes/builders.h"

namespace hlokit {
namespace {

constexpr char kAsyncName[] = "async_collective_name";

struct AsyncForm {
  Opcode start, done, synchronous;
};
constexpr AsyncForm kAsyncForms[] = {
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, Opcode::kAllGather},
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, Opcode::kAllReduce},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone,
     Opcode::kCollectivePermute},
};

bool IsWrappable(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

// Whether the computation is one collective of its parameters in their order.
bool IsOneCollective(const Computation& wrapped) {
  const Instruction* root = wrapped.root();
  if (!IsWrappable(root->opcode()) ||
      root->operand_count() != wrapped.parameter_count() ||
      wrapped.instruction_count() != root->operand_count() + 1) {
    return false;
  }
  for (int64_t k = 0; k < root->operand_count(); ++k) {
    if (root->operand(k) != wrapped.parameter(k)) return false;
  }
  return true;
}

// The instructions between two ends of a chain of operands 0, both included,
// the last first; empty when it branches.
std::vector<Instruction*> ChainOf(Instruction* start, Instruction* done) {
  std::vector<Instruction*> chain = {done};
  while (chain.back() != start) {
    Instruction* next = chain.back()->operand(0);
    if (next->user_count() != 1 || next->IsRoot()) return {};
    chain.push_back(next);
  }
  return chain;
}

void CarryControl(const std::vector<Instruction*>& chain, Instruction* to) {
  const auto outside = [&](Instruction* i) {
    for (const Instruction* link : chain) {
      if (link == i) return false;
    }
    return true;
  };
  for (const Instruction* link : chain) {
    for (Instruction* p : link->control_predecessors()) {
      if (outside(p)) to->AddControlPredecessor(p);
    }
    for (Instruction* s : link->control_successors()) {
      if (outside(s)) s->AddControlPredecessor(to);
    }
  }
}

}  // namespace

Instruction* StartOfCollective(const Instruction& done) {
  Instruction* start = nullptr;
  for (const AsyncForm& form : kAsyncForms) {
    if (done.opcode() == form.done &&
        done.operand(0)->opcode() == form.start) {
      start = done.operand(0);
    }
  }
  if (done.opcode() == Opcode::kAsyncDone) {
    const Computation* wrapped = done.async_wrapped_computation();
    if (wrapped != nullptr && IsOneCollective(*wrapped)) {
      start = const_cast<Instruction*>(done.AsyncStart());
    }
  }
  if (start == nullptr) return nullptr;
  return ChainOf(start, const_cast<Instruction*>(&done)).empty() ? nullptr
                                                                  : start;
}

Instruction* MakeSynchronous(Instruction* start, Instruction* done) {
  Computation* computation = start->parent();
  const std::vector<Instruction*> chain = ChainOf(start, done);
  Instruction* made = nullptr;
  if (start->opcode() == Opcode::kAsyncStart) {
    made = computation->AddClone(*done->async_wrapped_instruction(),
                                 done->shape(), start->operands());
    made->set_metadata(start->shared_metadata());
  } else {
    Opcode opcode = Opcode::kAllReduce;
    for (const AsyncForm& form : kAsyncForms) {
      if (start->opcode() == form.start) opcode = form.synchronous;
    }
    Builder b(start);
    made = b.OpOfShape(opcode, done->shape(), start->operands(),
                       start->attrs(), start->called_computations());
  }
  FrontendAttributes frontend;
  for (const Instruction* i : {made, start}) {
    const auto* has =
        i->attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
    if (has != nullptr) frontend.insert(has->begin(), has->end());
  }
  frontend[kAsyncName] = std::string(start->name());
  made->mutable_attrs().SetShared(AttrId::kFrontendAttributes,
                                  std::move(frontend));
  CarryControl(chain, made);
  done->ReplaceAllUsesWith(made);
  for (Instruction* link : chain) {
    link->DropControlDependencies();
    computation->Remove(link);
  }
  return made;
}

}  // namespace hlokit
