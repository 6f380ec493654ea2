#include "passes/dots/dot_dimension_sorter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

bool Sort(Instruction* dot) {
  DotDims dims = DotDimsOf(*dot);
  if (absl::c_is_sorted(dims.lhs_contracting) ||
      absl::c_is_sorted(dims.rhs_contracting)) {
    return false;
  }
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t k = 0; k < dims.lhs_contracting.size(); ++k) {
    pairs.emplace_back(dims.lhs_contracting[k], dims.rhs_contracting[k]);
  }
  absl::c_sort(pairs);
  for (size_t k = 0; k < pairs.size(); ++k) {
    dims.lhs_contracting[k] = pairs[k].first;
    dims.rhs_contracting[k] = pairs[k].second;
  }
  dot->mutable_attrs().Set(AttrId::kLhsContractingDims, dims.lhs_contracting);
  dot->mutable_attrs().Set(AttrId::kRhsContractingDims, dims.rhs_contracting);
  return true;
}

}  // namespace

absl::StatusOr<bool> DotDimensionSorter::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) changed |= Sort(dot);
  }
  return changed;
}

}  // namespace hlokit
