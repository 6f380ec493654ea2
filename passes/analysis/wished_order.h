// An order of a computation's instructions that grants wishes where the graph
// lets it.
#ifndef HLOKIT_PASSES_ANALYSIS_WISHED_ORDER_H_
#define HLOKIT_PASSES_ANALYSIS_WISHED_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/computation.h"

namespace hlokit {

// Operands and control predecessors come before what needs them, and so does
// what a wish puts there. A wish that goes against the graph and the wishes
// before it is dropped.
//
// Whether it does is found with an order that is kept up to date: wishes that
// hold in it already cost next to nothing, others a search among what lies
// between the two, from both ends at once, that ends with the shorter one.
class WishedOrder {
 public:
  // Searches count down `*budget` by the instructions that they look at; wishes
  // are dropped once it is used up. The computation must not change meanwhile.
  WishedOrder(const Computation& computation, int64_t* budget);

  // False if the wish was dropped.
  bool Wish(Instruction* first, Instruction* then);

  // Depth-first post-order over wishes, control predecessors and operands, from
  // the instructions in the computation's own post-order.
  std::vector<Instruction*> Make() const;

 private:
  using Wishes =
      absl::flat_hash_map<const Instruction*, std::vector<Instruction*>>;
  struct Place {
    int64_t label = 0;  // ascends in the order that is kept
    int64_t previous = -1, next = -1;  // ids; -1 at the ends
    int64_t seen = 0;  // the search that saw it last
  };
  // One of the two ends of a search.
  struct Front {
    std::vector<Instruction*> work, seen;
    int64_t looked_at = 0;
    int64_t epoch = 0;
  };

  template <typename Fn>
  void ForEachBefore(const Instruction* i, Fn fn) const;
  template <typename Fn>
  void ForEachAfter(const Instruction* i, Fn fn) const;
  Place& PlaceOf(const Instruction* i) { return places_[i->id()]; }
  // Moves what has to move so that first < then; false if that cannot be.
  bool MakeRoom(Instruction* first, Instruction* then);
  void See(Instruction* i, Front* front);
  void Unlink(const Instruction* i);
  // Puts them, in their present order, behind the instruction with this id, -1
  // for the beginning. The first (at_end: the last) one lies close to its
  // neighbour there.
  void MoveBehind(int64_t id, std::vector<Instruction*> moved, bool at_end);
  void Relabel();

  const Computation& computation_;
  int64_t* const budget_;
  Wishes before_, after_;
  std::vector<Place> places_;  // by id
  int64_t first_ = -1;
  int64_t epoch_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_WISHED_ORDER_H_
