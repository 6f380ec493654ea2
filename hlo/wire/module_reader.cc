// HloModuleProto -> Module.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "google/protobuf/stubs/logging.h"
#include "hlo/ir/stack_frames.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/computation_reader.h"
#include "hlo/wire/cycles.h"
#include "hlo/wire/field_notes.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/unknown_fields.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace wire {
namespace {

using InstructionProto = xla::HloInstructionProto;

constexpr size_t kLargeLiteral = 1 << 20;
constexpr int64_t kMaxComputationId = (int64_t{1} << 31) - 1;

class ModuleReader {
 public:
  ModuleReader(absl::string_view bytes, const FromProtoOptions& options,
               bool preserve_ids)
      : bytes_(bytes),
        options_(options),
        context_{.options = options, .preserve_ids = preserve_ids} {}

  // Ids leave out more numbers than a file of that size should.
  bool TooManyHoles() const { return context_.holes > ReadContext::kMaxHoles; }

  absl::StatusOr<std::unique_ptr<Module>> Read() {
    // Faults are told by status; the protobuf library would print them as well.
    const google::protobuf::LogSilencer silence;
    HLOKIT_RETURN_IF_ERROR(Split());
    if (computations_.empty()) {
      return InvalidArgument("%s", bytes_.empty()
                                       ? "the module proto is empty"
                                       : "the module has no computations");
    }
    HLOKIT_RETURN_IF_ERROR(CheckFields(proto_));
    module_ = std::make_unique<Module>(SanitizeName(proto_.name()));
    HLOKIT_RETURN_IF_ERROR(CreateComputations());
    HLOKIT_RETURN_IF_ERROR(ReadComputations());
    HLOKIT_RETURN_IF_ERROR(CheckRecursion());
    JoinComputations();
    HLOKIT_RETURN_IF_ERROR(ReadEntryLayout());
    HLOKIT_RETURN_IF_ERROR(ReadSchedule());
    HLOKIT_RETURN_IF_ERROR(ReadAliases());
    HLOKIT_RETURN_IF_ERROR(ReadTables());
    KeepUnprinted();
    if (options_.notes != nullptr) HLOKIT_RETURN_IF_ERROR(KeepUnknowns());
    return std::move(module_);
  }

 private:
  // Why bytes that could not be split are no message.
  absl::Status Broken() const {
    xla::HloModuleProto proto;
    const absl::Status why = ParseProtoBytes(bytes_, &proto);
    return why.ok() ? InvalidArgument("these bytes are not an HloModuleProto")
                    : why;
  }

  // Finds where computations and instructions lie, and parses all else.
  absl::Status Split() {
    std::string rest;
    WireReader reader(bytes_);
    WireField field;
    while (reader.Next(&field)) {
      if (field.Is(xla::HloModuleProto::kComputationsFieldNumber,
                   WireType::kBytes)) {
        HLOKIT_RETURN_IF_ERROR(SplitComputation(field.bytes));
      } else {
        rest.append(field.whole.data(), field.whole.size());
      }
    }
    if (reader.bad()) return Broken();
    return ParseProtoBytes(rest, &proto_).ok() ? absl::OkStatus() : Broken();
  }

  absl::Status SplitComputation(absl::string_view bytes) {
    ComputationBytes& computation = computations_.emplace_back();
    using P = xla::HloComputationProto;
    WireReader reader(bytes);
    WireField field;
    while (reader.Next(&field)) {
      if (field.Is(P::kInstructionsFieldNumber, WireType::kBytes)) {
        computation.instructions.push_back(field.bytes);
      } else if (field.Is(P::kNameFieldNumber, WireType::kBytes)) {
        computation.name = field.bytes;
      } else if (field.Is(P::kExecutionThreadFieldNumber, WireType::kBytes)) {
        computation.execution_thread = field.bytes;
      } else if (field.Is(P::kProgramShapeFieldNumber, WireType::kBytes)) {
        computation.program_shape = field.bytes;
      } else if (field.Is(P::kIdFieldNumber, WireType::kVarint)) {
        computation.id = field.number_value();
      } else if (field.Is(P::kRootIdFieldNumber, WireType::kVarint)) {
        computation.root_id = field.number_value();
      } else if (!field.Is(P::kIsFusionComputationFieldNumber,
                           WireType::kVarint)) {
        computation.rest.append(field.whole.data(), field.whole.size());
      }
    }
    return reader.bad() ? Broken() : absl::OkStatus();
  }

  // Fields that came with a wrong type.
  absl::Status CheckRest(const ComputationBytes& c) const {
    if (c.rest.empty()) return absl::OkStatus();
    xla::HloComputationProto rest;
    if (!ParseProtoBytes(c.rest, &rest).ok()) return Broken();
    return CheckFields(rest);
  }

