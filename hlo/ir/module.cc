#include "hlo/ir/module.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/base/const_init.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/sharding.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

// Held to keep the order of a module's computations; this is rare and quick.
absl::Mutex topology_mutex(absl::kConstInit);

constexpr size_t kNameBlockBytes = 64 << 10;

// Which computations were met: those of one module, and whatever they call that
// has not joined it.
class Met {
 public:
  explicit Met(const Module& module)
      : module_(module), joined_(module.computation_count()) {}

  bool Contains(const Computation& c) const {
    return IsJoined(c) ? joined_[c.position()] : others_.contains(&c);
  }
  // False if it was met before.
  bool Insert(const Computation& c) {
    if (!IsJoined(c)) return others_.insert(&c).second;
    if (joined_[c.position()]) return false;
    return joined_[c.position()] = true;
  }

 private:
  bool IsJoined(const Computation& c) const {
    return c.position() >= 0 && c.module() == &module_;
  }
  const Module& module_;
  std::vector<bool> joined_;  // by position
  absl::flat_hash_set<const Computation*> others_;
};

// Depth-first post-order over called computations, without recursion.
void VisitCallees(Computation* from, Met* met,
                  std::vector<Computation*>* order) {
  if (!met->Insert(*from)) return;
  struct Frame {
    Computation* computation;
    std::vector<Instruction*> calling;
    size_t instruction = 0;
    size_t callee = 0;

    Computation* Next() {
      for (; instruction < calling.size(); ++instruction, callee = 0) {
        const auto called = calling[instruction]->called_computations();
        if (callee < called.size()) return called[callee++];
      }
      return nullptr;
    }
  };
  std::vector<Frame> stack;
  auto enter = [&](Computation* c) {
    if (c->HasCalls()) {
      stack.push_back({c, c->CallingInstructions()});
    } else {
      order->push_back(c);
    }
  };
  enter(from);
  while (!stack.empty()) {
    Computation* callee = stack.back().Next();
    if (callee == nullptr) {
      order->push_back(stack.back().computation);
      stack.pop_back();
    } else if (met->Insert(*callee)) {
      enter(callee);
    }
  }
}

// Copies the instructions of `source` into `target`. `computations` maps the
// called computations, `instructions` receives the instructions' copies.
void CopyInstructions(
    const Computation& source,
    const absl::flat_hash_map<const Computation*, Computation*>& computations,
    bool keep_ids, Computation* target,
    absl::flat_hash_map<const Instruction*, Instruction*>* instructions) {
  for (const Instruction* i : source.instructions()) {
    Instruction* copy =
        keep_ids ? target->AddWithId(i->opcode(), i->shape(), i->id(), i->name())
                 : (i->opcode() == Opcode::kParameter
                        ? target->AddParameter(i->parameter_number(),
                                               i->shape(), i->name())
                        : target->Add(i->opcode(), i->shape(), {}, i->name()));
    copy->set_number(i->parameter_number());
    copy->mutable_attrs() = i->attrs();
    copy->set_metadata(i->shared_metadata());
    std::vector<Computation*> called;
    for (Computation* c : i->called_computations()) {
      auto it = computations.find(c);
      called.push_back(it == computations.end() ? c : it->second);
    }
    copy->set_called_computations(std::move(called));
    (*instructions)[i] = copy;
  }
  for (const Instruction* i : source.instructions()) {
    Instruction* copy = (*instructions)[i];
    for (const Instruction* operand : i->operands()) {
      copy->AppendOperand((*instructions)[operand]);
    }
    for (const Instruction* predecessor : i->control_predecessors()) {
      copy->AddControlPredecessor((*instructions)[predecessor]);
    }
  }
  target->set_root(source.root() ? (*instructions)[source.root()] : nullptr);
  target->set_execution_thread(source.execution_thread());
}

}  // namespace

Module::Module(absl::string_view name) : name_(name) {}
Module::~Module() = default;

