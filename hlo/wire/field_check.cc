// Known fields that came with a wrong wire type.
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"

#include "base/status.h"
#include "hlo/wire/part_convert.h"

namespace hlokit::wire {
namespace {

const char* WireTypeName(google::protobuf::UnknownField::Type type) {
  switch (type) {
    case google::protobuf::UnknownField::TYPE_VARINT:
      return "a number (varint)";
    case google::protobuf::UnknownField::TYPE_FIXED32:
      return "4 bytes";
    case google::protobuf::UnknownField::TYPE_FIXED64:
      return "8 bytes";
    case google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED:
      return "a string of bytes";
    default:
      return "a group";
  }
}

}  // namespace

absl::Status CheckFieldTypes(const google::protobuf::Message& message) {
  const google::protobuf::UnknownFieldSet& fields =
      message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    const auto* known =
        message.GetDescriptor()->FindFieldByNumber(field.number());
    if (known == nullptr) continue;
    return InvalidArgument(
        "field %d (%s) of %s has the wrong wire type: it is %s, but should be "
        "%s",
        field.number(), known->name(), message.GetDescriptor()->name(),
        WireTypeName(field.type()), known->type_name());
  }
  return absl::OkStatus();
}

}  // namespace hlokit::wire
