// HloModuleProto -> Module.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "hlo/ir/stack_frames.h"
#include "hlo/wire/attribute_fields.h"
#include "hlo/wire/field_notes.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace wire {
namespace {

constexpr int64_t kMaxComputationId = (int64_t{1} << 31) - 1;
// Holes between ids that a module may have beyond its instructions; with more,
// ids are dealt anew. (A hole takes a pointer.)
constexpr int64_t kMaxHoles = int64_t{1} << 23;

uint32_t LocalId(int64_t unique_id) {
  return static_cast<uint32_t>(unique_id & 0xffffffff);
}

// Comparisons were opcodes of their own once.
struct OldComparison {
  absl::string_view name;
  absl::string_view direction;
};
constexpr OldComparison kOldComparisons[] = {
    {"equal-to", "EQ"},
    {"not-equal-to", "NE"},
    {"greater-than-or-equal-to", "GE"},
    {"greater-than", "GT"},
    {"less-than-or-equal-to", "LE"},
    {"less-than", "LT"},
};

const OldComparison* FindOldComparison(absl::string_view name) {
  for (const OldComparison& old : kOldComparisons) {
    if (old.name == name) return &old;
  }
  return nullptr;
}

std::string NameOf(const xla::HloInstructionProto& p) {
  return absl::StrCat("instruction ", p.name(), " (id ", p.id(), ")");
}

// A path that ends where it began: "m, a, m"; empty when the graph has none.
// `edges(node)` are the nodes that must come before it.
template <typename Node, typename Edges>
std::vector<Node*> FindCycle(const std::vector<Node*>& nodes,
                             const Edges& edges) {
  enum State { kOpen, kDone };
  absl::flat_hash_map<Node*, State> states;
  struct Frame {
    Node* node;
    std::vector<Node*> next;
  };
  for (Node* start : nodes) {
    if (states.contains(start)) continue;
    std::vector<Frame> stack = {{start, edges(start)}};
    states[start] = kOpen;
    while (!stack.empty()) {
      if (stack.back().next.empty()) {
        states[stack.back().node] = kDone;
        stack.pop_back();
        continue;
      }
      Node* next = stack.back().next.back();
      stack.back().next.pop_back();
      auto [it, is_new] = states.try_emplace(next, kOpen);
      if (is_new) {
        stack.push_back({next, edges(next)});
      } else if (it->second == kOpen) {
        std::vector<Node*> cycle;
        size_t i = stack.size();
        while (stack[i - 1].node != next) --i;
        for (--i; i < stack.size(); ++i) cycle.push_back(stack[i].node);
        cycle.push_back(next);
        return cycle;
      }
    }
  }
  return {};
}

template <typename Node>
std::string CycleText(absl::string_view kind, absl::string_view verb,
                      const std::vector<Node*>& cycle) {
  constexpr size_t kShown = 8;
  std::string text = absl::StrCat(kind, " in a cycle: ");
  for (size_t i = 0; i + 1 < cycle.size(); ++i) {
    if (i == kShown) {
      absl::StrAppend(&text, ", ... (", cycle.size() - 1, " in all)");
      break;
    }
    absl::StrAppend(&text, i > 0 ? ", " : "", cycle[i]->name(), " ", verb, " ",
                    cycle[i + 1]->name());
  }
  return text;
}

// Reads the instructions of one computation into an empty one.
class ComputationReader {
 public:
  ComputationReader(
      const xla::HloModuleProto& module_proto,
      const xla::HloComputationProto& proto, const FromProtoOptions& options,
      bool preserve_ids,
      const absl::flat_hash_map<int64_t, Computation*>& computations,
      Computation* computation)
      : module_proto_(module_proto),
        proto_(proto),
        options_(options),
        preserve_ids_(preserve_ids),
        computations_(computations),
        computation_(computation) {}

