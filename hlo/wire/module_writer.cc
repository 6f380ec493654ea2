// Module -> HloModuleProto.
#include "hlo/wire/attribute_fields.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace wire {
namespace {

template <typename String>
void SetText(absl::string_view text, String* field) {
  field->assign(text.data(), text.size());
}

void WriteInstruction(const Instruction& i, xla::HloInstructionProto* proto) {
  SetText(i.name(), proto->mutable_name());
  SetText(OpcodeName(i.opcode()), proto->mutable_opcode());
  proto->set_id(i.unique_id());
  ShapeToProto(i.shape(), proto->mutable_shape());
  if (i.opcode() == Opcode::kParameter) {
    proto->set_parameter_number(i.parameter_number());
  }
  for (const Instruction* operand : i.operands()) {
    proto->add_operand_ids(operand->unique_id());
  }
  for (const Instruction* predecessor : i.control_predecessors()) {
    proto->add_control_predecessor_ids(predecessor->unique_id());
  }
  for (const Computation* called : i.called_computations()) {
    proto->add_called_computation_ids(called->id());
  }
  WriteAttributes(i, proto);
}

void WriteComputation(const Computation& c, xla::HloComputationProto* proto) {
  SetText(c.name(), proto->mutable_name());
  proto->set_id(c.id());
  if (c.root() != nullptr) proto->set_root_id(c.root()->unique_id());
  WriteProgramShape(c.ComputeProgramShape(), /*own_names=*/true,
                    proto->mutable_program_shape());
  proto->set_is_fusion_computation(c.IsFusionComputation());
  proto->set_execution_thread(c.execution_thread());
  const std::vector<Instruction*> order = c.PostOrder();
  proto->mutable_instructions()->Reserve(order.size());
  for (const Instruction* i : order) {
    WriteInstruction(*i, proto->add_instructions());
  }
}

void WriteSchedule(const Schedule& schedule, xla::HloScheduleProto* proto) {
  auto* sequences = proto->mutable_sequences();
  for (const auto& [computation, sequence] : schedule) {
    auto& out = (*sequences)[computation->id()];
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

void WriteTables(const Module& module, xla::HloModuleProto* proto) {
  auto* map = proto->mutable_frontend_attributes()->mutable_map();
  for (const auto& [key, value] : module.frontend_attributes) {
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

}  // namespace
}  // namespace wire

xla::HloModuleProto ModuleToProto(const Module& module, int64_t module_id) {
  xla::HloModuleProto proto;
  if (module.unprinted != nullptr) proto = *module.unprinted;
  proto.set_id(module_id);
  proto.set_name(module.name());
  if (const Computation* entry = module.entry()) {
    wire::SetText(entry->name(), proto.mutable_entry_computation_name());
    proto.set_entry_computation_id(entry->id());
    wire::WriteProgramShape(
        module.entry_layout ? *module.entry_layout
                            : entry->ComputeProgramShape(),
        /*own_names=*/false, proto.mutable_host_program_shape());
  }
  for (const Computation* c : module.TopologicalOrder()) {
    wire::WriteComputation(*c, proto.add_computations());
  }
  if (module.schedule) {
    wire::WriteSchedule(*module.schedule, proto.mutable_schedule());
  }
  wire::WriteAliases(module, &proto);
  wire::WriteTables(module, &proto);
  return proto;
}

}  // namespace hlokit
