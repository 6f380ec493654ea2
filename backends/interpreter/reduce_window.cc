#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/offset_loops.h"
#include "backends/interpreter/reducers.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/variadic.h"
#include "backends/interpreter/window_taps.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

const Window& WindowOf(const Instruction& instruction) {
  static const Window& none = *new Window;
  const Window* window = instruction.window();
  return window == nullptr ? none : *window;
}

int64_t LastIndex(const WindowTaps& taps) {
  return taps.first_index + (taps.count - 1) * taps.index_step;
}

// Folds a window over one dimension of an array [outer, size, inner] to one
// [outer, taps.size(), inner]. Windows that grow from their neighbour (as those
// of a cumulative sum do) go on from its result.
template <typename Reducer>
class DimensionFold {
 public:
  using Acc = typename Reducer::Accumulator;

  DimensionFold(absl::Span<const WindowTaps> taps, int64_t size, int64_t inner)
      : taps_(taps), size_(size), inner_(inner) {
    const size_t n = taps.size();
    backwards_ = n >= 2 && taps[n - 1].count > 0 && taps[n - 2].count > 1 &&
                 LastIndex(taps[n - 1]) == LastIndex(taps[n - 2]);
  }

  void Run(int64_t outer, const Acc* source, Acc* target) const {
    const int64_t outputs = taps_.size();
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < outputs; ++j) {
        const int64_t output = backwards_ ? outputs - 1 - j : j;
        FoldOne(output, j > 0, source, target);
      }
      source += size_ * inner_;
      target += outputs * inner_;
    }
  }

 private:
  void FoldOne(int64_t output, bool has_neighbour, const Acc* source,
               Acc* target) const {
    WindowTaps taps = taps_[output];
    Acc* out = target + output * inner_;
    const int64_t neighbour = backwards_ ? output + 1 : output - 1;
    if (has_neighbour && Grows(taps_[neighbour], taps)) {
      std::copy_n(target + neighbour * inner_, inner_, out);
      const int64_t done = taps_[neighbour].count;
      if (!backwards_) taps.first_index += done * taps.index_step;
      taps.count -= done;
    } else {
      std::fill_n(out, inner_, Reducer::Neutral());
    }
    for (int64_t t = 0; t < taps.count; ++t) {
      const Acc* in =
          source + (taps.first_index + t * taps.index_step) * inner_;
      for (int64_t i = 0; i < inner_; ++i) out[i] = Reducer::Of(out[i], in[i]);
    }
  }

  bool Grows(const WindowTaps& from, const WindowTaps& to) const {
    if (from.count == 0 || to.count < from.count ||
        from.index_step != to.index_step) {
      return false;
    }
    return backwards_ ? LastIndex(from) == LastIndex(to)
                      : from.first_index == to.first_index;
  }

  absl::Span<const WindowTaps> taps_;
  int64_t size_;
  int64_t inner_;
  bool backwards_ = false;
};

bool IsTrivial(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// The combiners here are associative and commutative, so a window over several
// dimensions is a window over one after the other.
template <typename Reducer>
Literal FoldWindows(Reducer, const Window& window, const Literal& operand,
                    const Literal& init, const Shape& shape) {
  using T = typename Reducer::Element;
  using Acc = typename Reducer::Accumulator;
  const auto input = operand.data<T>();
  // Windows over nothing may have any number of taps.
  if (input.empty()) {
    Literal result = Literal::Zeros(shape);
    for (T& out : result.mutable_data<T>()) {
      out = Reducer::Store(Reducer::Load(init.First<T>()));
    }
    return result;
  }
  std::unique_ptr<Acc[]> values(new Acc[input.size()]);
  for (size_t i = 0; i < input.size(); ++i) values[i] = Reducer::Load(input[i]);
  DimensionVector sizes(operand.shape().dimensions().begin(),
                        operand.shape().dimensions().end());
  const auto product = [&](size_t first, size_t last) {
    int64_t result = 1;
    for (size_t i = first; i < last; ++i) result *= sizes[i];
    return result;
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (IsTrivial(window.dimensions[d])) continue;
    const int64_t outer = product(0, d), inner = product(d + 1, sizes.size());
    const std::vector<WindowTaps> taps =
        AllTaps(window.dimensions[d], sizes[d], shape.dimension(d));
    std::unique_ptr<Acc[]> folded(new Acc[outer * taps.size() * inner]);
    DimensionFold<Reducer>(taps, sizes[d], inner)
        .Run(outer, values.get(), folded.get());
    values = std::move(folded);
    sizes[d] = shape.dimension(d);
  }
  Literal result = Literal::Zeros(shape);
  auto out = result.mutable_data<T>();
  const Acc first = Reducer::Load(init.First<T>());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = Reducer::Store(Reducer::Of(first, values[i]));
  }
  return result;
}

