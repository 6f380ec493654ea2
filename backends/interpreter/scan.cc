#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// Elements before and after a dimension.
struct ScanExtents {
  int64_t outer = 1;
  int64_t inner = 1;
};
ScanExtents Around(const Shape& shape, int64_t dimension) {
  ScanExtents result;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i < dimension) result.outer *= shape.dimension(i);
    if (i > dimension) result.inner *= shape.dimension(i);
  }
  return result;
}

// array[..., t, ...] as a value of `shape`.
Literal TakeSlice(const Literal& array, int64_t dimension, int64_t t,
                  const Shape& shape) {
  const ScanExtents e = Around(array.shape(), dimension);
  const int64_t bytes = StorageBytes(array.element_type());
  const int64_t length = array.shape().dimension(dimension);
  Literal slice = Literal::Zeros(shape);
  StridedCopy({{e.outer, length * e.inner, e.inner}, {e.inner, 1, 1}},
              array.untyped_data() + t * e.inner * bytes,
              slice.mutable_untyped_data(), bytes);
  return slice;
}

void PutSlice(const Literal& slice, int64_t dimension, int64_t t,
              Literal* array) {
  const ScanExtents e = Around(array->shape(), dimension);
  const int64_t bytes = StorageBytes(array->element_type());
  const int64_t length = array->shape().dimension(dimension);
  StridedCopy({{e.outer, e.inner, length * e.inner}, {e.inner, 1, 1}},
              slice.untyped_data(),
              array->mutable_untyped_data() + t * e.inner * bytes, bytes);
}

absl::StatusOr<Literal> Scan(Context& context, const Instruction& instruction,
                             absl::Span<const Literal* const> operands,
                             const Shape& shape) {
  const Computation& body = *instruction.to_apply();
  const int64_t dimension = instruction.dimension(0);
  const int64_t carries = instruction.attrs().GetInt(AttrId::kNumCarries);
  const int64_t inputs = operands.size() - carries;
  const int64_t length = operands[0]->shape().dimension(dimension);
  const bool reverse = instruction.attrs().GetBool(AttrId::kIsReverse);
  const bool tuple = shape.IsTuple();
  const int64_t count = tuple ? shape.tuple_shapes().size() : 1;
  const int64_t outputs = count - carries;
  std::vector<Literal> results;
  for (int64_t i = 0; i < count; ++i) {
    results.push_back(i < outputs ? Literal::Zeros(tuple ? shape.tuple_shape(i)
                                                         : shape)
                                  : *operands[inputs + i - outputs]);
  }
  for (int64_t step = 0; step < length; ++step) {
    const int64_t t = reverse ? length - 1 - step : step;
    std::vector<Literal> arguments;
    for (int64_t i = 0; i < inputs; ++i) {
      arguments.push_back(TakeSlice(*operands[i], dimension, t,
                                    body.parameter(i)->shape()));
    }
    for (int64_t i = outputs; i < count; ++i) {
      arguments.push_back(std::move(results[i]));
    }
    HLOKIT_ASSIGN_OR_RETURN(Literal value,
                            context.Call(body, std::move(arguments)));
    for (int64_t i = 0; i < count; ++i) {
      const Literal& part = tuple ? value.elements()[i] : value;
      if (i < outputs) {
        PutSlice(part, dimension, t, &results[i]);
      } else {
        results[i] = part;
      }
    }
  }
  if (!tuple) return std::move(results[0]);
  return WithShape(Literal::Tuple(std::move(results)), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalScan(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Scan);
}

}  // namespace hlokit::interpreter
