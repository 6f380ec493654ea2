#include "passes/analysis/wished_order.h"

#include <algorithm>
#include <utility>

namespace hlokit {
namespace {

// Labels of neighbours at first, and of those that come between them later.
constexpr int64_t kGap = int64_t{1} << 32;
constexpr int64_t kStep = int64_t{1} << 16;

}  // namespace

template <typename Fn>
void WishedOrder::ForEachBefore(const Instruction* i, Fn fn) const {
  const auto it = before_.find(i);
  if (it != before_.end()) {
    for (Instruction* p : it->second) fn(p);
  }
  for (auto list : {i->control_predecessors(), i->operands()}) {
    for (size_t k = list.size(); k-- > 0;) fn(list[k]);
  }
}

template <typename Fn>
void WishedOrder::ForEachAfter(const Instruction* i, Fn fn) const {
  const auto it = after_.find(i);
  if (it != after_.end()) {
    for (Instruction* s : it->second) fn(s);
  }
  for (auto list : {i->control_successors(), i->users()}) {
    for (Instruction* s : list) fn(s);
  }
}

WishedOrder::WishedOrder(const Computation& computation, int64_t* budget)
    : computation_(computation),
      budget_(budget),
      places_(computation.id_limit()) {
  int64_t last = -1;
  for (const Instruction* i : computation.PostOrder()) {
    (last < 0 ? first_ : places_[last].next) = i->id();
    PlaceOf(i).previous = last;
    last = i->id();
  }
  Relabel();
}

void WishedOrder::Relabel() {
  int64_t label = 0;
  for (int64_t id = first_; id >= 0; id = places_[id].next) {
    places_[id].label = label += kGap;
  }
}

bool WishedOrder::Wish(Instruction* first, Instruction* then) {
  if (first == then || *budget_ <= 0) return false;
  if (PlaceOf(first).label > PlaceOf(then).label && !MakeRoom(first, then)) {
    return false;
  }
  before_[then].push_back(first);
  after_[first].push_back(then);
  return true;
}

void WishedOrder::See(Instruction* i, Front* front) {
  PlaceOf(i).seen = front->epoch;
  front->work.push_back(i);
  front->seen.push_back(i);
}

bool WishedOrder::MakeRoom(Instruction* first, Instruction* then) {
  const int64_t lowest = PlaceOf(then).label;
  const int64_t highest = PlaceOf(first).label;
  Front needs, needed_by;  // what `first` needs, what needs `then`
  needs.epoch = ++epoch_;
  needed_by.epoch = ++epoch_;
  See(first, &needs);
  See(then, &needed_by);
  while (!needs.work.empty() && !needed_by.work.empty()) {
    if (--*budget_ <= 0) return false;
    const bool backwards = needs.looked_at <= needed_by.looked_at;
    Front& front = backwards ? needs : needed_by;
    const Front& other = backwards ? needed_by : needs;
    const Instruction* i = front.work.back();
    front.work.pop_back();
    bool met = false;
    const auto look = [&](Instruction* next) {
      ++front.looked_at;
      const Place& place = PlaceOf(next);
      if (place.seen == other.epoch) met = true;
      if (place.seen == front.epoch || place.label < lowest ||
          place.label > highest) {
        return;
      }
      See(next, &front);
    };
    if (backwards) {
      ForEachBefore(i, look);
    } else {
      ForEachAfter(i, look);
    }
    if (met) return false;
  }
  if (needed_by.work.empty()) {
    MoveBehind(first->id(), std::move(needed_by.seen), /*at_end=*/false);
  } else {
    MoveBehind(PlaceOf(then).previous, std::move(needs.seen),
               /*at_end=*/true);
  }
  return true;
}

void WishedOrder::Unlink(const Instruction* i) {
  const Place& place = PlaceOf(i);
  (place.previous < 0 ? first_ : places_[place.previous].next) = place.next;
  if (place.next >= 0) places_[place.next].previous = place.previous;
}

void WishedOrder::MoveBehind(int64_t id, std::vector<Instruction*> moved,
                             bool at_end) {
  std::sort(moved.begin(), moved.end(),
            [&](const Instruction* a, const Instruction* b) {
              return PlaceOf(a).label < PlaceOf(b).label;
            });
  for (const Instruction* i : moved) Unlink(i);
  const int64_t next = id < 0 ? first_ : places_[id].next;
  const int64_t count = moved.size();
  const int64_t room = (count + 1) * kStep;
  const int64_t low =
      id >= 0 ? places_[id].label : places_[next].label - room;
  const int64_t high =
      next >= 0 ? places_[next].label : places_[id].label + room;
  const int64_t step = std::min(kStep, (high - low) / (count + 1));
  int64_t label = at_end ? high - step * (count + 1) : low;
  int64_t previous = id;
  for (const Instruction* i : moved) {
    Place& place = PlaceOf(i);
    place.label = label += step;
    place.previous = previous;
    (previous < 0 ? first_ : places_[previous].next) = i->id();
    previous = i->id();
  }
  places_[previous].next = next;
  if (next >= 0) places_[next].previous = previous;
  if (step == 0) Relabel();
}

std::vector<Instruction*> WishedOrder::Make() const {
  std::vector<Instruction*> order, work;
  enum : char { kNew, kOpen, kDone };
  std::vector<char> state(computation_.id_limit(), kNew);
  for (Instruction* start : computation_.PostOrder()) {
    work.push_back(start);
    while (!work.empty()) {
      Instruction* i = work.back();
      if (state[i->id()] != kNew) {
        work.pop_back();
        if (state[i->id()] == kOpen) {
          state[i->id()] = kDone;
          order.push_back(i);
        }
        continue;
      }
      state[i->id()] = kOpen;
      ForEachBefore(i, [&](Instruction* p) {
        if (state[p->id()] == kNew) work.push_back(p);
      });
    }
  }
  return order;
}

}  // namespace hlokit
