#include <utility>
#include <vector>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/offset_loops.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/window_taps.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// The selection: is the current element kept, rather than the candidate?
class Selector {
 public:
  static absl::StatusOr<Selector> Create(Context& context,
                                         const Computation& select,
                                         PrimitiveType type) {
    Selector selector;
    selector.bytes_ = StorageBytes(type);
    const auto comparison = RecognizeComparison(select, 0, 1);
    if (comparison.has_value() && comparison->element == type) {
      selector.compare_ = CompareFunction(comparison->direction,
                                          comparison->type, type);
      if (selector.compare_) return selector;
    }
    HLOKIT_ASSIGN_OR_RETURN(
        selector.function_,
        MakeScalarFunction(context, select, {type, type}, {kPred}));
    return selector;
  }

  absl::StatusOr<bool> Keeps(const char* data, int64_t current,
                             int64_t candidate) {
    if (compare_) {
      const char* inputs[2] = {data + current * bytes_,
                               data + candidate * bytes_};
      char result = 0;
      compare_(inputs, &result, 1);
      return result != 0;
    }
    ScalarValue arguments[2], result;
    arguments[0].Load(data, bytes_, current);
    arguments[1].Load(data, bytes_, candidate);
    HLOKIT_RETURN_IF_ERROR(
        function_->Call(arguments, absl::MakeSpan(&result, 1)));
    return result.get<bool>();
  }

 private:
  Selector() = default;
  int64_t bytes_ = 0;
  ElementFunction compare_;
  std::unique_ptr<ScalarFunction> function_;
};

// The place of the element that is selected in the window, -1 if the window
// touches none.
absl::StatusOr<int64_t> SelectIn(const OffsetLoops<1>& loops, int64_t start,
                                 const char* data, Selector* selector) {
  int64_t selected = -1;
  absl::Status status;
  ForEachOffset(
      loops,
      [&](const std::array<int64_t, 1>& at) {
        if (!status.ok()) return;
        if (selected < 0) {
          selected = at[0];
          return;
        }
        absl::StatusOr<bool> keeps = selector->Keeps(data, selected, at[0]);
        status = keeps.status();
        if (keeps.ok() && !*keeps) selected = at[0];
      },
      {start});
  HLOKIT_RETURN_IF_ERROR(status);
  return selected;
}

absl::StatusOr<Literal> Broadcast(const Literal& scalar, const Shape& shape) {
  Literal result = Literal::Zeros(shape);
  StridedCopy({{ElementsIn(shape), 0, 1}}, scalar.untyped_data(),
              result.mutable_untyped_data(),
              StorageBytes(shape.element_type()));
  return result;
}

absl::StatusOr<Literal> SelectAndScatter(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands, const Shape& shape) {
  static const Window& none = *new Window;
  const Window& window =
      instruction.window() == nullptr ? none : *instruction.window();
  const Computation& select = *instruction.called_computation(0);
  const Computation& scatter = *instruction.called_computation(1);
  const PrimitiveType type = ParameterTypes(select)[0];
  const PrimitiveType sum_type = ResultTypes(scatter)[0];
  HLOKIT_ASSIGN_OR_RETURN(Literal operand, WithElements(*operands[0], type));
  HLOKIT_ASSIGN_OR_RETURN(Literal source, WithElements(*operands[1], sum_type));
  HLOKIT_ASSIGN_OR_RETURN(Literal init, WithElements(*operands[2], sum_type));
  HLOKIT_ASSIGN_OR_RETURN(Selector selector,
                          Selector::Create(context, select, type));
  HLOKIT_ASSIGN_OR_RETURN(
      auto combine, MakeScalarFunction(context, scatter, {sum_type, sum_type},
                                       {sum_type}));
  HLOKIT_ASSIGN_OR_RETURN(
      Literal result,
      Broadcast(init, Shape::ArrayWithDescendingLayout(sum_type,
                                                       shape.dimensions())));
  const DimensionVector strides = RowMajorStrides(shape.dimensions());
  const int64_t bytes = StorageBytes(sum_type), rank = shape.rank();
  char* sums = result.mutable_untyped_data();
  DimensionVector position(rank, 0);
  OffsetLoops<1> loops(rank);
  for (int64_t i = 0; i < source.element_count(); ++i) {
    int64_t start = 0;
    for (int64_t d = 0; d < rank; ++d) {
      const WindowTaps taps =
          TapsAt(window.dimensions[d], shape.dimension(d), position[d]);
      loops[d] = {taps.count, {taps.index_step * strides[d]}};
      start += taps.first_index * strides[d];
    }
    HLOKIT_ASSIGN_OR_RETURN(
        int64_t at, SelectIn(loops, start, operand.untyped_data(), &selector));
    if (at >= 0) {
      ScalarValue arguments[2], sum;
      arguments[0].Load(source.untyped_data(), bytes, i);
      arguments[1].Load(sums, bytes, at);
      HLOKIT_RETURN_IF_ERROR(
          combine->Call(arguments, absl::MakeSpan(&sum, 1)));
      sum.Store(sums, bytes, at);
    }
    for (int64_t d = rank; d-- > 0;) {
      if (++position[d] < source.shape().dimension(d)) break;
      position[d] = 0;
    }
  }
  return AsShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalSelectAndScatter(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &SelectAndScatter);
}

}  // namespace hlokit::interpreter