  // Looks at the module once more, as messages, for fields that are unknown.
  absl::Status KeepUnknowns() {
    FieldNotes notes;
    notes.Walk(proto_, absl::StrCat("module ", proto_.name()));
    if (notes.field_count() > 0) {
      xla::HloModuleProto kept = proto_;
      KeepFor("", &kept);
    }
    for (size_t n = 0; n < computations_.size(); ++n) {
      const ComputationBytes& c = computations_[n];
      const std::string place = absl::StrCat("computation ", c.name);
      const int64_t before = notes.field_count();
      NotePart<xla::HloComputationProto>(c.rest, place, &notes);
      NotePart<xla::ProgramShapeProto>(c.program_shape, place, &notes);
      if (notes.field_count() > before) {
        xla::HloComputationProto kept;
        (void)ParseProtoBytes(c.rest, &kept).ok();
        (void)ParseProtoBytes(c.program_shape, kept.mutable_program_shape())
            .ok();
        // Types of parameters are those of the instructions.
        kept.mutable_program_shape()->clear_parameters();
        KeepFor(module_->computations()[n]->name(), &kept);
      }
      for (size_t k = 0; k < c.instructions.size(); ++k) {
        if (NoteInstruction(c.instructions[k], &notes)) {
          KeepFieldsOf(readers_[n]->instruction(k));
        }
      }
    }
    std::vector<std::string> lines;
    notes.AppendTo(&lines);
    if (options_.refuse_unknown && !lines.empty()) {
      return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
    }
    options_.notes->insert(options_.notes->end(), lines.begin(), lines.end());
    return absl::OkStatus();
  }

  // Unknown fields of the module or, by its name, of a computation.
  void KeepFor(absl::string_view computation,
               google::protobuf::Message* message) {
    if (!PruneToUnknown(message)) return;
    module_->frontend_attributes[computation.empty()
                                     ? std::string(kUnknownFieldsKey)
                                     : UnknownKeyOf(kUnknownFieldsKey,
                                                    computation)] =
        EncodeKept(*message);
  }

  // Of the instruction in context_.fields.
  void KeepFieldsOf(Instruction* instruction) {
    const InstructionFields& f = context_.fields;
    InstructionProto kept;
    if (!UnknownOpcode(*instruction).empty()) {
      // Those of the opcode are kept already.
      (void)DecodeKept(UnknownPart(*instruction, kUnknownFieldsKey), &kept);
    } else if (!ParseProtoBytes(f.rest, &kept).ok()) {
      return;
    }
    InstructionProto parts;
    // Those that do not parse were refused before.
    (void)ParseProtoBytes(f.shape, parts.mutable_shape()).ok();
    (void)ParseProtoBytes(f.metadata, parts.mutable_metadata()).ok();
    if (f.literal.size() < kLargeLiteral) {
      (void)ParseProtoBytes(f.literal, parts.mutable_literal()).ok();
    }
    (void)PruneToUnknown(&parts);
    if (UnknownOpcode(*instruction).empty()) (void)PruneToUnknown(&kept);
    MergeKept(parts, &kept);
    if (kept.ByteSizeLong() == 0) return;
    SetUnknownPart(instruction, kUnknownFieldsKey, EncodeKept(kept));
  }

  // Whether it has unknown fields; it is in context_.fields then.
  bool NoteInstruction(absl::string_view bytes, FieldNotes* notes) {
    InstructionFields& f = context_.fields;
    if (!ReadInstructionFields(bytes, &f)) return false;
    const int64_t before = notes->field_count();
    const std::string place = absl::StrCat("instruction ", f.name);
    NotePart<xla::ShapeProto>(f.shape, place, notes);
    NotePart<xla::OpMetadata>(f.metadata, place, notes);
    NotePart<xla::HloInstructionProto>(f.rest, place, notes);
    // Of large literals the elements are all there is.
    if (f.literal.size() < kLargeLiteral) {
      NotePart<xla::LiteralProto>(f.literal, place, notes);
    }
    return notes->field_count() > before;
  }

  // Bytes that gave no notes are not looked at again: most parts repeat.
  // Returns whether they have unknown fields.
  template <typename Message>
  bool NotePart(absl::string_view bytes, const std::string& place,
                FieldNotes* notes) {
    if (bytes.empty() || plain_parts_.contains(bytes)) return false;
    Message message;
    const int64_t before = notes->count();
    const int64_t fields_before = notes->field_count();
    if (ParseProtoBytes(bytes, &message).ok()) {
      notes->Walk(message, place);
    }
    if (notes->count() == before) plain_parts_.emplace(bytes);
    return notes->field_count() > fields_before;
  }

  void Note(std::string text) {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(text));
  }

