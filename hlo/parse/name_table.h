// The names of a computation's instructions while it is read.
//
// Every instruction is entered once and looked up by each of its users, so this
// decides how fast text is read: open addressing over entries of 16 bytes, a
// hash that reads eight bytes at once, and the name itself is kept by the
// instruction.
#ifndef HLOKIT_HLO_PARSE_NAME_TABLE_H_
#define HLOKIT_HLO_PARSE_NAME_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/ir/instruction.h"

namespace hlokit::parse {

class NameTable {
 public:
  // Null: there is none of this name.
  Instruction* Find(absl::string_view name) const {
    if (entries_.empty()) return nullptr;
    return entries_[SlotOf(name, Hash(name))].instruction;
  }
  // Brings the name's place near, for the Insert that will follow.
  void Prefetch(absl::string_view name) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[Hash(name) & mask_]);
  }
  // Enters an instruction under its own name, which stands at `offset` of the
  // text. False: the name is taken.
  bool Insert(Instruction* instruction, size_t offset) {
    if ((size_ + 1) * 4 > entries_.size() * 3) Grow(2 * entries_.size());
    const uint64_t hash = Hash(instruction->name());
    Entry& entry = entries_[SlotOf(instruction->name(), hash)];
    if (entry.instruction != nullptr) return false;
    entry = {TagOf(hash) | offset, instruction};
    ++size_;
    return true;
  }
  // Where an entered name stands.
  size_t OffsetOf(absl::string_view name) const {
    return entries_[SlotOf(name, Hash(name))].tag_and_offset & kOffset;
  }
  void Reserve(size_t size) {
    if (size * 4 > entries_.size() * 3) Grow(size * 4 / 3 + 1);
  }
  void Clear() {
    // A large table is not worth clearing for the few names of the next one.
    if (entries_.size() > kSmall && entries_.size() > 8 * size_) {
      entries_ = {};
    } else {
      std::fill(entries_.begin(), entries_.end(), Entry());
    }
    size_ = 0;
  }
  size_t size() const { return size_; }
  // fn(instruction), in no order.
  template <typename Fn>
  void ForEach(Fn fn) const {
    for (const Entry& entry : entries_) {
      if (entry.instruction != nullptr) fn(*entry.instruction);
    }
  }

 private:
  static constexpr size_t kSmall = 64;
  static constexpr int kTagBits = 20;  // of the hash, beside the offset
  static constexpr uint64_t kOffset = ~uint64_t{0} >> kTagBits;
  struct Entry {
    uint64_t tag_and_offset = 0;
    Instruction* instruction = nullptr;
  };

  static uint64_t TagOf(uint64_t hash) { return hash & ~kOffset; }
  static uint64_t Mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^
           static_cast<uint64_t>(product >> 64);
  }
  // Differs from run to run (by where the program lies), so that no text can be
  // made whose names collide.
  static uint64_t Hash(absl::string_view name) {
    static const char seed = 0;
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    const char* p = name.data();
    size_t left = name.size();
    uint64_t h = reinterpret_cast<uintptr_t>(&seed) * kOdd + left;
    uint64_t a = 0, b = 0;
    for (; left > 16; left -= 16, p += 16) {
      std::memcpy(&a, p, 8);
      std::memcpy(&b, p + 8, 8);
      h = Mix(a ^ h, b ^ kOdd);
    }
    a = b = 0;
    if (left >= 8) {
      std::memcpy(&a, p, 8);
      std::memcpy(&b, p + left - 8, 8);
    } else if (left >= 4) {
      std::memcpy(&a, p, 4);
      std::memcpy(&b, p + left - 4, 4);
    } else if (left > 0) {
      a = static_cast<unsigned char>(p[0]) |
          static_cast<unsigned char>(p[left / 2]) << 8 |
          static_cast<unsigned char>(p[left - 1]) << 16;
    }
    return Mix(Mix(a ^ h, b ^ kOdd), kOdd ^ 0xe7037ed1a0b428db);
  }

  // Where `name` is or is to go.
  size_t SlotOf(absl::string_view name, uint64_t hash) const {
    const uint64_t tag = TagOf(hash);
    size_t slot = hash & mask_;
    while (entries_[slot].instruction != nullptr &&
           ((entries_[slot].tag_and_offset & ~kOffset) != tag ||
            entries_[slot].instruction->name() != name)) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }

  void Grow(size_t wanted) {
    size_t capacity = 16;
    while (capacity < wanted) capacity *= 2;
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(capacity, Entry());
    mask_ = capacity - 1;
    for (const Entry& entry : old) {
      if (entry.instruction == nullptr) continue;
      size_t slot = Hash(entry.instruction->name()) & mask_;
      while (entries_[slot].instruction != nullptr) slot = (slot + 1) & mask_;
      entries_[slot] = entry;
    }
  }

  std::vector<Entry> entries_;  // a power of two
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_NAME_TABLE_H_
