// Module -> HloModuleProto, as bytes: instructions are written one by one, so
// that the whole is never there as messages.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/field_writers.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/unknown_fields.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace wire {
namespace {

// Of a computation: its parameters with their names, and its result.
void WriteOwnProgramShape(const Computation& c, FieldOutput* output) {
  using P = xla::ProgramShapeProto;
  WireWriter& writer = output->writer();
  const auto begin =
      writer.Begin(xla::HloComputationProto::kProgramShapeFieldNumber);
  for (const Instruction* parameter : c.parameters()) {
    if (parameter == nullptr) continue;
    output->Type(P::kParametersFieldNumber, parameter->shape());
  }
  if (c.root() != nullptr) {
    output->Type(P::kResultFieldNumber, c.root()->shape());
  }
  for (const Instruction* parameter : c.parameters()) {
    if (parameter == nullptr) continue;
    writer.Bytes(P::kParameterNamesFieldNumber, parameter->name());
  }
  writer.End(begin);
}

// Unknown fields.
void WriteKeptOf(const Computation& c, FieldOutput* output) {
  const FrontendAttributes& all = c.module()->frontend_attributes;
  if (all.empty() || output->writer().for_text()) return;
  xla::HloComputationProto kept;
  if (DecodeKept(
          UnknownPart(&all, UnknownKeyOf(kUnknownFieldsKey, c.name())),
          &kept)) {
    output->FieldsOf(std::move(kept));
  }
}

void WriteComputation(const Computation& c, FieldOutput* output) {
  using P = xla::HloComputationProto;
  // A guess at the size; a bad one costs a little time.
  constexpr uint64_t kBytesPerInstruction = 120;
  WireWriter& writer = output->writer();
  const auto begin = writer.BeginHuge(
      xla::HloModuleProto::kComputationsFieldNumber,
      kBytesPerInstruction * static_cast<uint64_t>(c.instruction_count()));
  writer.Text(P::kNameFieldNumber, c.name());
  for (const Instruction* i : c.PostOrder()) {
    const auto one = writer.Begin(P::kInstructionsFieldNumber);
    WriteInstructionFields(*i, output);
    writer.End(one);
  }
  WriteOwnProgramShape(c, output);
  writer.Number(P::kIdFieldNumber, c.id());
  if (c.root() != nullptr) {
    writer.Number(P::kRootIdFieldNumber, c.root()->unique_id());
  }
  writer.Number(P::kIsFusionComputationFieldNumber, c.IsFusionComputation());
  writer.Text(P::kExecutionThreadFieldNumber, c.execution_thread());
  WriteKeptOf(c, output);
  writer.EndHuge(begin);
}

void WriteSchedule(const Schedule& schedule, xla::HloScheduleProto* proto) {
  auto* sequences = proto->mutable_sequences();
  for (const auto& [computation, sequence] : schedule) {
    auto& out = (*sequences)[computation->id()];
    out.mutable_instruction_ids()->Reserve(sequence.size());
    for (const Instruction* i : sequence) {
      out.add_instruction_ids(i->unique_id());
    }
  }
}

void WriteAliases(const Module& module, xla::HloModuleProto* proto) {
  // Both messages are there even when they are empty.
  auto* aliases = proto->mutable_input_output_alias();
  for (const InputOutputAlias& a : module.input_output_aliases) {
    auto* out = aliases->add_entries();
    SetField(a.output_index, out->mutable_output_shape_index());
    out->set_parameter_number(a.parameter);
    SetField(a.parameter_index, out->mutable_parameter_shape_index());
    out->set_kind(static_cast<xla::Kind>(a.kind));
  }
  auto* donors = proto->mutable_buffer_donor();
  for (const BufferDonor& d : module.buffer_donors) {
    auto* out = donors->add_entries();
    out->set_parameter_number(d.parameter);
    SetField(d.parameter_index, out->mutable_parameter_shape_index());
  }
}

void WriteTables(const Module& module, bool for_text,
                 xla::HloModuleProto* proto) {
  auto* map = proto->mutable_frontend_attributes()->mutable_map();
  for (const auto& [key, value] : module.frontend_attributes) {
    if (!for_text && absl::StartsWith(key, kUnknownFieldsKey)) continue;
    (*map)[key] = value;
  }
  if (!module.stack_frames.empty()) {
    WriteStackFrames(module.stack_frames, proto->mutable_stack_frame_index());
  }
  for (const OriginalValueRecovery& entry : module.recovery_table) {
    auto* out =
        proto->mutable_original_value_recovery_table()->add_entries();
    WriteOriginalArray(entry.old_array, out->mutable_old_original_array());
    WriteOriginalArray(entry.new_array, out->mutable_new_original_array());
    if (entry.module != nullptr) {
      *out->mutable_recovery_module() = ModuleToProto(*entry.module);
    }
  }
  for (const DebugAttributeEntry& entry : module.debug_attributes) {
    auto* out = proto->add_debug_attributes();
    WriteOriginalArray(entry.array, out->mutable_original_array());
    for (const DebugAttributes& a : entry.attributes) {
      auto* attributes = out->add_debug_attributes();
      attributes->set_log_mode(
          static_cast<xla::DebugAttributesProto::DebugLogModeProto>(
              a.log_mode));
      attributes->set_callback_id(a.callback_id);
      attributes->set_op_id(a.op_id);
      attributes->set_partitioned(a.partitioned);
      attributes->set_operands_sharding(a.operands_sharding);
    }
  }
}

// Everything behind the computations.
xla::HloModuleProto RestOf(const Module& module, int64_t module_id,
                           bool for_text) {
  xla::HloModuleProto proto;
  if (module.unprinted != nullptr) proto = *module.unprinted;
  proto.set_id(module_id);
  if (const Computation* entry = module.entry()) {
    proto.set_entry_computation_id(entry->id());
    wire::WriteProgramShape(module.entry_layout ? *module.entry_layout
                                          : entry->ComputeProgramShape(),
                      /*own_names=*/false, proto.mutable_host_program_shape());
  }
  if (module.schedule) WriteSchedule(*module.schedule, proto.mutable_schedule());
  WriteAliases(module, &proto);
  WriteTables(module, for_text, &proto);
  xla::HloModuleProto kept;
  if (!for_text &&
      DecodeKept(UnknownPart(&module.frontend_attributes, kUnknownFieldsKey),
                 &kept)) {
    MergeKept(kept, &proto);
  }
  return proto;
}

void WriteFieldsOf(const Module& module, int64_t module_id,
                   WireWriter* writer) {
  using P = xla::HloModuleProto;
  FieldOutput output(writer);
  writer->Text(P::kNameFieldNumber, module.name());
  if (module.entry() != nullptr) {
    writer->Text(P::kEntryComputationNameFieldNumber, module.entry()->name());
  }
  for (const Computation* c : module.TopologicalOrder()) {
    WriteComputation(*c, &output);
  }
  output.FieldsOf(RestOf(module, module_id, writer->for_text()));
}

}  // namespace
}  // namespace wire

void WriteModule(const Module& module, int64_t module_id,
                 wire::WireWriter* writer) {
  wire::WriteFieldsOf(module, module_id, writer);
}

std::string ModuleToBytes(const Module& module, int64_t module_id) {
  std::string bytes;
  // As many as most modules need.
  bytes.reserve(module.instruction_count() * 192);
  AppendModuleBytes(module, module_id, &bytes);
  return bytes;
}

void AppendModuleBytes(const Module& module, int64_t module_id,
                       std::string* out) {
  wire::WireWriter writer(out);
  WriteModule(module, module_id, &writer);
}

xla::HloModuleProto ModuleToProto(const Module& module, int64_t module_id) {
  xla::HloModuleProto proto;
  HLOKIT_CHECK(ParseWrittenBytes(ModuleToBytes(module, module_id), &proto));
  return proto;
}

}  // namespace hlokit
