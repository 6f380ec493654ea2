#include "passes/simplify/reduction_degenerate_dim_remover.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool Rewrite(Instruction* reduce) {
  if (reduce->opcode() != Opcode::kReduce || reduce->operand_count() != 2 ||
      !reduce->shape().IsArray() || reduce->operand(0)->shape().is_dynamic()) {
    return false;
  }
  const auto sizes = reduce->operand(0)->shape().dimensions();
  Int64List kept, dimensions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (absl::c_linear_search(reduce->dimensions(), static_cast<int64_t>(d))) {
      dimensions.push_back(kept.size());
    }
    kept.push_back(sizes[d]);
  }
  if (kept.size() == sizes.size() || dimensions.empty()) return false;
  Builder b(reduce);
  Instruction* small = b.Reduce(b.Reshape(reduce->operand(0), kept),
                                reduce->operand(1), dimensions,
                                reduce->to_apply());
  ReplaceInstruction(reduce, b.Reshape(small, reduce->shape().dimensions()));
  return true;
}

}  // namespace

absl::StatusOr<bool> ReductionDegenerateDimRemover::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!i->users().empty() || i->IsRoot()) changed |= Rewrite(i);
    }
  }
  return changed;
}

}  // namespace hlokit
