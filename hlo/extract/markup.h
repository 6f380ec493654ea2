// Takes from a line what terminals, browsers and word processors put into it.
#ifndef HLOKIT_HLO_EXTRACT_MARKUP_H_
#define HLOKIT_HLO_EXTRACT_MARKUP_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// How many lines needed what.
struct MarkupCounts {
  int64_t escapes = 0;  // terminal escape sequences
  int64_t html = 0;     // tags and entities
  int64_t unicode = 0;  // blanks, quotes and dashes outside ASCII
  int64_t borders = 0;  // frames at the right
};

// How many times the text of a whole file was encoded as HTML: 0 for plain text,
// 1 for the source of a web page ("-&gt;" in place of "->", tags around the
// module), 2 for text that passed two of them ("-&amp;gt;"). A module in plain
// text whose strings hold such things is plain.
int HtmlLevels(absl::string_view file);

// Returns the line without
//   - terminal escapes, also as "^[[0m", "\x1b[0m" or, with the escape byte
//     lost, "[0m" at a word;
//   - with `html_levels`: the tags and, that many times, the entities of HTML;
//     <br> becomes a line break;
//   - control characters other than tabs (they become blanks);
//   - outside of strings: no-break and other blanks of Unicode (they become
//     blanks), characters of no width (left out), curly quotes, dashes, arrows
//     (they become their ASCII twins).
// The result is `line` itself when nothing had to be done, else a view of
// *buffer.
absl::string_view WithoutMarkup(absl::string_view line, int html_levels,
                                std::string* buffer, MarkupCounts* counts);

// Returns the line without the right side of a frame around it ("│", "|") and
// the marks that cat -A, editors and shells put at the end of lines ("$", "¶").
absl::string_view WithoutRightBorder(absl::string_view line);

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_MARKUP_H_
