// The fields of an HloInstructionProto that every instruction has, read from
// its bytes without a message object; what is left is parsed as one.
#ifndef HLOKIT_HLO_WIRE_INSTRUCTION_FIELDS_H_
#define HLOKIT_HLO_WIRE_INSTRUCTION_FIELDS_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::wire {

struct InstructionFields {
  using Ids = absl::InlinedVector<int64_t, 8>;
  absl::string_view name;
  absl::string_view opcode;
  // Bytes of messages; views into the file (or `merged`).
  bool has_shape = false;
  absl::string_view shape;
  bool has_metadata = false;
  absl::string_view metadata;
  bool has_literal = false;
  absl::string_view literal;
  int64_t id = 0;
  int64_t parameter_number = 0;
  Ids operand_ids;
  Ids control_predecessor_ids;
  Ids called_computation_ids;
  // All other fields, as they came.
  std::string rest;
  // A message that came in several pieces: they are joined here, which means
  // the same.
  std::string merged[3];
};

// False when the bytes are no message. `fields` may be used again and again;
// its views live as long as `bytes` and `fields`.
bool ReadInstructionFields(absl::string_view bytes, InstructionFields* fields);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_INSTRUCTION_FIELDS_H_
