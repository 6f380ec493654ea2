#include "passes/backend/copy_insertion.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/dataflow.h"
#include "passes/analysis/in_place.h"
#include "passes/analysis/wished_order.h"
#include "passes/builders.h"
#include "passes/control/flatten_call_graph.h"
#include "passes/schedule_repair.h"

namespace hlokit {
namespace {

// `x` with some of its parts replaced. A tuple that nobody else uses is changed
// where it stands.
Instruction* WithParts(Builder& b, Instruction* x, bool own, int64_t part,
                       const std::map<int64_t, Instruction*>& replaced) {
  const auto first = replaced.lower_bound(part);
  if (first == replaced.end() ||
      first->first >= part + PartCount(x->shape())) {
    return x;
  }
  if (!x->shape().IsTuple()) return first->second;
  own &= x->opcode() == Opcode::kTuple && x->user_count() <= 1 && !x->IsRoot();
  std::vector<Instruction*> elements;
  int64_t at = part + 1;
  for (size_t k = 0; k < x->shape().tuple_shapes().size(); ++k) {
    const int64_t count = PartCount(x->shape().tuple_shape(k));
    const auto whole = replaced.find(at);
    if (x->shape().tuple_shape(k).IsTuple()) {
      const bool only_here =
          own && absl::c_count(x->operands(), x->operand(k)) == 1;
      elements.push_back(
          WithParts(b, b.Element(x, k), only_here, at, replaced));
    } else {
      elements.push_back(whole == replaced.end() ? b.Element(x, k)
                                                 : whole->second);
    }
    at += count;
  }
  if (!own) return b.Tuple(elements);
  for (size_t k = 0; k < elements.size(); ++k) {
    if (x->operand(k) != elements[k]) x->ReplaceOperand(k, elements[k]);
  }
  return x;
}

// The instruction that is part `index` of `x`.
Instruction* PartOf(Builder& b, Instruction* x, const ShapeIndex& index) {
  for (int64_t element : index) x = b.Element(x, element);
  return x;
}

Instruction* CopyOf(Builder& b, Instruction* x) {
  return b.OpOfShape(Opcode::kCopy, x->shape(), {x});
}

// Copies at the end of a computation, which are to happen all at once: each
// reads what lies in one group of values and writes over another, or over none.
struct EndCopy {
  int64_t reads;
  int64_t writes;  // -1: none
};
// The copy itself, or one before it of what it reads.
struct CopyStep {
  size_t copy;
  bool saves;
};

// Each reads before another writes over what it reads; otherwise in their
// order. Where they go round in circles one is saved.
std::vector<CopyStep> OrderOf(const std::vector<EndCopy>& copies) {
  absl::flat_hash_map<int64_t, int64_t> unread;  // by how many, of a group
  absl::flat_hash_map<int64_t, std::vector<size_t>> writers;
  std::set<size_t> left, ready;
  std::vector<bool> saved(copies.size());
  const auto look_at = [&](size_t k) {
    const auto [reads, writes] = copies[k];
    const int64_t own = reads == writes && !saved[k] ? 1 : 0;
    if (left.contains(k) && (writes < 0 || unread[writes] == own)) {
      ready.insert(k);
    }
  };
  for (size_t k = 0; k < copies.size(); ++k) {
    left.insert(k);
    ++unread[copies[k].reads];
    writers[copies[k].writes].push_back(k);
  }
  for (size_t k = 0; k < copies.size(); ++k) look_at(k);
  std::vector<CopyStep> steps;
  while (!left.empty()) {
    // Each reads in one place, so it keeps one writer waiting at most: when all
    // wait, all go round in circles and none has been saved.
    const bool saves = ready.empty();
    const size_t k = saves ? *left.rbegin() : *ready.begin();
    steps.push_back({k, saves});
    if (saves) {
      saved[k] = true;
    } else {
      ready.erase(k);
      left.erase(k);
      if (saved[k]) continue;
    }
    // The one that is left may be a writer there itself.
    const int64_t group = copies[k].reads;
    if (--unread[group] > 1) continue;
    for (size_t writer : writers[group]) look_at(writer);
  }
  return steps;
}

// The copies of one computation.
class CopyFinder {
 public:
  CopyFinder(Module* module, Computation* computation, const Dataflow& dataflow,
             int64_t* budget)
      : module_(module),
        computation_(computation),
        dataflow_(dataflow),
        budget_(budget) {}

