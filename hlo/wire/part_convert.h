// Conversions of the parts of modules; internal to this folder. What tools call
// stands in proto_convert.h.
#ifndef HLOKIT_HLO_WIRE_PART_CONVERT_H_
#define HLOKIT_HLO_WIRE_PART_CONVERT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "google/protobuf/message.h"
#include "google/protobuf/repeated_field.h"
#include "google/protobuf/unknown_field_set.h"
#include "hlo/ir/module.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/wire/wire_format.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace hlokit::wire {

// Messages nested deeper than this are refused.
inline constexpr int kMaxNesting = 200;
// Types and literals by themselves, so that there is room for what they are in.
inline constexpr int kMaxPartNesting = 180;

template <typename T>
absl::Span<const T> ToSpan(const google::protobuf::RepeatedField<T>& field) {
  return absl::MakeConstSpan(field.data(), field.size());
}
template <typename List, typename T>
List ToList(const google::protobuf::RepeatedField<T>& field) {
  return List(field.begin(), field.end());
}
template <typename List, typename T>
void SetField(const List& values, google::protobuf::RepeatedField<T>* field) {
  field->Reserve(values.size());
  for (auto value : values) field->AddAlreadyReserved(static_cast<T>(value));
}

// Fails when a field that the message knows came with another wire type (the
// protobuf library files it under unknown fields): "field 35 (id) ...".
absl::Status CheckFieldTypes(const google::protobuf::Message& message);
// The cheap test before it.
template <typename M>
absl::Status CheckFields(const M& message) {
  if (message.GetReflection()->GetUnknownFields(message).empty()) {
    return absl::OkStatus();
  }
  return CheckFieldTypes(message);
}

absl::StatusOr<Shape> ReadShape(const xla::ShapeProto& proto, int depth = 0);
void WriteElementType(PrimitiveType type, xla::ShapeProto* proto);
absl::StatusOr<ProgramShape> ReadProgramShape(
    const xla::ProgramShapeProto& proto);
// Names of the parameters: the shape's own, or p0, p1, ...
void WriteProgramShape(const ProgramShape& shape, bool own_names,
                       xla::ProgramShapeProto* proto);

// Payload of a Payload message: its value, or that of `payloads` at its id.
absl::StatusOr<std::string> ReadPayload(
    const xla::Payload& proto,
    const google::protobuf::RepeatedPtrField<std::string>& payloads);

absl::StatusOr<OpMetadata> ReadMetadata(
    const xla::OpMetadata& proto,
    const google::protobuf::RepeatedPtrField<std::string>& payloads);
void WriteMetadata(const OpMetadata& metadata, xla::OpMetadata* proto);
// The same from and to bytes, for metadata as nearly all of it is: strings of
// ASCII and numbers. False: do it with a message.
bool ReadPlainMetadata(absl::string_view bytes, OpMetadata* metadata);
bool WritePlainMetadata(const OpMetadata& metadata, WireWriter* writer);

// A LiteralProto as field `number` of the message that is being written.
void WriteLiteral(const Literal& literal, int32_t number, WireWriter* writer);
// The same without tag and size: the message itself.
void WriteLiteralFields(const Literal& literal, WireWriter* writer);

absl::StatusOr<ReplicaGroups> ReadReplicaGroups(
    const xla::HloInstructionProto& proto);
// Sets one member of the oneof, always.
void WriteReplicaGroups(const ReplicaGroups* groups,
                        xla::HloInstructionProto* proto);

OriginalArray ReadOriginalArray(const xla::OriginalArrayProto& proto);
void WriteOriginalArray(const OriginalArray& array,
                        xla::OriginalArrayProto* proto);

StackFrameIndex ReadStackFrames(const xla::StackFrameIndexProto& proto);
void WriteStackFrames(const StackFrameIndex& frames,
                      xla::StackFrameIndexProto* proto);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_PART_CONVERT_H_
