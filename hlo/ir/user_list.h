// The users of an instruction: a list in the order in which they came, each once,
// from which any can be removed in about constant time, however many there are.
//
// Up to two lie in the list itself. Long lists from which users are removed get an
// index from users to places; a removed one leaves a gap, and gaps are closed when
// the list is looked at. Const access from several threads is fine.
#ifndef HLOKIT_HLO_IR_USER_LIST_H_
#define HLOKIT_HLO_IR_USER_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace hlokit {

class Instruction;

class UserList {
 public:
  UserList() {}
  UserList(const UserList&) = delete;
  UserList& operator=(const UserList&) = delete;
  ~UserList() {
    if (on_heap()) FreeHeap();
  }

  size_t size() const { return index() == nullptr ? length_ : IndexedSize(); }
  bool empty() const { return size() == 0; }
  // Valid until the next change.
  absl::Span<Instruction* const> view() const {
    return index() == nullptr ? absl::MakeConstSpan(data(), length_)
                              : IndexedView();
  }
  bool Contains(const Instruction* user) const;
  // Whether the last one is this; a quick test that may miss it.
  bool EndsWith(const Instruction* user) const {
    return length_ > 0 && data()[length_ - 1] == user;
  }

  // It must not be there yet.
  void Add(Instruction* user) {
    if (length_ == capacity_) Grow();
    data()[length_++] = user;
    if (index() != nullptr) NoteAdded(user);
  }
  // Nothing happens when it is not there.
  void Remove(const Instruction* user);
  // Empties the list.
  std::vector<Instruction*> TakeAll();

 private:
  struct Index;
  static constexpr uint32_t kInline = 2;
  // Removals from long lists before they get an index, and what is long.
  static constexpr uint32_t kPatience = 8;
  static constexpr uint32_t kLong = 64;

  bool on_heap() const { return capacity_ > kInline; }
  Instruction* const* data() const { return on_heap() ? heap_.data : inline_; }
  Instruction** data() { return on_heap() ? heap_.data : inline_; }
  Index* index() const { return on_heap() ? heap_.index : nullptr; }
  void Grow();
  void FreeHeap();
  void MakeIndex();
  void RemoveIndexed(const Instruction* user);
  void NoteAdded(Instruction* user);
  size_t IndexedSize() const;
  absl::Span<Instruction* const> IndexedView() const;
  void CloseGaps();

  uint32_t length_ = 0;  // with gaps, which are null
  uint32_t capacity_ : 28 = kInline;
  uint32_t removals_ : 4 = 0;  // from a long list without index
  union {
    Instruction* inline_[kInline];
    struct {
      Instruction** data;
      Index* index;
    } heap_;
  };
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_USER_LIST_H_
