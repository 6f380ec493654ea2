// What a reader could not understand but left aside: for the user's eyes.
#ifndef HLOKIT_HLO_WIRE_FIELD_NOTES_H_
#define HLOKIT_HLO_WIRE_FIELD_NOTES_H_

#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace hlokit::wire {

// Appends a line for each kind of unknown field and each unknown enum value in
// `module` and all messages within: where it was met first, how often. Walks
// everything; only for those who want notes.
void NoteUnknowns(const google::protobuf::Message& module,
                  std::vector<std::string>* notes);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_FIELD_NOTES_H_
