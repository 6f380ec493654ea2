// Bytes that are not UTF-8 in the strings of messages. The protobuf library's
// parser refuses a message with such a string, so they are escaped before it and
// put back into the message after it. Internal to this folder.
#ifndef HLOKIT_HLO_WIRE_RAW_STRINGS_H_
#define HLOKIT_HLO_WIRE_RAW_STRINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace hlokit::wire {

// Appends the message in `bytes` with its strings escaped: a byte that does not
// belong to a UTF-8 sequence becomes a code point of its own at the end of the
// private use area, and so do the bytes of those code points. Returns false if
// the bytes are not a message of this type or nest deeper than `nesting`.
bool EscapeRawBytes(const google::protobuf::Descriptor* type,
                    absl::string_view bytes, int nesting, std::string* out);

// Undoes it in all strings of the message.
void UnescapeRawBytes(google::protobuf::Message* message);

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_RAW_STRINGS_H_
