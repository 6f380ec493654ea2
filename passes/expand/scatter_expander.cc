#include "passes/expand/scatter_expander.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "passes/expand/index_windows.h"

namespace hlokit {
namespace {

// What one step of the loop needs to know of a scatter.
struct ScatterPlan {
  explicit ScatterPlan(const Instruction& scatter)
      : windows(IndexWindows::OfScatter(scatter)),
        operands(scatter.operand_count() / 2) {
    const AttributeSet& attrs = scatter.attrs();
    const auto window_dims = attrs.GetList(AttrId::kUpdateWindowDims);
    const Shape& updates = scatter.operand(operands + 1)->shape();
    for (int64_t d = 0; d < updates.rank(); ++d) {
      if (!absl::c_linear_search(window_dims, d)) order.push_back(d);
    }
    rows.push_back(windows.count());
    for (int64_t d : window_dims) {
      order.push_back(d);
      rows.push_back(updates.dimension(d));
    }
    int64_t next = 1;
    for (int64_t d = 0; d < scatter.operand(0)->shape().rank(); ++d) {
      const bool is_one = absl::c_linear_search(
                              attrs.GetList(AttrId::kInsertedWindowDims), d) ||
                          absl::c_linear_search(windows.operand_batching, d);
      window.push_back(is_one ? 1 : rows[next++]);
    }
  }

  IndexWindows windows;
  int64_t operands;
  std::vector<int64_t> order;   // of the updates: scatter dimensions first
  std::vector<int64_t> rows;    // updates as [index vectors, window...]
  std::vector<int64_t> window;  // in the operand's dimensions
};

// Whether the window lies in the operand: a scalar.
Instruction* Fits(const Values& starts, Dims sizes, Dims window, Emitter& e) {
  Instruction* fits = nullptr;
  for (size_t d = 0; d < starts.size(); ++d) {
    const PrimitiveType type = starts[d]->shape().element_type();
    Instruction* low = e.Compare(ComparisonDirection::kGe, starts[d],
                                 e.ScalarInt(type, 0));
    Instruction* high =
        e.Compare(ComparisonDirection::kLe, starts[d],
                  e.ScalarInt(type, sizes[d] - window[d]));
    Instruction* both = e.And(low, high);
    fits = fits == nullptr ? both : e.And(fits, both);
  }
  return fits == nullptr ? e.ScalarInt(kPred, 1) : fits;
}

// The operands after the update of number `n`. `table` holds the index vectors,
// `updates` are [index vectors, window...].
Values Step(const ScatterPlan& plan, Computation* combiner, Instruction* n,
            const Values& operands, Instruction* table, const Values& updates,
            Emitter& e) {
  const Values starts = plan.windows.StartsAt(table, n, e);
  Instruction* fits =
      Fits(starts, operands[0]->shape().dimensions(), plan.window, e);
  Values olds, arguments;
  for (Instruction* operand : operands) {
    olds.push_back(e.DynamicSlice(operand, starts, plan.window));
  }
  arguments = olds;
  for (Instruction* update : updates) {
    arguments.push_back(
        e.Reshape(e.DynamicSliceAlong(update, 0, n, 1), plan.window));
  }
  const Values combined = e.Apply(combiner, arguments);
  Values result;
  for (size_t i = 0; i < operands.size(); ++i) {
    Instruction* value =
        e.Convert(combined[i], olds[i]->shape().element_type());
    result.push_back(e.DynamicUpdateSlice(
        operands[i], e.Select(fits, value, olds[i]), starts));
  }
  return result;
}

}  // namespace

bool IsOrderFree(const Instruction& scatter) {
  if (scatter.attrs().GetBool(AttrId::kUniqueIndices)) return true;
  if (scatter.shape().IsTuple()) return false;
  const PrimitiveType type = scatter.shape().element_type();
  switch (CommutativeReducer(*scatter.to_apply())) {
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return true;
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return IsIntegerType(type) || type == kPred;
    default:
      return false;
  }
}

bool ScatterExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kScatter || !IsStatic(i)) return false;
  switch (mode_) {
    case kAll:
      return true;
    case kSimple:
      return IndexWindows::OfScatter(i).count() == 1;
    case kNondeterministic:
      return !IsOrderFree(i);
  }
  return false;
}

absl::StatusOr<Instruction*> ScatterExpander::Expand(Instruction* i,
                                                     Emitter& e) {
  const ScatterPlan plan(*i);
  const int64_t count = plan.operands;
  Values operands(i->operands().begin(), i->operands().begin() + count);
  // No updates; perhaps no elements either.
  if (ElementsIn(i->operand(count + 1)->shape()) > 0 &&
      ElementsIn(operands[0]->shape()) > 0) {
    Values state = operands;
    state.push_back(plan.windows.Table(i->operand(count), e));
    for (int64_t n = 0; n < count; ++n) {
      state.push_back(e.Reshape(
          e.Transpose(i->operand(count + 1 + n), plan.order), plan.rows));
    }
    const auto step = [&](Emitter& b, Instruction* n, const Values& s) {
      Values next = Step(plan, i->to_apply(), n,
                         Values(s.begin(), s.begin() + count), s[count],
                         Values(s.begin() + count + 1, s.end()), b);
      next.insert(next.end(), s.begin() + count, s.end());
      return next;
    };
    state = plan.windows.count() == 1
                ? step(e, e.ScalarInt(kS32, 0), state)
                : e.For("scatter", plan.windows.count(), state, step);
    operands.assign(state.begin(), state.begin() + count);
  }
  return i->shape().IsTuple() ? e.Tuple(operands) : operands[0];
}

}  // namespace hlokit
