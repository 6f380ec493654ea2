// convert-async-collectives-to-sync: in scheduled computations, asynchronous
// collectives during which nothing else is done become synchronous ones. What
// takes no time (parameters, constants, tuples and their elements, bitcasts)
// may stand between.
#ifndef HLOKIT_PASSES_COLLECTIVES_CONVERT_ASYNC_COLLECTIVES_TO_SYNC_H_
#define HLOKIT_PASSES_COLLECTIVES_CONVERT_ASYNC_COLLECTIVES_TO_SYNC_H_

#include "passes/pass.h"

namespace hlokit {

class ConvertAsyncCollectivesToSync : public Pass {
 public:
  absl::string_view name() const override {
    return "convert-async-collectives-to-sync";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_CONVERT_ASYNC_COLLECTIVES_TO_SYNC_H_
