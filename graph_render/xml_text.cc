#include "graph_render/xml_text.h"

#include "base/escape.h"

namespace hlokit {
namespace {

constexpr absl::string_view kReplacement = "\xef\xbf\xbd";

// U+FFFE and U+FFFF are no characters of XML; U+2028 and U+2029 end lines of
// older scripts.
bool IsUnwanted(absl::string_view sequence) {
  return sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf" ||
         sequence == "\xe2\x80\xa8" || sequence == "\xe2\x80\xa9";
}

// The first character of `text` and how many bytes it took.
absl::string_view NextCharacter(absl::string_view text, int* length) {
  *length = Utf8SequenceLength(text);
  if (*length == 0) {
    *length = 1;
    return kReplacement;
  }
  const absl::string_view sequence = text.substr(0, *length);
  const unsigned char first = sequence[0];
  const bool control =
      (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  return control || IsUnwanted(sequence) ? kReplacement : sequence;
}

}  // namespace

std::string CleanUtf8(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  int length = 0;
  for (; !text.empty(); text.remove_prefix(length)) {
    const absl::string_view character = NextCharacter(text, &length);
    out.append(character.data(), character.size());
  }
  return out;
}

std::string XmlText(absl::string_view text) {
  std::string out;
  for (const char c : CleanUtf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string ShortText(absl::string_view text, int max_characters) {
  std::string out;
  int length = 0;
  for (int n = 0; !text.empty(); ++n, text.remove_prefix(length)) {
    if (n == max_characters) return out + "...";
    const absl::string_view character = NextCharacter(text, &length);
    out.append(character.data(), character.size());
  }
  return out;
}

}  // namespace hlokit
