#include "backends/interpreter/topk.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/sort_keys.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

struct Item {
  int64_t key;
  int32_t index;
  bool operator<(const Item& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

template <typename T>
void TopKOfRow(const T* row, int64_t size, int64_t k, bool largest,
               std::vector<Item>* items, T* values, int32_t* indices) {
  items->resize(size);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t key = SortKey(row[i]);
    // ~ turns the order round without an overflow.
    (*items)[i] = {largest ? ~key : key, static_cast<int32_t>(i)};
  }
  std::partial_sort(items->begin(), items->begin() + k, items->end());
  for (int64_t i = 0; i < k; ++i) {
    indices[i] = (*items)[i].index;
    values[i] = row[indices[i]];
  }
}

absl::StatusOr<Literal> TopKKernel(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands,
                                   const Shape& shape) {
  return TopK(*operands[0],
              instruction.attrs().GetBool(AttrId::kLargest, true), shape);
}

}  // namespace

absl::StatusOr<Literal> TopK(const Literal& operand, bool largest,
                             const Shape& shape) {
  if (IsComplexType(operand.element_type())) {
    return InvalidArgument("complex numbers have no order");
  }
  const int64_t last = operand.shape().rank() - 1;
  const int64_t size = operand.shape().dimension(last);
  const int64_t k = shape.tuple_shape(0).dimension(last);
  if (size > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("rows of %d elements are too long for s32 indices",
                           size);
  }
  const Shape values_shape = Shape::ArrayWithDescendingLayout(
      operand.element_type(), shape.tuple_shape(0).dimensions());
  const Shape indices_shape = Shape::ArrayWithDescendingLayout(
      kS32, shape.tuple_shape(1).dimensions());
  std::vector<Literal> results = {Literal::Zeros(values_shape),
                                  Literal::Zeros(indices_shape)};
  const int64_t rows = size == 0 ? 0 : operand.element_count() / size;
  DispatchArrayType(operand.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsComplex<T>) {
      const T* in = operand.data<T>().data();
      T* values = results[0].mutable_data<T>().data();
      int32_t* indices = results[1].mutable_data<int32_t>().data();
      std::vector<Item> items;
      for (int64_t i = 0; i < rows; ++i) {
        TopKOfRow(in + i * size, size, k, largest, &items, values + i * k,
                  indices + i * k);
      }
    }
  });
  for (int i = 0; i < 2; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        results[i], AsShape(std::move(results[i]), shape.tuple_shape(i)));
  }
  return WithShape(Literal::Tuple(std::move(results)), shape);
}

absl::StatusOr<Literal> EvalTopK(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &TopKKernel);
}

}  // namespace hlokit::interpreter
