// The table of attributes and the proto fields that hold them.
//
// A row reads one attribute of an instruction from its message. The rows to use
// are those of the opcode in opcodes.def; what every opcode may have (sharding,
// metadata, ...) is in the common functions. field_writers.h is the way back.
#ifndef HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_
#define HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/repeated_field.h"
#include "hlo/ir/instruction.h"
#include "hlo/wire/instruction_fields.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::wire {

struct AttributeSource {
  const InstructionFields& fields;
  // fields.rest as a message.
  const xla::HloInstructionProto& proto;
  // HloModuleProto.payloads.
  const google::protobuf::RepeatedPtrField<std::string>& payloads;
  int64_t max_literal_bytes;
  const LastingBytes& lasting;
  // Of the row in hand: stored even when it is empty.
  bool required;
  // Words that are unknown are kept as text.
  bool keep_unknown = false;
  // The opcode is unknown: only what every opcode may have is read.
  bool keep_common_only = false;
};

struct AttributeFields {
  AttrId id;
  // Stores what attribute.h says is stored. Operands are there already.
  absl::Status (*read)(const AttributeSource& source, Instruction* instruction);
};

// Null for attributes that no row reads: computations and the common ones.
const AttributeFields* FieldsOf(AttrId id);

// All own attributes of the opcode, constants' values, and the common ones.
// Metadata is read elsewhere: by those who read whole instructions.
absl::Status ReadAttributes(AttributeSource source, Instruction* instruction);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_
