#include "hlo/ir/computation.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "absl/base/const_init.h"
#include "absl/synchronization/mutex.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

std::unique_ptr<Computation> Computation::Create(Module* module,
                                                 absl::string_view name) {
  auto computation = std::unique_ptr<Computation>(new Computation(module));
  computation->name_ = module->Keep(name);
  return computation;
}

Computation::~Computation() = default;

OwnedInstruction Computation::Create(Opcode opcode, Shape shape, int64_t id) {
  OwnedInstruction instruction(new (module_->pool_.Allocate()) Instruction(
      this, opcode, std::move(shape)));
  instruction->id_ = id;
  return instruction;
}

Instruction* Computation::Insert(OwnedInstruction instruction,
                                 absl::string_view name) {
  if (name.empty()) name = OpcodeName(instruction->opcode());
  if (position_ >= 0) {
    instruction->name_ =
        module_->Keep(module_->instruction_names().Unique(name));
  } else {
    instruction->name_ = module_->Keep(name);
  }
  Instruction* raw = instruction.get();
  ++count_;
  OrderChanged();
  const int64_t id = raw->id_;
  if (id == id_limit()) {
    storage_.push_back(std::move(instruction));
    return raw;
  }
  if (id > id_limit()) storage_.resize(id + 1);
  storage_[id] = std::move(instruction);
  return raw;
}

Instruction* Computation::Add(Opcode opcode, Shape shape,
                              absl::Span<Instruction* const> operands,
                              absl::string_view name) {
  OwnedInstruction instruction =
      Create(opcode, std::move(shape), storage_.size());
  instruction->operands_.reserve(operands.size());
  for (Instruction* operand : operands) instruction->AppendOperand(operand);
  return Insert(std::move(instruction), name);
}

Instruction* Computation::AddWithId(Opcode opcode, Shape shape, int64_t id,
                                    absl::string_view name) {
  if (InstructionById(id) != nullptr) return nullptr;
  return Insert(Create(opcode, std::move(shape), id), name);
}

bool Computation::SetParameterNumber(Instruction* parameter, int64_t number,
                                     int64_t limit) {
  if (number < 0 || number >= limit) return false;
  if (number >= parameter_count()) parameters_.resize(number + 1);
  if (parameters_[number] != nullptr) return false;
  parameters_[number] = parameter;
  parameter->set_number(number);
  return true;
}

Instruction* Computation::AddParameter(int64_t number, Shape shape,
                                       absl::string_view name) {
  Instruction* parameter = Add(Opcode::kParameter, std::move(shape), {}, name);
  parameter->set_number(number);
  if (number >= parameter_count()) parameters_.resize(number + 1);
  parameters_[number] = parameter;
  return parameter;
}

Instruction* Computation::AddConstant(Literal literal,
                                      absl::string_view name) {
  Instruction* constant = Add(Opcode::kConstant, literal.shape(), {}, name);
  constant->set_literal(std::move(literal));
  return constant;
}

Instruction* Computation::AddTuple(absl::Span<Instruction* const> elements,
                                   absl::string_view name) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) {
    shapes.push_back(element->shape());
  }
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements, name);
}

Instruction* Computation::AddGetTupleElement(Instruction* tuple, int64_t index,
                                             absl::string_view name) {
  Instruction* element = Add(Opcode::kGetTupleElement,
                             tuple->shape().tuple_shape(index), {tuple}, name);
  element->set_number(index);
  return element;
}

Instruction* Computation::AddClone(const Instruction& original, Shape shape,
                                   absl::Span<Instruction* const> operands,
                                   absl::string_view name) {
  Instruction* clone =
      Add(original.opcode(), std::move(shape), operands,
          name.empty() ? original.name() : name);
  clone->number_ = original.number_;
  clone->attrs_ = original.attrs_;
  clone->metadata_ = original.metadata_;
  if (clone->opcode() == Opcode::kParameter) {
    if (clone->number_ >= parameter_count()) {
      parameters_.resize(clone->number_ + 1);
    }
    parameters_[clone->number_] = clone;
  }
  if (original.module() == module_ &&
      !original.called_computations().empty()) {
    clone->set_called_computations({original.called_computations().begin(),
                                    original.called_computations().end()});
  }
  return clone;
}

