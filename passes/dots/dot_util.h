// Dimensions of dots.
#ifndef HLOKIT_PASSES_DOTS_DOT_UTIL_H_
#define HLOKIT_PASSES_DOTS_DOT_UTIL_H_

#include <vector>

#include "passes/builders.h"

namespace hlokit {

// The dimensions of an operand that are neither batch nor contracting, in
// order.
Int64List FreeDimensions(int64_t rank, const Int64List& batch,
                         const Int64List& contracting);
inline Int64List LhsFree(const Instruction& dot, const DotDims& dims) {
  return FreeDimensions(dot.operand(0)->shape().rank(), dims.lhs_batch,
                        dims.lhs_contracting);
}
inline Int64List RhsFree(const Instruction& dot, const DotDims& dims) {
  return FreeDimensions(dot.operand(1)->shape().rank(), dims.rhs_batch,
                        dims.rhs_contracting);
}

// Product of the sizes.
int64_t SizeOf(const Shape& shape, const Int64List& dimensions);

// The dots of a computation (not ragged, not scaled, static shapes).
std::vector<Instruction*> DotsOf(const Computation& computation);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_UTIL_H_
