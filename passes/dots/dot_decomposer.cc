#include "passes/dots/dot_decomposer.h"

#include "passes/dots/dot_util.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

bool SideIsCanonical(const Int64List& batch, const Int64List& contracting,
                     const Int64List& free) {
  return CountsUpFrom(batch, 0) && contracting.size() == 1 && free.size() <= 1;
}

bool IsCanonical(const Instruction& dot) {
  const DotDims dims = DotDimsOf(dot);
  return SideIsCanonical(dims.lhs_batch, dims.lhs_contracting,
                         LhsFree(dot, dims)) &&
         SideIsCanonical(dims.rhs_batch, dims.rhs_contracting,
                         RhsFree(dot, dims));
}

void Append(Int64List* list, const Int64List& more) {
  list->insert(list->end(), more.begin(), more.end());
}

// `x` as [batch..., first, second] where each of the two is one dimension; the
// free one is left out when there is none.
Instruction* Arrange(Builder& b, Instruction* x, const Int64List& batch,
                     const Int64List& first, const Int64List& second,
                     bool has_first, bool has_second) {
  Int64List order = batch;
  Append(&order, first);
  Append(&order, second);
  Int64List sizes;
  for (int64_t d : batch) sizes.push_back(x->shape().dimension(d));
  if (has_first) sizes.push_back(SizeOf(x->shape(), first));
  if (has_second) sizes.push_back(SizeOf(x->shape(), second));
  return b.Reshape(b.Transpose(x, order), sizes);
}

void DecomposeDot(Instruction* dot) {
  const DotDims dims = DotDimsOf(*dot);
  const Int64List lhs_free = LhsFree(*dot, dims);
  const Int64List rhs_free = RhsFree(*dot, dims);
  const int64_t batch = dims.lhs_batch.size();
  Builder b(dot);
  Instruction* lhs =
      Arrange(b, dot->operand(0), dims.lhs_batch, lhs_free,
              dims.lhs_contracting, !lhs_free.empty(), true);
  Instruction* rhs =
      Arrange(b, dot->operand(1), dims.rhs_batch, dims.rhs_contracting,
              rhs_free, true, !rhs_free.empty());
  DotDims canonical;
  for (int64_t d = 0; d < batch; ++d) {
    canonical.lhs_batch.push_back(d);
    canonical.rhs_batch.push_back(d);
  }
  canonical.lhs_contracting = {batch + (lhs_free.empty() ? 0 : 1)};
  canonical.rhs_contracting = {batch};
  Instruction* product = b.Dot(lhs, rhs, canonical,
                               dot->shape().element_type(), dot);
  ReplaceInstruction(dot, b.Reshape(product, dot->shape().dimensions()));
}

}  // namespace

absl::StatusOr<bool> DotDecomposer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) {
      if (IsCanonical(*dot) || (dot->users().empty() && !dot->IsRoot())) {
        continue;
      }
      DecomposeDot(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
