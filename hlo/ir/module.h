// Modules: what a dump file holds. Computations, the entry among them, and what
// belongs to the whole program: layouts of its parameters and result, aliasing,
// schedule, stack frames.
//
//   Module module("add");
//   auto entry = Computation::Create(&module, "main");
//   Instruction* p = entry->AddParameter(0, Shape::Array(kF32, {4}), "p");
//   entry->set_root(entry->Add(Opcode::kAdd, p->shape(), {p, p}));
//   module.AddEntryComputation(std::move(entry));
//
// Not thread-safe for writing; const access from several threads is fine.
#ifndef HLOKIT_HLO_IR_MODULE_H_
#define HLOKIT_HLO_IR_MODULE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/instruction_pool.h"
#include "hlo/ir/name_uniquer.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/shape.h"

namespace xla {
class HloModuleProto;
}

namespace hlokit {

// Result part `output_index` may or must share the buffer of a parameter part.
struct InputOutputAlias {
  enum Kind { kUndefined = 0, kMayAlias = 1, kMustAlias = 2 };
  ShapeIndex output_index;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  Kind kind = kMayAlias;
  bool operator==(const InputOutputAlias&) const = default;
};

// A parameter part whose buffer the program may use for anything.
struct BufferDonor {
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

// Call stacks that metadata refers to. Ids are 1-based positions; 0: none.
struct StackFrameIndex {
  struct FileLocation {
    int32_t file_name_id = 0;
    int32_t function_name_id = 0;
    int32_t line = 0;
    int32_t end_line = 0;
    int32_t column = 0;
    int32_t end_column = 0;
    bool operator==(const FileLocation&) const = default;
  };
  struct StackFrame {
    int32_t file_location_id = 0;
    int32_t parent_frame_id = 0;  // 0: outermost
    bool operator==(const StackFrame&) const = default;
  };
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  bool empty() const { return stack_frames.empty(); }
  bool operator==(const StackFrameIndex&) const = default;
};

// origin_recovery_table: how to compute an original array from another.
struct OriginalValueRecovery {
  OriginalArray old_array;
  OriginalArray new_array;
  std::shared_ptr<const Module> module;  // null: the same value
};

// debug_attributes of an original array.
struct DebugAttributes {
  int64_t log_mode = 0;  // 1 default, 2 fusion_debugger
  int64_t callback_id = 0;
  int64_t op_id = 0;
  bool partitioned = false;
  std::string operands_sharding;
  bool operator==(const DebugAttributes&) const = default;
};
struct DebugAttributeEntry {
  OriginalArray array;
  std::vector<DebugAttributes> attributes;
  bool operator==(const DebugAttributeEntry&) const = default;
};

// Order of execution of each scheduled computation.
using Schedule =
    absl::flat_hash_map<const Computation*, std::vector<Instruction*>>;

class Module {
 public:
  explicit Module(absl::string_view name = "");
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  // The computation joins: gets the next id (or keeps `id` when 0 or more) and
  // its and its instructions' names become unique.
  Computation* AddComputation(std::unique_ptr<Computation> computation,
                              int64_t id = -1);
  Computation* AddEntryComputation(std::unique_ptr<Computation> computation,
                                   int64_t id = -1);
  // Nobody may call it.
  void RemoveComputation(Computation* computation);
  // Removes computations that the entry does not reach; true if there were any.
  bool RemoveUnreachableComputations();

  Computation* entry() const { return entry_; }
  void set_entry(Computation* entry) { entry_ = entry; }
  // In joining order, which is the order of the text.
  const std::vector<std::unique_ptr<Computation>>& computations() const {
    return computations_;
  }
  int64_t computation_count() const { return computations_.size(); }
  int64_t instruction_count() const;
  Computation* FindComputation(absl::string_view name) const;

  // Computations in the order in which they print: those nobody calls in module
  // order, each after everything it reaches in depth-first post-order.
  std::vector<Computation*> PrintOrder() const;
  // Order of protos and canonical text: callees before callers, otherwise
  // joining order. Kept until calls or computations change.
  std::vector<Computation*> TopologicalOrder() const;

  // A deep copy, same names and ids.
  std::unique_ptr<Module> Clone() const;
  // Copies `source` (of this or another module) with everything it calls into
  // this module; the copies are not entries.
  Computation* CloneComputation(const Computation& source,
                                absl::string_view name);

  // The layouts of the entry's parameters and result; absent in fragments that
  // were built by hand. Shapes without layout: layout left open.
  std::optional<ProgramShape> entry_layout;
  // From the entry's own shapes.
  void SetEntryLayoutFromEntry();

  std::optional<Schedule> schedule;
  bool is_scheduled() const { return schedule.has_value(); }
  // The schedule's sequence, or PostOrder() of computations without one.
  std::vector<Instruction*> ExecutionOrder(const Computation& c) const;

  std::vector<InputOutputAlias> input_output_aliases;  // by output index
  std::vector<BufferDonor> buffer_donors;              // sorted
  bool alias_passthrough_params = false;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters = {false};
  std::vector<bool> allow_spmd_sharding_propagation_to_output = {false};
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  bool use_spmd_partitioning = false;
  FrontendAttributes frontend_attributes;
  StackFrameIndex stack_frames;
  std::vector<OriginalValueRecovery> recovery_table;
  std::vector<DebugAttributeEntry> debug_attributes;

  // What a proto carries and text does not (profile info, device assignment,
  // SPMD shardings, ...): a message with just those fields. May be null.
  std::unique_ptr<xla::HloModuleProto> unprinted;

  // Keeps a copy of `text` as long as the module lives.
  absl::string_view Keep(absl::string_view text);
  NameUniquer& instruction_names() { return instruction_names_; }
  NameUniquer& computation_names() { return computation_names_; }

 private:
  friend class Computation;
  friend class Instruction;
  friend struct InstructionDeleter;
  // Takes out those for which gone(computation); nobody calls them.
  template <typename Fn>
  void EraseComputations(Fn gone);
  // Whether all calls go to computations that joined earlier.
  bool CallsGoBack() const;
  std::vector<Computation*> FindTopologicalOrder() const;
  // Of any change to computations or to what their instructions call.
  void CallsChanged() {
    topological_order_known_.store(false, std::memory_order_relaxed);
  }

  std::string name_;
  InstructionPool pool_;  // goes after the computations
  Computation* entry_ = nullptr;
  std::vector<std::unique_ptr<Computation>> computations_;
  int64_t next_computation_id_ = 0;
  mutable std::atomic<bool> topological_order_known_{false};
  mutable std::vector<Computation*> topological_order_;
  NameUniquer instruction_names_;
  NameUniquer computation_names_;
  // Name storage: blocks that never move.
  std::vector<std::unique_ptr<char[]>> name_blocks_;
  size_t name_block_left_ = 0;
  char* name_block_next_ = nullptr;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_MODULE_H_
