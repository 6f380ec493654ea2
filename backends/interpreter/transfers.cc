// Transfers to and from the host: what comes in is ExecuteOptions::infeed, what
// goes out ExecutionResult::outfeed.
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// (data, zeros and tokens): element 0 of `shape` is `data`.
absl::StatusOr<Literal> WithData(Literal data, const Shape& shape) {
  if (!shape.IsTuple() || shape.tuple_shapes().empty()) {
    return InvalidArgument("%s holds no data", shape.ToString());
  }
  if (!ShapesCompatible(data.shape(), shape.tuple_shape(0))) {
    return InvalidArgument("the data are %s, not %s", data.shape().ToString(),
                           shape.tuple_shape(0).ToString());
  }
  std::vector<Literal> elements;
  elements.push_back(std::move(data));
  for (const Shape& element : shape.tuple_shapes().subspan(1)) {
    elements.push_back(Literal::Zeros(element));
  }
  return WithShape(Literal::Tuple(std::move(elements)), shape);
}

absl::StatusOr<Literal> Receive(Context& context, const Shape& shape) {
  if (!shape.IsTuple() || shape.tuple_shapes().empty()) {
    return InvalidArgument("%s holds no data", shape.ToString());
  }
  return WithData(context.NextInfeed(shape.tuple_shape(0)), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalInfeed(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  return Receive(context, instruction.shape());
}

absl::StatusOr<Literal> EvalOutfeed(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  context.outfeed().push_back(*operands[0]);
  return Literal::Token();
}

absl::StatusOr<Literal> EvalRecv(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return Receive(context, instruction.shape());
}

absl::StatusOr<Literal> EvalRecvDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands[0]->elements().empty()) {
    return InvalidArgument("%s holds no data", operands[0]->shape().ToString());
  }
  return WithData(operands[0]->elements()[0], instruction.shape());
}

absl::StatusOr<Literal> EvalSend(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  context.outfeed().push_back(*operands[0]);
  return WithData(*operands[0], instruction.shape());
}

absl::StatusOr<Literal> EvalSendDone(Context&, const Instruction&,
                                     absl::Span<const Literal* const>) {
  return Literal::Token();
}

}  // namespace hlokit::interpreter
