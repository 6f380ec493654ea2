#include "passes/expand/select_and_scatter_expander.h"

#include <limits>

namespace hlokit {
namespace {

// (value, position) pairs of two elements, -1 where there is none -> that which
// is kept.
Computation* Selection(Computation* select, PrimitiveType type,
                       PrimitiveType index, Emitter& e) {
  const Shape value = Shape::Scalar(type), position = Shape::Scalar(index);
  return e.Subcomputation(
      "select_position", {value, position, value, position},
      [&](Emitter& c, const Values& p) {
        Instruction* zero = c.ScalarInt(index, 0);
        Instruction* kept = c.Apply(select, {p[0], p[2]})[0];
        Instruction* exists = c.Compare(ComparisonDirection::kGe, p[1], zero);
        Instruction* alone = c.Compare(ComparisonDirection::kLt, p[3], zero);
        Instruction* first = c.Or(alone, c.And(exists, kept));
        return c.Tuple(
            {c.Select(first, p[0], p[2]), c.Select(first, p[1], p[3])});
      });
}

bool Commutes(Opcode opcode) {
  return opcode == Opcode::kAdd || opcode == Opcode::kMultiply ||
         opcode == Opcode::kMaximum || opcode == Opcode::kMinimum ||
         opcode == Opcode::kAnd || opcode == Opcode::kOr ||
         opcode == Opcode::kXor;
}

// select-and-scatter calls its function with (source, sum), scatter with (sum,
// source).
Computation* TurnedRound(Computation* function, Emitter& e) {
  if (function->instruction_count() == 3 &&
      Commutes(function->root()->opcode())) {
    return function;
  }
  return e.Subcomputation(
      absl::StrCat(function->name(), "_swapped"),
      {function->parameter(1)->shape(), function->parameter(0)->shape()},
      [&](Emitter& c, const Values& p) {
        return c.Inline(*function, {p[1], p[0]});
      });
}

}  // namespace

bool SelectAndScatterExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kSelectAndScatter && IsStatic(i) &&
         i.window() != nullptr;
}

absl::StatusOr<Instruction*> SelectAndScatterExpander::Expand(Instruction* i,
                                                              Emitter& e) {
  Instruction* operand = i->operand(0);
  Instruction* source = i->operand(1);
  Instruction* init = i->operand(2);
  const std::vector<int64_t> dims = DimsOf(operand);
  const int64_t count = ElementsIn(operand->shape());
  const PrimitiveType type = operand->shape().element_type();
  const PrimitiveType index =
      count <= std::numeric_limits<int32_t>::max() ? kS32 : kS64;

  Instruction* positions = e.Reshape(e.Iota(index, {count}, 0), dims);
  AttributeSet window;
  if (i->window() != nullptr) window.SetShared(AttrId::kWindow, *i->window());
  Instruction* selected = e.Element(
      e.Op(Opcode::kReduceWindow,
           {operand, positions, e.Scalar(type, 0), e.ScalarInt(index, -1)},
           std::move(window),
           {Selection(i->called_computation(0), type, index, e)}),
      1);

  const int64_t sources = ElementsIn(source->shape());
  AttributeSet scatter;
  SetList(AttrId::kInsertedWindowDims, {0}, &scatter);
  SetList(AttrId::kScatterDimsToOperandDims, {0}, &scatter);
  scatter.Set(AttrId::kIndexVectorDim, int64_t{1});
  Instruction* result =
      e.Op(Opcode::kScatter,
           {e.BroadcastScalar(init, {count}), e.Reshape(selected, {sources}),
            e.Reshape(source, {sources})},
           std::move(scatter), {TurnedRound(i->called_computation(1), e)});
  return e.Reshape(result, i->shape().dimensions());
}

}  // namespace hlokit
