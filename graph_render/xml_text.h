// Text of any bytes made safe for XML, HTML and Graphviz.
#ifndef HLOKIT_GRAPH_RENDER_XML_TEXT_H_
#define HLOKIT_GRAPH_RENDER_XML_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// Valid UTF-8 that XML may hold: bytes that are not UTF-8 and control
// characters (but for tab and newline) become U+FFFD.
std::string CleanUtf8(absl::string_view text);

// CleanUtf8 with & < > " ' written as entities: text of an element or of a
// quoted attribute.
std::string XmlText(absl::string_view text);

// At most `max_characters` code points of CleanUtf8(text); what is cut is shown
// by "...".
std::string ShortText(absl::string_view text, int max_characters);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_XML_TEXT_H_
