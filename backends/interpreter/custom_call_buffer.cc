#include <algorithm>
#include <utility>

#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

absl::StatusOr<Literal> Allocate(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return Literal::Zeros(instruction.shape());
}

absl::StatusOr<Literal> GetRngSeed(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  Literal seed = call.Result(0, 1, kU64, {});
  if (call.ok()) {
    seed.mutable_data<uint64_t>()[0] = context.options().seed;
  }
  return call.Finish({std::move(seed)});
}

// (array, s32 size of each dimension) -> the array of these sizes
absl::StatusOr<Literal> SliceToDynamic(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  if (operands.empty() || !ShapesCompatible(operands[0]->shape(), shape) ||
      static_cast<int64_t>(operands.size()) != shape.rank() + 1) {
    return InvalidArgument(
        "SliceToDynamic takes an array of its result's bounds and a size for "
        "each dimension");
  }
  Literal result = *operands[0];
  result.set_shape(shape);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const Literal& size = *operands[i + 1];
    if (!size.shape().IsScalar() || !IsIntegerType(size.element_type())) {
      return InvalidArgument("SliceToDynamic takes scalar sizes, not %s",
                             size.shape().ToString());
    }
    if (!shape.is_dynamic_dimension(i)) continue;
    result.set_dynamic_size(
        i, std::clamp<int64_t>(size.GetAsInt64(0), 0, shape.dimension(i)));
  }
  return result;
}

// dynamic array -> (array of the bounds with zeros at the end, its sizes)
absl::StatusOr<Literal> PadToStatic(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  if (operands.size() != 1 || !operands[0]->shape().IsArray()) {
    return InvalidArgument("PadToStatic takes one array");
  }
  const Literal& operand = *operands[0];
  const int64_t rank = operand.shape().rank();
  if (!shape.IsTuple() ||
      static_cast<int64_t>(shape.tuple_shapes().size()) != rank + 1 ||
      !ShapesCompatible(shape.tuple_shape(0), operand.shape())) {
    return InvalidArgument(
        "PadToStatic gives an array and a size for each dimension, not %s",
        shape.ToString());
  }
  std::vector<Literal> parts = {
      ExpandToBounds(Compact(operand), shape.tuple_shape(0))};
  for (int64_t i = 0; i < rank; ++i) {
    parts.push_back(Literal::ScalarOfInt(kS32, operand.dynamic_size(i)));
    if (!ShapesCompatible(parts.back().shape(), shape.tuple_shape(i + 1))) {
      return InvalidArgument("PadToStatic gives s32 sizes, not %s",
                             shape.ToString());
    }
  }
  return Literal::Tuple(std::move(parts));
}

// (low half, high half) -> 64-bit integers
absl::StatusOr<Literal> X64Combine(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(2)) return call.status();
  const auto dimensions = operands[0]->shape().dimensions();
  const DimensionVector sizes(dimensions.begin(), dimensions.end());
  call.Operand(0, kU32, sizes);
  call.Operand(1, kU32, sizes);
  const bool is_signed = instruction.shape().element_type() == kS64;
  Literal result = call.Result(0, 1, is_signed ? kS64 : kU64, sizes);
  if (!call.ok()) return call.status();
  const auto low = operands[0]->data<uint32_t>();
  const auto high = operands[1]->data<uint32_t>();
  auto out = result.mutable_data<uint64_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = uint64_t{high[i]} << 32 | low[i];
  }
  return call.Finish({std::move(result)});
}

template <int shift>
absl::StatusOr<Literal> X64Split(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(1)) return call.status();
  const auto dimensions = operands[0]->shape().dimensions();
  call.Expect(operands[0]->element_type() == kU64 ||
                  operands[0]->element_type() == kS64,
              "takes 64-bit integers");
  Literal result = call.Result(
      0, 1, kU32, DimensionVector(dimensions.begin(), dimensions.end()));
  if (!call.ok()) return call.status();
  const auto in = operands[0]->data<uint64_t>();
  auto out = result.mutable_data<uint32_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<uint32_t>(in[i] >> shift);
  }
  return call.Finish({std::move(result)});
}

}  // namespace

absl::Span<const CustomCallTarget> BufferTargets() {
  static constexpr CustomCallTarget kTargets[] = {
      {"AllocateBuffer", &Allocate},
      {"CreateBuffer", &Allocate},
      {"GetRngSeed", &GetRngSeed},
      {"PadToStatic", &PadToStatic},
      {"SliceToDynamic", &SliceToDynamic},
      {"X64Combine", &X64Combine},
      {"X64SplitHigh", &X64Split<32>},
      {"X64SplitLow", &X64Split<0>},
  };
  return kTargets;
}

}  // namespace hlokit::interpreter
