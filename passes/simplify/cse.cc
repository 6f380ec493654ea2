#include "passes/simplify/cse.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "hlo/ir/literal.h"
#include "passes/analysis/effects.h"
#include "passes/structural_equality.h"

namespace hlokit {
namespace {

bool MayMerge(const Instruction& i, const EffectMap& effects) {
  switch (i.opcode()) {
    case Opcode::kParameter:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kRng:
      return false;
    default:
      break;
  }
  return i.control_predecessors().empty() && i.control_successors().empty() &&
         !i.attrs().Has(AttrId::kChannelId) && !effects.HasSideEffect(i);
}

// Equal for instructions that may be the same; operands by identity.
size_t HashOf(const Instruction& i) {
  size_t hash = absl::HashOf(static_cast<int>(i.opcode()),
                             i.shape().element_type(), i.shape().dimensions(),
                             i.parameter_number(), i.operand_count(),
                             i.attrs().GetList(AttrId::kDimensions));
  for (const Instruction* operand : i.operands()) {
    hash = absl::HashOf(hash, operand);
  }
  if (i.literal() != nullptr && i.literal()->size_bytes() > 0) {
    const int64_t bytes = std::min<int64_t>(i.literal()->size_bytes(), 1024);
    hash = absl::HashOf(
        hash, absl::string_view(i.literal()->untyped_data(), bytes));
  }
  return hash;
}

bool SameOperands(const Instruction& a, const Instruction& b) {
  for (int64_t i = 0; i < a.operand_count(); ++i) {
    if (a.operand(i) != b.operand(i)) return false;
  }
  return true;
}

bool MergeIn(Computation* computation, const EffectMap& effects,
             const EqualityOptions& options) {
  bool changed = false;
  absl::flat_hash_map<size_t, std::vector<Instruction*>> seen;
  for (Instruction* i : computation->PostOrder()) {
    if (!MayMerge(*i, effects)) continue;
    std::vector<Instruction*>& candidates = seen[HashOf(*i)];
    Instruction* first = nullptr;
    for (Instruction* candidate : candidates) {
      if (candidate->operand_count() == i->operand_count() &&
          SameOperands(*candidate, *i) &&
          SameOperation(*candidate, *i, options)) {
        first = candidate;
        break;
      }
    }
    if (first == nullptr) {
      candidates.push_back(i);
      continue;
    }
    i->ReplaceAllUsesWith(first);
    computation->Remove(i);
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> CommonSubexpressionElimination::Run(Module* module) {
  bool changed = false;
  const EffectMap effects(*module);
  EqualityOptions options;
  options.layout_sensitive = layout_sensitive_;
  for (const auto& computation : module->computations()) {
    // What a fusion computes is the fusion pass's matter.
    if (computation->IsFusionComputation() || !RunsOn(*computation)) continue;
    changed |= MergeIn(computation.get(), effects, options);
  }
  return changed;
}

}  // namespace hlokit
