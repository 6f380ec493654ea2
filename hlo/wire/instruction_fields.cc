#include "hlo/wire/instruction_fields.h"

#include "absl/strings/str_cat.h"
#include "hlo/wire/wire_format.h"

namespace hlokit::wire {
namespace {

using P = xla::HloInstructionProto;

void Take(absl::string_view bytes, bool* has, absl::string_view* to,
          std::string* merged) {
  if (*has) {
    std::string joined = absl::StrCat(*to, bytes);
    *merged = std::move(joined);
    bytes = *merged;
  }
  *has = true;
  *to = bytes;
}

void Clear(InstructionFields* f) {
  f->name = f->opcode = f->shape = f->metadata = f->literal = {};
  f->has_shape = f->has_metadata = f->has_literal = false;
  f->id = f->parameter_number = 0;
  f->operand_ids.clear();
  f->control_predecessor_ids.clear();
  f->called_computation_ids.clear();
  f->rest.clear();
}

// True if the field was one of those that are read here.
bool TakeBytes(const WireField& field, InstructionFields* f, bool* good) {
  switch (field.number) {
    case P::kNameFieldNumber:
      f->name = field.bytes;
      return true;
    case P::kOpcodeFieldNumber:
      f->opcode = field.bytes;
      return true;
    case P::kShapeFieldNumber:
      Take(field.bytes, &f->has_shape, &f->shape, &f->merged[0]);
      return true;
    case P::kMetadataFieldNumber:
      Take(field.bytes, &f->has_metadata, &f->metadata, &f->merged[1]);
      return true;
    case P::kLiteralFieldNumber:
      Take(field.bytes, &f->has_literal, &f->literal, &f->merged[2]);
      return true;
    case P::kOperandIdsFieldNumber:
      *good = AppendVarints(field, &f->operand_ids);
      return true;
    case P::kControlPredecessorIdsFieldNumber:
      *good = AppendVarints(field, &f->control_predecessor_ids);
      return true;
    case P::kCalledComputationIdsFieldNumber:
      *good = AppendVarints(field, &f->called_computation_ids);
      return true;
    default:
      return false;
  }
}

bool TakeNumber(const WireField& field, InstructionFields* f) {
  switch (field.number) {
    case P::kIdFieldNumber:
      f->id = field.number_value();
      return true;
    case P::kParameterNumberFieldNumber:
      f->parameter_number = field.number_value();
      return true;
    case P::kOperandIdsFieldNumber:
      return AppendVarints(field, &f->operand_ids);
    case P::kControlPredecessorIdsFieldNumber:
      return AppendVarints(field, &f->control_predecessor_ids);
    case P::kCalledComputationIdsFieldNumber:
      return AppendVarints(field, &f->called_computation_ids);
    default:
      return false;
  }
}

}  // namespace

bool ReadInstructionFields(absl::string_view bytes, InstructionFields* f) {
  Clear(f);
  WireReader reader(bytes);
  WireField field;
  bool good = true;
  while (good && reader.Next(&field)) {
    if (field.type == WireType::kBytes ? TakeBytes(field, f, &good)
        : field.type == WireType::kVarint && TakeNumber(field, f)) {
      continue;
    }
    f->rest.append(field.whole.data(), field.whole.size());
  }
  return good && !reader.bad();
}

}  // namespace hlokit::wire
