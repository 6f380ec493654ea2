// all-reduce-contiguous: an all-reduce of several arrays of one type becomes one
// of a single list that holds them all.
//
//   (a, b) = all-reduce(x, y)  ->  l = all-reduce(concatenate(x, y) as lists)
//                                  a = slice(l), b = slice(l)
#ifndef HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_CONTIGUOUS_H_
#define HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_CONTIGUOUS_H_

#include "passes/pass.h"

namespace hlokit {

class AllReduceContiguous : public Pass {
 public:
  absl::string_view name() const override { return "all-reduce-contiguous"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_CONTIGUOUS_H_
