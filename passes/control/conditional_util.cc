#include "passes/control/conditional_util.h"

#include "passes/control/inline.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

Instruction* SelectParts(Builder& b, Instruction* pred, Instruction* on_true,
                         Instruction* on_false) {
  const Shape& shape = on_true->shape();
  if (shape.IsTuple()) {
    std::vector<Instruction*> parts;
    for (size_t k = 0; k < shape.tuple_shapes().size(); ++k) {
      parts.push_back(
          SelectParts(b, pred, b.Element(on_true, k), b.Element(on_false, k)));
    }
    return b.Tuple(parts);
  }
  if (!shape.IsArray() || on_true == on_false) return on_true;
  return b.Select(b.BroadcastScalar(pred, shape.dimensions()), on_true,
                  on_false);
}

}  // namespace

std::vector<Instruction*> ConditionalsOf(const Computation& computation) {
  std::vector<Instruction*> conditionals;
  if (!computation.HasCalls()) return conditionals;
  for (Instruction* i : computation.PostOrder()) {
    if (i->opcode() == Opcode::kConditional) conditionals.push_back(i);
  }
  return conditionals;
}

std::optional<int64_t> KnownBranch(const Instruction& conditional) {
  const int64_t branches = conditional.called_computations().size();
  if (branches == 1) return 0;
  const Instruction* which = conditional.operand(0);
  if (!IsConstantScalar(which)) return std::nullopt;
  const int64_t value = which->literal()->GetAsInt64(0);
  if (which->shape().element_type() == kPred) return value != 0 ? 0 : 1;
  return value < 0 || value >= branches ? branches - 1 : value;
}

bool MayExecuteAnyway(const Computation& branch) {
  for (const Instruction* i : branch.instructions()) {
    switch (i->opcode()) {
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kCall:
      case Opcode::kCustomCall:
      case Opcode::kAsyncStart:
        return false;
      default:
        break;
    }
    if (i->shape().is_dynamic() || IsCollective(i->opcode()) ||
        i->HasSideEffect()) {
      return false;
    }
  }
  return true;
}

void ReplaceBySelect(Instruction* conditional) {
  Builder b(conditional);
  Instruction* which = conditional->operand(0);
  const auto branches = conditional->called_computations();
  std::vector<Instruction*> results;
  for (size_t k = 0; k < branches.size(); ++k) {
    results.push_back(CloneBody(conditional->parent(), *branches[k],
                                {conditional->operand(k + 1)}));
  }
  Instruction* result = results.back();
  if (which->shape().element_type() == kPred) {
    result = SelectParts(b, which, results[0], results[1]);
  } else {
    // An index out of range takes the last branch.
    for (size_t k = results.size() - 1; k-- > 0;) {
      Instruction* is_it =
          b.Compare(ComparisonDirection::kEq, which,
                    b.ScalarInt(which->shape().element_type(), k));
      result = SelectParts(b, is_it, results[k], result);
    }
  }
  ReplaceInstruction(conditional, result);
}

}  // namespace hlokit
