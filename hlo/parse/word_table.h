// A fixed set of words and their positions, for quick look-up.
#ifndef HLOKIT_HLO_PARSE_WORD_TABLE_H_
#define HLOKIT_HLO_PARSE_WORD_TABLE_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlokit::parse {

// A quick hash of a short word: its ends and its length. Words that differ only
// in the middle beyond eight bytes from either end collide.
inline uint64_t HashOfWord(absl::string_view word) {
  const char* p = word.data();
  const size_t n = word.size();
  uint64_t a = 0, b = 0;
  if (n >= 8) {
    std::memcpy(&a, p, 8);
    std::memcpy(&b, p + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(&a, p, 4);
    std::memcpy(&b, p + n - 4, 4);
  } else if (n > 0) {
    a = static_cast<unsigned char>(p[0]) |
        static_cast<unsigned char>(p[n / 2]) << 8 |
        static_cast<unsigned char>(p[n - 1]) << 16;
  }
  uint64_t h = (a + n) * 0x9e3779b97f4a7c15u;
  h ^= (b ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 32);
}

// Words must stay alive. Adding one twice keeps the first position.
class WordTable {
 public:
  explicit WordTable(std::vector<absl::string_view> words)
      : words_(std::move(words)) {
    size_t size = 16;
    while (size < words_.size() * 4) size *= 2;
    mask_ = size - 1;
    slots_.assign(size, -1);
    for (size_t i = 0; i < words_.size(); ++i) {
      size_t slot = HashOfWord(words_[i]) & mask_;
      while (slots_[slot] >= 0 && words_[slots_[slot]] != words_[i]) {
        slot = (slot + 1) & mask_;
      }
      if (slots_[slot] < 0) slots_[slot] = static_cast<int16_t>(i);
    }
  }

  // The position of `word`, -1 if it is not in the table.
  int Find(absl::string_view word) const {
    size_t slot = HashOfWord(word) & mask_;
    while (slots_[slot] >= 0) {
      if (words_[slots_[slot]] == word) return slots_[slot];
      slot = (slot + 1) & mask_;
    }
    return -1;
  }
  const std::vector<absl::string_view>& words() const { return words_; }

 private:
  std::vector<absl::string_view> words_;
  std::vector<int16_t> slots_;
  size_t mask_ = 0;
};

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_WORD_TABLE_H_
