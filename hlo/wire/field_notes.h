// What a reader could not understand but left aside: for the user's eyes.
#ifndef HLOKIT_HLO_WIRE_FIELD_NOTES_H_
#define HLOKIT_HLO_WIRE_FIELD_NOTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace hlokit::wire {

// Collects unknown fields and unknown enum values: where each kind was met
// first, and how often.
class FieldNotes {
 public:
  // `message` and all within; `place` is "instruction add.1" or the like.
  void Walk(const google::protobuf::Message& message, const std::string& place);
  // How many were met so far.
  int64_t count() const { return count_; }
  // Of these, unknown fields.
  int64_t field_count() const { return field_count_; }
  // A line each.
  void AppendTo(std::vector<std::string>* notes) const;

 private:
  struct Found {
    std::string place;
    int64_t count = 0;
  };

  void WalkIn(const google::protobuf::Message& message, int depth);
  void Note(std::string what);
  void NoteFields(const google::protobuf::Message& message);
  void NoteEnums(const google::protobuf::Message& message,
                 const google::protobuf::FieldDescriptor* field);

  std::string place_;
  std::map<std::string, Found> found_;
  int64_t count_ = 0;
  int64_t field_count_ = 0;
};

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_FIELD_NOTES_H_
