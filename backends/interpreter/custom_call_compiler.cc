#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/combiner.h"
#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/custom_call_config.h"
#include "backends/interpreter/sort.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/topk.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// The comparator, if there is one, says which end of the order is wanted.
bool WantsLargest(const Instruction& instruction) {
  if (instruction.called_computations().size() == 1) {
    const auto comparison =
        RecognizeComparison(*instruction.called_computation(0), 0, 1);
    if (comparison.has_value()) {
      return comparison->direction != ComparisonDirection::kLt;
    }
  }
  absl::StatusOr<CustomCallConfig> config = CustomCallConfig::Of(instruction);
  return !config.ok() || config->Bool("largest", true);
}

// array -> (the k largest of each row, their s32 indices)
absl::StatusOr<Literal> TopKCall(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  // stablehlo.dynamic_top_k has k as an operand, too.
  if (operands.size() == 2) operands = operands.first(1);
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(1)) return call.status();
  call.Rank(0, 1);
  const Shape& shape = instruction.shape();
  call.Expect(shape.IsTuple() && shape.tuple_shapes().size() >= 2 &&
                  shape.tuple_shape(0).IsArray() &&
                  shape.tuple_shape(0).rank() >= 1,
              "gives a tuple of arrays");
  if (!call.ok()) return call.status();
  const auto dimensions = operands[0]->shape().dimensions();
  DimensionVector sizes(dimensions.begin(), dimensions.end());
  const auto result_sizes = shape.tuple_shape(0).dimensions();
  const int64_t k = result_sizes[result_sizes.size() - 1];
  call.Expect(k <= sizes.back(), "k is larger than the rows are");
  sizes.back() = k;
  call.Result(0, shape.tuple_shapes().size(), operands[0]->element_type(),
              sizes);
  call.Result(1, shape.tuple_shapes().size(), kS32, sizes);
  if (!call.ok()) return call.status();
  HLOKIT_ASSIGN_OR_RETURN(
      Literal result,
      TopK(*operands[0], WantsLargest(instruction),
           Shape::Tuple({shape.tuple_shape(0), shape.tuple_shape(1)})));
  // XLA:GPU's form has workspace behind.
  for (size_t i = 2; i < shape.tuple_shapes().size(); ++i) {
    result.mutable_elements().push_back(Literal::Zeros(shape.tuple_shape(i)));
  }
  return Literal::Tuple(std::move(result.mutable_elements()));
}

// The first elements along a dimension; initial values where there are none.
Literal FirstAlong(const Literal& array, const Literal& init,
                   int64_t dimension, const Shape& shape) {
  const int64_t bytes = StorageBytes(array.element_type());
  const DimensionVector from = RowMajorStrides(array.shape().dimensions());
  const DimensionVector to = RowMajorStrides(shape.dimensions());
  Literal result = Literal::Zeros(shape);
  char* out = result.mutable_untyped_data();
  StridedCopy({{ElementsIn(shape), 0, 1}}, init.untyped_data(), out, bytes);
  CopyLoops loops;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    loops.push_back(
        {std::min(shape.dimension(i), array.shape().dimension(i)), from[i],
         to[i]});
  }
  StridedCopy(loops, array.untyped_data(), out, bytes);
  return result;
}

// (arrays..., initial values...) -> the first of each along reduction_dim in
// the comparator's order. Where the target only promises to find some of them,
// these are the right ones.
absl::StatusOr<Literal> ApproxTopK(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(CustomCallConfig config,
                          CustomCallConfig::Of(instruction));
  CallShapes call(instruction, operands);
  const int64_t count = operands.size() / 2;
  call.Expect(count > 0 && operands.size() % 2 == 0 &&
                  instruction.called_computations().size() == 1,
              "takes arrays, as many initial values and a comparator");
  if (!call.ok() || !call.TakesArrays(2 * count)) return call.status();
  const Shape& first = operands[0]->shape();
  const int64_t dimension =
      config.Int("reduction_dim", first.rank() - 1);
  call.Expect(dimension >= 0 && dimension < first.rank(),
              "reduction_dim is out of range");
  const Shape& shape = instruction.shape();
  const Shape& result = shape.IsTuple() && !shape.tuple_shapes().empty()
                            ? shape.tuple_shape(0)
                            : shape;
  call.Expect(result.IsArray() && result.rank() == first.rank(),
              "gives arrays of the operands' rank");
  if (!call.ok()) return call.status();
  DimensionVector sizes(first.dimensions().begin(), first.dimensions().end());
  for (int64_t i = 0; i < count; ++i) {
    call.Operand(i, operands[i]->element_type(), sizes);
    call.Operand(count + i, operands[i]->element_type(), {});
  }
  sizes[dimension] = result.dimension(dimension);
  for (int64_t i = 0; i < count; ++i) {
    call.Result(i, count, operands[i]->element_type(), sizes);
  }
  if (!call.ok()) return call.status();
  HLOKIT_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      SortArrays(context, *instruction.called_computation(0),
                 operands.first(count), dimension));
  for (int64_t i = 0; i < count; ++i) {
    const Shape& part = shape.IsTuple() ? shape.tuple_shape(i) : shape;
    results[i] = FirstAlong(results[i], *operands[count + i], dimension, part);
  }
  return call.Finish(std::move(results));
}

}  // namespace

absl::Span<const CustomCallTarget> CompilerTargets() {
  static constexpr CustomCallTarget kTargets[] = {
      {"ApproxTopK", &ApproxTopK},
      {"PartialReduce", &ApproxTopK},
      {"TopK", &TopKCall},
      {"__gpu$TopK", &TopKCall},
      {"stablehlo.dynamic_top_k", &TopKCall},
  };
  return kTargets;
}

}  // namespace hlokit::interpreter
