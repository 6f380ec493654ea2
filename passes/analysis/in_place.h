// Which operations write their result over an operand.
//
// Some must: dynamic-update-slice and scatter update their first operands in
// place, a loop's state stays where it is, a fusion or custom call says so
// itself. Others may, where the operand is of no use afterwards: element-wise
// operations, sorts.
#ifndef HLOKIT_PASSES_ANALYSIS_IN_PLACE_H_
#define HLOKIT_PASSES_ANALYSIS_IN_PLACE_H_

#include <cstdint>
#include <vector>

#include "hlo/ir/instruction.h"

namespace hlokit {

// Part `operand_part` of operand `operand` and part `result_part` of the result
// share their memory (part numbers as in dataflow.h).
struct InPlacePair {
  int64_t operand = 0;
  int64_t operand_part = 0;
  int64_t result_part = 0;
};

// Those that must; of a while loop every leaf.
std::vector<InPlacePair> InPlacePairs(const Instruction& i);

// Whether the result's part may take the memory of the operand's although `i`
// still reads that: InPlacePairs, and operations that read an element before
// they write the same one.
bool MayShareBuffer(const Instruction& i, const InPlacePair& pair);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_IN_PLACE_H_
