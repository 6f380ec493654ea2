#include "passes/analysis/reachability.h"

#include "absl/container/flat_hash_set.h"

namespace hlokit {

bool NeedsOrTooFar(const Instruction* user, const Instruction* used,
                   int64_t limit) {
  if (user == used) return true;
  std::vector<const Instruction*> work = {user};
  absl::flat_hash_set<const Instruction*> seen = {user};
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    if (static_cast<int64_t>(seen.size()) > limit) return true;
    for (auto list : {i->operands(), i->control_predecessors()}) {
      for (const Instruction* next : list) {
        if (next == used) return true;
        if (seen.insert(next).second) work.push_back(next);
      }
    }
  }
  return false;
}

ReachabilityMap::ReachabilityMap(const Computation& computation)
    : words_((computation.id_limit() + 63) / 64),
      rows_(computation.id_limit() * words_) {
  for (const Instruction* i : computation.PostOrder()) {
    uint64_t* row = &rows_[i->id() * words_];
    row[i->id() / 64] |= uint64_t{1} << (i->id() % 64);
    for (auto list : {i->operands(), i->control_predecessors()}) {
      for (const Instruction* next : list) {
        const uint64_t* other = &rows_[next->id() * words_];
        for (int64_t w = 0; w < words_; ++w) row[w] |= other[w];
      }
    }
  }
}

}  // namespace hlokit
