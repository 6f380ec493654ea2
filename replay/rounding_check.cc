#include "replay/rounding_check.h"

#include <algorithm>

#include "base/status.h"

namespace hlokit {
namespace {

// Marks in `mask` what another mask of the same shape marks.
void AddMarks(const Literal& other, Literal* mask) {
  for (size_t i = 0; i < other.elements().size(); ++i) {
    AddMarks(other.elements()[i], &mask->mutable_elements()[i]);
  }
  if (!other.shape().IsArray()) return;
  const auto from = other.data<bool>();
  const auto to = mask->mutable_data<bool>();
  for (size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
}

void Count(const Literal& bad, const Literal& unstable, RoundingCheck* check) {
  for (size_t i = 0; i < bad.elements().size(); ++i) {
    Count(bad.elements()[i], unstable.elements()[i], check);
  }
  if (!bad.shape().IsArray()) return;
  const auto is_bad = bad.data<bool>();
  const auto is_unstable = unstable.data<bool>();
  const int64_t mismatches = std::count(is_bad.begin(), is_bad.end(), true);
  check->mismatches += mismatches;
  for (size_t i = 0; i < is_bad.size(); ++i) {
    check->unstable += is_bad[i] && is_unstable[i];
  }
  if (std::count(is_unstable.begin(), is_unstable.end(), true) > 0) {
    check->in_unstable_arrays += mismatches;
  }
}

}  // namespace

absl::StatusOr<RoundingCheck> CheckRounding(Executable* reference,
                                            absl::Span<const Literal> arguments,
                                            const ExecuteOptions& options,
                                            const Literal& expected,
                                            const Literal& actual,
                                            const ErrorSpec& spec, int runs) {
  Literal unstable = MismatchMask(expected, expected, spec);
  for (int run = 1; run <= runs; ++run) {
    ExecuteOptions other = options;
    other.rounding_seed = run;
    HLOKIT_ASSIGN_OR_RETURN(const ExecutionResult result,
                            reference->Execute(arguments, other));
    AddMarks(MismatchMask(expected, result.value, spec), &unstable);
  }
  RoundingCheck check;
  check.runs = runs;
  Count(MismatchMask(expected, actual, spec), unstable, &check);
  return check;
}

}  // namespace hlokit
