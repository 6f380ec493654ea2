#include "passes/analysis/in_place.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analysis/dataflow.h"

namespace hlokit {
namespace {

// Both lie in memory alike, element for element.
bool SameMemory(const Shape& a, const Shape& b) {
  ShapeEqual equal;
  equal.ignore_element_type = true;
  equal.ignore_dynamic_dimension = true;
  return a.IsArray() && b.IsArray() && equal(a, b) &&
         BitWidth(a.element_type()) == BitWidth(b.element_type());
}

// The parameter that `i` is, seen through bitcasts; null otherwise.
Instruction* ParameterBehind(Instruction* i) {
  while (i->opcode() == Opcode::kBitcast) i = i->operand(0);
  return i->opcode() == Opcode::kParameter ? i : nullptr;
}

// A fused dynamic-update-slice or scatter may take over the parameter when
// nothing else in the fusion reads elements that it has changed already:
// slices of just the updated place are read before.
bool OnlyUpdated(const Instruction* parameter, const Instruction* update) {
  for (const Instruction* user : parameter->users()) {
    if (user->opcode() == Opcode::kBitcast) {
      if (!OnlyUpdated(user, update)) return false;
      continue;
    }
    if (user == update) {
      const auto operands = user->operands();
      if (std::count(operands.begin(), operands.end(), parameter) != 1) {
        return false;
      }
      continue;
    }
    const bool same_place =
        update->opcode() == Opcode::kDynamicUpdateSlice &&
        user->opcode() == Opcode::kDynamicSlice &&
        user->operand(0) == update->operand(0) &&
        SameDimensions(user->shape(), update->operand(1)->shape()) &&
        std::equal(user->operands().begin() + 1, user->operands().end(),
                   update->operands().begin() + 2, update->operands().end());
    if (!same_place) return false;
  }
  return true;
}

void AddFusionPairs(const Instruction& fusion,
                    std::vector<InPlacePair>* pairs) {
  Instruction* root = fusion.to_apply()->root();
  const bool tuple = root->opcode() == Opcode::kTuple;
  const int64_t count = tuple ? root->operand_count() : 1;
  for (int64_t k = 0; k < count; ++k) {
    Instruction* made = tuple ? root->operand(k) : root;
    while (made->opcode() == Opcode::kBitcast) made = made->operand(0);
    if (made->opcode() != Opcode::kDynamicUpdateSlice &&
        (made->opcode() != Opcode::kScatter || !made->shape().IsArray())) {
      continue;
    }
    Instruction* parameter = ParameterBehind(made->operand(0));
    if (parameter == nullptr || !OnlyUpdated(parameter, made) ||
        !SameMemory(made->operand(0)->shape(), made->shape())) {
      continue;
    }
    const int64_t part = tuple ? PartOfElement(fusion.shape(), k) : 0;
    pairs->push_back({parameter->parameter_number(), 0, part});
  }
}

void AddDeclaredPairs(const Instruction& i, std::vector<InPlacePair>* pairs) {
  const AliasingList* list =
      i.attrs().Get<AliasingList>(AttrId::kOutputToOperandAliasing);
  if (list == nullptr) return;
  for (const OutputOperandAlias& alias : *list) {
    if (alias.operand < 0 || alias.operand >= i.operand_count() ||
        !i.shape().IndexIsValid(alias.output_index) ||
        !i.operand(alias.operand)->shape().IndexIsValid(alias.operand_index)) {
      continue;
    }
    pairs->push_back(
        {alias.operand,
         PartNumber(i.operand(alias.operand)->shape(), alias.operand_index),
         PartNumber(i.shape(), alias.output_index)});
  }
}

// Whether everything in a fusion between the parameter and the root works
// element by element, in the parameter's own order.
bool IsElementwiseFrom(const Instruction& fusion, int64_t operand) {
  const Computation& body = *fusion.to_apply();
  const Instruction* parameter = body.parameter(operand);
  absl::flat_hash_set<const Instruction*> seen = {parameter};
  std::vector<const Instruction*> work = {parameter};
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    for (const Instruction* user : i->users()) {
      if (!IsElementwise(user->opcode()) ||
          !SameMemory(user->shape(), parameter->shape())) {
        // Comparisons are narrower, but read before anything is written.
        const bool narrower = IsElementwise(user->opcode()) &&
                              SameDimensions(user->shape(),
                                             parameter->shape()) &&
                              !user->IsRoot();
        if (!narrower) return false;
      }
      if (seen.insert(user).second) work.push_back(user);
    }
  }
  return true;
}

}  // namespace

std::vector<InPlacePair> InPlacePairs(const Instruction& i) {
  std::vector<InPlacePair> pairs;
  switch (i.opcode()) {
    case Opcode::kDynamicUpdateSlice:
      if (SameMemory(i.operand(0)->shape(), i.shape())) {
        pairs.push_back({0, 0, 0});
      }
      break;
    case Opcode::kScatter: {
      const int64_t count = i.operand_count() / 2;
      for (int64_t k = 0; k < count; ++k) {
        const bool array = i.shape().IsArray();
        if (SameMemory(i.operand(k)->shape(),
                       array ? i.shape() : i.shape().tuple_shape(k))) {
          pairs.push_back({k, 0, array ? 0 : 1 + k});
        }
      }
      break;
    }
    case Opcode::kWhile: {
      const std::vector<ShapePart> parts = PartsOf(i.shape());
      for (size_t k = 0; k < parts.size(); ++k) {
        const int64_t part = k;
        if (parts[k].is_leaf) pairs.push_back({0, part, part});
      }
      break;
    }
    case Opcode::kFusion:
      AddDeclaredPairs(i, &pairs);
      if (pairs.empty()) AddFusionPairs(i, &pairs);
      break;
    case Opcode::kCustomCall:
      AddDeclaredPairs(i, &pairs);
      break;
    default:
      break;
  }
  return pairs;
}

bool MayShareBuffer(const Instruction& i, const InPlacePair& pair) {
  const Instruction& operand = *i.operand(pair.operand);
  if (i.shape().IsArray() && operand.shape().IsArray() &&
      SameMemory(i.shape(), operand.shape())) {
    if (i.opcode() == Opcode::kSort && pair.operand == 0) return true;
    if (IsElementwise(i.opcode()) || i.opcode() == Opcode::kCopy) return true;
    if (i.opcode() == Opcode::kFusion &&
        IsElementwiseFrom(i, pair.operand)) {
      return true;
    }
  }
  if (i.opcode() == Opcode::kSort && i.shape().IsTuple()) {
    return pair.operand_part == 0 && pair.result_part == 1 + pair.operand;
  }
  const std::vector<InPlacePair> pairs = InPlacePairs(i);
  return absl::c_any_of(pairs, [&](const InPlacePair& p) {
    return p.operand == pair.operand && p.operand_part == pair.operand_part &&
           p.result_part == pair.result_part;
  });
}

}  // namespace hlokit
