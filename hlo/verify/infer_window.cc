#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit {
namespace {

// The size of one dimension after the window has gone over it.
absl::StatusOr<int64_t> WindowedSize(int64_t base, const WindowDimension& w,
                                     int64_t dimension) {
  if (w.size <= 0 || w.stride <= 0 || w.base_dilation <= 0 ||
      w.window_dilation <= 0) {
    return InvalidArgument(
        "window dimension %d must have positive size, stride and dilations, "
        "found size=%d stride=%d lhs_dilate=%d rhs_dilate=%d",
        dimension, w.size, w.stride, w.base_dilation, w.window_dilation);
  }
  if (base == kUnboundedSize) return kUnboundedSize;
  int64_t dilated = 0, padded = 0, window = 0;
  bool overflow =
      __builtin_mul_overflow(std::max<int64_t>(base - 1, 0), w.base_dilation,
                             &dilated) ||
      __builtin_add_overflow(dilated, base > 0 ? 1 : 0, &dilated) ||
      __builtin_add_overflow(dilated, w.padding_low, &padded) ||
      __builtin_add_overflow(padded, w.padding_high, &padded) ||
      __builtin_mul_overflow(w.size - 1, w.window_dilation, &window) ||
      __builtin_add_overflow(window, 1, &window);
  if (overflow) {
    return InvalidArgument("window dimension %d is too large", dimension);
  }
  if (padded <= 0 || window > padded) return 0;
  return (padded - window) / w.stride + 1;
}

}  // namespace

absl::StatusOr<Shape> InferWindowOutputShape(const Shape& base,
                                             const Window& window,
                                             PrimitiveType element_type) {
  int64_t count = window.dimensions.size();
  if (!base.IsArray() || count != base.rank()) {
    return InvalidArgument(
        "window must have one dimension for each of %s, found %d",
        infer::TypeText(base), count);
  }
  infer::ShapeMaker result(element_type);
  for (int64_t i = 0; i < count; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        int64_t size, WindowedSize(base.dimension(i), window.dimensions[i], i));
    result.Add(size, base.is_dynamic_dimension(i));
  }
  return result.Make();
}

