// Looks whether a buffer assignment is right by acting the program out.
//
// Every value that is computed gets a mark; writing it puts the mark on its
// bytes, reading it looks whether just these bytes still carry the mark. Loops
// run zero to two times and conditionals take a branch as a random number says.
// Knows nothing of life times and shares no reasoning with the assignment.
#ifndef HLOKIT_PASSES_ANALYSIS_BUFFER_CHECK_H_
#define HLOKIT_PASSES_ANALYSIS_BUFFER_CHECK_H_

#include "absl/status/status.h"
#include "passes/analysis/buffer_assignment.h"

namespace hlokit {

// Internal, with the instruction, where bytes were lost: a value was written
// over before its last use, a loop's state moved, a result or a parameter is
// not where it belongs. Unimplemented for modules with asynchronous operations.
absl::Status CheckBuffers(const Module& module,
                          const BufferAssignment& assignment, int seed);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_BUFFER_CHECK_H_
