// Whether a pass keeps values: arguments to execute with, and the comparison.
#ifndef HLOKIT_PASSES_VALUE_CHECK_H_
#define HLOKIT_PASSES_VALUE_CHECK_H_

#include <string>
#include <vector>

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Arguments of the entry: small numbers that are exact in every type, so that
// sums depend little on their order; integers are 0 to 5, fit for indices. The
// same for the same module and seed.
std::vector<Literal> FakeArguments(const Module& module, int seed);

// "" or where the values differ: integers exactly, floats within `tolerance`
// relative to 1 + |value| (0: 32 units in the last place), NaN equal to NaN.
std::string ValueDifference(const Literal& before, const Literal& after,
                            double tolerance = 0);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_VALUE_CHECK_H_