namespace infer {
namespace {

// batch, feature and spatial dimensions together name each dimension once.
absl::Status CheckLabels(absl::string_view what, int64_t first, int64_t second,
                         absl::Span<const int64_t> spatial, int64_t rank) {
  DimensionVector all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  if (static_cast<int64_t>(all.size()) != rank) {
    return InvalidArgument("dim_labels name %d dimensions of the %s, it has %d",
                           static_cast<int64_t>(all.size()), what, rank);
  }
  return CheckDimensionList("dim_labels", all, rank);
}

bool Divides(int64_t divisor, int64_t size) {
  return size == kUnboundedSize || size % divisor == 0;
}

absl::Status CheckFeatures(const InferenceInput& in,
                           const ConvolutionDims& dims, int64_t feature_groups,
                           int64_t batch_groups) {
  const Shape& input = *in.operands[0];
  const Shape& kernel = *in.operands[1];
  if (feature_groups <= 0 || batch_groups <= 0 ||
      (feature_groups > 1 && batch_groups > 1)) {
    return InvalidArgument(
        "feature_group_count and batch_group_count must be positive and not "
        "both above 1, found %d and %d",
        feature_groups, batch_groups);
  }
  int64_t input_features = input.dimension(dims.input_feature_dimension);
  int64_t input_batch = input.dimension(dims.input_batch_dimension);
  int64_t kernel_in = kernel.dimension(dims.kernel_input_feature_dimension);
  int64_t kernel_out = kernel.dimension(dims.kernel_output_feature_dimension);
  bool sparse = in.attrs->Has(AttrId::kSparsityConfig);
  int64_t wanted = 0;
  if (!sparse && input_features != kUnboundedSize &&
      kernel_in != kUnboundedSize &&
      (MultiplyOverflows(kernel_in, feature_groups, &wanted) ||
       wanted != input_features)) {
    return InvalidArgument(
        "the input has %d features, the kernel takes %d in each of %d groups",
        input_features, kernel_in, feature_groups);
  }
  if (!Divides(feature_groups, kernel_out)) {
    return InvalidArgument(
        "%d output features are no multiple of feature_group_count %d",
        kernel_out, feature_groups);
  }
  if (!Divides(batch_groups, kernel_out) ||
      !Divides(batch_groups, input_batch)) {
    return InvalidArgument(
        "%d output features and a batch of %d must be multiples of "
        "batch_group_count %d",
        kernel_out, input_batch, batch_groups);
  }
  return absl::OkStatus();
}

// The size of the output's spatial dimensions.
Result SpatialShape(const InferenceInput& in, const ConvolutionDims& dims) {
  static const Window& none = *new Window;
  const Window* stored = in.attrs->Get<Window>(AttrId::kWindow);
  const Window& window = stored == nullptr ? none : *stored;
  int64_t spatial = dims.input_spatial_dimensions.size();
  if (static_cast<int64_t>(window.dimensions.size()) != spatial) {
    return InvalidArgument(
        "window must have %d dimensions, one for each spatial dimension, "
        "found %d",
        spatial, static_cast<int64_t>(window.dimensions.size()));
  }
  ShapeMaker base(in.operands[0]->element_type());
  for (int64_t i = 0; i < spatial; ++i) {
    base.AddFrom(*in.operands[0], dims.input_spatial_dimensions[i]);
    int64_t size =
        in.operands[1]->dimension(dims.kernel_spatial_dimensions[i]);
    if (!SizesAgree(window.dimensions[i].size, size)) {
      return InvalidArgument(
          "the window has size %d in spatial dimension %d, the kernel %d",
          window.dimensions[i].size, i, size);
    }
  }
  return InferWindowOutputShape(base.Make(), window, kF32);
}

}  // namespace

Result Convolution(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& input = *in.operands[0];
  const Shape& kernel = *in.operands[1];
  const ConvolutionDims* dims =
      in.attrs->Get<ConvolutionDims>(AttrId::kDimLabels);
  if (dims == nullptr) return InvalidArgument("dim_labels are missing");
  int64_t rank = input.rank();
  if (kernel.rank() != rank || rank < 2) {
    return InvalidArgument("input and kernel must have the same rank of 2 or "
                           "more: %s and %s",
                           TypeText(input), TypeText(kernel));
  }
  HLOKIT_RETURN_IF_ERROR(CheckLabels(
      "input", dims->input_batch_dimension, dims->input_feature_dimension,
      dims->input_spatial_dimensions, rank));
  HLOKIT_RETURN_IF_ERROR(CheckLabels("kernel",
                                     dims->kernel_input_feature_dimension,
                                     dims->kernel_output_feature_dimension,
                                     dims->kernel_spatial_dimensions, rank));
  HLOKIT_RETURN_IF_ERROR(CheckLabels(
      "output", dims->output_batch_dimension, dims->output_feature_dimension,
      dims->output_spatial_dimensions, rank));
  int64_t feature_groups = in.attrs->GetInt(AttrId::kFeatureGroupCount, 1);
  int64_t batch_groups = in.attrs->GetInt(AttrId::kBatchGroupCount, 1);
  HLOKIT_RETURN_IF_ERROR(
      CheckFeatures(in, *dims, feature_groups, batch_groups));
  HLOKIT_ASSIGN_OR_RETURN(
      PrimitiveType type,
      AccumulationType(
          in, HigherPrecision(input.element_type(), kernel.element_type())));
  HLOKIT_ASSIGN_OR_RETURN(Shape spatial, SpatialShape(in, *dims));
  DimensionVector sizes(rank);
  absl::InlinedVector<bool, 8> dynamic(rank);
  int64_t batch = input.dimension(dims->input_batch_dimension);
  sizes[dims->output_batch_dimension] =
      batch == kUnboundedSize ? batch : batch / batch_groups;
  dynamic[dims->output_batch_dimension] =
      input.is_dynamic_dimension(dims->input_batch_dimension);
  sizes[dims->output_feature_dimension] =
      kernel.dimension(dims->kernel_output_feature_dimension);
  dynamic[dims->output_feature_dimension] = kernel.is_dynamic_dimension(
      dims->kernel_output_feature_dimension);
  for (int64_t i = 0; i < rank - 2; ++i) {
    sizes[dims->output_spatial_dimensions[i]] = spatial.dimension(i);
    dynamic[dims->output_spatial_dimensions[i]] =
        spatial.is_dynamic_dimension(i);
  }
  ShapeMaker result(type);
  for (int64_t i = 0; i < rank; ++i) result.Add(sizes[i], dynamic[i]);
  return result.Make();
}

}  // namespace infer
}  // namespace hlokit
