// Modules inside the string literals of other languages: repr() of Python, JSON,
// C++.
#ifndef HLOKIT_HLO_EXTRACT_STRING_LITERALS_H_
#define HLOKIT_HLO_EXTRACT_STRING_LITERALS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// Undoes backslash escapes as JSON, Python and C++ have them, pairs of \u
// surrogates included. Unknown escapes stay as they are.
std::string UnescapeLiteral(absl::string_view text);

// A module in `line` whose line ends are written as "\n" (also "\\n"), or which
// begins a list of literals: returns where the text inside of its literal begins,
// or npos. Strings of a module that hold "\n" do not count.
size_t FindEscapedModule(absl::string_view line);

struct LiteralRun {
  std::string text;     // decoded, a line break behind each element of a list
  size_t end = 0;       // one past the last literal, in the file
};

// Reads from `at`, which is inside of a literal, to the end of that literal, and
// goes on with literals that follow after blanks, line ends, commas, "+",
// backslashes or prefixes such as b: concatenations and lists of lines.
LiteralRun ReadLiterals(absl::string_view file, size_t at);

// For logs that hold one JSON object a line, {"log":"TEXT\n","time":...}: the key
// before the string of `line` that holds `place`, or "" when the line is not
// such an object.
std::string JsonKeyAround(absl::string_view line, size_t place);

// The decoded string of `key` in a line that holds a JSON object; false when
// there is none.
bool JsonStringOf(absl::string_view line, absl::string_view key,
                  std::string* value);

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_STRING_LITERALS_H_
