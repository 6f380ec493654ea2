#include "passes/simplify/reduction_dimension_grouper.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool LiesRowMajor(const Instruction* x) {
  return x->shape().is_static() && (!x->shape().has_layout() ||
                                    x->shape().layout().IsDescending());
}

// The sizes with every run of reduced dimensions as one, and which those are.
struct GroupedDimensions {
  Int64List sizes, reduced;
};
GroupedDimensions GroupDimensions(const Instruction& reduce) {
  GroupedDimensions grouped;
  bool in_run = false;
  const auto sizes = reduce.operand(0)->shape().dimensions();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool reduced = absl::c_linear_search(reduce.dimensions(),
                                               static_cast<int64_t>(d));
    if (reduced && in_run) {
      grouped.sizes.back() *= sizes[d];
      continue;
    }
    in_run = reduced;
    if (reduced) grouped.reduced.push_back(grouped.sizes.size());
    grouped.sizes.push_back(sizes[d]);
  }
  return grouped;
}

bool GroupReduce(Instruction* reduce) {
  const auto inputs =
      reduce->operands().subspan(0, reduce->operand_count() / 2);
  if (!absl::c_all_of(inputs, LiesRowMajor)) return false;
  GroupedDimensions grouped = GroupDimensions(*reduce);
  if (grouped.reduced.size() == reduce->dimensions().size()) return false;
  Builder b(reduce);
  std::vector<Instruction*> operands(reduce->operands().begin(),
                                     reduce->operands().end());
  for (size_t k = 0; k < inputs.size(); ++k) {
    operands[k] = b.Reshape(operands[k], grouped.sizes);
  }
  AttributeSet attrs = reduce->attrs();
  attrs.Set(AttrId::kDimensions, std::move(grouped.reduced));
  ReplaceInstruction(reduce,
                     b.OpOfShape(Opcode::kReduce, reduce->shape(), operands,
                                 std::move(attrs),
                                 reduce->called_computations()));
  return true;
}

}  // namespace

absl::StatusOr<bool> ReductionDimensionGrouper::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() == Opcode::kReduce &&
          (!i->users().empty() || i->IsRoot())) {
        changed |= GroupReduce(i);
      }
    }
  }
  return changed;
}

}  // namespace hlokit
