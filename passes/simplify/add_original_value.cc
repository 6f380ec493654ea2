#include "passes/simplify/add_original_value.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace hlokit {
namespace {

const OriginalValue* OriginOf(const Instruction& i) {
  return i.attrs().Get<OriginalValue>(AttrId::kOrigin);
}

// Leaves of `from` below `prefix` (without it) go below `added`.
bool AppendLeaves(const OriginalValue* from, absl::Span<const int64_t> prefix,
                  absl::Span<const int64_t> added, OriginalValue* to) {
  if (from == nullptr) return false;
  for (const OriginalValue::Leaf& leaf : from->leaves) {
    if (leaf.index.size() < prefix.size() ||
        !std::equal(prefix.begin(), prefix.end(), leaf.index.begin())) {
      continue;
    }
    OriginalValue::Leaf moved = leaf;
    moved.index.assign(added.begin(), added.end());
    moved.index.insert(moved.index.end(), leaf.index.begin() + prefix.size(),
                       leaf.index.end());
    to->leaves.push_back(std::move(moved));
  }
  return true;
}

OriginalValue OriginalValueOf(const Instruction& i) {
  OriginalValue value;
  value.tree = i.shape();
  value.tree.ClearLayouts();
  if (i.opcode() == Opcode::kGetTupleElement &&
      AppendLeaves(OriginOf(*i.operand(0)), {i.tuple_index()}, {}, &value)) {
    return value;
  }
  if (i.opcode() == Opcode::kTuple) {
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      AppendLeaves(OriginOf(*i.operand(k)), {}, {k}, &value);
    }
    return value;
  }
  ForEachLeaf(i.shape(), [&](const Shape&, const ShapeIndex& index) {
    value.leaves.push_back({index, true, {std::string(i.name()), index}});
  });
  return value;
}

}  // namespace

absl::StatusOr<bool> AddOriginalValue::Run(Module* module) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    if (!RunsOn(*computation)) continue;
    for (Instruction* i : computation->PostOrder()) {
      if (OriginOf(*i) != nullptr || LeafCount(i->shape()) == 0) continue;
      i->mutable_attrs().SetShared(AttrId::kOrigin, OriginalValueOf(*i));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
