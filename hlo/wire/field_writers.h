// The table of an instruction's fields and how they are written: in the order of
// their numbers, straight into the bytes. attribute_fields.h is the way back.
#ifndef HLOKIT_HLO_WIRE_FIELD_WRITERS_H_
#define HLOKIT_HLO_WIRE_FIELD_WRITERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "hlo/ir/instruction.h"
#include "hlo/wire/wire_format.h"

namespace hlokit::wire {

// What the writers of a module's fields share.
class FieldOutput {
 public:
  explicit FieldOutput(WireWriter* writer) : writer_(*writer) {}

  WireWriter& writer() { return writer_; }

  void Type(int32_t number, const Shape& shape) {
    writer_.Bytes(number, BytesOf(shape));
  }
  // A field that holds a message; for rare ones.
  void Message(int32_t number, google::protobuf::Message&& message);
  // The fields of a message, as they are.
  void FieldsOf(google::protobuf::Message&& message);

 private:
  // Modules have few different types; these are remembered by identity. Valid
  // until the next call.
  absl::string_view BytesOf(const Shape& shape);

  struct TypeEntry {
    const void* key = nullptr;
    std::string bytes;
  };
  WireWriter& writer_;
  std::vector<TypeEntry> types_{512};
};

// All fields of an instruction.
void WriteInstructionFields(const Instruction& instruction,
                            FieldOutput* output);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_FIELD_WRITERS_H_
