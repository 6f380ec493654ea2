#include "hlo/wire/unknown_fields.h"

#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit::wire {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

std::vector<const FieldDescriptor*> FieldsIn(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         !field.is_map();
}

// Whether any of the messages of a repeated field is left; those behind the
// last one that is go.
bool PruneRepeated(Message* message, const FieldDescriptor* field) {
  const Reflection* reflection = message->GetReflection();
  int left = 0;
  for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
    if (PruneToUnknown(reflection->MutableRepeatedMessage(message, field, i))) {
      left = i + 1;
    }
  }
  while (reflection->FieldSize(*message, field) > left) {
    reflection->RemoveLast(message, field);
  }
  return left > 0;
}

void MergeRepeated(const Message& kept, const FieldDescriptor* field,
                   Message* into) {
  const Reflection* reflection = into->GetReflection();
  const int count = reflection->FieldSize(kept, field);
  // Places mean nothing any more when some are gone.
  if (count > reflection->FieldSize(*into, field)) return;
  for (int i = 0; i < count; ++i) {
    MergeKept(reflection->GetRepeatedMessage(kept, field, i),
              reflection->MutableRepeatedMessage(into, field, i));
  }
}

}  // namespace

bool PruneToUnknown(Message* message) {
  const Reflection* reflection = message->GetReflection();
  auto* unknown = reflection->MutableUnknownFields(message);
  unknown->DeleteByNumber(kOurField);
  bool left = !unknown->empty();
  for (const FieldDescriptor* field : FieldsIn(*message)) {
    const bool stays =
        IsMessage(*field) &&
        (field->is_repeated()
             ? PruneRepeated(message, field)
             : PruneToUnknown(reflection->MutableMessage(message, field)));
    if (!stays) reflection->ClearField(message, field);
    left |= stays;
  }
  return left;
}

void MergeKept(const Message& kept, Message* into) {
  std::unique_ptr<Message> rest(kept.New());
  rest->CopyFrom(kept);
  const Reflection* reflection = into->GetReflection();
  for (const FieldDescriptor* field : FieldsIn(kept)) {
    if (field->is_repeated() ? reflection->FieldSize(*into, field) == 0
                             : !reflection->HasField(*into, field)) {
      continue;
    }
    if (IsMessage(*field) && field->is_repeated()) {
      MergeRepeated(kept, field, into);
    } else if (IsMessage(*field)) {
      MergeKept(reflection->GetMessage(kept, field),
                reflection->MutableMessage(into, field));
    }
    reflection->ClearField(rest.get(), field);
  }
  into->MergeFrom(*rest);
}

std::string EncodeKept(const Message& message) {
  return absl::Base64Escape(SerializeDeterministic(message));
}

bool DecodeKept(absl::string_view text, Message* message) {
  std::string bytes;
  return !text.empty() && absl::Base64Unescape(text, &bytes) &&
         ParseProtoBytes(bytes, message).ok();
}

bool HasUnknownFields(const Message& message) {
  const Reflection* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  for (const FieldDescriptor* field : FieldsIn(message)) {
    if (!IsMessage(*field)) continue;
    if (!field->is_repeated()) {
      if (HasUnknownFields(reflection->GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (HasUnknownFields(reflection->GetRepeatedMessage(message, field, i))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace hlokit::wire
