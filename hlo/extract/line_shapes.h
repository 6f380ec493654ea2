// Recognises lines of HLO text among lines of anything else.
//
// These are shapes, not grammar: they say where a module or an instruction
// probably begins; the parser has the last word. All take time linear in the
// line.
#ifndef HLOKIT_HLO_EXTRACT_LINE_SHAPES_H_
#define HLOKIT_HLO_EXTRACT_LINE_SHAPES_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace hlokit {

constexpr size_t kNoPlace = absl::string_view::npos;

// Where "HloModule NAME" begins with nothing or ", attribute=..." behind it;
// kNoPlace when the line has no such thing.
size_t FindModuleHeader(absl::string_view line);

// The name in a header; `line` begins with "HloModule".
absl::string_view NameInModuleHeader(absl::string_view line);

// "ENTRY %main (x: f32[]) -> f32[] {", "add {", "%f (x: f32[8]," with the rest
// of the signature on the next lines. Blanks may lead.
bool IsComputationStart(absl::string_view line);

// Where a computation begins in a line with other things before it, or
// kNoPlace.
size_t FindComputationStart(absl::string_view line);

// An instruction somewhere in a line. `end` is one past its last attribute, or
// the size of the line when its brackets are not closed in it.
struct InstructionPlace {
  size_t begin = kNoPlace;
  size_t end = 0;
  bool is_open = false;   // goes on in the next line
  size_t type = kNoPlace;  // where the result type begins; kNoPlace without one
  size_t value = 0;        // what follows the "=": type or opcode
};
InstructionPlace FindInstruction(absl::string_view line, size_t from = 0);

// Any line that HLO text may have: also closing brackets, comments, the tables
// of stack frames.
bool LooksLikeHlo(absl::string_view line);
// A row or title of the tables FileNames, FunctionNames, FileLocations,
// StackFrames.
bool IsFrameTableLine(absl::string_view line);
// Nothing but blanks and a line comment.
bool IsBlankOrComment(absl::string_view line);

// A line that starts with the stamp of a logger: "I0102 03:04:05.6 12 f.cc:9] ",
// "2024-01-02 03:04:05", "2024-01-02T03:04:05Z".
bool LooksLikeLogLine(absl::string_view line);

// ``` or ~~~ with at most one word behind it; quote marks may lead.
bool IsMarkdownFence(absl::string_view line);

// Adds up the opening less the closing brackets of lines; those in strings and
// comments do not count. Strings end with their line.
class BracketCounter {
 public:
  void Add(absl::string_view line);
  int braces() const { return braces_; }    // {}
  int others() const { return others_; }    // () and []
  bool opened() const { return opened_; }   // a brace was ever open

 private:
  int braces_ = 0;
  int others_ = 0;
  bool opened_ = false;
  bool in_comment_ = false;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_LINE_SHAPES_H_
