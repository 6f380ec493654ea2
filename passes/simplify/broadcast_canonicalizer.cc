#include "passes/simplify/broadcast_canonicalizer.h"

#include <numeric>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsUnsortedBroadcast(const Instruction& i) {
  return i.opcode() == Opcode::kBroadcast &&
         !absl::c_is_sorted(i.dimensions()) && i.shape().is_static() &&
         (!i.users().empty() || i.IsRoot());
}

// The operand transposed so that its dimensions come in the result's order.
void SortDimensions(Instruction* broadcast) {
  const auto dimensions = broadcast->dimensions();
  Int64List order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  absl::c_sort(order, [&](int64_t a, int64_t c) {
    return dimensions[a] < dimensions[c];
  });
  Int64List sorted(dimensions.begin(), dimensions.end());
  absl::c_sort(sorted);
  Builder b(broadcast);
  Instruction* canonical =
      b.Broadcast(b.Transpose(broadcast->operand(0), order), sorted,
                  broadcast->shape().dimensions());
  canonical->set_shape(broadcast->shape());  // with its layout
  ReplaceInstruction(broadcast, canonical);
}

}  // namespace

absl::StatusOr<bool> BroadcastCanonicalizer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsUnsortedBroadcast(*i)) continue;
      SortDimensions(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
