// Which operands of an instruction are read part by part.
//
// Cut an array that lies row-major into equal parts in the order of its memory.
// Of softmax over the rows of f32[4096,1024], for instance, each of 4096 parts
// of the result depends on one part of the input alone; so kernels that follow
// one another can do a few parts each in turn, while these are in the cache.
#ifndef HLOKIT_BACKENDS_CPU_ROW_PARTS_H_
#define HLOKIT_BACKENDS_CPU_ROW_PARTS_H_

#include <cstdint>
#include <vector>

#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

// For each operand of `i` (a fusion, or one operation): whether part k of the
// result (of each, of a tuple) depends on part k of the operand alone, of
// `parts` each. Empty when the results cannot be cut so.
std::vector<bool> OperandsReadInParts(const Instruction& i, int64_t parts);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_ROW_PARTS_H_
