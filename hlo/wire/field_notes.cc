#include "hlo/wire/field_notes.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/unknown_fields.h"

namespace hlokit::wire {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void FieldNotes::Walk(const Message& message, const std::string& place) {
  place_ = place;
  WalkIn(message, 0);
}

void FieldNotes::AppendTo(std::vector<std::string>* notes) const {
  for (const auto& [what, found] : found_) {
    const std::string often =
        found.count > 1 ? absl::StrCat(" (", found.count, " times)") : "";
    notes->push_back(absl::StrCat(what, often, ", first in ", found.place));
  }
}

void FieldNotes::WalkIn(const Message& message, int depth) {
  if (depth > kMaxNesting) return;
  NoteFields(message);
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      NoteEnums(message, field);
    } else if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    } else if (!field->is_repeated()) {
      WalkIn(reflection->GetMessage(message, field), depth + 1);
    } else {
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        WalkIn(reflection->GetRepeatedMessage(message, field, i), depth + 1);
      }
    }
  }
}

void FieldNotes::Note(std::string what) {
  ++count_;
  Found& found = found_[std::move(what)];
  if (found.count++ == 0) found.place = place_;
}

void FieldNotes::NoteFields(const Message& message) {
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).number() == kOurField) continue;
    Note(absl::StrCat("field ", fields.field(i).number(), " of ",
                      message.GetDescriptor()->name(),
                      " is unknown and kept as it is"));
    ++field_count_;
  }
}

void FieldNotes::NoteEnums(const Message& message,
                           const FieldDescriptor* field) {
  const auto* reflection = message.GetReflection();
  const int count =
      field->is_repeated() ? reflection->FieldSize(message, field) : 1;
  for (int i = 0; i < count; ++i) {
    const int value = field->is_repeated()
                          ? reflection->GetRepeatedEnumValue(message, field, i)
                          : reflection->GetEnumValue(message, field);
    if (field->enum_type()->FindValueByNumber(value) != nullptr) continue;
    Note(absl::StrCat("value ", value, " of field ", field->name(), " of ",
                      message.GetDescriptor()->name(), " is unknown"));
  }
}

}  // namespace hlokit::wire