  bool Run() {
    Collect();
    FindSlots();
    MakeOrder();
    SetTimes();
    for (Instruction* i : order_) MergeInPlace(i);
    MergeSlots();
    for (Edit& edit : edits_) Materialize(edit);
    CopyAtRoot();
    if (!module_->is_scheduled()) HoldOrder();
    return changed_;
  }

 private:
  // A value as this computation sees it. Times are four an instruction.
  struct Value {
    int64_t id = -1;  // in the dataflow; -1: a copy that is to be made
    Instruction* definer = nullptr;
    int64_t part = 0;         // of the definer's result
    std::vector<Instruction*> users;
    int64_t def = 0, last = 0;
    bool read_only = false;   // a constant, or a parameter that is kept
    bool lasts = false;       // to the end of the computation
    int64_t group = 0;        // those that share memory
  };
  // A leaf of the root that needs memory of its own: that of `target`, or any.
  struct Slot {
    int64_t part = 0;
    ShapeIndex index;
    Value* value = nullptr;
    Value* target = nullptr;
    bool copied = false;
    Instruction* copy = nullptr;
    Instruction* reader = nullptr;  // the copy, or one that is made before it
  };
  // Copies before one operand of an instruction, by part.
  struct Edit {
    Instruction* user = nullptr;
    int64_t operand = 0;
    std::map<int64_t, Value*> copies;
  };
  using Group = std::map<int64_t, Value*>;  // by def

  Value* At(const Instruction* i, int64_t part) {
    return by_id_.at(dataflow_.ValueAt(i, part).id);
  }

  Value* NewValue() {
    values_.push_back(std::make_unique<Value>());
    values_.back()->group = groups_.size();
    groups_.emplace_back();
    return values_.back().get();
  }

  const Instruction* Caller() const {
    const auto callers = computation_->callers();
    return callers.empty() ? nullptr : callers[0];
  }
  bool IsBody() const {
    return Caller() != nullptr && Caller()->opcode() == Opcode::kWhile &&
           Caller()->while_body() == computation_;
  }
  bool IsBranch() const {
    return Caller() != nullptr && Caller()->opcode() == Opcode::kConditional;
  }

  bool IsReadOnly(const HloValue& value) const {
    if (value.at->opcode() == Opcode::kConstant) return true;
    if (value.at->opcode() != Opcode::kParameter ||
        value.at->parent() != module_->entry()) {
      return false;
    }
    return absl::c_none_of(
        module_->input_output_aliases, [&](const InputOutputAlias& alias) {
          return alias.parameter == value.at->parameter_number() &&
                 alias.parameter_index == value.index;
        });
  }

  // The values of this computation, with what reads them.
  void Collect() {
    for (Instruction* i : computation_->PostOrder()) {
      const int64_t parts = PartCount(i->shape());
      for (int64_t part = 0; part < parts; ++part) {
        const HloValue& value = dataflow_.ValueAt(i, part);
        Value*& local = by_id_[value.id];
        if (local != nullptr) continue;
        local = NewValue();
        local->id = value.id;
        local->definer = i;
        local->part = part;
        local->read_only = IsReadOnly(value);
        // What is called with must come back unharmed; bodies of loops own
        // their state.
        if (i->opcode() == Opcode::kParameter && !IsBody() &&
            !computation_->IsEntry()) {
          local->lasts = true;
        }
      }
      if (OnlyForwards(*i)) continue;
      for (const Instruction* operand : i->operands()) {
        const int64_t count = PartCount(operand->shape());
        for (int64_t k = 0; k < count; ++k) {
          std::vector<Instruction*>& users = At(operand, k)->users;
          if (users.empty() || users.back() != i) users.push_back(i);
        }
      }
    }
  }

  void FindSlots() {
    const Instruction* root = computation_->root();
    const std::vector<ShapePart> parts = PartsOf(root->shape());
    const std::vector<ShapeIndex> indices = PartIndices(root->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      Slot slot;
      slot.part = k;
      slot.index = indices[k];
      slot.value = At(root, slot.part);
      const bool memory = parts[k].is_leaf && parts[k].shape->IsArray();
      if (!memory || !TakesMemory(&slot)) {
        slot.value->lasts = true;
        continue;
      }
      slots_.push_back(slot);
    }
    // Results with a given place first: others may take copies.
    std::stable_partition(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.target != nullptr;
    });
  }

