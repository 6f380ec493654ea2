#include "base/suggest.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlokit {
namespace {

// Nobody types longer names by hand.
constexpr size_t kMaxWordBytes = 256;
constexpr size_t kMinPrefixBytes = 3;
// What completing a prefix counts for, in slips.
constexpr int kPrefixSlips = 2;

std::string Folded(absl::string_view name) {
  std::string folded = absl::AsciiStrToLower(name);
  std::replace(folded.begin(), folded.end(), '-', '_');
  return folded;
}

template <typename String>
std::vector<absl::string_view> Nearest(absl::string_view word,
                                       absl::Span<const String> candidates,
                                       int max) {
  if (word.empty() || word.size() > kMaxWordBytes) return {};
  const std::string folded_word = Folded(word);
  std::vector<std::pair<int, absl::string_view>> scored;
  for (const absl::string_view candidate : candidates) {
    if (candidate == word || candidate.size() > kMaxWordBytes) continue;
    const std::string folded = Folded(candidate);
    const int limit =
        static_cast<int>(std::max(word.size(), candidate.size()) + 1) / 3;
    int slips = EditDistance(folded_word, folded, limit);
    if (word.size() >= kMinPrefixBytes &&
        absl::StartsWith(folded, folded_word)) {
      slips = std::min(slips, kPrefixSlips);
    } else if (slips > limit) {
      continue;
    }
    scored.emplace_back(slips, candidate);
  }
  std::stable_sort(
      scored.begin(), scored.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<absl::string_view> names;
  for (const auto& [slips, candidate] : scored) {
    // Beside a very near name, far ones only distract.
    if (slips > scored.front().first + 1) break;
    if (static_cast<int>(names.size()) == max) break;
    if (std::find(names.begin(), names.end(), candidate) == names.end()) {
      names.push_back(candidate);
    }
  }
  return names;
}

std::string Question(const std::vector<absl::string_view>& names) {
  if (names.empty()) return "";
  return absl::StrCat("; did you mean '", absl::StrJoin(names, "' or '"), "'?");
}

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b, int limit) {
  const int rows = static_cast<int>(a.size());
  const int columns = static_cast<int>(b.size());
  limit = std::clamp(limit, 0, std::max(rows, columns));
  const int too_far = limit + 1;
  if (std::abs(rows - columns) > limit) return too_far;
  // Three rows of the usual table; only columns within `limit` of the diagonal
  // can lead to an answer within it.
  std::vector<int> before_last(columns + 1, too_far);
  std::vector<int> last(columns + 1, too_far);
  std::vector<int> row(columns + 1, too_far);
  for (int j = 0; j <= std::min(columns, limit); ++j) last[j] = j;
  for (int i = 1; i <= rows; ++i) {
    const int first = std::max(1, i - limit);
    const int end = std::min(columns, i + limit);
    std::fill(row.begin(), row.end(), too_far);
    if (i <= limit) row[0] = i;
    int least = row[0];
    for (int j = first; j <= end; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      int best = last[j - 1] + (same ? 0 : 1);
      best = std::min({best, last[j] + 1, row[j - 1] + 1, too_far});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, before_last[j - 2] + 1);
      }
      row[j] = best;
      least = std::min(least, best);
    }
    std::swap(before_last, last);
    std::swap(last, row);
    if (least > limit) return too_far;
  }
  return std::min(last[columns], too_far);
}

std::vector<absl::string_view> NearestNames(
    absl::string_view word, absl::Span<const absl::string_view> candidates,
    int max) {
  return Nearest(word, candidates, max);
}

std::vector<absl::string_view> NearestNames(
    absl::string_view word, absl::Span<const std::string> candidates, int max) {
  return Nearest(word, candidates, max);
}

std::string DidYouMean(absl::string_view word,
                       absl::Span<const absl::string_view> candidates) {
  return Question(NearestNames(word, candidates));
}

std::string DidYouMean(absl::string_view word,
                       absl::Span<const std::string> candidates) {
  return Question(NearestNames(word, candidates));
}

}  // namespace hlokit
