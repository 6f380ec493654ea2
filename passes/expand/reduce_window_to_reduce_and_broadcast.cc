#include "passes/expand/reduce_window_to_reduce_and_broadcast.h"

namespace hlokit {
namespace {

enum class Reach { kOne, kAll, kOther };

Reach ReachOf(const WindowDimension& w, int64_t size, int64_t outputs) {
  const bool plain = w.window_dilation == 1 && w.base_dilation == 1;
  if (!plain || size == 0 || outputs == 0) return Reach::kOther;
  if (w.size == 1 && w.stride == 1 && w.padding_low == 0 &&
      w.padding_high == 0) {
    return Reach::kOne;
  }
  // The first window ends last of all before the others, the last one begins
  // last.
  const bool first_holds_end = w.size - w.padding_low >= size;
  const bool last_holds_start =
      (outputs - 1) * w.stride - w.padding_low <= 0;
  return first_holds_end && last_holds_start ? Reach::kAll : Reach::kOther;
}

const Shape& ArrayShape(const Instruction& i) {
  return i.shape().IsTuple() ? i.shape().tuple_shape(0) : i.shape();
}

}  // namespace

bool ReduceWindowToReduceAndBroadcast::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kReduceWindow || !IsStatic(i) ||
      i.window() == nullptr || i.operand_count() < 2) {
    return false;
  }
  bool any = false;
  const Shape& in = i.operand(0)->shape();
  for (int64_t d = 0; d < in.rank(); ++d) {
    const Reach reach = ReachOf(i.window()->dimensions[d], in.dimension(d),
                                ArrayShape(i).dimension(d));
    if (reach == Reach::kOther) return false;
    any = any || reach == Reach::kAll;
  }
  return any;
}

absl::StatusOr<Instruction*> ReduceWindowToReduceAndBroadcast::Expand(
    Instruction* i, Emitter& e) {
  const Shape& in = i->operand(0)->shape();
  const Shape& out = ArrayShape(*i);
  std::vector<int64_t> reduced, kept;
  for (int64_t d = 0; d < in.rank(); ++d) {
    const bool all = ReachOf(i->window()->dimensions[d], in.dimension(d),
                             out.dimension(d)) == Reach::kAll;
    (all ? reduced : kept).push_back(d);
  }
  AttributeSet attrs;
  SetList(AttrId::kDimensions, reduced, &attrs);
  Instruction* reduce = e.Builder::Op(Opcode::kReduce, i->operands(),
                                      std::move(attrs), {i->to_apply()});
  if (!i->shape().IsTuple()) {
    return e.Broadcast(reduce, kept, out.dimensions());
  }
  Values parts = e.Elements(reduce);
  for (Instruction*& part : parts) {
    part = e.Broadcast(part, kept, out.dimensions());
  }
  return e.Tuple(parts);
}

}  // namespace hlokit
