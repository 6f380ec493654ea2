#include "passes/analysis/effects.h"

namespace hlokit {
namespace {

// Whether the opcode has effects only through what it calls.
bool OnlyCalls(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

}  // namespace

EffectMap::EffectMap(const Module& module) {
  // Callees come first.
  for (const Computation* computation : module.TopologicalOrder()) {
    bool effect = false;
    for (const Instruction* i : computation->instructions()) {
      if (HasSideEffect(*i)) {
        effect = true;
        break;
      }
    }
    effects_[computation] = effect;
  }
}

bool EffectMap::HasSideEffect(const Instruction& i) const {
  if (!OnlyCalls(i.opcode())) return i.HasSideEffect();
  for (const Computation* called : i.called_computations()) {
    const auto it = effects_.find(called);
    if (it == effects_.end()) return i.HasSideEffect();
    if (it->second) return true;
  }
  return false;
}

}  // namespace hlokit
