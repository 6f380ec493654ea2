// Helpers for tests of library calls: each is held against plain HLO.
#ifndef HLOKIT_BACKENDS_LIBRARY_CALLS_TEST_UTIL_H_
#define HLOKIT_BACKENDS_LIBRARY_CALLS_TEST_UTIL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/literal.h"

namespace hlokit {

// Runs the entry computation `text` (or a whole module) on a backend.
// Arguments that are not given are small random numbers.
absl::StatusOr<Literal> RunText(absl::string_view backend,
                                absl::string_view text, bool run_passes = true,
                                std::vector<Literal> arguments = {});

// Runs both with the same parameters: the one with library calls in the
// interpreter and, with and without passes, on the CPU; the plain one in the
// interpreter. All results must agree within `tolerance`, relative to
// 1 + |value|.
void ExpectSameAsPlain(absl::string_view with_calls, absl::string_view plain,
                       double tolerance = 1e-5);

// Both backends give an array of these values.
void ExpectValues(absl::string_view text, std::vector<Literal> arguments,
                  const std::vector<double>& values, double tolerance = 1e-6);

// The error with which both backends refuse the module; "" if one does not.
std::string ErrorOf(absl::string_view text);

// Returns text that defines NAME = sum of LEFT * RIGHT, arrays of `shape`, as
// f64[]; "zero" and the computation "add" must be there.
std::string ScalarProduct(absl::string_view name, absl::string_view shape,
                          absl::string_view left, absl::string_view right);

// Returns text that defines, for each argument x with the direction d of the
// same shape, upX = x + step * d and downX = x - step * d. `step` names an f64[].
struct Direction {
  std::string shape, argument, direction;
};
std::string Displaced(const std::vector<Direction>& directions,
                      absl::string_view step);

// "a = TYPE parameter(0)\n b = ..." for a list of types.
std::string Parameters(const std::vector<std::string>& types);

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_LIBRARY_CALLS_TEST_UTIL_H_
