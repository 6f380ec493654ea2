// Collectives when one device runs alone: replica 0, partition 0. What the
// program says about other devices is refused, but for receivers that a
// permutation does not name.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"
#include "hlo/ir/replica_groups.h"

namespace hlokit::interpreter {
namespace {

absl::Status NoSuchDevice(int64_t device) {
  return InvalidArgument(
      "device %d takes part, but only 1 device (number 0) runs the program",
      device);
}

absl::StatusOr<Int64ListList> Groups(const Instruction& instruction) {
  const ReplicaGroups* groups =
      instruction.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if (groups == nullptr || groups->empty()) return Int64ListList{};
  return groups->Expand();
}

absl::Status CheckAlone(const Instruction& instruction) {
  HLOKIT_ASSIGN_OR_RETURN(const Int64ListList groups, Groups(instruction));
  for (const Int64List& group : groups) {
    for (int64_t device : group) {
      if (device != 0) return NoSuchDevice(device);
    }
  }
  return absl::OkStatus();
}

// The operands themselves: one alone, several as a tuple.
absl::StatusOr<Literal> OwnValues(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  std::vector<Literal> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    values.push_back(context.TakeOperand(operands, i));
  }
  Literal result = values.size() == 1 && !shape.IsTuple()
                       ? std::move(values[0])
                       : Literal::Tuple(std::move(values));
  if (!ShapesCompatible(result.shape(), shape)) {
    return InvalidArgument("one device alone gives %s, not %s",
                           result.shape().ToString(), shape.ToString());
  }
  return WithShape(std::move(result), shape);
}

absl::StatusOr<Literal> Identity(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckAlone(instruction));
  return OwnValues(context, instruction, operands);
}

// Whether device 0 gets something from itself; an error if from another.
absl::StatusOr<bool> ReceivesFromItself(const Instruction& instruction) {
  const PairList* pairs =
      instruction.attrs().Get<PairList>(AttrId::kSourceTargetPairs);
  if (pairs == nullptr) return false;
  bool receives = false;
  for (const auto& [source, target] : *pairs) {
    if (target != 0) continue;
    if (source != 0) return NoSuchDevice(source);
    receives = true;
  }
  return receives;
}

// Start indices from a tuple of scalars, or of tuples of scalars for several
// slices; `slice` says which.
absl::StatusOr<DimensionVector> SliceStarts(const Literal& starts,
                                            size_t slice) {
  const Literal* one = &starts;
  if (starts.shape().IsTuple() && !starts.elements().empty() &&
      starts.elements()[0].shape().IsTuple()) {
    if (slice >= starts.elements().size()) {
      return InvalidArgument("there is no start of slice %d", slice);
    }
    one = &starts.elements()[slice];
  }
  DimensionVector result;
  for (const Literal& start : one->elements()) {
    if (!start.shape().IsScalar() || !IsIntegerType(start.element_type())) {
      return InvalidArgument("%s is no start index", start.shape().ToString());
    }
    result.push_back(start.GetAsInt64(0));
  }
  return result;
}

// The offset of a slice that must lie inside the array.
absl::StatusOr<int64_t> SliceOffset(const Literal& array,
                                    absl::Span<const int64_t> starts,
                                    absl::Span<const int64_t> sizes) {
  const absl::Span<const int64_t> bounds = array.shape().dimensions();
  const DimensionVector strides = RowMajorStrides(bounds);
  if (starts.size() != bounds.size() || sizes.size() != bounds.size()) {
    return InvalidArgument("the slice does not fit %s",
                           array.shape().ToString());
  }
  int64_t offset = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > bounds[i] || starts[i] < 0 ||
        starts[i] > bounds[i] - sizes[i]) {
      return InvalidArgument("the slice does not fit %s",
                             array.shape().ToString());
    }
    offset += starts[i] * strides[i];
  }
  return offset;
}

absl::Status CopySlice(const Literal& source,
                       absl::Span<const int64_t> source_starts,
                       absl::Span<const int64_t> target_starts,
                       absl::Span<const int64_t> sizes, Literal* target) {
  HLOKIT_ASSIGN_OR_RETURN(const int64_t from,
                          SliceOffset(source, source_starts, sizes));
  HLOKIT_ASSIGN_OR_RETURN(const int64_t to,
                          SliceOffset(*target, target_starts, sizes));
  if (source.element_type() != target->element_type()) {
    return InvalidArgument("%s cannot be written into %s",
                           source.shape().ToString(),
                           target->shape().ToString());
  }
  const DimensionVector a = RowMajorStrides(source.shape().dimensions());
  const DimensionVector b = RowMajorStrides(target->shape().dimensions());
  CopyLoops loops;
  for (size_t i = 0; i < sizes.size(); ++i) {
    loops.push_back({sizes[i], a[i], b[i]});
  }
  const int64_t bytes = StorageBytes(source.element_type());
  StridedCopy(loops, source.untyped_data() + from * bytes,
              target->mutable_untyped_data() + to * bytes, bytes);
  return absl::OkStatus();
}