absl::string_view Module::Keep(absl::string_view text) {
  if (text.size() > name_block_left_) {
    const size_t size = std::max(text.size(), kNameBlockBytes);
    name_blocks_.push_back(std::make_unique<char[]>(size));
    name_block_next_ = name_blocks_.back().get();
    name_block_left_ = size;
  }
  if (!text.empty()) std::memcpy(name_block_next_, text.data(), text.size());
  const absl::string_view kept(name_block_next_, text.size());
  name_block_next_ += text.size();
  name_block_left_ -= text.size();
  return kept;
}

Computation* Module::AddComputation(std::unique_ptr<Computation> computation,
                                    int64_t id) {
  Computation* c = computation.get();
  c->id_ = id >= 0 ? id : next_computation_id_;
  next_computation_id_ = std::max(next_computation_id_, c->id_ + 1);
  if (!computation_names_.Take(c->name_)) {
    c->name_ = Keep(computation_names_.Unique(c->name_));
  }
  for (Instruction* i : c->instructions()) {
    if (instruction_names_.Take(i->name_)) continue;
    i->name_ = Keep(instruction_names_.Unique(i->name_));
  }
  c->position_ = computation_count();
  computations_.push_back(std::move(computation));
  CallsChanged();
  return c;
}

Computation* Module::AddEntryComputation(
    std::unique_ptr<Computation> computation, int64_t id) {
  entry_ = AddComputation(std::move(computation), id);
  return entry_;
}

void Module::RemoveComputation(Computation* computation) {
  HLOKIT_CHECK(computation->callers().empty() && computation != entry_);
  for (Instruction* i : computation->CallingInstructions()) {
    i->set_called_computations({});
  }
  if (schedule) schedule->erase(computation);
  EraseComputations([&](const Computation& c) { return &c == computation; });
}

template <typename Fn>
void Module::EraseComputations(Fn gone) {
  CallsChanged();
  computations_.erase(
      std::remove_if(computations_.begin(), computations_.end(),
                     [&](const auto& c) { return gone(*c); }),
      computations_.end());
  for (size_t i = 0; i < computations_.size(); ++i) {
    computations_[i]->position_ = i;
  }
}

bool Module::RemoveUnreachableComputations() {
  Met reached(*this);
  std::vector<Computation*> order;
  if (entry_ != nullptr) VisitCallees(entry_, &reached, &order);
  bool changed = false;
  for (auto& c : computations_) {
    if (reached.Contains(*c)) continue;
    for (Instruction* i : c->CallingInstructions()) {
      i->set_called_computations({});
    }
    if (schedule) schedule->erase(c.get());
    changed = true;
  }
  if (!changed) return false;
  EraseComputations([&](const Computation& c) { return !reached.Contains(c); });
  return true;
}

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const auto& c : computations_) count += c->instruction_count();
  return count;
}

Computation* Module::FindComputation(absl::string_view name) const {
  for (const auto& c : computations_) {
    if (c->name() == name) return c.get();
  }
  return nullptr;
}

std::vector<Computation*> Module::PrintOrder() const {
  std::vector<Computation*> order;
  order.reserve(computations_.size());
  Met met(*this);
  for (const auto& c : computations_) {
    if (c->callers().empty()) VisitCallees(c.get(), &met, &order);
  }
  // Only recursion, which the verifier refuses, leaves some behind.
  for (const auto& c : computations_) VisitCallees(c.get(), &met, &order);
  return order;
}

bool Module::CallsGoBack() const {
  for (const auto& c : computations_) {
    for (int64_t id : c->calling_ids_) {
      const Instruction* i = c->InstructionById(id);
      if (i == nullptr) continue;
      for (const Computation* called : i->called_computations()) {
        if (called->module() != this || called->position_ < 0 ||
            called->position_ >= c->position_) {
          return false;
        }
      }
    }
  }
  return true;
}

std::vector<Computation*> Module::TopologicalOrder() const {
  if (!topological_order_known_.load(std::memory_order_acquire)) {
    std::vector<Computation*> order = FindTopologicalOrder();
    // Several threads may have come here; they all found the same.
    absl::MutexLock lock(&topology_mutex);
    if (!topological_order_known_.load(std::memory_order_relaxed)) {
      topological_order_ = std::move(order);
      topological_order_known_.store(true, std::memory_order_release);
    }
  }
  return topological_order_;
}

