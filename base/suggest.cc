#include "base/suggest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlokit {
namespace {

// Nobody types longer names by hand.
constexpr size_t kMaxWordBytes = 128;
constexpr size_t kMinPrefixBytes = 3;
// What completing a prefix counts for, in slips.
constexpr int kPrefixSlips = 2;

// One word, to be compared with many others: a bit for each of its bytes, so
// that a column of the usual table takes a few operations on whole words (the
// bit-parallel method of Myers, with Hyyro's addition for swaps).
class WordTable {
 public:
  explicit WordTable(absl::string_view word) : size_(word.size()) {
    for (size_t i = 0; i < word.size(); ++i) {
      places_[static_cast<unsigned char>(word[i])] |= Bits{1} << i;
    }
  }

  int DistanceTo(absl::string_view other, int limit) const {
    const int size = static_cast<int>(size_);
    const int other_size = static_cast<int>(other.size());
    if (std::abs(size - other_size) > limit) return limit + 1;
    if (size == 0) return other_size;
    // Whether a step down the column is +1 or -1, whether one along the diagonal
    // is 0, and where the last byte stands.
    Bits up = ~Bits{0}, down = 0, level = 0, last_places = 0;
    int distance = size;
    for (const char c : other) {
      const Bits places = places_[static_cast<unsigned char>(c)];
      const Bits swaps = ((~level & places) << 1) & last_places;
      level = (((places & up) + up) ^ up) | places | down | swaps;
      Bits right = down | ~(level | up);
      Bits left = level & up;
      distance += static_cast<int>((right >> (size - 1)) & 1);
      distance -= static_cast<int>((left >> (size - 1)) & 1);
      right = (right << 1) | 1;
      left <<= 1;
      up = left | ~(level | right);
      down = right & level;
      last_places = places;
    }
    return std::min(distance, limit + 1);
  }

 private:
  using Bits = unsigned __int128;
  static_assert(kMaxWordBytes == 8 * sizeof(Bits));

  size_t size_;
  std::array<Bits, 256> places_ = {};
};

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
  const WordTable table(folded_word);
  std::vector<std::pair<int, absl::string_view>> scored;
  for (const absl::string_view candidate : candidates) {
    if (candidate == word || candidate.size() > kMaxWordBytes) continue;
    const std::string folded = Folded(candidate);
    const int limit =
        static_cast<int>(std::max(word.size(), candidate.size()) + 1) / 3;
    int slips = table.DistanceTo(folded, limit);
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
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() > kMaxWordBytes) return limit + 1;
  return WordTable(a).DistanceTo(b, limit);
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