  absl::Status CreateComputations() {
    for (const ComputationBytes& c : computations_) {
      HLOKIT_RETURN_IF_ERROR(
          Annotate(CheckRest(c), absl::StrCat("computation ", c.name)));
      if (c.id < 0 || c.id > kMaxComputationId) {
        return InvalidArgument("computation %s: id %d is out of range", c.name,
                               c.id);
      }
      fresh_.push_back(
          Computation::Create(module_.get(), SanitizeName(c.name)));
      if (!by_id_.emplace(c.id, fresh_.back().get()).second) {
        return InvalidArgument("computations %s and %s have the same id %d",
                               by_id_[c.id]->name(), c.name, c.id);
      }
    }
    if (!by_id_.contains(proto_.entry_computation_id())) {
      return InvalidArgument("entry computation id %d is not there",
                             proto_.entry_computation_id());
    }
    return absl::OkStatus();
  }

  absl::Status ReadComputations() {
    // Who asks them again.
    const bool keep_readers =
        proto_.has_schedule() || options_.notes != nullptr;
    if (keep_readers) readers_.reserve(fresh_.size());
    for (size_t n = 0; n < fresh_.size(); ++n) {
      auto reader = std::make_unique<ComputationReader>(
          computations_[n], &context_, fresh_[n].get());
      const absl::Status status = reader->Read();
      if (!status.ok()) {
        return Annotate(status,
                        absl::StrCat("computation ", computations_[n].name));
      }
      if (keep_readers) {
        readers_.push_back(std::move(reader));
      } else {
        computations_[n].instructions = {};
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckRecursion() {
    // Callees before callers, as writers have it, needs no search.
    if (!context_.calls_forward) return absl::OkStatus();
    std::vector<Computation*> all;
    for (const auto& c : fresh_) all.push_back(c.get());
    const auto cycle = FindCycle(all, [](Computation* c) {
      std::vector<Computation*> callees;
      for (const Instruction* i : c->CallingInstructions()) {
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
      const ComputationBytes& p = computations_[n];
      Computation* c =
          p.id == proto_.entry_computation_id()
              ? module_->AddEntryComputation(std::move(fresh_[n]), p.id)
              : module_->AddComputation(std::move(fresh_[n]), p.id);
      if (options_.notes == nullptr) continue;
      if (c->name() != p.name) NoteRename("computation", p.name, c->name());
      readers_[n]->ForEachRenamed(
          [this](absl::string_view from, absl::string_view to) {
            NoteRename("instruction", from, to);
          });
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
    module_->entry_layout = *std::move(layout);
    return absl::OkStatus();
  }

  absl::Status ReadSchedule() {
    if (!proto_.has_schedule()) return absl::OkStatus();
    Schedule schedule;
    for (size_t n = 0; n < computations_.size(); ++n) {
      auto it =
          proto_.schedule().sequences().find(computations_[n].id);
      if (it == proto_.schedule().sequences().end()) continue;
      std::vector<Instruction*>& sequence =
          schedule[module_->computations()[n].get()];
      for (int64_t id : it->second.instruction_ids()) {
        Instruction* instruction = readers_[n]->Find(id);
        if (instruction == nullptr) {
          return InvalidArgument(
              "the schedule of computation %s names instruction id %d, which "
              "is not there",
              computations_[n].name, id);
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
    if (context_.has_frame_ids) {
      module_->stack_frames = ReadStackFrames(proto_.stack_frame_index());
      CompactStackFrames(module_.get());
    }
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

  const absl::string_view bytes_;
  const FromProtoOptions& options_;
  ReadContext context_;
  xla::HloModuleProto& proto_ = context_.module_rest;
  absl::flat_hash_map<int64_t, Computation*>& by_id_ = context_.computations;
  std::vector<ComputationBytes> computations_;
  absl::flat_hash_set<std::string> plain_parts_;  // that gave no notes
  // Computations that have not joined yet, in file order. Owned by `module_`
  // afterwards. They hold names in the module's storage, so they go first.
  std::unique_ptr<Module> module_;
  std::vector<std::unique_ptr<Computation>> fresh_;
  std::vector<std::unique_ptr<ComputationReader>> readers_;
};

}  // namespace
}  // namespace wire

absl::StatusOr<std::unique_ptr<Module>> ModuleFromBytes(
    absl::string_view bytes, const FromProtoOptions& options) {
  {
    wire::ModuleReader reader(bytes, options, options.preserve_ids);
    auto module = reader.Read();
    if (module.ok() || !options.preserve_ids || !reader.TooManyHoles()) {
      return module;
    }
  }
  if (options.notes != nullptr) {
    options.notes->push_back(
        "instruction ids leave too many numbers out; they are dealt anew");
  }
  return wire::ModuleReader(bytes, options, false).Read();
}

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(
    const xla::HloModuleProto& proto, const FromProtoOptions& options) {
  return ModuleFromBytes(SerializeDeterministic(proto), options);
}

}  // namespace hlokit
