// Module -> HloModuleProto, as bytes: instructions are written one by one, so
// that the whole is never there as messages.
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "base/escape.h"
#include "base/status.h"
#include "hlo/wire/attribute_fields.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace wire {
namespace {

template <typename String>
void SetText(absl::string_view text, String* field) {
  field->assign(text.data(), text.size());
}

void AppendMessage(const google::protobuf::Message& message,
                   std::string* out) {
  const size_t size = message.ByteSizeLong();
  const size_t at = out->size();
  out->resize(at + size);
  google::protobuf::io::ArrayOutputStream stream(&(*out)[at],
                                                 static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&coded);
}

std::string ToValidUtf8(absl::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const int length = Utf8SequenceLength(text);
    if (length > 0) {
      valid.append(text.data(), length);
    } else {
      AppendUtf8(0xfffd, &valid);  // the replacement character
    }
    text.remove_prefix(std::max(length, 1));
  }
  return valid;
}

// Replaces what is no UTF-8 in the strings of a message, of which protobuf
// readers would refuse the whole.
void RepairStrings(google::protobuf::Message* message) {
  using google::protobuf::FieldDescriptor;
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count =
        field->is_repeated() ? reflection->FieldSize(*message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        RepairStrings(field->is_repeated()
                          ? reflection->MutableRepeatedMessage(message, field, i)
                          : reflection->MutableMessage(message, field));
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        if (field->is_repeated()) {
          reflection->SetRepeatedString(
              message, field, i,
              ToValidUtf8(reflection->GetRepeatedString(*message, field, i)));
        } else {
          reflection->SetString(
              message, field,
              ToValidUtf8(reflection->GetString(*message, field)));
        }
      }
    }
  }
}

// Writes instructions; remembers the bytes of types, of which modules have few
// different ones.
class InstructionWriter {
 public:
  InstructionWriter(std::string* out, bool repair)
      : out_(out), writer_(out), repair_(repair) {}

  // Fields in the order of their numbers, as the protobuf library writes them.
  void Write(const Instruction& i, int32_t field) {
    using P = xla::HloInstructionProto;
    const size_t begin = writer_.Begin(field);
    writer_.Text(P::kNameFieldNumber, i.name());
    writer_.Text(P::kOpcodeFieldNumber, OpcodeName(i.opcode()));
    writer_.Bytes(P::kShapeFieldNumber, ShapeBytes(i.shape()));
    WriteMetadataOf(i);
    if (i.literal() != nullptr) {
      WriteLiteral(*i.literal(), P::kLiteralFieldNumber, &writer_);
    }
    WriteRest(i);
    writer_.End(begin);
  }

  // Of a computation: its parameters with their names, and its result.
  void WriteProgramShape(const Computation& c, int32_t field) {
    using P = xla::ProgramShapeProto;
    const size_t begin = writer_.Begin(field);
    for (const Instruction* parameter : c.parameters()) {
      if (parameter == nullptr) continue;
      writer_.Bytes(P::kParametersFieldNumber, ShapeBytes(parameter->shape()));
    }
    if (c.root() != nullptr) {
      writer_.Bytes(P::kResultFieldNumber, ShapeBytes(c.root()->shape()));
    }
    for (const Instruction* parameter : c.parameters()) {
      if (parameter == nullptr) continue;
      writer_.Bytes(P::kParameterNamesFieldNumber, parameter->name());
    }
    writer_.End(begin);
  }

 private:
  absl::string_view ShapeBytes(const Shape& shape) {
    auto [it, is_new] = shapes_.try_emplace(shape);
    if (is_new) {
      xla::ShapeProto proto;
      ShapeToProto(shape, &proto);
      it->second = proto.SerializeAsString();
    }
    return it->second;
  }

  void WriteMetadataOf(const Instruction& i) {
    const size_t begin =
        writer_.Begin(xla::HloInstructionProto::kMetadataFieldNumber);
    if (i.has_metadata() &&
        (repair_ || !AppendPlainMetadata(i.metadata(), out_))) {
      xla::OpMetadata proto;
      WriteMetadata(i.metadata(), &proto);
      if (repair_) RepairStrings(&proto);
      AppendMessage(proto, out_);
    }
    writer_.End(begin);
  }

