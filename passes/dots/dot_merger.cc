#include "passes/dots/dot_merger.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analysis/reachability.h"
#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

constexpr size_t kMaxCandidates = 16;  // that a shared operand is tried with

// Whether the two may be one, `side` being the operand that differs.
bool MayMerge(const Instruction& a, const Instruction& b, int64_t side) {
  const DotDims x = DotDimsOf(a), y = DotDimsOf(b);
  if (x.lhs_batch != y.lhs_batch || x.rhs_batch != y.rhs_batch ||
      x.lhs_contracting != y.lhs_contracting ||
      x.rhs_contracting != y.rhs_contracting ||
      a.shape().element_type() != b.shape().element_type() ||
      a.operand(side)->shape().element_type() !=
          b.operand(side)->shape().element_type() ||
      a.operand(side)->shape().rank() != b.operand(side)->shape().rank()) {
    return false;
  }
  const Int64List free = side == 0 ? LhsFree(a, x) : RhsFree(a, x);
  return free.size() == 1 &&
         a.attrs().GetList(AttrId::kOperandPrecision) ==
             b.attrs().GetList(AttrId::kOperandPrecision) &&
         a.attrs().GetInt(AttrId::kDotAlgorithm) ==
             b.attrs().GetInt(AttrId::kDotAlgorithm) &&
         !NeedsOrTooFar(&a, &b) && !NeedsOrTooFar(&b, &a);
}

// Both become slices of one; returns that.
Instruction* Merge(Instruction* a, Instruction* b, int64_t side) {
  const DotDims dims = DotDimsOf(*a);
  const Int64List free = side == 0 ? LhsFree(*a, dims) : RhsFree(*a, dims);
  Builder builder(a);
  Instruction* both = builder.Concatenate(
      {a->operand(side), b->operand(side)}, free[0]);
  Instruction* shared = a->operand(1 - side);
  Instruction* dot =
      side == 0
          ? builder.Dot(both, shared, dims, a->shape().element_type(), a)
          : builder.Dot(shared, both, dims, a->shape().element_type(), a);
  // The free dimension of the left comes right after the batch, the one of the
  // right last.
  const int64_t place =
      side == 0 ? dims.lhs_batch.size() : a->shape().rank() - 1;
  const int64_t cut = a->shape().dimension(place);
  const int64_t end = dot->shape().dimension(place);
  ReplaceInstruction(a, builder.SliceInDim(dot, place, 0, cut));
  ReplaceInstruction(b, builder.SliceInDim(dot, place, cut, end));
  return dot;
}

bool IsMergeable(const Instruction& dot) {
  return dot.control_predecessors().empty() &&
         dot.control_successors().empty() && dot.operand(0) != dot.operand(1) &&
         (!dot.users().empty() || dot.IsRoot());
}

bool MergeSide(Computation* computation, int64_t side, int64_t max_bytes) {
  bool changed = false;
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> by_shared;
  for (Instruction* dot : DotsOf(*computation)) {
    if (!IsMergeable(*dot)) continue;
    auto& candidates = by_shared[dot->operand(1 - side)];
    bool merged = false;
    for (Instruction*& candidate : candidates) {
      if (ByteSizeOf(candidate->shape()) + ByteSizeOf(dot->shape()) >
              max_bytes ||
          !MayMerge(*candidate, *dot, side)) {
        continue;
      }
      candidate = Merge(candidate, dot, side);
      merged = changed = true;
      break;
    }
    if (!merged && candidates.size() < kMaxCandidates) {
      candidates.push_back(dot);
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> DotMerger::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (int64_t side : {0, 1}) {
      changed |= MergeSide(computation, side, max_bytes_);
    }
  }
  return changed;
}

}  // namespace hlokit
