// Finds and undoes the encodings in which editors and shells save text.
#ifndef HLOKIT_HLO_EXTRACT_TEXT_ENCODING_H_
#define HLOKIT_HLO_EXTRACT_TEXT_ENCODING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

inline constexpr absl::string_view kUtf8Mark = "\xef\xbb\xbf";

enum class TextEncoding {
  kPlain,     // UTF-8, ASCII or anything else without a mark
  kUtf8Mark,  // UTF-8 behind a byte order mark
  kUtf16Little,
  kUtf16Big,
  kUtf32Little,
  kUtf32Big,
};

// Looks at the first bytes: a byte order mark, or, without one, zeros in the
// places where ASCII text in UTF-16 or UTF-32 has them. Protos start with a tag
// and a length, so they are never taken for text.
TextEncoding DetectTextEncoding(absl::string_view bytes);

// Returns "UTF-16 (little endian)", for messages.
absl::string_view TextEncodingName(TextEncoding encoding);

// Returns the text as UTF-8 without a mark. Unpaired surrogates and numbers
// beyond Unicode become U+FFFD; odd bytes at the end are left out. kPlain must
// not be asked for: such text needs no copy.
std::string ToUtf8(absl::string_view bytes, TextEncoding encoding);

// The bytes that base64 text stands for, also of a "data:...;base64," address, in
// quotes, or URL-safe; "" for text that is not base64 throughout. Only for a
// result that begins as a compressed file, a proto or HLO text does, so that a
// file of one long word is not taken for it.
std::string DecodeBase64Text(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_TEXT_ENCODING_H_
