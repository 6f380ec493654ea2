// OpMetadata, payloads, original arrays, stack frames.
#include <utility>

#include "base/status.h"
#include "hlo/wire/part_convert.h"

namespace hlokit::wire {

absl::StatusOr<std::string> ReadPayload(
    const xla::Payload& proto,
    const google::protobuf::RepeatedPtrField<std::string>& payloads) {
  if (proto.payload_source_case() != xla::Payload::kId) return proto.value();
  if (proto.id() < 0 || proto.id() >= payloads.size()) {
    return InvalidArgument("payload %d is not among the module's %d",
                           proto.id(), payloads.size());
  }
  return payloads.Get(proto.id());
}

absl::StatusOr<OpMetadata> ReadMetadata(
    const xla::OpMetadata& proto,
    const google::protobuf::RepeatedPtrField<std::string>& payloads) {
  HLOKIT_RETURN_IF_ERROR(CheckFields(proto));
  OpMetadata m;
  m.op_type = proto.op_type();
  m.op_name = proto.op_name();
  m.source_file = proto.source_file();
  m.source_line = proto.source_line();
  m.source_end_line = proto.source_end_line();
  m.source_column = proto.source_column();
  m.source_end_column = proto.source_end_column();
  m.stack_frame_id = proto.stack_frame_id();
  OpMetadata::Rare rare;
  rare.profile_type.assign(proto.profile_type().begin(),
                           proto.profile_type().end());
  rare.deduplicated_name = proto.deduplicated_name();
  rare.scheduling_name = proto.scheduling_name();
  if (proto.has_metadata_payload()) {
    rare.has_metadata_payload = true;
    HLOKIT_ASSIGN_OR_RETURN(rare.metadata_payload,
                            ReadPayload(proto.metadata_payload(), payloads));
  }
  if (proto.size_of_generated_code_in_bytes() != 0 ||
      proto.size_of_memory_working_set_in_bytes() != 0 ||
      proto.has_profile_info()) {
    xla::OpMetadata unprinted;
    unprinted.set_size_of_generated_code_in_bytes(
        proto.size_of_generated_code_in_bytes());
    unprinted.set_size_of_memory_working_set_in_bytes(
        proto.size_of_memory_working_set_in_bytes());
    if (proto.has_profile_info()) {
      *unprinted.mutable_profile_info() = proto.profile_info();
    }
    rare.unprinted = unprinted.SerializeAsString();
  }
  if (!(rare == m.rare())) m.mutable_rare() = std::move(rare);
  return m;
}

namespace {

std::string* StringField(int32_t number, OpMetadata* m) {
  switch (number) {
    case xla::OpMetadata::kOpTypeFieldNumber: return &m->op_type;
    case xla::OpMetadata::kOpNameFieldNumber: return &m->op_name;
    case xla::OpMetadata::kSourceFileFieldNumber: return &m->source_file;
    default: return nullptr;
  }
}

int32_t* NumberField(int32_t number, OpMetadata* m) {
  switch (number) {
    case xla::OpMetadata::kSourceLineFieldNumber: return &m->source_line;
    case xla::OpMetadata::kSourceEndLineFieldNumber:
      return &m->source_end_line;
    case xla::OpMetadata::kSourceColumnFieldNumber: return &m->source_column;
    case xla::OpMetadata::kSourceEndColumnFieldNumber:
      return &m->source_end_column;
    case xla::OpMetadata::kStackFrameIdFieldNumber: return &m->stack_frame_id;
    default: return nullptr;
  }
}

}  // namespace

bool ReadPlainMetadata(absl::string_view bytes, OpMetadata* metadata) {
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(&field)) {
    if (field.type == WireType::kBytes) {
      std::string* text = StringField(field.number, metadata);
      if (text == nullptr || !IsAscii(field.bytes)) return false;
      text->assign(field.bytes.data(), field.bytes.size());
    } else if (field.type == WireType::kVarint) {
      int32_t* number = NumberField(field.number, metadata);
      if (number == nullptr) return false;
      *number = static_cast<int32_t>(field.value);
    } else {
      return false;
    }
  }
  return !reader.bad();
}

