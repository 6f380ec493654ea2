// Backslash escapes in the strings of HLO text.
#ifndef HLOKIT_BASE_ESCAPE_H_
#define HLOKIT_BASE_ESCAPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// \n \r \t \" \' \\ by name; other bytes below 0x20 and from 0x7f on as three
// octal digits. CUnescape gives the same bytes back.
std::string CEscape(absl::string_view bytes);

// How many bytes in front CEscape leaves as they are.
size_t CountPlainBytes(absl::string_view bytes);

// Appends CEscape(bytes) to *out.
void AppendCEscaped(absl::string_view bytes, std::string* out);

// Returns text for a terminal or a log: control characters, which may move the
// cursor or change colours, become backslash escapes (newlines and tabs stay).
std::string Printable(absl::string_view text);

// Undoes \n \t \r \\ \" \' \? \a \b \f \v, octal (1 to 3 digits), \x or \X with
// hex digits (as many as follow; up to 0xff), \uXXXX and \UXXXXXXXX (to UTF-8;
// surrogates and code points past 10FFFF are errors). Anything else after a
// backslash is InvalidArgument, with the byte offset in its text.
absl::StatusOr<std::string> CUnescape(absl::string_view text);

// Appends the UTF-8 of a code point below 0x110000.
void AppendUtf8(char32_t code_point, std::string* out);

// The length in bytes (1 to 4) of the well-formed UTF-8 sequence that `text`
// starts with, or 0 when there is none.
int Utf8SequenceLength(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_BASE_ESCAPE_H_
