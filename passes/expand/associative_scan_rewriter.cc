#include "passes/expand/associative_scan_rewriter.h"

#include <limits>
#include <optional>

namespace hlokit {
namespace {

// What leaves other values as they are.
std::optional<Literal> NeutralOf(Opcode opcode, PrimitiveType type) {
  if (IsComplexType(type) && opcode != Opcode::kAdd &&
      opcode != Opcode::kMultiply) {
    return std::nullopt;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
      return Literal::ScalarOfInt(type, 0);
    case Opcode::kMultiply:
      return Literal::ScalarOfInt(type, 1);
    case Opcode::kAnd:
      return Literal::ScalarOfInt(type, type == kPred ? 1 : -1);
    // Of integers the conversion gives the smallest and largest. Not every
    // narrow float has infinities.
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      if (IsFloatType(type) && BitWidth(type) < 16) return std::nullopt;
      return Literal::ScalarOf(
          type, opcode == Opcode::kMaximum ? -infinity : infinity);
    default:
      return std::nullopt;
  }
}

// A scan as independent cumulative operations.
struct Plan {
  std::vector<Opcode> combine;    // of each input with its carry
  std::vector<int64_t> outputs;   // which of them an output shows
};

bool IsParameter(const Instruction* i, int64_t number) {
  return i->opcode() == Opcode::kParameter && i->parameter_number() == number;
}

std::optional<Plan> PlanOf(const Instruction& i) {
  if (i.opcode() != Opcode::kScan || !IsStatic(i) || !i.shape().IsTuple() ||
      i.attrs().GetInt(AttrId::kIsAssociative) !=
          static_cast<int64_t>(TriState::kTrue)) {
    return std::nullopt;
  }
  const Instruction* root = i.to_apply()->root();
  const int64_t carries = i.attrs().GetInt(AttrId::kNumCarries);
  if (root->opcode() != Opcode::kTuple || carries < 1 ||
      i.operand_count() != 2 * carries) {
    return std::nullopt;
  }
  const int64_t outputs = root->operand_count() - carries;
  Plan plan;
  for (int64_t c = 0; c < carries; ++c) {
    const Instruction* next = root->operand(outputs + c);
    if (next->operand_count() != 2 ||
        !NeutralOf(next->opcode(), next->shape().element_type())
             .has_value()) {
      return std::nullopt;
    }
    const Instruction* a = next->operand(0);
    const Instruction* b = next->operand(1);
    if (!(IsParameter(a, c) && IsParameter(b, carries + c)) &&
        !(IsParameter(b, c) && IsParameter(a, carries + c))) {
      return std::nullopt;
    }
    if (!SameElementType(a->shape(), b->shape())) return std::nullopt;
    plan.combine.push_back(next->opcode());
  }
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t before = plan.outputs.size();
    for (int64_t c = 0; c < carries; ++c) {
      if (root->operand(o) == root->operand(outputs + c)) {
        plan.outputs.push_back(c);
        break;
      }
    }
    if (before == static_cast<int64_t>(plan.outputs.size())) {
      return std::nullopt;
    }
  }
  return plan;
}

// [x0, x0 x1, x0 x1 x2, ...] along a dimension.
Instruction* CumulativeOf(Instruction* x, int64_t dimension, bool reverse,
                          Opcode opcode, Emitter& e) {
  const PrimitiveType type = x->shape().element_type();
  const int64_t n = x->shape().dimension(dimension);
  Window window;
  window.dimensions.resize(x->shape().rank());
  WindowDimension& w = window.dimensions[dimension];
  w.size = n;
  (reverse ? w.padding_high : w.padding_low) = n - 1;
  AttributeSet attrs;
  attrs.SetShared(AttrId::kWindow, std::move(window));
  return e.Op(Opcode::kReduceWindow, {x, e.Constant(*NeutralOf(opcode, type))},
              std::move(attrs),
              {ScalarBinaryComputation(e.module(), opcode, type)});
}

}  // namespace

bool AssociativeScanRewriter::Matches(const Instruction& i) const {
  return PlanOf(i).has_value() &&
         i.operand(0)->shape().dimension(i.dimension(0)) > 0;
}

absl::StatusOr<Instruction*> AssociativeScanRewriter::Expand(Instruction* i,
                                                             Emitter& e) {
  const Plan plan = *PlanOf(*i);
  const int64_t carries = plan.combine.size();
  const int64_t dimension = i->dimension(0);
  const bool reverse = i->attrs().GetBool(AttrId::kIsReverse);
  Values all, last;
  for (int64_t c = 0; c < carries; ++c) {
    Instruction* x = i->operand(c);
    Instruction* start = i->operand(carries + c);
    const int64_t n = x->shape().dimension(dimension);
    std::vector<int64_t> mapping = Counting(x->shape().rank());
    mapping.erase(mapping.begin() + dimension);
    all.push_back(e.Binary(
        plan.combine[c],
        e.Broadcast(start, mapping, x->shape().dimensions()),
        CumulativeOf(x, dimension, reverse, plan.combine[c], e)));
    const int64_t end = reverse ? 0 : n - 1;
    last.push_back(
        e.Reshape(e.SliceInDim(all.back(), dimension, end, end + 1),
                  start->shape().dimensions()));
  }
  Values parts;
  for (int64_t c : plan.outputs) parts.push_back(all[c]);
  parts.insert(parts.end(), last.begin(), last.end());
  return e.Tuple(parts);
}

}  // namespace hlokit