std::vector<Computation*> Module::FindTopologicalOrder() const {
  // Joining order is topological for every module that was parsed or read; a
  // pass may have added callees behind their callers.
  std::vector<Computation*> order;
  order.reserve(computations_.size());
  if (CallsGoBack()) {
    for (const auto& c : computations_) order.push_back(c.get());
    return order;
  }
  Met met(*this);
  for (const auto& c : computations_) VisitCallees(c.get(), &met, &order);
  return order;
}

std::unique_ptr<Module> Module::Clone() const {
  auto copy = std::make_unique<Module>(name_);
  absl::flat_hash_map<const Computation*, Computation*> computations;
  absl::flat_hash_map<const Instruction*, Instruction*> instructions;
  // All computations exist before instructions call them.
  std::vector<std::unique_ptr<Computation>> fresh;
  for (const auto& c : computations_) {
    fresh.push_back(Computation::Create(copy.get(), c->name()));
    computations[c.get()] = fresh.back().get();
  }
  for (size_t i = 0; i < computations_.size(); ++i) {
    const Computation& source = *computations_[i];
    Computation* target = fresh[i].get();
    CopyInstructions(source, computations, /*keep_ids=*/true, target,
                     &instructions);
    target->parameters_.resize(source.parameters_.size());
    for (size_t p = 0; p < source.parameters_.size(); ++p) {
      target->parameters_[p] = source.parameters_[p] == nullptr
                                   ? nullptr
                                   : instructions[source.parameters_[p]];
    }
  }
  for (size_t i = 0; i < computations_.size(); ++i) {
    Computation* target =
        copy->AddComputation(std::move(fresh[i]), computations_[i]->id());
    if (computations_[i].get() == entry_) copy->entry_ = target;
  }
  copy->next_computation_id_ = next_computation_id_;
  copy->entry_layout = entry_layout;
  if (schedule) {
    Schedule sequences;
    for (const auto& [c, sequence] : *schedule) {
      std::vector<Instruction*>& target = sequences[computations[c]];
      for (const Instruction* i : sequence) target.push_back(instructions[i]);
    }
    copy->schedule = std::move(sequences);
  }
  copy->input_output_aliases = input_output_aliases;
  copy->buffer_donors = buffer_donors;
  copy->alias_passthrough_params = alias_passthrough_params;
  copy->allow_spmd_sharding_propagation_to_parameters =
      allow_spmd_sharding_propagation_to_parameters;
  copy->allow_spmd_sharding_propagation_to_output =
      allow_spmd_sharding_propagation_to_output;
  copy->replica_count = replica_count;
  copy->num_partitions = num_partitions;
  copy->use_spmd_partitioning = use_spmd_partitioning;
  copy->frontend_attributes = frontend_attributes;
  copy->stack_frames = stack_frames;
  copy->recovery_table = recovery_table;
  copy->debug_attributes = debug_attributes;
  if (unprinted) {
    copy->unprinted = std::make_unique<xla::HloModuleProto>(*unprinted);
  }
  return copy;
}

Computation* Module::CloneComputation(const Computation& source,
                                      absl::string_view name) {
  Met met(*source.module());
  std::vector<Computation*> order;
  VisitCallees(const_cast<Computation*>(&source), &met, &order);
  absl::flat_hash_map<const Computation*, Computation*> computations;
  absl::flat_hash_map<const Instruction*, Instruction*> instructions;
  Computation* result = nullptr;
  for (Computation* c : order) {
    auto copy = Computation::Create(this, c == &source ? name : c->name());
    CopyInstructions(*c, computations, /*keep_ids=*/false, copy.get(),
                     &instructions);
    result = AddComputation(std::move(copy));
    computations[c] = result;
  }
  return result;
}

void Module::SetEntryLayoutFromEntry() {
  entry_layout = entry_->ComputeProgramShape();
}

std::vector<Instruction*> Module::ExecutionOrder(const Computation& c) const {
  if (schedule) {
    auto it = schedule->find(&c);
    if (it != schedule->end()) return it->second;
  }
  return c.PostOrder();
}

}  // namespace hlokit