  absl::Status Read() {
    HLOKIT_RETURN_IF_ERROR(Create());
    for (int n = 0; n < proto_.instructions_size(); ++n) {
      HLOKIT_RETURN_IF_ERROR(Connect(n));
    }
    if (has_forward_reference_) HLOKIT_RETURN_IF_ERROR(CheckCycles());
    HLOKIT_RETURN_IF_ERROR(CheckParameters());
    Instruction* root = Find(proto_.root_id());
    if (root == nullptr) {
      return InvalidArgument("root id %d is not there", proto_.root_id());
    }
    computation_->set_root(root);
    if (proto_.execution_thread() != "main") {
      computation_->set_execution_thread(proto_.execution_thread());
    }
    return absl::OkStatus();
  }

  // By id in the file.
  Instruction* Find(int64_t unique_id) const {
    const uint32_t id = LocalId(unique_id);
    if (preserve_ids_) return computation_->InstructionById(id);
    auto it = by_file_id_.find(id);
    return it == by_file_id_.end() ? nullptr : it->second;
  }

 private:
  absl::Status At(const absl::Status& status,
                  const xla::HloInstructionProto& p) const {
    return Annotate(status, NameOf(p));
  }

  // All instructions, without operands.
  absl::Status Create() {
    instructions_.reserve(proto_.instructions_size());
    for (const xla::HloInstructionProto& p : proto_.instructions()) {
      HLOKIT_RETURN_IF_ERROR(At(CheckFields(p), p));
      if (p.id() < 0) {
        return At(InvalidArgument("the id is negative"), p);
      }
      std::optional<Opcode> opcode = OpcodeByName(p.opcode());
      if (!opcode && FindOldComparison(p.opcode())) opcode = Opcode::kCompare;
      if (!opcode) {
        return At(p.opcode().empty()
                      ? InvalidArgument("it has no opcode")
                      : InvalidArgument("opcode \"%s\" is unknown", p.opcode()),
                  p);
      }
      if (!p.has_shape()) return At(InvalidArgument("it has no shape"), p);
      auto shape = ReadShape(p.shape());
      if (!shape.ok()) return At(shape.status(), p);
      HLOKIT_RETURN_IF_ERROR(Add(p, *opcode, *std::move(shape)));
    }
    return absl::OkStatus();
  }

  absl::Status Add(const xla::HloInstructionProto& p, Opcode opcode,
                   Shape shape) {
    const uint32_t file_id = LocalId(p.id());
    const int64_t id = preserve_ids_ ? file_id : instructions_.size();
    const bool good_name = IsSanitizedName(p.name()) || p.name().empty();
    Instruction* other = Find(p.id());
    if (other != nullptr) {
      return InvalidArgument("instructions %s and %s have the same id %d",
                             other->name(), p.name(), p.id());
    }
    Instruction* i =
        good_name
            ? computation_->AddWithId(opcode, std::move(shape), id, p.name())
            : computation_->AddWithId(opcode, std::move(shape), id,
                                      SanitizeName(p.name()));
    if (!preserve_ids_) by_file_id_[file_id] = i;
    instructions_.push_back(i);
    if (opcode == Opcode::kParameter) parameters_.push_back(&p);
    return absl::OkStatus();
  }

  // Operands, control predecessors, called computations, attributes.
  absl::Status Connect(int n) {
    const xla::HloInstructionProto& p = proto_.instructions(n);
    Instruction* i = instructions_[n];
    for (int64_t id : p.operand_ids()) {
      Instruction* operand = Find(id);
      if (operand == nullptr) {
        return At(InvalidArgument(
                      "it wants operand id %d, which is not in computation %s",
                      id, computation_->name()),
                  p);
      }
      NoteDirection(n, operand);
      i->AppendOperand(operand);
    }
    const int arity = InfoOf(i->opcode()).arity;
    // Texts and protos of rng with more operands are around.
    if (arity >= 0 && i->operand_count() != arity &&
        !(i->opcode() == Opcode::kRng && i->operand_count() > arity)) {
      return At(InvalidArgument("%d operands, %s wants %d", i->operand_count(),
                                OpcodeName(i->opcode()), arity),
                p);
    }
    for (int64_t id : p.control_predecessor_ids()) {
      Instruction* predecessor = Find(id);
      if (predecessor == nullptr) {
        return At(InvalidArgument("it wants control predecessor id %d, which "
                                  "is not in computation %s",
                                  id, computation_->name()),
                  p);
      }
      NoteDirection(n, predecessor);
      i->AddControlPredecessor(predecessor);
    }
    HLOKIT_RETURN_IF_ERROR(At(ReadCalls(p, i), p));
    const AttributeSource source = {p, module_proto_.payloads(),
                                    options_.max_literal_bytes, false};
    if (const OldComparison* old = FindOldComparison(p.opcode())) {
      xla::HloInstructionProto fresh = p;
      fresh.set_comparison_direction(old->direction.data(),
                                     old->direction.size());
      return At(ReadAttributes({fresh, source.payloads,
                                source.max_literal_bytes, false},
                               i),
                p);
    }
    return At(ReadAttributes(source, i), p);
  }