void Computation::Remove(Instruction* instruction) {
  HLOKIT_CHECK(instruction->users_.empty() && instruction != root_);
  instruction->DropControlDependencies();
  instruction->set_called_computations({});
  for (Instruction* operand : instruction->operands_) {
    operand->users_.Remove(instruction);
  }
  if (instruction->opcode() == Opcode::kParameter) {
    const int64_t number = instruction->parameter_number();
    if (number < parameter_count() && parameters_[number] == instruction) {
      parameters_[number] = nullptr;
    } else {
      std::replace(parameters_.begin(), parameters_.end(), instruction,
                   static_cast<Instruction*>(nullptr));
    }
  }
  if (module_->schedule) {
    auto it = module_->schedule->find(this);
    if (it != module_->schedule->end()) {
      auto& sequence = it->second;
      sequence.erase(
          std::remove(sequence.begin(), sequence.end(), instruction),
          sequence.end());
    }
  }
  --count_;
  OrderChanged();
  storage_[instruction->id_].reset();
}

void Computation::RemoveWithUnusedOperands(Instruction* instruction) {
  std::vector<Instruction*> work = {instruction};
  while (!work.empty()) {
    Instruction* next = work.back();
    work.pop_back();
    std::vector<Instruction*> operands(next->operands_.begin(),
                                       next->operands_.end());
    Remove(next);
    std::sort(operands.begin(), operands.end(),
              [](Instruction* a, Instruction* b) { return a->id_ < b->id_; });
    operands.erase(std::unique(operands.begin(), operands.end()),
                   operands.end());
    for (Instruction* operand : operands) {
      if (operand->users_.empty() && operand != root_ &&
          operand->opcode() != Opcode::kParameter &&
          operand->control_successors().empty() &&
          operand->control_predecessors().empty() &&
          !operand->HasSideEffect()) {
        work.push_back(operand);
      }
    }
  }
}

void Computation::Replace(Instruction* old, Instruction* replacement) {
  for (Instruction* p : old->control_predecessors()) {
    if (p != replacement) replacement->AddControlPredecessor(p);
  }
  const std::vector<Instruction*> successors(
      old->control_successors().begin(), old->control_successors().end());
  for (Instruction* s : successors) {
    if (s != replacement) s->AddControlPredecessor(replacement);
  }
  old->DropControlDependencies();
  old->ReplaceAllUsesWith(replacement);
  Remove(old);
}

Instruction* Computation::FindInstruction(absl::string_view name) const {
  for (Instruction* instruction : instructions()) {
    if (instruction->name() == name) return instruction;
  }
  return nullptr;
}

void Computation::RemoveParameter(int64_t number) {
  Remove(parameters_[number]);
  parameters_.erase(parameters_.begin() + number);
  for (int64_t i = number; i < parameter_count(); ++i) {
    parameters_[i]->set_number(i);
  }
}

ProgramShape Computation::ComputeProgramShape() const {
  ProgramShape shape;
  for (const Instruction* parameter : parameters_) {
    shape.parameters.push_back(parameter ? parameter->shape() : Shape());
    shape.parameter_names.emplace_back(parameter ? parameter->name() : "");
  }
  if (root_ != nullptr) shape.result = root_->shape();
  return shape;
}

Instruction* Computation::fusion_instruction() const {
  for (Instruction* caller : callers()) {
    if (caller->opcode() == Opcode::kFusion) return caller;
  }
  return nullptr;
}

bool Computation::IsEntry() const { return module_->entry() == this; }

std::vector<Instruction*> Computation::CallingInstructions() const {
  std::vector<Instruction*> calling;
  calling.reserve(calling_ids_.size());
  int64_t last = -1;
  bool sorted = true;
  for (int64_t id : calling_ids_) {
    if (id == last) continue;
    sorted = sorted && id > last;
    last = id;
    Instruction* instruction = InstructionById(id);
    if (instruction != nullptr && !instruction->called_computations().empty()) {
      calling.push_back(instruction);
    }
  }
  if (sorted) return calling;
  std::sort(calling.begin(), calling.end(),
            [](Instruction* a, Instruction* b) { return a->id_ < b->id_; });
  calling.erase(std::unique(calling.begin(), calling.end()), calling.end());
  return calling;
}

namespace {

// fn(instruction) for what the walk goes to from `from`, in its order.
template <typename Fn>
void ForEachBefore(const Instruction& from, Fn fn) {
  const auto predecessors = from.control_predecessors();
  for (auto it = predecessors.rbegin(); it != predecessors.rend(); ++it) {
    fn(**it);
  }
  for (const Instruction* operand : from.operands()) fn(*operand);
}

// Whether a post-order walk gives the instructions as they stand, `all`.
//
// For each instruction n, first[n] is a position such that a walk from n, begun
// when exactly the positions before some s are done (first[n] <= s <= n), adds
// s, s + 1, ..., n. That is so when what n uses, in the order of the walk,
// fills the positions up to n without a gap: each part is done already, or the
// walk from it goes on where things stand. By induction the whole walk adds
// 0, 1, 2, ... (Another choice of first[n] might do where this one fails; then
// the answer is false, and the walk has to be made.)
class InPostOrder {
 public:
  explicit InPostOrder(const Computation& computation)
      : position_(computation.id_limit(), kNotMet) {
    first_.reserve(computation.instruction_count());
  }

