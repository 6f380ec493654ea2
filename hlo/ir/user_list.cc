#include "hlo/ir/user_list.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/base/const_init.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/status.h"

namespace hlokit {
namespace {

// Gaps are closed in const functions; this is rare and quick.
absl::Mutex gap_mutex(absl::kConstInit);

}  // namespace

// Places move when gaps are closed, stamps do not: each entry has one, they
// ascend, and a search among them gives the place.
struct UserList::Index {
  absl::flat_hash_map<const Instruction*, int64_t> stamp_of;
  std::vector<int64_t> stamps;  // beside the list's entries
  int64_t next_stamp = 0;
  uint32_t first_gap = UINT32_MAX;
  std::atomic<bool> has_gaps{false};

  void Add(const Instruction* user) {
    stamp_of[user] = next_stamp;
    stamps.push_back(next_stamp++);
  }
};

void UserList::Grow() {
  constexpr uint32_t kLargest = (uint32_t{1} << 28) - 1;
  HLOKIT_CHECK(capacity_ < kLargest);
  const uint32_t larger =
      static_cast<uint32_t>(std::min<uint64_t>(kLargest, 2ull * capacity_));
  auto** fresh = new Instruction*[larger];
  std::memcpy(fresh, data(), length_ * sizeof(Instruction*));
  Index* kept = index();
  if (on_heap()) delete[] heap_.data;
  heap_.data = fresh;
  heap_.index = kept;
  capacity_ = larger;
}

void UserList::FreeHeap() {
  delete[] heap_.data;
  delete heap_.index;
}

void UserList::MakeIndex() {
  heap_.index = new Index;
  heap_.index->stamp_of.reserve(length_);
  heap_.index->stamps.reserve(length_);
  for (uint32_t i = 0; i < length_; ++i) heap_.index->Add(heap_.data[i]);
}

void UserList::NoteAdded(Instruction* user) { heap_.index->Add(user); }

bool UserList::Contains(const Instruction* user) const {
  if (index() != nullptr) return heap_.index->stamp_of.contains(user);
  return std::find(data(), data() + length_, user) != data() + length_;
}

size_t UserList::IndexedSize() const { return heap_.index->stamp_of.size(); }

absl::Span<Instruction* const> UserList::IndexedView() const {
  if (heap_.index->has_gaps.load(std::memory_order_acquire)) {
    absl::MutexLock lock(&gap_mutex);
    const_cast<UserList*>(this)->CloseGaps();
  }
  return absl::MakeConstSpan(heap_.data, length_);
}

void UserList::CloseGaps() {
  Index& index = *heap_.index;
  if (!index.has_gaps.load(std::memory_order_relaxed)) return;
  uint32_t to = index.first_gap;
  for (uint32_t from = to; from < length_; ++from) {
    if (heap_.data[from] == nullptr) continue;
    heap_.data[to] = heap_.data[from];
    index.stamps[to++] = index.stamps[from];
  }
  length_ = to;
  index.stamps.resize(to);
  index.first_gap = UINT32_MAX;
  index.has_gaps.store(false, std::memory_order_release);
}

void UserList::Remove(const Instruction* user) {
  if (index() != nullptr) return RemoveIndexed(user);
  Instruction** begin = data();
  Instruction** end = begin + length_;
  Instruction** at = std::find(begin, end, user);
  if (at == end) return;
  std::copy(at + 1, end, at);
  --length_;
  if (length_ < kLong) return;
  if (removals_ < kPatience) {
    removals_ = removals_ + 1;
  } else {
    MakeIndex();
  }
}

void UserList::RemoveIndexed(const Instruction* user) {
  Index& index = *heap_.index;
  const auto it = index.stamp_of.find(user);
  if (it == index.stamp_of.end()) return;
  const auto place = static_cast<uint32_t>(
      std::lower_bound(index.stamps.begin(), index.stamps.end(), it->second) -
      index.stamps.begin());
  index.stamp_of.erase(it);
  if (place + 1 == length_) {
    --length_;
    index.stamps.pop_back();
    return;
  }
  heap_.data[place] = nullptr;
  index.first_gap = std::min(index.first_gap, place);
  index.has_gaps.store(true, std::memory_order_release);
}

std::vector<Instruction*> UserList::TakeAll() {
  const auto all = view();
  std::vector<Instruction*> users(all.begin(), all.end());
  if (on_heap()) FreeHeap();
  length_ = 0;
  capacity_ = kInline;
  removals_ = 0;
  return users;
}

}  // namespace hlokit
