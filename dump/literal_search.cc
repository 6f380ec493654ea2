#include "dump/literal_search.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "absl/strings/ascii.h"

namespace hlokit {
namespace {

// How common a byte is in HLO text, roughly: 0 is rare.
int Commonness(unsigned char c) {
  static constexpr absl::string_view kFromCommonOn =
      " ,{}=%.1_0eat2sinodrlfm()3[]u4p\"c/5jb6w8g7h9x:v-kyzq";
  const size_t place = kFromCommonOn.find(static_cast<char>(c));
  return place == absl::string_view::npos
             ? 0
             : static_cast<int>(kFromCommonOn.size() - place);
}

}  // namespace

LiteralSearcher::LiteralSearcher(absl::string_view needle) : needle_(needle) {
  int best = 1 << 20;
  for (size_t i = 0; i < needle_.size(); ++i) {
    for (size_t j = i + 1; j < needle_.size(); ++j) {
      if (needle_[i] == needle_[j] && needle_.size() > 2) continue;
      const int cost = Commonness(needle_[i]) + Commonness(needle_[j]);
      if (cost < best) {
        best = cost;
        first_ = i;
        second_ = j;
      }
      if (j > 64) break;
    }
    if (i > 64) break;
  }
}

size_t LiteralSearcher::Find(absl::string_view text, size_t from) const {
  const size_t length = needle_.size();
  if (from > text.size() || text.size() - from < length) {
    return absl::string_view::npos;
  }
  if (length == 0) return from;
  const char* const data = text.data();
  const size_t last = text.size() - length;  // the last place it may be at
  size_t at = from;
  if (length == 1) {
    const void* hit = std::memchr(data + at, needle_[0], text.size() - at);
    return hit == nullptr ? absl::string_view::npos
                          : static_cast<const char*>(hit) - data;
  }
#ifdef __SSE2__
  const __m128i a = _mm_set1_epi8(needle_[first_]);
  const __m128i b = _mm_set1_epi8(needle_[second_]);
  auto compare = [&](size_t place) {
    const __m128i x = _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(data + place + first_));
    const __m128i y = _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(data + place + second_));
    return _mm_and_si128(_mm_cmpeq_epi8(x, a), _mm_cmpeq_epi8(y, b));
  };
  auto check = [&](__m128i hits, size_t place) {
    unsigned mask = _mm_movemask_epi8(hits);
    while (mask != 0) {
      const size_t start = place + __builtin_ctz(mask);
      if (std::memcmp(data + start, needle_.data(), length) == 0) return start;
      mask &= mask - 1;
    }
    return absl::string_view::npos;
  };
  // All loads end within the text as long as 64 places are left.
  while (at + 64 <= last) {
    const __m128i h0 = compare(at), h1 = compare(at + 16);
    const __m128i h2 = compare(at + 32), h3 = compare(at + 48);
    const __m128i any =
        _mm_or_si128(_mm_or_si128(h0, h1), _mm_or_si128(h2, h3));
    if (_mm_movemask_epi8(any) != 0) {
      size_t hit = check(h0, at);
      if (hit == absl::string_view::npos) hit = check(h1, at + 16);
      if (hit == absl::string_view::npos) hit = check(h2, at + 32);
      if (hit == absl::string_view::npos) hit = check(h3, at + 48);
      if (hit != absl::string_view::npos) return hit;
    }
    at += 64;
  }
#endif
  const void* hit =
      ::memmem(data + at, text.size() - at, needle_.data(), length);
  return hit == nullptr ? absl::string_view::npos
                        : static_cast<const char*>(hit) - data;
}

std::string RequiredLiteral(absl::string_view expression, bool* whole) {
  *whole = false;
  std::string best, run;
  bool plain = true;
  auto finish = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  int depth = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '|') {
      // One of several is no must.
      return "";
    }
    if (c == '(') {
      // What is in a group may be optional; (?i) and the like change meaning.
      if (i + 1 < expression.size() && expression[i + 1] == '?') return "";
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == '[') {
      size_t end = expression.find(']', i + 2);
      if (end == absl::string_view::npos) return "";
      // Escapes and names of classes may hold brackets.
      const absl::string_view inner = expression.substr(i + 1, end - i - 1);
      if (inner.find_first_of("\\[") != absl::string_view::npos) return "";
      i = end;
    } else if (c == '*' || c == '?' || c == '{') {
      // The character before may be missing.
      if (!run.empty()) run.pop_back();
      if (c == '{') {
        const size_t end = expression.find('}', i);
        if (end == absl::string_view::npos) return "";
        i = end;
      }
    } else if (c == '\\' && i + 1 < expression.size() &&
               absl::ascii_ispunct(expression[i + 1])) {
      ++i;
      if (depth == 0) run.push_back(expression[i]);
      continue;
    } else if (c == '\\') {
      ++i;
      // \Q...\E, \pN and \x{..} are left to the regular expression.
      if (i < expression.size() &&
          absl::string_view("QpPxC0123456789").find(expression[i]) !=
              absl::string_view::npos) {
        return "";
      }
    } else if (c != '.' && c != '^' && c != '$' && c != '+') {
      if (depth == 0) {
        run.push_back(c);
        continue;
      }
    }
    plain = false;
    finish();
  }
  finish();
  *whole = plain && depth == 0;
  return best;
}

}  // namespace hlokit
