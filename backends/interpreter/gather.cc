#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/interpreter/index_map.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// Loops over one slice, from the operand to the output.
CopyLoops SliceLoops(const Instruction& instruction, const Shape& operand,
                     const Shape& output) {
  const AttributeSet& attrs = instruction.attrs();
  const auto collapsed = attrs.GetList(AttrId::kCollapsedSliceDims);
  const auto batching = attrs.GetList(AttrId::kOperandBatchingDims);
  const auto offsets = attrs.GetList(AttrId::kOffsetDims);
  const auto sizes = attrs.GetList(AttrId::kSliceSizes);
  const DimensionVector from = RowMajorStrides(operand.dimensions());
  const DimensionVector to = RowMajorStrides(output.dimensions());
  CopyLoops loops;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (absl::c_linear_search(collapsed, i) ||
        absl::c_linear_search(batching, i))
      continue;
    loops.push_back({sizes[i], from[i], to[offsets[loops.size()]]});
  }
  return loops;
}

absl::StatusOr<Literal> Gather(Context& context, const Instruction& instruction,
                               absl::Span<const Literal* const> operands,
                               const Shape& shape) {
  const AttributeSet& attrs = instruction.attrs();
  const Literal& operand = *operands[0];
  const int64_t rank = operand.shape().rank();
  const auto sizes = attrs.GetList(AttrId::kSliceSizes);
  const IndexMap map(*operands[1], attrs.GetInt(AttrId::kIndexVectorDim),
                     attrs.GetList(AttrId::kStartIndexMap),
                     attrs.GetList(AttrId::kOperandBatchingDims),
                     attrs.GetList(AttrId::kStartIndicesBatchingDims), rank);
  const CopyLoops loops = SliceLoops(instruction, operand.shape(), shape);
  const int64_t bytes = StorageBytes(operand.element_type());
  Literal result = Literal::Zeros(Shape::ArrayWithDescendingLayout(
      operand.element_type(), shape.dimensions()));
  // No output, or slices of size 0 out of nothing.
  if (result.element_count() == 0) return AsShape(std::move(result), shape);
  if (operand.element_count() == 0) {
    return InvalidArgument("cannot gather from %s", operand.shape().ToString());
  }
  const DimensionVector from = RowMajorStrides(operand.shape().dimensions());
  DimensionVector to;
  const auto offsets = attrs.GetList(AttrId::kOffsetDims);
  const DimensionVector output_strides = RowMajorStrides(shape.dimensions());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!absl::c_linear_search(offsets, i)) to.push_back(output_strides[i]);
  }
  bool single = true;
  for (const CopyLoop& loop : loops) single = single && loop.size == 1;
  char* out = result.mutable_untyped_data();
  DimensionVector position(map.batch_sizes().size(), 0), start(rank);
  do {
    map.StartAt(position, start.data());
    int64_t source = 0, target = 0;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t last = operand.shape().dimension(i) - sizes[i];
      source += std::clamp<int64_t>(start[i], 0, last) * from[i];
    }
    for (size_t i = 0; i < to.size(); ++i) target += position[i] * to[i];
    if (single) {
      std::memcpy(out + target * bytes, operand.untyped_data() + source * bytes,
                  bytes);
    } else {
      StridedCopy(loops, operand.untyped_data() + source * bytes,
                  out + target * bytes, bytes);
    }
  } while (NextPosition(map.batch_sizes(), absl::MakeSpan(position)));
  return AsShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalGather(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Gather);
}

}  // namespace hlokit::interpreter
