// async-collective-replacer: every asynchronous collective becomes the
// synchronous one, which is what partitioners understand.
//
//   s = all-reduce-start(x)      ->  r = all-reduce(x)
//   d = all-reduce-done(s)
#ifndef HLOKIT_PASSES_COLLECTIVES_ASYNC_COLLECTIVE_REPLACER_H_
#define HLOKIT_PASSES_COLLECTIVES_ASYNC_COLLECTIVE_REPLACER_H_

#include "passes/pass.h"

namespace hlokit {

class AsyncCollectiveReplacer : public Pass {
 public:
  absl::string_view name() const override {
    return "async-collective-replacer";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_ASYNC_COLLECTIVE_REPLACER_H_
