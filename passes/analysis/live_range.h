// When values are alive while a module runs in order.
//
// The whole program is one sequence: the entry's instructions in the order of
// the schedule (or the print order), before each call those of what it calls (a
// loop: condition, then body; a conditional: its branches), then the call
// itself. A value lives from where it is computed to its last use, in the
// computation where it began or in one that is called; what a loop changes gives
// way to the loop's own state when the loop begins. The entry's parameters live
// from the start, its results to the end.
#ifndef HLOKIT_PASSES_ANALYSIS_LIVE_RANGE_H_
#define HLOKIT_PASSES_ANALYSIS_LIVE_RANGE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/module.h"
#include "passes/analysis/dataflow.h"

namespace hlokit {

// Positions in the sequence, both inclusive.
struct LiveRange {
  int64_t start = 0;
  int64_t end = -1;  // less than start: never alive
  bool Overlaps(const LiveRange& other) const {
    return start <= other.end && other.start <= end;
  }
};

class LiveRanges {
 public:
  LiveRanges(const Module& module, const Dataflow& dataflow);

  const std::vector<Instruction*>& sequence() const { return sequence_; }
  // -1 for instructions that are not in the sequence: those of computations
  // that are applied to elements.
  int64_t TimeOf(const Instruction* i) const {
    const auto it = times_.find(i);
    return it == times_.end() ? -1 : it->second;
  }
  // One past the sequence: where the entry's results are still alive.
  int64_t end() const { return sequence_.size(); }
  // Of a value by its id; empty for those that are not in the sequence.
  const LiveRange& RangeOf(int64_t value) const { return ranges_[value]; }
  // Whether a value's range ends where a branch or condition hands it over as
  // its result: it is needed even after the instruction there.
  bool IsResult(int64_t value) const {
    return result_end_[value] == ranges_[value].end;
  }

 private:
  void Append(const Module& module, const Computation& computation);
  void SetStarts(const Dataflow& dataflow);
  void Extend(const HloValue& value, int64_t time) {
    LiveRange& range = ranges_[value.id];
    range.end = std::max(range.end, time);
  }
  void UseByLoop(const Dataflow& dataflow, const Instruction* i, int64_t time);
  void UseByConditional(const Dataflow& dataflow, const Instruction* i,
                        int64_t time);
  void Use(const Dataflow& dataflow, const Instruction* i, int64_t time);
  void UseAsResult(const Dataflow& dataflow, const Instruction* i,
                   int64_t time);

  std::vector<Instruction*> sequence_;
  absl::flat_hash_map<const Instruction*, int64_t> times_;
  // First position of each computation in the sequence.
  absl::flat_hash_map<const Computation*, int64_t> begins_;
  std::vector<LiveRange> ranges_;
  std::vector<int64_t> result_end_;  // -2: no result
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_LIVE_RANGE_H_