  // Whether the leaf must be memory of its own, and which.
  bool TakesMemory(Slot* slot) {
    if (computation_->IsEntry()) {
      for (const InputOutputAlias& alias : module_->input_output_aliases) {
        if (alias.output_index != slot->index) continue;
        const Instruction* p = computation_->parameter(alias.parameter);
        slot->target = At(p, PartNumber(p->shape(), alias.parameter_index));
      }
      return slot->target != slot->value;
    }
    if (IsBody()) {
      slot->target = At(computation_->parameter(0), slot->part);
      return slot->target != slot->value;
    }
    return IsBranch() &&
           dataflow_.ValueAt(Caller(), slot->part).at == Caller();
  }

  void MakeOrder() {
    if (module_->is_scheduled()) {
      order_ = module_->ExecutionOrder(*computation_);
      return;
    }
    WishedOrder order(*computation_, budget_);
    for (Instruction* i : computation_->PostOrder()) {
      for (const InPlacePair& pair : InPlacePairs(*i)) {
        WishBefore(&order, At(i->operand(pair.operand), pair.operand_part), i);
      }
    }
    for (const Slot& slot : slots_) {
      const Value& value = *slot.value;
      if (slot.target == nullptr || value.read_only ||
          value.definer->opcode() == Opcode::kParameter) {
        continue;
      }
      WishBefore(&order, slot.target, value.definer);
    }
    order_ = order.Make();
  }

  static void WishBefore(WishedOrder* order, const Value* value,
                         Instruction* writer) {
    if (value->read_only || value->lasts) return;
    for (Instruction* user : value->users) order->Wish(user, writer);
  }

  void SetTimes() {
    absl::flat_hash_map<const Instruction*, int64_t> position;
    for (size_t k = 0; k < order_.size(); ++k) position[order_[k]] = 4 * k;
    end_ = 4 * order_.size();
    for (const Slot& slot : slots_) slot.value->lasts = true;
    for (auto& value : values_) {
      value->def = value->definer->opcode() == Opcode::kParameter
                       ? -1
                       : position.at(value->definer);
      value->last = value->def;
      for (const Instruction* user : value->users) {
        value->last = std::max(value->last, position.at(user));
      }
      if (value->lasts) value->last = end_ + 2;
      groups_[value->group][value->def] = value.get();
    }
    position_ = std::move(position);
  }

  // ---- groups ----

  // Whether `b` may take the memory of `a`, which came before it.
  bool MayFollow(const Value* a, const Value* b) {
    if (a->last < b->def) return true;
    if (a->last != b->def || a->id < 0 || b->id < 0) return false;
    const Instruction* i = b->definer;
    for (int64_t o = 0; o < i->operand_count(); ++o) {
      const int64_t count = PartCount(i->operand(o)->shape());
      for (int64_t k = 0; k < count; ++k) {
        if (dataflow_.ValueAt(i->operand(o), k).id == a->id &&
            !IsCopied(i, o, k) && !MayShareBuffer(*i, {o, k, b->part})) {
          return false;
        }
      }
    }
    return true;
  }

  bool IsCopied(const Instruction* i, int64_t operand, int64_t part) const {
    for (size_t k = edits_.size(); k-- > 0 && edits_[k].user == i;) {
      if (edits_[k].operand == operand && edits_[k].copies.contains(part)) {
        return true;
      }
    }
    return false;
  }

  bool MayMerge(const Value* a, const Value* b) {
    if (a->read_only || b->read_only) return false;
    const Group* few = &groups_[a->group];
    const Group* many = &groups_[b->group];
    if (few->size() > many->size()) std::swap(few, many);
    for (const auto& [def, value] : *few) {
      auto next = many->lower_bound(def);
      if (next != many->end() &&
          (next->first == def || !MayFollow(value, next->second))) {
        return false;
      }
      if (next != many->begin() && !MayFollow(std::prev(next)->second, value)) {
        return false;
      }
    }
    return true;
  }

  void Merge(const Value* a, const Value* b) {
    int64_t from = a->group, to = b->group;
    if (from == to) return;
    if (groups_[from].size() > groups_[to].size()) std::swap(from, to);
    for (auto& [def, value] : groups_[from]) {
      value->group = to;
      groups_[to][def] = value;
    }
    groups_[from].clear();
  }

