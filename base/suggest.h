// "Did you mean": the names that are near to a mistyped one.
#ifndef HLOKIT_BASE_SUGGEST_H_
#define HLOKIT_BASE_SUGGEST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

// The least number of byte insertions, deletions, substitutions and swaps of
// neighbours that makes `b` of `a` (no part changed twice). Gives limit + 1 when
// there are more than `limit` or both are longer than 128; in time O(length).
int EditDistance(absl::string_view a, absl::string_view b, int limit = 1 << 20);

// At most `max` candidates that a person may have meant, best first, equal ones
// in the order given: case and '-' for '_' count as no difference, else about
// one slip for every three bytes is allowed, or a candidate that `word` (of
// three bytes or more) begins. Candidates may be many: 1e5 take milliseconds.
std::vector<absl::string_view> NearestNames(
    absl::string_view word, absl::Span<const absl::string_view> candidates,
    int max = 3);
std::vector<absl::string_view> NearestNames(
    absl::string_view word, absl::Span<const std::string> candidates,
    int max = 3);

// "; did you mean 'x'?", "; did you mean 'x' or 'y'?", or "" when none is near:
// to be put behind "no instruction is called 'z'".
std::string DidYouMean(absl::string_view word,
                       absl::Span<const absl::string_view> candidates);
std::string DidYouMean(absl::string_view word,
                       absl::Span<const std::string> candidates);

}  // namespace hlokit

#endif  // HLOKIT_BASE_SUGGEST_H_