  // Whether the n-th instruction refers to one behind it in the file.
  void NoteDirection(int n, const Instruction* to) {
    if (has_forward_reference_) return;
    // Ids mostly follow the file; look closer only where they do not.
    if (to->id() < instructions_[n]->id() && ids_follow_file_) return;
    if (positions_.empty()) {
      for (size_t k = 0; k < instructions_.size(); ++k) {
        positions_[instructions_[k]] = k;
      }
      ids_follow_file_ = std::is_sorted(
          instructions_.begin(), instructions_.end(),
          [](Instruction* a, Instruction* b) { return a->id() < b->id(); });
    }
    has_forward_reference_ = positions_.at(to) >= n;
  }

  absl::Status ReadCalls(const xla::HloInstructionProto& p, Instruction* i) {
    if (p.called_computation_ids().empty()) return CheckCallCount(p, *i);
    std::vector<Computation*> called;
    for (int64_t id : p.called_computation_ids()) {
      auto it = computations_.find(id);
      if (it == computations_.end()) {
        return InvalidArgument(
            "it calls computation id %d, which is not in the module", id);
      }
      called.push_back(it->second);
    }
    // These repeat what the start of their chain says.
    if (i->opcode() == Opcode::kAsyncUpdate ||
        i->opcode() == Opcode::kAsyncDone) {
      return absl::OkStatus();
    }
    if (!MayCallComputations(i->opcode())) {
      return InvalidArgument("%s calls no computations, but %d are given",
                             OpcodeName(i->opcode()), called.size());
    }
    i->set_called_computations(std::move(called));
    return CheckCallCount(p, *i);
  }

  // Code relies on these counts.
  absl::Status CheckCallCount(const xla::HloInstructionProto& p,
                              const Instruction& i) {
    int64_t wants = 1;
    switch (i.opcode()) {
      case Opcode::kWhile:
      case Opcode::kSelectAndScatter:
        wants = 2;
        break;
      case Opcode::kConditional:
        wants = i.operand_count() - 1;
        break;
      case Opcode::kCustomCall:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
        return absl::OkStatus();
      default:
        if (!MayCallComputations(i.opcode())) return absl::OkStatus();
    }
    const int64_t has = i.called_computations().size();
    if (has == wants) return absl::OkStatus();
    return InvalidArgument("%d called computations, %s wants %d", has,
                           OpcodeName(i.opcode()), wants);
  }

