#include "passes/control/map_inline.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analysis/expanded_size.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool HasArrayForm(const Instruction& i) {
  return i.shape().IsScalar() && i.control_predecessors().empty() &&
         (i.opcode() == Opcode::kParameter ||
          i.opcode() == Opcode::kConstant ||
          (IsElementwise(i.opcode()) && i.opcode() != Opcode::kRng));
}

bool MayInlineMap(const Instruction& map) {
  if (map.opcode() != Opcode::kMap || map.shape().is_dynamic()) return false;
  const Computation& body = *map.to_apply();
  for (const Instruction* i : body.instructions()) {
    if (!HasArrayForm(*i)) return false;
  }
  // The body may compute in another type than that of the arrays.
  for (int64_t k = 0; k < map.operand_count(); ++k) {
    if (body.parameter(k)->shape().element_type() !=
        map.operand(k)->shape().element_type()) {
      return false;
    }
  }
  return body.root()->shape().element_type() == map.shape().element_type();
}

void Inline(Instruction* map) {
  Builder b(map);
  const auto sizes = map->shape().dimensions();
  absl::flat_hash_map<const Instruction*, Instruction*> arrays;
  for (const Instruction* i : map->to_apply()->PostOrder()) {
    Instruction*& array = arrays[i];
    if (i->opcode() == Opcode::kParameter) {
      array = map->operand(i->parameter_number());
    } else if (i->opcode() == Opcode::kConstant) {
      array = b.BroadcastScalar(b.Constant(*i->literal()), sizes);
    } else {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : i->operands()) {
        operands.push_back(arrays.at(operand));
      }
      Shape shape = map->shape();
      shape.set_element_type(i->shape().element_type());
      array = b.CloneOfShape(*i, shape, operands);
    }
  }
  ReplaceInstruction(map, arrays.at(map->to_apply()->root()));
}

}  // namespace

absl::StatusOr<bool> MapInline::Run(Module* module) {
  bool changed = false;
  int64_t left = InliningBudget(*module);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!MayInlineMap(*i) || (i->users().empty() && !i->IsRoot())) continue;
      const int64_t size = i->to_apply()->instruction_count();
      if (size > left) continue;
      left -= size;
      Inline(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
