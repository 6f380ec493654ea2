// The lines of HLO text as dumps hold it, read just as far as searching and
// counting need: no module is built. Thread-safe.
#ifndef HLOKIT_DUMP_HLO_LINES_H_
#define HLOKIT_DUMP_HLO_LINES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace hlokit {

struct InstructionLine {
  absl::string_view name;    // without %
  absl::string_view shape;   // of the result
  absl::string_view opcode;
  bool is_root = false;
};

// "  ROOT %add.3 = f32[4]{0} add(...)". False for any other line.
bool ParseInstructionLine(absl::string_view line, InstructionLine* parsed);

// The name in "%fused (p: f32[4]) -> f32[4] {", "ENTRY main {"; "" for any
// other line.
absl::string_view ComputationOfLine(absl::string_view line);

// The line that holds `offset`, without its newline; `begin` is where it
// starts.
absl::string_view LineAt(absl::string_view text, size_t offset, size_t* begin);

// What one module's text is made of.
struct HloSummary {
  std::string module;       // of the HloModule line
  std::string entry_layout;  // entry_computation_layout={...}, if given
  int64_t computations = 0;
  int64_t instructions = 0;
  std::map<std::string, int64_t> opcodes;
  // Of everything but the HloModule line and the tables of call stacks.
  uint64_t body_hash = 0;
  bool has_elided_constant = false;  // constant({...})
};
HloSummary Summarize(absl::string_view text);

// The ids of call stacks (stack_frame_id) that pass through `file` (a path or
// the end of one), at `line` where that is 1 or more. From the tables in front
// of the first computation.
absl::flat_hash_set<int64_t> FramesThrough(absl::string_view text,
                                           absl::string_view file,
                                           int64_t line);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_HLO_LINES_H_