  absl::Status CheckParameters() {
    const int64_t count = parameters_.size();
    for (const xla::HloInstructionProto* p : parameters_) {
      if (!computation_->SetParameterNumber(Find(p->id()),
                                            p->parameter_number(), count)) {
        return At(InvalidArgument(
                      "parameter number %d is taken or not below %d, the "
                      "number of parameters",
                      p->parameter_number(), count),
                  *p);
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckCycles() {
    const std::vector<Instruction*> cycle =
        FindCycle(instructions_, [](Instruction* i) {
          std::vector<Instruction*> before(i->operands().begin(),
                                           i->operands().end());
          before.insert(before.end(), i->control_predecessors().begin(),
                        i->control_predecessors().end());
          return before;
        });
    if (cycle.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        CycleText("instructions use each other", "uses", cycle));
  }

  const xla::HloModuleProto& module_proto_;
  const xla::HloComputationProto& proto_;
  const FromProtoOptions& options_;
  const bool preserve_ids_;
  const absl::flat_hash_map<int64_t, Computation*>& computations_;
  Computation* computation_;
  std::vector<Instruction*> instructions_;  // in file order
  std::vector<const xla::HloInstructionProto*> parameters_;
  absl::flat_hash_map<uint32_t, Instruction*> by_file_id_;
  bool has_forward_reference_ = false;
  bool ids_follow_file_ = false;
  absl::flat_hash_map<const Instruction*, int> positions_;
};

class ModuleReader {
 public:
  ModuleReader(const xla::HloModuleProto& proto,
               const FromProtoOptions& options)
      : proto_(proto), options_(options) {}

  absl::StatusOr<std::unique_ptr<Module>> Read() {
    if (proto_.computations().empty()) {
      return InvalidArgument(proto_.ByteSizeLong() == 0
                                 ? "the module proto is empty"
                                 : "the module has no computations");
    }
    HLOKIT_RETURN_IF_ERROR(CheckFields(proto_));
    module_ = std::make_unique<Module>(proto_.name());
    HLOKIT_RETURN_IF_ERROR(CreateComputations());
    HLOKIT_RETURN_IF_ERROR(ReadComputations());
    HLOKIT_RETURN_IF_ERROR(CheckRecursion());
    JoinComputations();
    HLOKIT_RETURN_IF_ERROR(ReadEntryLayout());
    HLOKIT_RETURN_IF_ERROR(ReadSchedule());
    HLOKIT_RETURN_IF_ERROR(ReadAliases());
    HLOKIT_RETURN_IF_ERROR(ReadTables());
    KeepUnprinted();
    if (options_.notes != nullptr) NoteUnknowns(proto_, options_.notes);
    return std::move(module_);
  }

 private:
  void Note(std::string text) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(text));
  }

  absl::Status CreateComputations() {
    int64_t holes = 0;
    for (const xla::HloComputationProto& p : proto_.computations()) {
      HLOKIT_RETURN_IF_ERROR(
          Annotate(CheckFields(p), absl::StrCat("computation ", p.name())));
      if (p.id() < 0 || p.id() > kMaxComputationId) {
        return InvalidArgument("computation %s: id %d is out of range",
                               p.name(), p.id());
      }
      fresh_.push_back(
          Computation::Create(module_.get(), SanitizeName(p.name())));
      if (!by_id_.emplace(p.id(), fresh_.back().get()).second) {
        return InvalidArgument("computations %s and %s have the same id %d",
                               by_id_[p.id()]->name(), p.name(), p.id());
      }
      int64_t limit = 0;
      for (const xla::HloInstructionProto& i : p.instructions()) {
        limit = std::max<int64_t>(limit, int64_t{LocalId(i.id())} + 1);
      }
      holes += limit - p.instructions_size();
    }
    if (!by_id_.contains(proto_.entry_computation_id())) {
      return InvalidArgument("entry computation id %d is not there",
                             proto_.entry_computation_id());
    }
    preserve_ids_ = options_.preserve_ids;
    if (preserve_ids_ && holes > kMaxHoles) {
      preserve_ids_ = false;
      Note(absl::StrCat("instruction ids leave ", holes,
                        " numbers out; they are dealt anew"));
    }
    return absl::OkStatus();
  }

  absl::Status ReadComputations() {
    readers_.reserve(fresh_.size());
    for (size_t n = 0; n < fresh_.size(); ++n) {
      const xla::HloComputationProto& p = proto_.computations(n);
      readers_.push_back(std::make_unique<ComputationReader>(
          proto_, p, options_, preserve_ids_, by_id_, fresh_[n].get()));
      const absl::Status status = readers_.back()->Read();
      if (!status.ok()) {
        return Annotate(status, absl::StrCat("computation ", p.name()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRecursion() {
    // Callees before callers, as writers have it, needs no search.
    absl::flat_hash_set<const Computation*> before;
    bool forward = false;
    for (const auto& c : fresh_) {
      for (const Instruction* i : c->instructions()) {
        for (const Computation* called : i->called_computations()) {
          forward = forward || !before.contains(called);
        }
      }
      before.insert(c.get());
    }
    if (!forward) return absl::OkStatus();
    std::vector<Computation*> all;
    for (const auto& c : fresh_) all.push_back(c.get());
    const auto cycle = FindCycle(all, [](Computation* c) {
      std::vector<Computation*> callees;
      for (const Instruction* i : c->instructions()) {
        callees.insert(callees.end(), i->called_computations().begin(),
                       i->called_computations().end());
      }
      return callees;
    });
    if (cycle.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        CycleText("computations call each other", "calls", cycle));
  }

  void JoinComputations() {
    for (size_t n = 0; n < fresh_.size(); ++n) {
      const xla::HloComputationProto& p = proto_.computations(n);
      Computation* c = p.id() == proto_.entry_computation_id()
                           ? module_->AddEntryComputation(
                                 std::move(fresh_[n]), p.id())
                           : module_->AddComputation(std::move(fresh_[n]),
                                                     p.id());
      if (options_.notes == nullptr) continue;
      if (c->name() != p.name()) NoteRename("computation", p.name(), c->name());
      for (const xla::HloInstructionProto& i : p.instructions()) {
        const absl::string_view name = readers_[n]->Find(i.id())->name();
        if (name != i.name()) NoteRename("instruction", i.name(), name);
      }
    }
  }

  void NoteRename(absl::string_view what, absl::string_view from,
                  absl::string_view to) {
    Note(absl::StrCat(what, " \"", from, "\" is called ", to, " now"));
  }

  absl::Status ReadEntryLayout() {
    if (!proto_.has_host_program_shape()) {
      Note("the module has no host_program_shape; the entry's own is taken");
      module_->SetEntryLayoutFromEntry();
      return absl::OkStatus();
    }
    auto layout = ReadProgramShape(proto_.host_program_shape());
    if (!layout.ok()) return Annotate(layout.status(), "host_program_shape");
    const Computation& entry = *module_->entry();
    if (static_cast<int64_t>(layout->parameters.size()) !=
        entry.parameter_count()) {
      return InvalidArgument(
          "host_program_shape has %d parameters, entry computation %s has %d",
          layout->parameters.size(), entry.name(), entry.parameter_count());
    }
    module_->entry_layout = *std::move(layout);
    return absl::OkStatus();
  }

  absl::Status ReadSchedule() {
    if (!proto_.has_schedule()) return absl::OkStatus();
    Schedule schedule;
    for (int n = 0; n < proto_.computations_size(); ++n) {
      auto it = proto_.schedule().sequences().find(proto_.computations(n).id());
      if (it == proto_.schedule().sequences().end()) continue;
      std::vector<Instruction*>& sequence =
          schedule[module_->computations()[n].get()];
      for (int64_t id : it->second.instruction_ids()) {
        Instruction* instruction = readers_[n]->Find(id);
        if (instruction == nullptr) {
          return InvalidArgument(
              "the schedule of computation %s names instruction id %d, which "
              "is not there",
              proto_.computations(n).name(), id);
        }
        sequence.push_back(instruction);
      }
    }
    for (const auto& [id, sequence] : proto_.schedule().sequences()) {
      if (!by_id_.contains(id)) {
        Note(absl::StrCat("the schedule of computation id ", id,
                          " is left out: there is no such computation"));
      }
    }
    module_->schedule = std::move(schedule);
    return absl::OkStatus();
  }

  absl::Status ReadAliases() {
    for (const auto& e : proto_.input_output_alias().entries()) {
      const int kind = e.kind();
      if (kind < 0 || kind > InputOutputAlias::kMustAlias) {
        return InvalidArgument("input_output_alias: kind %d is unknown", kind);
      }
      module_->input_output_aliases.push_back(
          {ToList<ShapeIndex>(e.output_shape_index()), e.parameter_number(),
           ToList<ShapeIndex>(e.parameter_shape_index()),
           static_cast<InputOutputAlias::Kind>(kind)});
    }
    auto& aliases = module_->input_output_aliases;
    std::stable_sort(aliases.begin(), aliases.end(),
                     [](const auto& a, const auto& b) {
                       return a.output_index < b.output_index;
                     });
    for (const auto& e : proto_.buffer_donor().entries()) {
      module_->buffer_donors.push_back(
          {e.parameter_number(), ToList<ShapeIndex>(e.parameter_shape_index())});
    }
    auto& donors = module_->buffer_donors;
    std::sort(donors.begin(), donors.end(), [](const auto& a, const auto& b) {
      return std::tie(a.parameter, a.parameter_index) <
             std::tie(b.parameter, b.parameter_index);
    });
    return absl::OkStatus();
  }

  absl::Status ReadTables() {
    for (const auto& [key, value] : proto_.frontend_attributes().map()) {
      module_->frontend_attributes[key] = value;
    }
    module_->stack_frames = ReadStackFrames(proto_.stack_frame_index());
    CompactStackFrames(module_.get());
    for (const auto& e : proto_.original_value_recovery_table().entries()) {
      OriginalValueRecovery entry;
      entry.old_array = ReadOriginalArray(e.old_original_array());
      entry.new_array = ReadOriginalArray(e.new_original_array());
      if (e.has_recovery_module()) {
        auto module = ModuleFromProto(e.recovery_module(), options_);
        if (!module.ok()) {
          return Annotate(module.status(),
                          absl::StrCat("recovery module of ",
                                       entry.old_array.instruction_name));
        }
        entry.module = *std::move(module);
      }
      module_->recovery_table.push_back(std::move(entry));
    }
    for (const auto& e : proto_.debug_attributes()) {
      DebugAttributeEntry entry;
      entry.array = ReadOriginalArray(e.original_array());
      for (const auto& a : e.debug_attributes()) {
        entry.attributes.push_back({a.log_mode(), a.callback_id(), a.op_id(),
                                    a.partitioned(), a.operands_sharding()});
      }
      module_->debug_attributes.push_back(std::move(entry));
    }
    return absl::OkStatus();
  }

  // What no text carries stays as it is.
  void KeepUnprinted() {
    xla::HloModuleProto rest;
    *rest.mutable_cross_program_prefetches() = proto_.cross_program_prefetches();
    rest.set_is_dynamic(proto_.is_dynamic());
    if (proto_.has_spmd_output_sharding()) {
      *rest.mutable_spmd_output_sharding() = proto_.spmd_output_sharding();
    }
    *rest.mutable_spmd_parameters_shardings() =
        proto_.spmd_parameters_shardings();
    rest.set_use_auto_spmd_partitioning(proto_.use_auto_spmd_partitioning());
    *rest.mutable_profile_info() = proto_.profile_info();
    if (proto_.has_device_assignment()) {
      *rest.mutable_device_assignment() = proto_.device_assignment();
    }
    rest.set_device_type(proto_.device_type());
    if (rest.ByteSizeLong() == 0) return;
    module_->unprinted =
        std::make_unique<xla::HloModuleProto>(std::move(rest));
  }

  const xla::HloModuleProto& proto_;
  const FromProtoOptions& options_;
  bool preserve_ids_ = true;
  // Computations that have not joined yet, in file order. Owned by `module_`
  // afterwards. They hold names in the module's storage, so they go first.
  std::unique_ptr<Module> module_;
  std::vector<std::unique_ptr<Computation>> fresh_;
  absl::flat_hash_map<int64_t, Computation*> by_id_;
  std::vector<std::unique_ptr<ComputationReader>> readers_;
};

}  // namespace
}  // namespace wire

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(
    const xla::HloModuleProto& proto, const FromProtoOptions& options) {
  return wire::ModuleReader(proto, options).Read();
}

}  // namespace hlokit
