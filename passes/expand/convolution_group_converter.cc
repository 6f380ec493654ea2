#include "passes/expand/convolution_group_converter.h"

namespace hlokit {
namespace {

const ConvolutionDims& DimsOfConvolution(const Instruction& i) {
  return *i.attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
}

// The same convolution on other operands, with these groups.
Instruction* WithOperands(const Instruction& i, Instruction* input,
                          Instruction* kernel, int64_t feature_groups,
                          int64_t batch_groups, Emitter& e) {
  AttributeSet attrs = i.attrs();
  attrs.Erase(AttrId::kSharding);
  attrs.Erase(AttrId::kFeatureGroupCount);
  attrs.Erase(AttrId::kBatchGroupCount);
  if (feature_groups != 1) {
    attrs.Set(AttrId::kFeatureGroupCount, feature_groups);
  }
  if (batch_groups != 1) attrs.Set(AttrId::kBatchGroupCount, batch_groups);
  return e.OpOfShape(Opcode::kConvolution, i.shape(), {input, kernel},
                     std::move(attrs));
}

// [..., groups * n, ..., features, ...] -> [..., n, ..., groups * features,
// ...]
Instruction* BatchesToFeatures(Instruction* input, int64_t batch,
                               int64_t feature, int64_t groups, Emitter& e) {
  std::vector<int64_t> split = DimsOf(input), result = split;
  result[batch] /= groups;
  result[feature] *= groups;
  split[batch] /= groups;
  split.insert(split.begin() + batch, groups);
  // The groups stand at `batch`, in front of the batch; they go in front of the
  // features.
  const int64_t to = feature < batch ? feature : feature + 1;
  std::vector<int64_t> order;
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d == to) order.push_back(batch);
    if (d != batch) order.push_back(d);
  }
  return e.Reshape(e.Transpose(e.Reshape(input, split), order), result);
}

// The kernel for all input features, zero across groups.
Instruction* WholeKernel(Instruction* kernel, int64_t in, int64_t out,
                         int64_t groups, Emitter& e) {
  std::vector<int64_t> dims = DimsOf(kernel);
  const int64_t group_in = dims[in], group_out = dims[out] / groups;
  const PrimitiveType type = kernel->shape().element_type();
  // Each group's input features once more for every group.
  std::vector<int64_t> repeated = dims, mapping;
  repeated.insert(repeated.begin() + in, groups);
  for (int64_t d = 0; d < static_cast<int64_t>(repeated.size()); ++d) {
    if (d != in) mapping.push_back(d);
  }
  dims[in] *= groups;
  Instruction* copies =
      e.Reshape(e.Broadcast(kernel, mapping, repeated), dims);
  const auto group_of = [&](int64_t dimension, int64_t size) {
    return e.Divide(e.Iota(kS32, dims, dimension), e.ScalarInt(kS32, size));
  };
  Instruction* same =
      e.Compare(ComparisonDirection::kEq, group_of(in, group_in),
                group_of(out, group_out));
  return e.Select(same, copies, e.Scalar(type, 0));
}

// Whether zeros may be multiplied with what is not of the group.
bool MayBeWhole(const Instruction& convolution) {
  const PrimitiveType type = convolution.shape().element_type();
  return !IsFloatType(type) && !IsComplexType(type) &&
         ElementsIn(convolution.shape()) > 0;
}

}  // namespace

bool ConvolutionGroupConverter::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kConvolution || !IsStatic(i)) return false;
  const bool batch = i.attrs().GetInt(AttrId::kBatchGroupCount, 1) > 1;
  const bool feature = i.attrs().GetInt(AttrId::kFeatureGroupCount, 1) > 1;
  return (batch && kind_ != kFeatureGroups) ||
         (feature && kind_ != kBatchGroups && MayBeWhole(i));
}

absl::StatusOr<Instruction*> ConvolutionGroupConverter::Expand(Instruction* i,
                                                               Emitter& e) {
  const ConvolutionDims& dims = DimsOfConvolution(*i);
  Instruction* input = i->operand(0);
  Instruction* kernel = i->operand(1);
  int64_t batch_groups = i->attrs().GetInt(AttrId::kBatchGroupCount, 1);
  int64_t feature_groups = i->attrs().GetInt(AttrId::kFeatureGroupCount, 1);
  if (batch_groups > 1 && kind_ != kFeatureGroups) {
    input = BatchesToFeatures(input, dims.input_batch_dimension,
                              dims.input_feature_dimension, batch_groups, e);
    feature_groups = batch_groups;
    batch_groups = 1;
  }
  if (feature_groups > 1 && kind_ != kBatchGroups && MayBeWhole(*i)) {
    kernel = WholeKernel(kernel, dims.kernel_input_feature_dimension,
                         dims.kernel_output_feature_dimension, feature_groups,
                         e);
    feature_groups = 1;
  }
  return WithOperands(*i, input, kernel, feature_groups, batch_groups, e);
}

}  // namespace hlokit