  void MergeInPlace(Instruction* i) {
    for (const InPlacePair& pair : InPlacePairs(*i)) {
      Value* before = At(i->operand(pair.operand), pair.operand_part);
      Value* after = At(i, pair.result_part);
      if (before == after || before->group == after->group) continue;
      if (!dataflow_.ValueAt(i->operand(pair.operand), pair.operand_part)
               .shape.IsArray()) {
        continue;
      }
      if (MayMerge(before, after)) {
        Merge(before, after);
        continue;
      }
      Value* copy = NewValue();
      copy->def = position_.at(i) - 2;
      copy->last = position_.at(i) - 1;
      copy->users = {i};
      groups_[copy->group][copy->def] = copy;
      EditOf(i, pair.operand).copies[pair.operand_part] = copy;
      Merge(copy, after);
    }
  }

  Edit& EditOf(Instruction* user, int64_t operand) {
    // Those of one instruction stand together at the end.
    for (size_t k = edits_.size(); k-- > 0 && edits_[k].user == user;) {
      if (edits_[k].operand == operand) return edits_[k];
    }
    edits_.push_back({user, operand, {}});
    return edits_.back();
  }

  // Memory of a parameter of the program that another result takes over.
  bool SharesWithParameter(const Value* value) {
    const Group& group = groups_[value->group];
    return computation_->IsEntry() && !group.empty() &&
           group.begin()->second->definer != nullptr &&
           group.begin()->second->definer->opcode() == Opcode::kParameter;
  }

  void MergeSlots() {
    absl::flat_hash_map<const Value*, const Slot*> taken;
    for (Slot& slot : slots_) {
      Value* value = slot.value;
      bool fits = !value->read_only && !taken.contains(value);
      if (slot.target != nullptr) {
        fits = fits && (value->group == slot.target->group ||
                        MayMerge(slot.target, value));
        if (fits) Merge(slot.target, value);
      } else {
        fits = fits && !SharesWithParameter(value) &&
               value->definer->opcode() != Opcode::kParameter;
      }
      if (fits) {
        taken[value] = &slot;
      } else {
        slot.copied = true;
      }
    }
  }

  // ---- changes ----

  void Materialize(const Edit& edit) {
    Builder b(edit.user);
    Instruction* operand = edit.user->operand(edit.operand);
    const std::vector<ShapeIndex> indices = PartIndices(operand->shape());
    std::map<int64_t, Instruction*> copies;
    for (const auto& [part, value] : edit.copies) {
      value->definer = CopyOf(b, PartOf(b, operand, indices[part]));
      copies[part] = value->definer;
    }
    const bool own = absl::c_count(edit.user->operands(), operand) == 1;
    Instruction* changed = WithParts(b, operand, own, 0, copies);
    if (changed != operand) {
      edit.user->ReplaceOperand(edit.operand, changed);
      if (operand->users().empty() && !operand->IsRoot() &&
          operand->opcode() == Opcode::kTuple &&
          operand->control_successors().empty()) {
        computation_->RemoveWithUnusedOperands(operand);
      }
    }
    changed_ = true;
  }

  // Copies at the end happen all at once: each reads before another writes
  // over what it reads. Where they go round in circles one gets a copy more.
  void CopyAtRoot() {
    Instruction* root = computation_->root();
    Builder b(root);
    std::vector<Slot*> copied;
    std::vector<EndCopy> ends;
    std::vector<Instruction*> sources;
    for (Slot& slot : slots_) {
      if (!slot.copied) continue;
      copied.push_back(&slot);
      ends.push_back({slot.value->group,
                      slot.target == nullptr ? -1 : slot.target->group});
      sources.push_back(PartOf(b, root, slot.index));
    }
    if (copied.empty()) return;
    changed_ = true;
    std::map<int64_t, Instruction*> copies;
    absl::flat_hash_map<int64_t, std::vector<Instruction*>>
        readers;  // by group
    std::vector<Slot*> done;
    for (const CopyStep& step : OrderOf(ends)) {
      Slot& slot = *copied[step.copy];
      Instruction* copy = CopyOf(b, sources[step.copy]);
      if (step.saves) {
        sources[step.copy] = copy;
      } else {
        slot.copy = copies[slot.part] = copy;
        for (Instruction* reader : readers[ends[step.copy].writes]) {
          if (reader != slot.reader) copy->AddControlPredecessor(reader);
        }
        done.push_back(&slot);
        if (slot.reader != nullptr) continue;
      }
      slot.reader = copy;
      readers[ends[step.copy].reads].push_back(copy);
    }
    ReplaceRoot(b, root, copies);
    for (Slot* slot : done) AddCopyToGroup(slot);
  }

