// Computations: a graph of instructions with parameters and a root.
//
// Instructions have ids 0, 1, 2, ... in the order in which they were added (or
// those of the proto they were read from); removed ones leave a hole. The order
// of execution and of printing is PostOrder(), or the module's schedule.
#ifndef HLOKIT_HLO_IR_COMPUTATION_H_
#define HLOKIT_HLO_IR_COMPUTATION_H_

#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/instruction.h"

namespace hlokit {

// The instructions of a computation in id order, holes left out.
class InstructionRange {
 public:
  using Storage = std::vector<OwnedInstruction>;
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Instruction*;
    using difference_type = std::ptrdiff_t;
    using pointer = Instruction* const*;
    using reference = Instruction*;
    iterator(const Storage* storage, size_t i) : storage_(storage), i_(i) {
      Skip();
    }
    Instruction* operator*() const { return (*storage_)[i_].get(); }
    iterator& operator++() {
      ++i_;
      Skip();
      return *this;
    }
    bool operator==(const iterator& o) const { return i_ == o.i_; }
    bool operator!=(const iterator& o) const { return i_ != o.i_; }

   private:
    void Skip() {
      while (i_ < storage_->size() && !(*storage_)[i_]) ++i_;
    }
    const Storage* storage_;
    size_t i_;
  };
  explicit InstructionRange(const Storage* storage) : storage_(storage) {}
  iterator begin() const { return iterator(storage_, 0); }
  iterator end() const { return iterator(storage_, storage_->size()); }

 private:
  const Storage* storage_;
};

class Computation {
 public:
  // A computation that has not yet joined `module`; hand it to
  // Module::AddComputation when it is complete.
  static std::unique_ptr<Computation> Create(Module* module,
                                             absl::string_view name);
  ~Computation();
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  absl::string_view name() const { return name_; }
  int64_t id() const { return id_; }
  Module* module() const { return module_; }
  // Index among the module's computations; -1 before it has joined.
  int64_t position() const { return position_; }

  // Appends an instruction. An empty name becomes the opcode's; in a joined
  // computation names are made unique at once, before joining they stay as
  // given (Module::AddComputation makes them unique). Parameters register under
  // `set_number`; call AddParameter for them.
  Instruction* Add(Opcode opcode, Shape shape,
                   absl::Span<Instruction* const> operands = {},
                   absl::string_view name = {});
  Instruction* Add(Opcode opcode, Shape shape,
                   std::initializer_list<Instruction*> operands,
                   absl::string_view name = {}) {
    return Add(opcode, std::move(shape),
               absl::MakeConstSpan(operands.begin(), operands.size()), name);
  }
  Instruction* AddParameter(int64_t number, Shape shape,
                            absl::string_view name = {});
  Instruction* AddConstant(Literal literal, absl::string_view name = {});
  Instruction* AddTuple(absl::Span<Instruction* const> elements,
                        absl::string_view name = {});
  Instruction* AddGetTupleElement(Instruction* tuple, int64_t index,
                                  absl::string_view name = {});
  // A copy of `original` (of any module) with these operands: opcode,
  // attributes, metadata; called computations too unless they are of another
  // module.
  Instruction* AddClone(const Instruction& original, Shape shape,
                        absl::Span<Instruction* const> operands,
                        absl::string_view name = {});
  // For readers of protos: the same with a given id. False if it is taken.
  Instruction* AddWithId(Opcode opcode, Shape shape, int64_t id,
                         absl::string_view name);
  // For the same readers: an instruction of AddWithId becomes parameter
  // `number`. False if that is negative, taken or not below `limit`.
  bool SetParameterNumber(Instruction* parameter, int64_t number,
                          int64_t limit);

  // No users, no control dependencies; parameters only when `allow_parameter`
  // (callers must then renumber). The root cannot be removed.
  void Remove(Instruction* instruction);
  // Removes it and then operands that nobody uses any more (neither parameters
  // nor side effects).
  void RemoveWithUnusedOperands(Instruction* instruction);
  // Users, root and control dependencies go over to `replacement`; `old` is
  // removed.
  void Replace(Instruction* old, Instruction* replacement);

