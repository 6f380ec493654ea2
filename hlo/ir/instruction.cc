#include "hlo/ir/instruction.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {
namespace {

bool CallsSideEffects(const Instruction& instruction,
                      absl::flat_hash_set<const Computation*>* seen);

bool HasSideEffectItself(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
      return true;
    case Opcode::kAllReduce:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
      return i.attrs().Has(AttrId::kChannelId) &&
             i.attrs().GetBool(AttrId::kConstrainLayout);
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
      return true;
    case Opcode::kCustomCall:
      return i.attrs().GetBool(AttrId::kCustomCallHasSideEffect);
    default:
      return false;
  }
}

bool CallsSideEffects(const Instruction& instruction,
                      absl::flat_hash_set<const Computation*>* seen) {
  if (HasSideEffectItself(instruction)) return true;
  for (const Computation* called : instruction.called_computations()) {
    if (!seen->insert(called).second) continue;
    for (const Instruction* inner : called->instructions()) {
      if (CallsSideEffects(*inner, seen)) return true;
    }
  }
  return false;
}

template <typename Vector>
void EraseFirst(Vector& values, Instruction* value) {
  auto it = std::find(values.begin(), values.end(), value);
  if (it != values.end()) values.erase(it);
}

}  // namespace

Instruction::~Instruction() = default;

void InstructionDeleter::operator()(Instruction* instruction) const {
  InstructionPool& pool = instruction->module()->pool_;
  instruction->~Instruction();
  pool.Free(instruction);
}

int64_t Instruction::OperandIndex(const Instruction* operand) const {
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i] == operand) return i;
  }
  return -1;
}

void Instruction::set_literal(Literal literal) {
  attrs_.SetShared(AttrId::kLiteral, std::move(literal));
}

ComparisonType Instruction::comparison_type() const {
  if (const int64_t* type = attrs_.Get<int64_t>(AttrId::kComparisonType)) {
    return static_cast<ComparisonType>(*type);
  }
  const PrimitiveType type = operands_.empty()
                                 ? kInvalid
                                 : operands_[0]->shape().element_type();
  if (IsFloatType(type) || IsComplexType(type)) return ComparisonType::kFloat;
  return IsSignedIntType(type) ? ComparisonType::kSigned
                               : ComparisonType::kUnsigned;
}

const OpMetadata& Instruction::metadata() const {
  static const OpMetadata* empty = new OpMetadata;
  return metadata_ ? *metadata_ : *empty;
}

void Instruction::set_metadata(OpMetadata metadata) {
  metadata_ = std::make_shared<const OpMetadata>(std::move(metadata));
}

void Instruction::set_called_computations(
    std::vector<Computation*> computations) {
  for (Computation* called : called_computations()) called->RemoveCall(this);
  for (Computation* called : computations) called->AddCall(this);
  if (computations.empty() && !rare_) return;
  module()->CallsChanged();
  if (!computations.empty()) parent_->calling_ids_.push_back(id_);
  rare().called = std::move(computations);
}

void Instruction::ReplaceCalledComputation(Computation* from,
                                           Computation* to) {
  std::vector<Computation*> computations(called_computations().begin(),
                                         called_computations().end());
  std::replace(computations.begin(), computations.end(), from, to);
  set_called_computations(std::move(computations));
}

void Instruction::AddControlPredecessor(Instruction* predecessor) {
  parent_->OrderChanged();
  auto& mine = rare().control_predecessors;
  if (std::find(mine.begin(), mine.end(), predecessor) != mine.end()) return;
  mine.push_back(predecessor);
  predecessor->rare().control_successors.push_back(this);
}

void Instruction::DropControlDependencies() {
  if (!rare_) return;
  parent_->OrderChanged();
  for (Instruction* p : rare_->control_predecessors) {
    EraseFirst(p->rare().control_successors, this);
  }
  for (Instruction* s : rare_->control_successors) {
    EraseFirst(s->rare().control_predecessors, this);
  }
  rare_->control_predecessors.clear();
  rare_->control_successors.clear();
}

bool Instruction::IsUsedBy(const Instruction* user) const {
  return user_count() > user->operand_count() ? user->IsUserOf(this)
                                              : users_.Contains(user);
}

void Instruction::AppendOperand(Instruction* operand) {
  parent_->OrderChanged();
  if (!operand->users_.EndsWith(this) && !operand->IsUsedBy(this)) {
    operand->users_.Add(this);
  }
  operands_.push_back(operand);
}

void Instruction::ReplaceOperand(int64_t i, Instruction* operand) {
  Instruction* old = operands_[i];
  if (old == operand) return;
  parent_->OrderChanged();
  const bool known = operand->IsUsedBy(this);
  operands_[i] = operand;
  if (!IsUserOf(old)) old->users_.Remove(this);
  if (!known) operand->users_.Add(this);
}

void Instruction::ReplaceAllUsesWith(Instruction* other) {
  ReplaceUsesExcept(nullptr, other);
  if (IsRoot()) parent_->set_root(other);
}

void Instruction::ReplaceUsesExcept(Instruction* except, Instruction* other) {
  if (other == this) return;
  parent_->OrderChanged();
  for (Instruction* user : users_.TakeAll()) {
    if (user == except || user == other) {
      users_.Add(user);
      continue;
    }
    const bool known = other->IsUsedBy(user);
    for (Instruction*& operand : user->operands_) {
      if (operand == this) operand = other;
    }
    if (!known) other->users_.Add(user);
  }
}

const Instruction* Instruction::AsyncStart() const {
  const Instruction* i = this;
  while (i->opcode_ == Opcode::kAsyncUpdate ||
         i->opcode_ == Opcode::kAsyncDone) {
    if (i->operands_.empty()) return nullptr;
    i = i->operands_[0];
  }
  return i->opcode_ == Opcode::kAsyncStart ? i : nullptr;
}

Computation* Instruction::async_wrapped_computation() const {
  const Instruction* start = AsyncStart();
  if (start == nullptr || start->called_computations().empty()) return nullptr;
  return start->called_computation(0);
}

Instruction* Instruction::async_wrapped_instruction() const {
  Computation* wrapped = async_wrapped_computation();
  return wrapped == nullptr ? nullptr : wrapped->root();
}

bool Instruction::HasSideEffect() const {
  absl::flat_hash_set<const Computation*> seen;
  return CallsSideEffects(*this, &seen);
}

}  // namespace hlokit