// Whether folding one dimension after the other takes no more memory than the
// operand and the result do: padding may make an array much larger in one
// dimension before another one shrinks it.
bool IntermediatesAreSmall(const Literal& operand, const Shape& shape) {
  const int64_t limit =
      4 * (operand.element_count() + ElementsIn(shape)) + (1 << 20);
  Shape between = operand.shape();
  for (int64_t d = 0; d < between.rank(); ++d) {
    between.set_dimension(d, shape.dimension(d));
    if (ElementsIn(between) > limit) return false;
  }
  return true;
}

// An invalid literal if the combiner has no loop of its own.
absl::StatusOr<Literal> FoldFast(Opcode opcode, const Window& window,
                                 const Literal& operand, const Literal& init,
                                 const Shape& shape) {
  const PrimitiveType type = LoopType(operand.element_type());
  HLOKIT_ASSIGN_OR_RETURN(Literal in, WithElements(operand, type));
  HLOKIT_ASSIGN_OR_RETURN(Literal first, WithElements(init, type));
  const Shape result_shape =
      Shape::ArrayWithDescendingLayout(type, shape.dimensions());
  Literal result;
  DispatchReducer(opcode, type, [&](auto reducer) {
    result = FoldWindows(reducer, window, in, first, result_shape);
  });
  if (!result.IsValid()) return result;
  return AsShape(std::move(result), shape);
}

absl::StatusOr<Literal> FoldGeneral(Context& context, const Window& window,
                                    const Computation& combiner,
                                    const VariadicOperands& operands,
                                    const Shape& shape) {
  const Shape& input = operands.elements[0].shape();
  const Shape& output = shape.IsTuple() ? shape.tuple_shape(0) : shape;
  const DimensionVector strides = RowMajorStrides(input.dimensions());
  HLOKIT_ASSIGN_OR_RETURN(
      VariadicFold fold,
      VariadicFold::Create(context, combiner, operands.elements));
  std::vector<Literal> results = fold.MakeResults(shape);
  const int64_t count = ElementsIn(output), rank = output.rank();
  DimensionVector position(rank, 0);
  OffsetLoops<1> loops(rank);
  for (int64_t i = 0; i < count; ++i) {
    std::array<int64_t, 1> start = {0};
    for (int64_t d = 0; d < rank; ++d) {
      const WindowTaps taps =
          TapsAt(window.dimensions[d], input.dimension(d), position[d]);
      loops[d] = {taps.count, {taps.index_step * strides[d]}};
      start[0] += taps.first_index * strides[d];
    }
    fold.Start(operands.inits);
    absl::Status status;
    ForEachOffset(
        loops,
        [&](const std::array<int64_t, 1>& at) {
          if (status.ok()) status = fold.Add(at[0]);
        },
        start);
    HLOKIT_RETURN_IF_ERROR(status);
    fold.Store(i, &results);
    for (int64_t d = rank; d-- > 0;) {
      if (++position[d] < output.dimension(d)) break;
      position[d] = 0;
    }
  }
  return fold.Finish(std::move(results), shape);
}

absl::StatusOr<Literal> ReduceWindow(Context& context,
                                     const Instruction& instruction,
                                     absl::Span<const Literal* const> operands,
                                     const Shape& shape) {
  const Computation& combiner = *instruction.to_apply();
  const Window& window = WindowOf(instruction);
  const Combiner known = RecognizeCombiner(combiner);
  if (known.kind == Combiner::kBinary && operands.size() == 2 &&
      shape.IsArray() && known.type == operands[0]->element_type() &&
      known.type == operands[1]->element_type() &&
      IntermediatesAreSmall(*operands[0], shape)) {
    HLOKIT_ASSIGN_OR_RETURN(Literal result,
                            FoldFast(known.opcode, window, *operands[0],
                                     *operands[1], shape));
    if (result.IsValid()) return result;
  }
  HLOKIT_ASSIGN_OR_RETURN(VariadicOperands converted,
                          ConvertForReducer(combiner, operands));
  return FoldGeneral(context, window, combiner, converted, shape);
}

}  // namespace

absl::StatusOr<Literal> EvalReduceWindow(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &ReduceWindow);
}

}  // namespace hlokit::interpreter