  // Whether that is so for all instructions.
  bool AddAll(const Computation& computation) {
    for (const Instruction* instruction : computation.instructions()) {
      if (!Add(*instruction)) return false;
    }
    return done_ == static_cast<int32_t>(first_.size());
  }

 private:

  // For all instructions one after another; false: no.
  bool Add(const Instruction& n) {
    const int32_t here = static_cast<int32_t>(first_.size());
    position_[n.id()] = here;
    first_.push_back(here);
    uses_.clear();
    bool good = true;
    ForEachBefore(n, [&](const Instruction& used) {
      const int32_t at = position_[used.id()];
      good = good && at != kNotMet && at != here;
      uses_.push_back(at);
    });
    if (!good || !Fill(here)) return false;
    if (n.user_count() > 0) return true;
    // A walk begins here.
    if (first_[here] > done_) return false;
    done_ = here + 1;
    return true;
  }
  bool Fill(int32_t here) {
    // The smallest beginning that may do: back from `here` over parts that end
    // where the next one begins.
    int32_t begin = here;
    for (auto it = uses_.rbegin(); it != uses_.rend(); ++it) {
      if (*it == begin - 1) begin = first_[*it];
    }
    int32_t filled = begin;
    for (int32_t at : uses_) {
      if (at < filled) continue;
      if (first_[at] > filled) return false;
      filled = at + 1;
    }
    first_[here] = begin;
    return filled == here;
  }

  static constexpr int32_t kNotMet = -1;
  // Most computations are small.
  absl::InlinedVector<int32_t, 64> position_;  // by id
  absl::InlinedVector<int32_t, 64> first_;     // by position
  absl::InlinedVector<int32_t, 16> uses_;  // of one instruction: positions
  int32_t done_ = 0;
};

absl::Mutex order_mutex(absl::kConstInit);

}  // namespace

bool Computation::IsInPostOrder() const {
  if (count_ > std::numeric_limits<int32_t>::max()) return false;
  return InPostOrder(*this).AddAll(*this);
}

std::vector<Instruction*> Computation::PostOrder() const {
  Order known = order_.load(std::memory_order_acquire);
  if (known == Order::kUnknown) {
    std::vector<Instruction*> order;
    known = IsInPostOrder() ? Order::kIds : Order::kKept;
    if (known == Order::kKept) order = WalkPostOrder();
    // Several threads may have come here; they all found the same.
    absl::MutexLock lock(&order_mutex);
    if (order_.load(std::memory_order_relaxed) == Order::kUnknown) {
      if (known == Order::kKept) {
        kept_order_ = std::make_unique<const std::vector<Instruction*>>(
            std::move(order));
      }
      order_.store(known, std::memory_order_release);
    }
  }
  if (known == Order::kKept) return *kept_order_;
  std::vector<Instruction*> order;
  order.reserve(count_);
  for (Instruction* instruction : instructions()) order.push_back(instruction);
  return order;
}

std::vector<Instruction*> Computation::WalkPostOrder() const {
  std::vector<Instruction*> order;
  order.reserve(count_);
  enum : char { kNew, kOpen, kDone };
  std::vector<char> state(storage_.size(), kNew);
  std::vector<Instruction*> stack;
  auto visit = [&](Instruction* from) {
    stack.push_back(from);
    while (!stack.empty()) {
      Instruction* top = stack.back();
      char& s = state[top->id_];
      if (s != kNew) {
        stack.pop_back();
        if (s == kOpen) {
          s = kDone;
          order.push_back(top);
        }
        continue;
      }
      s = kOpen;
      auto operands = top->operands();
      for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
        if (state[(*it)->id_] == kNew) stack.push_back(*it);
      }
      for (Instruction* predecessor : top->control_predecessors()) {
        if (state[predecessor->id_] == kNew) stack.push_back(predecessor);
      }
    }
  };
  for (Instruction* instruction : instructions()) {
    if (instruction->users_.empty()) visit(instruction);
  }
  // Only broken graphs (cycles) have instructions left.
  if (static_cast<int64_t>(order.size()) < count_) {
    for (Instruction* instruction : instructions()) visit(instruction);
  }
  return order;
}

}  // namespace hlokit
