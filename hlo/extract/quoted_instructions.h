// Instructions that messages quote: running out of memory, autotuning, compile
// errors, profilers.
#ifndef HLOKIT_HLO_EXTRACT_QUOTED_INSTRUCTIONS_H_
#define HLOKIT_HLO_EXTRACT_QUOTED_INSTRUCTIONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "hlo/extract/line_reader.h"
#include "hlo/parse/parser.h"

namespace hlokit {

struct QuotedInstructions {
  ModuleText module;  // one instruction a line; empty when there is none
  int64_t instructions = 0;
  int64_t left_out = 0;  // lines without an instruction
  int64_t cut_lines = 0;  // lines that had other things, too
  ReaderCounts reader;
};

// Takes every instruction out of the text, each once; none if a line begins a
// module or its entry, for then the text is a module with a fault. Where a message gives the
// result type in a line of its own ("Shape: f32[8]" near "XLA label: x.1 =
// fusion(...)") it is put in.
QuotedInstructions FindQuotedInstructions(absl::string_view file,
                                          const TextForm& form);

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_QUOTED_INSTRUCTIONS_H_
