// topk-splitter: the k largest of a very long row are found among the k largest
// of each of its pieces.
//
//   topk([n], k)  ->  topk(reshape(topk([n / size, size], k)), k)
//
// Rows longer than `size` elements that it divides, where the pieces' results
// fit into one piece. Of equal elements the first still comes first.
#ifndef HLOKIT_PASSES_EXPAND_TOPK_SPLITTER_H_
#define HLOKIT_PASSES_EXPAND_TOPK_SPLITTER_H_

#include <cstdint>

#include "passes/expand/op_expander.h"

namespace hlokit {

class TopKSplitter : public OpExpander {
 public:
  explicit TopKSplitter(int64_t size = int64_t{1} << 20) : size_(size) {}
  absl::string_view name() const override { return "topk-splitter"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  int64_t size_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_TOPK_SPLITTER_H_
