// all-reduce-folder: an all-reduce of an all-reduce becomes one within larger
// groups.
//
//   a = all-reduce(x), replica_groups={{0,1},{2,3}}
//   b = all-reduce(a), replica_groups={{0,2},{1,3}}
//     ->  b = all-reduce(x), replica_groups={{0,1,2,3}}
//
// Where both reduce by the same commutative operation, no value counts twice,
// and nobody else uses the inner result.
#ifndef HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_FOLDER_H_
#define HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_FOLDER_H_

#include "passes/pass.h"

namespace hlokit {

class AllReduceFolder : public Pass {
 public:
  absl::string_view name() const override { return "all-reduce-folder"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_FOLDER_H_
