// What is alive when memory is fullest, as a tree: who calls whom, and how many
// bytes each op_name holds. The last part of XLA's -live-range.txt files.
#ifndef HLOKIT_DUMP_PEAK_TREE_H_
#define HLOKIT_DUMP_PEAK_TREE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

struct LiveValue {
  const Instruction* at = nullptr;
  ShapeIndex index;  // of the value in a result that is a tuple
  int64_t bytes = 0;
};

// "  Stack trace breakdown for peak usage: 5 610 bytes" and the tree below it,
// from the entry down: computations and the instructions that call them in
// turn. Values of one op_name (of one name, where there is none) are one line;
// the largest come first. `remaining` is what lines below hold. A computation
// with several callers stands below the first of them.
std::string PeakTreeText(absl::Span<const LiveValue> values);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_PEAK_TREE_H_
