#include "passes/analysis/liveness.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace hlokit {
namespace {

int64_t Bytes(const Shape& shape) {
  int64_t bytes = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) bytes += ByteSizeOf(leaf);
  });
  return bytes;
}

// Whether the result is a name for operands' buffers.
bool IsName(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kWhile:
    case Opcode::kDynamicUpdateSlice:
      return true;
    default:
      return false;
  }
}

class Liveness {
 public:
  explicit Liveness(const Module& module) : module_(module) {}

  // Where the most bytes of a computation, its parameters left out, are alive
  // at once.
  struct Place {
    int64_t bytes = 0;
    const Instruction* at = nullptr;
    const Computation* inner = nullptr;  // called there, needs most of those
  };
  Place Peak(const Computation& computation) {
    const auto it = peaks_.find(&computation);
    if (it != peaks_.end()) return it->second;
    Place place;
    const std::vector<Instruction*> order = module_.ExecutionOrder(computation);
    const std::vector<int64_t> last = LastUses(computation, order);
    std::vector<int64_t> ends(order.size() + 1);
    int64_t alive = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      const Instruction& i = *order[k];
      const int64_t own = OwnBytes(i);
      alive += own;
      ends[last[i.id()]] += own;
      Place here{0, &i, nullptr};
      if (i.opcode() == Opcode::kWhile || i.opcode() == Opcode::kCall ||
          i.opcode() == Opcode::kConditional) {
        for (const Computation* called : i.called_computations()) {
          const int64_t bytes = Peak(*called).bytes;
          if (bytes > here.bytes) {
            here.bytes = bytes;
            here.inner = called;
          }
        }
      }
      here.bytes += alive;
      if (here.bytes > place.bytes) place = here;
      alive -= ends[k];
    }
    return peaks_[&computation] = place;
  }

 private:
  static int64_t OwnBytes(const Instruction& i) {
    if (i.opcode() == Opcode::kParameter ||
        i.opcode() == Opcode::kConstant || IsName(i)) {
      return 0;
    }
    return Bytes(i.shape());
  }

  // Position of the last use of each instruction's buffers, by id.
  static std::vector<int64_t> LastUses(const Computation& computation,
                                       const std::vector<Instruction*>& order) {
    std::vector<int64_t> last(computation.id_limit());
    for (size_t k = order.size(); k-- > 0;) {
      const Instruction& i = *order[k];
      int64_t& mine = last[i.id()];
      mine = std::max<int64_t>(mine, k);
      if (i.IsRoot()) mine = order.size();
      for (const Instruction* operand : i.operands()) {
        int64_t& theirs = last[operand->id()];
        // A name keeps what it names as long as it lives itself.
        theirs = std::max<int64_t>(theirs, IsName(i) ? mine : k);
      }
    }
    return last;
  }

  const Module& module_;
  absl::flat_hash_map<const Computation*, Place> peaks_;
};

}  // namespace

MemoryUse MemoryUseOf(const Module& module) {
  MemoryUse use;
  for (const Instruction* p : module.entry()->parameters()) {
    if (p != nullptr) use.parameters += Bytes(p->shape());
  }
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kConstant) use.constants += Bytes(i->shape());
    }
  }
  use.result = Bytes(module.entry()->root()->shape());
  Liveness liveness(module);
  // Callees first, so that no nesting is too deep.
  for (const Computation* c : module.TopologicalOrder()) {
    if (!c->IsFusionComputation()) liveness.Peak(*c);
  }
  Liveness::Place place = liveness.Peak(*module.entry());
  use.peak = place.bytes;
  use.at = place.at;
  while (place.at != nullptr) {
    use.path.push_back(place.at);
    place = place.inner == nullptr ? Liveness::Place{}
                                   : liveness.Peak(*place.inner);
  }
  return use;
}

}  // namespace hlokit