// The form with slices: operands (input, output, input starts, output starts);
// the slices of the input go into the output.
absl::StatusOr<Literal> PermuteInPlace(
    const Instruction& instruction, bool receives,
    absl::Span<const Literal* const> operands) {
  const Int64ListList* slices =
      instruction.attrs().Get<Int64ListList>(AttrId::kPermuteSliceSizes);
  Literal result = *operands[1];
  if (!receives || slices == nullptr) return result;
  const bool tuple = result.shape().IsTuple();
  for (size_t k = 0; k < slices->size(); ++k) {
    if (tuple && (k >= result.elements().size() ||
                  k >= operands[0]->elements().size())) {
      return InvalidArgument("there is no array for slice %d", k);
    }
    HLOKIT_ASSIGN_OR_RETURN(const DimensionVector from,
                            SliceStarts(*operands[2], k));
    HLOKIT_ASSIGN_OR_RETURN(const DimensionVector to,
                            SliceStarts(*operands[3], k));
    HLOKIT_RETURN_IF_ERROR(CopySlice(
        tuple ? operands[0]->elements()[k] : *operands[0], from, to,
        (*slices)[k], tuple ? &result.mutable_elements()[k] : &result));
  }
  return result;
}

absl::StatusOr<Literal> Permute(Context& context,
                                const Instruction& instruction,
                                const Shape& shape,
                                absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(const bool receives,
                          ReceivesFromItself(instruction));
  Literal result;
  if (operands.size() == 4 && operands[2]->shape().IsTuple()) {
    HLOKIT_ASSIGN_OR_RETURN(result,
                            PermuteInPlace(instruction, receives, operands));
  } else if (!receives) {
    return Literal::Zeros(shape);
  } else if (operands.size() == 1) {
    result = *operands[0];
  } else {
    std::vector<Literal> values;
    for (const Literal* operand : operands) values.push_back(*operand);
    result = Literal::Tuple(std::move(values));
  }
  if (!ShapesCompatible(result.shape(), shape)) {
    return InvalidArgument("one device alone gives %s, not %s",
                           result.shape().ToString(), shape.ToString());
  }
  return WithShape(std::move(result), shape);
}

absl::Status BadStart(const Shape& shape) {
  return InvalidArgument("%s is not the tuple of a -start operation",
                         shape.ToString());
}

absl::StatusOr<Literal> Element(const Instruction& instruction,
                                const Literal& tuple, size_t index) {
  if (tuple.elements().size() <= index ||
      !ShapesCompatible(tuple.elements()[index].shape(),
                        instruction.shape())) {
    return BadStart(tuple.shape());
  }
  return WithShape(tuple.elements()[index], instruction.shape());
}

// (input, output, zeros ...).
absl::StatusOr<Literal> StartValue(const Shape& shape, Literal input,
                                   Literal output) {
  std::vector<Literal> parts;
  parts.push_back(std::move(input));
  parts.push_back(std::move(output));
  for (size_t i = 2; i < shape.tuple_shapes().size(); ++i) {
    parts.push_back(Literal::Zeros(shape.tuple_shape(i)));
  }
  Literal result = Literal::Tuple(std::move(parts));
  if (!ShapesCompatible(result.shape(), shape)) return BadStart(shape);
  return WithShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalAllGather(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Identity(context, instruction, operands);
}

absl::StatusOr<Literal> EvalAllGatherStart(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  HLOKIT_RETURN_IF_ERROR(CheckAlone(instruction));
  if (!shape.IsTuple() || shape.tuple_shapes().size() < 2 ||
      operands.empty()) {
    return BadStart(shape);
  }
  Literal value = *operands[0];
  if (shape.tuple_shape(0).IsTuple()) {
    std::vector<Literal> values;
    for (const Literal* operand : operands) values.push_back(*operand);
    value = Literal::Tuple(std::move(values));
  }
  return StartValue(shape, value, value);
}

absl::StatusOr<Literal> EvalAllGatherDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Element(instruction, *operands[0], 1);
}

