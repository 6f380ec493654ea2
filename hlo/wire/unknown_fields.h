// Proto fields that this version does not know: taken out of a message when it
// is read, and put back when it is written. hlo/ir/unknown.h says where they are
// in between.
#ifndef HLOKIT_HLO_WIRE_UNKNOWN_FIELDS_H_
#define HLOKIT_HLO_WIRE_UNKNOWN_FIELDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace hlokit::wire {

// The unknown field of ShapeProto that holds the name of an element type without
// a number, and that of LayoutProto for words: "AFTER\nTEXT". They are ours.
inline constexpr int32_t kOurField = 1000;

// Clears every known field, so that only unknown ones are left, in messages
// within too; these keep their places in repeated fields. False if none is left.
bool PruneToUnknown(google::protobuf::Message* message);

// Adds what `kept` has and `into` has not: unknown fields, known fields that are
// not set, and the same within messages that both have.
void MergeKept(const google::protobuf::Message& kept,
               google::protobuf::Message* into);

// A message as the text of a frontend attribute, and back; false if it is none.
std::string EncodeKept(const google::protobuf::Message& message);
bool DecodeKept(absl::string_view text, google::protobuf::Message* message);

// Whether a message or one within holds unknown fields.
bool HasUnknownFields(const google::protobuf::Message& message);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_UNKNOWN_FIELDS_H_
