// all-gather-combiner, all-reduce-combiner, cpu-all-reduce-combiner,
// reduce-scatter-combiner: one collective of several arrays instead of one
// each.
//
//   a = f32[8] all-reduce(x)         c = (f32[8], f32[4]) all-reduce(x, y)
//   b = f32[4] all-reduce(y)   ->    a = get-tuple-element(c), index=0
//                                    b = get-tuple-element(c), index=1
//
// Combined are those within the same groups, along the same dimension, that
// reduce the same element type by the same commutative operation, need nothing
// of each other and have no control dependencies, up to a number of bytes of
// results and of arrays. The first one's attributes and reducer stay.
#ifndef HLOKIT_PASSES_COLLECTIVES_COLLECTIVE_COMBINER_H_
#define HLOKIT_PASSES_COLLECTIVES_COLLECTIVE_COMBINER_H_

#include <cstdint>

#include "passes/pass.h"

namespace hlokit {

class CollectiveCombiner : public Pass {
 public:
  // `name` must outlive the pass; `opcode` is all-gather, all-reduce or
  // reduce-scatter.
  CollectiveCombiner(absl::string_view name, Opcode opcode, int64_t max_bytes,
                     int64_t max_count)
      : name_(name),
        opcode_(opcode),
        max_bytes_(max_bytes),
        max_count_(max_count) {}
  absl::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  absl::string_view name_;
  Opcode opcode_;
  int64_t max_bytes_;
  int64_t max_count_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_COLLECTIVE_COMBINER_H_
