// Changes the text of a module in ways that often leave it valid: shapes,
// element types, layouts, operands, opcodes, calls, schedules.
//
// Plain byte mutation hardly ever gets past the parser, so passes and backends
// need this. The text should be printed (one instruction a line, with operand
// names and result types); other text is changed at random places.
#ifndef HLOKIT_FUZZ_MODULE_MUTATOR_H_
#define HLOKIT_FUZZ_MODULE_MUTATOR_H_

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit::fuzz {

// Returns `text` after one to four mutations drawn with `seed`. The result may
// be invalid; targets skip what the parser or the verifier refuses.
std::string MutateModule(absl::string_view text, uint64_t seed);

}  // namespace hlokit::fuzz

#endif  // HLOKIT_FUZZ_MODULE_MUTATOR_H_