  // Of an instruction without attributes there is little left.
  bool WritePlainRest(const Instruction& i) {
    using P = xla::HloInstructionProto;
    if (!InfoOf(i.opcode()).attributes.empty()) return false;
    const auto entries = i.attrs().entries();
    const bool only_literal =
        entries.empty() ||
        (entries.size() == 1 && i.literal() != nullptr);
    if (!only_literal || !i.control_predecessors().empty() ||
        !i.called_computations().empty()) {
      return false;
    }
    if (i.opcode() == Opcode::kParameter) {
      writer_.Number(P::kParameterNumberFieldNumber, i.parameter_number());
    }
    writer_.Number(P::kIdFieldNumber, i.unique_id());
    if (i.operand_count() > 0) {
      const size_t begin = writer_.Begin(P::kOperandIdsFieldNumber);
      for (const Instruction* operand : i.operands()) {
        writer_.Varint(static_cast<uint64_t>(operand->unique_id()));
      }
      writer_.End(begin);
    }
    writer_.Bytes(P::kFrontendAttributesFieldNumber, "");
    writer_.Bytes(P::kStatisticsVizFieldNumber, "");
    return true;
  }

  void WriteRest(const Instruction& i) {
    if (WritePlainRest(i)) return;
    scratch_.Clear();
    if (i.opcode() == Opcode::kParameter) {
      scratch_.set_parameter_number(i.parameter_number());
    }
    scratch_.set_id(i.unique_id());
    for (const Instruction* operand : i.operands()) {
      scratch_.add_operand_ids(operand->unique_id());
    }
    for (const Instruction* predecessor : i.control_predecessors()) {
      scratch_.add_control_predecessor_ids(predecessor->unique_id());
    }
    for (const Computation* called : i.called_computations()) {
      scratch_.add_called_computation_ids(called->id());
    }
    WriteAttributes(i, &scratch_);
    if (repair_) RepairStrings(&scratch_);
    AppendMessage(scratch_, out_);
  }

  std::string* out_;
  WireWriter writer_;
  const bool repair_;
  xla::HloInstructionProto scratch_;
  absl::flat_hash_map<Shape, std::string> shapes_;
};

void WriteComputation(const Computation& c, InstructionWriter* instructions,
                      WireWriter* writer) {
  using P = xla::HloComputationProto;
  const size_t begin = writer->Begin(xla::HloModuleProto::kComputationsFieldNumber);
  writer->Text(P::kNameFieldNumber, c.name());
  for (const Instruction* i : c.PostOrder()) {
    instructions->Write(*i, P::kInstructionsFieldNumber);
  }
  instructions->WriteProgramShape(c, P::kProgramShapeFieldNumber);
  writer->Number(P::kIdFieldNumber, c.id());
  if (c.root() != nullptr) {
    writer->Number(P::kRootIdFieldNumber, c.root()->unique_id());
  }
  writer->Number(P::kIsFusionComputationFieldNumber, c.IsFusionComputation());
  writer->Text(P::kExecutionThreadFieldNumber, c.execution_thread());
  writer->End(begin);
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

// Everything behind the computations.
xla::HloModuleProto RestOf(const Module& module, int64_t module_id) {
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
  WriteTables(module, &proto);
  return proto;
}

// With `repair`, strings that are no UTF-8 become so.
void WriteModule(const Module& module, int64_t module_id, bool repair,
                 std::string* out) {
  using P = xla::HloModuleProto;
  WireWriter writer(out);
  writer.Text(P::kNameFieldNumber, module.name());
  if (module.entry() != nullptr) {
    writer.Text(P::kEntryComputationNameFieldNumber, module.entry()->name());
  }
  InstructionWriter instructions(out, repair);
  for (const Computation* c : module.TopologicalOrder()) {
    WriteComputation(*c, &instructions, &writer);
  }
  P rest = RestOf(module, module_id);
  if (repair) RepairStrings(&rest);
  AppendMessage(rest, out);
}

bool ParseModule(absl::string_view bytes, xla::HloModuleProto* proto) {
  const google::protobuf::LogSilencer silence;  // a fault is mended
  google::protobuf::io::ArrayInputStream stream(
      bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  // As deep as HLO text may nest.
  coded.SetRecursionLimit(1 << 14);
  return proto->ParseFromCodedStream(&coded);
}

}  // namespace
}  // namespace wire

void AppendModuleBytes(const Module& module, int64_t module_id,
                       std::string* out) {
  wire::WriteModule(module, module_id, /*repair=*/false, out);
}

std::string ModuleToBytes(const Module& module, int64_t module_id) {
  std::string bytes;
  bytes.reserve(module.instruction_count() * 128);
  AppendModuleBytes(module, module_id, &bytes);
  return bytes;
}

xla::HloModuleProto ModuleToProto(const Module& module, int64_t module_id) {
  xla::HloModuleProto proto;
  std::string bytes = ModuleToBytes(module, module_id);
  if (wire::ParseModule(bytes, &proto)) return proto;
  // HLO text may have any bytes in its strings.
  bytes.clear();
  wire::WriteModule(module, module_id, /*repair=*/true, &bytes);
  proto.Clear();
  HLOKIT_CHECK(wire::ParseModule(bytes, &proto));
  return proto;
}

}  // namespace hlokit
