#include "passes/backend/cpu_parallel_task_assigner.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/in_place.h"

namespace hlokit {
namespace {

bool IsCuttable(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    case Opcode::kFusion:
      return i.attrs().GetInt(AttrId::kFusionKind) ==
             static_cast<int64_t>(FusionKind::kLoop);
    default:
      return IsElementwise(i.opcode());
  }
}

bool MayBeCut(const Instruction& i) {
  return IsCuttable(i) && i.shape().IsArray() && !i.shape().is_dynamic() &&
         !i.HasSideEffect() && i.backend_config().empty() &&
         InPlacePairs(i).empty();
}

int64_t PiecesFor(const Instruction& i, int64_t cores) {
  const Cost cost = CostOf(i);
  double work = cost.flops + 2 * cost.transcendentals + 10 * cost.bytes;
  double least = 100'000;
  double most = cores;
  if (cost.flops + cost.transcendentals <= cost.bytes) {
    work = cost.bytes;
    least = 256 << 10;
    most = std::ceil(std::sqrt(static_cast<double>(cores)));
  }
  return static_cast<int64_t>(std::clamp(work / least, 1.0, most));
}

// Pieces of the outer dimensions, as few dimensions as it takes.
std::vector<int64_t> Cut(const Shape& shape, int64_t pieces) {
  std::vector<int64_t> partitions;
  int64_t left = pieces;
  const int64_t rank = shape.rank();
  for (int64_t k = rank - 1; k >= 0 && left > 1; --k) {
    const int64_t d = shape.has_layout() ? shape.layout().minor_to_major[k]
                                         : rank - 1 - k;
    partitions.push_back(std::max<int64_t>(
        1, std::min(left, shape.dimension(d))));
    left /= partitions.back();
  }
  return partitions;
}

}  // namespace

absl::StatusOr<bool> CpuParallelTaskAssigner::Run(Module* module) {
  const int64_t cores =
      cores_ > 0 ? cores_
                 : std::max<int64_t>(1, std::thread::hardware_concurrency());
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!RunsAsAWhole(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (!MayBeCut(*i)) continue;
      const int64_t pieces = PiecesFor(*i, cores);
      if (pieces <= 1) continue;
      const std::vector<int64_t> partitions = Cut(i->shape(), pieces);
      if (partitions.empty()) continue;
      i->mutable_attrs().Set(
          AttrId::kBackendConfig,
          absl::StrCat("{\"outer_dimension_partitions\":[\"",
                       absl::StrJoin(partitions, "\",\""), "\"]}"));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