bool WritePlainMetadata(const OpMetadata& m, WireWriter* writer) {
  using P = xla::OpMetadata;
  if (m.has_rare()) return false;
  // In the order of the numbers.
  writer->Text(P::kOpTypeFieldNumber, m.op_type);
  writer->Text(P::kOpNameFieldNumber, m.op_name);
  writer->Text(P::kSourceFileFieldNumber, m.source_file);
  writer->Number(P::kSourceLineFieldNumber, m.source_line);
  writer->Number(P::kStackFrameIdFieldNumber, m.stack_frame_id);
  writer->Number(P::kSourceEndLineFieldNumber, m.source_end_line);
  writer->Number(P::kSourceColumnFieldNumber, m.source_column);
  writer->Number(P::kSourceEndColumnFieldNumber, m.source_end_column);
  return true;
}

void WriteMetadata(const OpMetadata& m, xla::OpMetadata* proto) {
  const OpMetadata::Rare& rare = m.rare();
  if (!rare.unprinted.empty()) {
    (void)ParseWrittenBytes(rare.unprinted, proto);
  }
  if (!m.op_type.empty()) proto->set_op_type(m.op_type);
  if (!m.op_name.empty()) proto->set_op_name(m.op_name);
  if (!m.source_file.empty()) proto->set_source_file(m.source_file);
  proto->set_source_line(m.source_line);
  proto->set_source_end_line(m.source_end_line);
  proto->set_source_column(m.source_column);
  proto->set_source_end_column(m.source_end_column);
  for (int64_t type : rare.profile_type) {
    proto->add_profile_type(static_cast<xla::ProfileType>(type));
  }
  if (!rare.deduplicated_name.empty()) {
    proto->set_deduplicated_name(rare.deduplicated_name);
  }
  if (!rare.scheduling_name.empty()) {
    proto->set_scheduling_name(rare.scheduling_name);
  }
  proto->set_stack_frame_id(m.stack_frame_id);
  if (rare.has_metadata_payload) {
    proto->mutable_metadata_payload()->set_value(rare.metadata_payload);
  }
}

OriginalArray ReadOriginalArray(const xla::OriginalArrayProto& proto) {
  return {proto.instruction_name(), ToList<ShapeIndex>(proto.shape_index())};
}

void WriteOriginalArray(const OriginalArray& array,
                        xla::OriginalArrayProto* proto) {
  proto->set_instruction_name(array.instruction_name);
  SetField(array.shape_index, proto->mutable_shape_index());
}

StackFrameIndex ReadStackFrames(const xla::StackFrameIndexProto& proto) {
  StackFrameIndex frames;
  frames.file_names.assign(proto.file_names().begin(),
                           proto.file_names().end());
  frames.function_names.assign(proto.function_names().begin(),
                               proto.function_names().end());
  for (const auto& l : proto.file_locations()) {
    frames.file_locations.push_back({l.file_name_id(), l.function_name_id(),
                                     l.line(), l.end_line(), l.column(),
                                     l.end_column()});
  }
  for (const auto& f : proto.stack_frames()) {
    frames.stack_frames.push_back({f.file_location_id(), f.parent_frame_id()});
  }
  return frames;
}

void WriteStackFrames(const StackFrameIndex& frames,
                      xla::StackFrameIndexProto* proto) {
  for (const std::string& name : frames.file_names) {
    proto->add_file_names(name);
  }
  for (const std::string& name : frames.function_names) {
    proto->add_function_names(name);
  }
  for (const auto& l : frames.file_locations) {
    auto* out = proto->add_file_locations();
    out->set_file_name_id(l.file_name_id);
    out->set_function_name_id(l.function_name_id);
    out->set_line(l.line);
    out->set_end_line(l.end_line);
    out->set_column(l.column);
    out->set_end_column(l.end_column);
  }
  for (const auto& f : frames.stack_frames) {
    auto* out = proto->add_stack_frames();
    out->set_file_location_id(f.file_location_id);
    out->set_parent_frame_id(f.parent_frame_id);
  }
}

}  // namespace hlokit::wire