absl::StatusOr<Literal> EvalAllReduce(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Identity(context, instruction, operands);
}

absl::StatusOr<Literal> EvalAllReduceStart(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Identity(context, instruction, operands);
}

absl::StatusOr<Literal> EvalAllReduceDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return OwnValues(context, instruction, operands);
}

absl::StatusOr<Literal> EvalAllToAll(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Identity(context, instruction, operands);
}

absl::StatusOr<Literal> EvalReduceScatter(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Identity(context, instruction, operands);
}

// Devices outside all groups get zeros. With a dynamic root the last operand
// says who sends; it can only be this device.
absl::StatusOr<Literal> EvalCollectiveBroadcast(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(const Int64ListList groups, Groups(instruction));
  HLOKIT_RETURN_IF_ERROR(CheckAlone(instruction));
  const bool member =
      groups.empty() || std::any_of(groups.begin(), groups.end(),
                                    [](const auto& g) { return !g.empty(); });
  if (!member) return Literal::Zeros(instruction.shape());
  if (instruction.attrs().GetBool(AttrId::kHasDynamicRoot) &&
      !operands.empty()) {
    operands.remove_suffix(1);
  }
  return OwnValues(context, instruction, operands);
}

absl::StatusOr<Literal> EvalCollectivePermute(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Permute(context, instruction, instruction.shape(), operands);
}

absl::StatusOr<Literal> EvalCollectivePermuteStart(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.tuple_shapes().size() < 2 ||
      operands.empty()) {
    return BadStart(shape);
  }
  HLOKIT_ASSIGN_OR_RETURN(
      Literal output,
      Permute(context, instruction, shape.tuple_shape(1), operands));
  Literal input = *operands[0];
  if (operands.size() != 4 && shape.tuple_shape(0).IsTuple() &&
      !input.shape().IsTuple()) {
    std::vector<Literal> values;
    for (const Literal* operand : operands) values.push_back(*operand);
    input = Literal::Tuple(std::move(values));
  }
  // The start of an in-place permutation may list all four operands' buffers.
  if (!ShapesCompatible(input.shape(), shape.tuple_shape(0))) {
    input = Literal::Zeros(shape.tuple_shape(0));
  }
  return StartValue(shape, std::move(input), std::move(output));
}

absl::StatusOr<Literal> EvalCollectivePermuteDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return Element(instruction, *operands[0], 1);
}

// Operands: input, output, input offsets, send sizes, output offsets, receive
// sizes; all rows go to this device itself.
absl::StatusOr<Literal> EvalRaggedAllToAll(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckAlone(instruction));
  const Literal& input = *operands[0];
  for (const Literal* list : operands.subspan(2)) {
    if (list->shape().rank() != 1 || !IsIntegerType(list->element_type()) ||
        list->element_count() != operands[2]->element_count()) {
      return InvalidArgument("%s is no list of %d rows",
                             list->shape().ToString(),
                             operands[2]->element_count());
    }
  }
  if (!input.shape().IsArray() || input.shape().rank() == 0 ||
      !ShapesCompatible(operands[1]->shape(), instruction.shape())) {
    return InvalidArgument("the output is %s, the result %s",
                           operands[1]->shape().ToString(),
                           instruction.shape().ToString());
  }
  Literal result = WithShape(*operands[1], instruction.shape());
  DimensionVector sizes(input.shape().dimensions().begin(),
                        input.shape().dimensions().end());
  DimensionVector from(sizes.size(), 0), to(sizes.size(), 0);
  for (int64_t i = 0; i < operands[2]->element_count(); ++i) {
    from[0] = operands[2]->GetAsInt64(i);
    sizes[0] = operands[3]->GetAsInt64(i);
    to[0] = operands[4]->GetAsInt64(i);
    HLOKIT_RETURN_IF_ERROR(CopySlice(input, from, to, sizes, &result));
  }
  return result;
}

absl::StatusOr<Literal> EvalPartitionId(Context&,
                                        const Instruction& instruction,
                                        absl::Span<const Literal* const>) {
  return Literal::Zeros(instruction.shape());
}

absl::StatusOr<Literal> EvalReplicaId(Context&, const Instruction& instruction,
                                      absl::Span<const Literal* const>) {
  return Literal::Zeros(instruction.shape());
}

}  // namespace hlokit::interpreter