  InstructionRange instructions() const { return InstructionRange(&storage_); }
  int64_t instruction_count() const { return count_; }
  // One past the largest id.
  int64_t id_limit() const { return storage_.size(); }
  Instruction* InstructionById(int64_t id) const {
    return id >= 0 && id < id_limit() ? storage_[id].get() : nullptr;
  }
  // Linear; for tools and tests.
  Instruction* FindInstruction(absl::string_view name) const;

  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  // By number; null where a number is missing.
  absl::Span<Instruction* const> parameters() const { return parameters_; }
  int64_t parameter_count() const { return parameters_.size(); }
  Instruction* parameter(int64_t number) const { return parameters_[number]; }
  void RemoveParameter(int64_t number);  // unused; later ones move down

  // Parameters' names and shapes, result shape of the root.
  ProgramShape ComputeProgramShape() const;

  // Instructions that call other computations, in id order. Takes time for
  // these only.
  std::vector<Instruction*> CallingInstructions() const;
  bool HasCalls() const { return !calling_ids_.empty(); }  // or had some once
  // Instructions that call this computation, each once, in the order they were
  // added. Valid until one comes or goes.
  absl::Span<Instruction* const> callers() const { return callers_.view(); }
  // The places where it is called: a conditional may have it for many branches.
  int64_t call_site_count() const { return call_site_count_; }
  // The fusion that owns it, null if none.
  Instruction* fusion_instruction() const;
  bool IsFusionComputation() const { return fusion_instruction() != nullptr; }
  bool IsEntry() const;

  // Empty for the main thread.
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) {
    execution_thread_ = std::move(thread);
  }

  // The order in which unscheduled computations print and run: walks the
  // instructions in id order; from each without users an iterative depth-first
  // post-order over operands and control predecessors. For computations that
  // were printed or written in this order, id order is just that; this is found
  // out in one quick pass. The order is kept until the graph changes.
  std::vector<Instruction*> PostOrder() const;

 private:
  friend class Instruction;
  friend class Module;
  Computation(Module* module) : module_(module) {}
  bool IsInPostOrder() const;
  std::vector<Instruction*> WalkPostOrder() const;
  // Of any change to operands, users, control dependencies or instructions.
  void OrderChanged() {
    order_.store(Order::kUnknown, std::memory_order_relaxed);
  }
  // One place of the caller at a time; it adds and removes all of its own
  // without those of another in between.
  void AddCall(Instruction* caller) {
    if (!callers_.EndsWith(caller)) callers_.Add(caller);
    ++call_site_count_;
  }
  void RemoveCall(const Instruction* caller) {
    callers_.Remove(caller);
    --call_site_count_;
  }
  OwnedInstruction Create(Opcode opcode, Shape shape, int64_t id);
  Instruction* Insert(OwnedInstruction instruction, absl::string_view name);

  Module* module_;
  absl::string_view name_;
  int64_t id_ = -1;
  int64_t position_ = -1;
  InstructionRange::Storage storage_;
  int64_t count_ = 0;
  Instruction* root_ = nullptr;
  std::vector<Instruction*> parameters_;
  UserList callers_;
  int64_t call_site_count_ = 0;
  // Ids of instructions that were given called computations, maybe not in order
  // and more than once; they may have lost them again.
  std::vector<int64_t> calling_ids_;
  std::string execution_thread_;
  // What is known of PostOrder(): nothing, that it is id order, or the order.
  enum class Order : uint8_t { kUnknown, kIds, kKept };
  mutable std::atomic<Order> order_{Order::kUnknown};
  mutable std::unique_ptr<const std::vector<Instruction*>> kept_order_;
};

// Of instruction.h.
inline int64_t Instruction::unique_id() const {
  return (parent_->id() << 32) | (id_ & 0xffffffff);
}
inline Module* Instruction::module() const { return parent_->module(); }
inline bool Instruction::IsRoot() const { return parent_->root() == this; }

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_COMPUTATION_H_
