#include "passes/dots/transpose_folding.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

bool IsFoldable(const Instruction* x) {
  return x->opcode() == Opcode::kTranspose &&
         x->control_predecessors().empty() && x->control_successors().empty();
}

Int64List Mapped(const Int64List& dimensions, const Instruction& transpose) {
  Int64List mapped;
  for (int64_t d : dimensions) mapped.push_back(transpose.dimension(d));
  return mapped;
}

// Folds one operand's transpose; the free dimensions must stay in order, for
// the result has them in the order of the operand.
bool FoldOperand(Instruction* x, Int64List* batch, Int64List* contracting,
                 const Int64List& free) {
  if (!IsFoldable(x)) return false;
  const Int64List new_batch = Mapped(*batch, *x);
  if (new_batch != *batch || !absl::c_is_sorted(Mapped(free, *x))) {
    return false;
  }
  *contracting = Mapped(*contracting, *x);
  return true;
}

Instruction* FoldDot(Instruction* dot) {
  DotDims dims = DotDimsOf(*dot);
  const Int64List lhs_free = LhsFree(*dot, dims);
  const Int64List rhs_free = RhsFree(*dot, dims);
  Instruction *lhs = dot->operand(0), *rhs = dot->operand(1);
  bool folded = false;
  if (FoldOperand(lhs, &dims.lhs_batch, &dims.lhs_contracting, lhs_free)) {
    lhs = lhs->operand(0);
    folded = true;
  }
  if (FoldOperand(rhs, &dims.rhs_batch, &dims.rhs_contracting, rhs_free)) {
    rhs = rhs->operand(0);
    folded = true;
  }
  if (!folded) return nullptr;
  Builder b(dot);
  return b.Dot(lhs, rhs, dims, dot->shape().element_type(), dot);
}

Instruction* FoldConvolution(Instruction* conv) {
  ConvolutionDims dims =
      *conv->attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  Instruction *input = conv->operand(0), *kernel = conv->operand(1);
  bool folded = false;
  if (IsFoldable(input)) {
    dims.input_batch_dimension = input->dimension(dims.input_batch_dimension);
    dims.input_feature_dimension =
        input->dimension(dims.input_feature_dimension);
    dims.input_spatial_dimensions =
        Mapped(dims.input_spatial_dimensions, *input);
    input = input->operand(0);
    folded = true;
  }
  if (IsFoldable(kernel)) {
    dims.kernel_input_feature_dimension =
        kernel->dimension(dims.kernel_input_feature_dimension);
    dims.kernel_output_feature_dimension =
        kernel->dimension(dims.kernel_output_feature_dimension);
    dims.kernel_spatial_dimensions =
        Mapped(dims.kernel_spatial_dimensions, *kernel);
    kernel = kernel->operand(0);
    folded = true;
  }
  if (!folded) return nullptr;
  Builder b(conv);
  Instruction* result = b.CloneOfShape(*conv, conv->shape(), {input, kernel});
  result->mutable_attrs().SetShared(AttrId::kDimLabels, std::move(dims));
  return result;
}

Instruction* Fold(Instruction* i) {
  if (i->opcode() == Opcode::kDot) return FoldDot(i);
  return i->opcode() == Opcode::kConvolution ? FoldConvolution(i) : nullptr;
}

}  // namespace

absl::StatusOr<bool> TransposeFolding::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->users().empty() && !i->IsRoot()) continue;
      while (Instruction* folded = Fold(i)) {
        ReplaceInstruction(i, folded);
        changed = true;
        i = folded;
      }
    }
  }
  return changed;
}

}  // namespace hlokit
