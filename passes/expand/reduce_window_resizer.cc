#include "passes/expand/reduce_window_resizer.h"

namespace hlokit {

bool ReduceWindowResizer::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kReduceWindow && i.window() != nullptr &&
         i.window()->dimensions.size() == 1 && IsStatic(i);
}

absl::StatusOr<Instruction*> ReduceWindowResizer::Expand(Instruction* i,
                                                         Emitter& e) {
  Values operands(i->operands().begin(), i->operands().end());
  const size_t arrays = operands.size() / 2;
  for (size_t k = 0; k < arrays; ++k) {
    operands[k] =
        e.Reshape(operands[k], {operands[k]->shape().dimension(0), 1});
  }
  Window window = *i->window();
  window.dimensions.emplace_back();
  AttributeSet attrs = i->attrs();
  attrs.SetShared(AttrId::kWindow, std::move(window));
  attrs.Erase(AttrId::kSharding);
  attrs.Erase(AttrId::kOrigin);
  Instruction* made = e.Builder::Op(Opcode::kReduceWindow, operands,
                                    std::move(attrs), {i->to_apply()});
  const int64_t size = made->shape().IsTuple()
                           ? made->shape().tuple_shape(0).dimension(0)
                           : made->shape().dimension(0);
  Values results =
      made->shape().IsTuple() ? e.Elements(made) : Values{made};
  for (Instruction*& result : results) result = e.Reshape(result, {size});
  return i->shape().IsTuple() ? e.Tuple(results) : results[0];
}

}  // namespace hlokit