  void ReplaceRoot(Builder& b, Instruction* root,
                   const std::map<int64_t, Instruction*>& copies) {
    const bool reuse =
        root->opcode() == Opcode::kTuple && root->users().empty();
    if (!reuse) {
      computation_->set_root(WithParts(b, root, false, 0, copies));
      return;
    }
    // Not the root for a moment, so that it is changed where it stands.
    computation_->set_root(nullptr);
    computation_->set_root(WithParts(b, root, true, 0, copies));
    if (!module_->is_scheduled()) return;
    std::vector<Instruction*>& sequence = (*module_->schedule)[computation_];
    const auto at = absl::c_find(sequence, root);
    if (at != sequence.end()) {
      sequence.erase(at);
      sequence.push_back(root);
    }
  }

  void AddCopyToGroup(Slot* slot) {
    slot->value->users.push_back(slot->reader);
    if (slot->target == nullptr) return;
    Value* copy = NewValue();
    copy->definer = slot->copy;
    copy->def = end_ + 1;
    copy->last = end_ + 2;
    groups_[copy->group][copy->def] = copy;
    Merge(copy, slot->target);
  }

  // Control dependencies for what was taken for granted: within a group all
  // uses of a value come before the next value is written.
  void HoldOrder() {
    for (const Group& group : groups_) {
      const Value* before = nullptr;
      for (const auto& [def, value] : group) {
        if (before != nullptr) HoldBefore(*before, value->definer);
        before = value;
      }
    }
  }

  void HoldBefore(const Value& value, Instruction* writer) {
    std::vector<Instruction*> readers = value.users;
    if (readers.empty() && value.definer->opcode() != Opcode::kParameter) {
      readers.push_back(value.definer);
    }
    for (Instruction* reader : readers) {
      if (reader == writer || Reaches(writer, reader)) continue;
      writer->AddControlPredecessor(reader);
      changed_ = true;
    }
  }

  // Over operands and control dependencies; what comes before `used` in the
  // order cannot lead to it.
  bool Reaches(const Instruction* user, const Instruction* used) {
    const auto place = position_.find(used);
    const int64_t limit = place == position_.end() ? -1 : place->second;
    seen_.resize(computation_->id_limit());
    ++epoch_;
    std::vector<const Instruction*> work = {user};
    while (!work.empty() && *budget_ > 0) {
      const Instruction* i = work.back();
      work.pop_back();
      --*budget_;
      for (auto list : {i->operands(), i->control_predecessors()}) {
        for (const Instruction* next : list) {
          if (next == used) return true;
          if (seen_[next->id()] == epoch_) continue;
          seen_[next->id()] = epoch_;
          const auto at = position_.find(next);
          if (at == position_.end() || at->second > limit) {
            work.push_back(next);
          }
        }
      }
    }
    return false;
  }

  Module* const module_;
  Computation* const computation_;
  const Dataflow& dataflow_;
  int64_t* const budget_;
  bool changed_ = false;
  std::vector<std::unique_ptr<Value>> values_;
  absl::flat_hash_map<int64_t, Value*> by_id_;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
  std::vector<Edit> edits_;
  std::vector<Instruction*> order_;
  absl::flat_hash_map<const Instruction*, int64_t> position_;
  int64_t end_ = 0;
  std::vector<int64_t> seen_;  // by id: the search that saw it last
  int64_t epoch_ = 0;
};

}  // namespace

absl::StatusOr<bool> CopyInsertion::Run(Module* module) {
  HLOKIT_ASSIGN_OR_RETURN(bool changed, FlattenCallGraph().Run(module));
  if (changed) RepairSchedule(module);
  const Dataflow dataflow(*module);
  int64_t budget = 100'000'000;
  for (Computation* computation : dataflow.computations()) {
    if (!RunsAsAWhole(*computation) || !RunsOn(*computation)) continue;
    changed |= CopyFinder(module, computation, dataflow, &budget).Run();
  }
  if (changed) RepairSchedule(module);
  return changed;
}

}  // namespace hlokit
