// The table of attributes and the proto fields that hold them.
//
// A row reads one attribute of an instruction from its message and writes it
// back. The rows to use are those of the opcode in opcodes.def; what every
// opcode may have (sharding, metadata, ...) is in the common functions.
#ifndef HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_
#define HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/repeated_field.h"
#include "hlo/ir/instruction.h"
#include "hlo/wire/instruction_fields.h"
#include "xla/service/hlo.pb.h"

namespace hlokit::wire {

struct AttributeSource {
  const InstructionFields& fields;
  // fields.rest as a message.
  const xla::HloInstructionProto& proto;
  // HloModuleProto.payloads.
  const google::protobuf::RepeatedPtrField<std::string>& payloads;
  int64_t max_literal_bytes;
  // Of the row in hand: stored even when it is empty.
  bool required;
};

struct AttributeFields {
  AttrId id;
  // Stores what attribute.h says is stored. Operands are there already.
  absl::Status (*read)(const AttributeSource& source, Instruction* instruction);
  // Sets the fields, also to what stands for an absent attribute where
  // upstream writes that.
  void (*write)(const Instruction& instruction,
                xla::HloInstructionProto* proto);
};

// Null for attributes that no row reads: computations and the common ones.
const AttributeFields* FieldsOf(AttrId id);

// All own attributes of the opcode, constants' values, and the common ones.
// Metadata is read, and metadata and literals are written, elsewhere: by those
// who read and write whole instructions.
absl::Status ReadAttributes(AttributeSource source, Instruction* instruction);
void WriteAttributes(const Instruction& instruction,
                     xla::HloInstructionProto* proto);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_ATTRIBUTE_FIELDS_H_
