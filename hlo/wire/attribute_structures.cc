// Attributes that are messages of their own: windows, dimension labels, slices.
#include <utility>

#include "base/status.h"
#include "hlo/wire/attribute_rows.h"
#include "hlo/wire/part_convert.h"

namespace hlokit::wire {
namespace {

using P = xla::HloInstructionProto;
using Status = absl::Status;
using Source = AttributeSource;

Window ReadWindow(const xla::Window& proto) {
  Window window;
  for (const xla::WindowDimension& d : proto.dimensions()) {
    window.dimensions.push_back({.size = d.size(),
                                 .stride = d.stride(),
                                 .padding_low = d.padding_low(),
                                 .padding_high = d.padding_high(),
                                 .window_dilation = d.window_dilation(),
                                 .base_dilation = d.base_dilation(),
                                 .window_reversal = d.window_reversal()});
  }
  return window;
}

TensorSparsity ReadTensorSparsity(
    const xla::SparsityConfig::TensorSparsityConfig& proto) {
  return {proto.num_non_zero(), proto.block_size(), proto.dimension(),
          proto.stride()};
}

}  // namespace

Status ReadWindowField(const Source& s, Instruction* i) {
  if (s.proto.window().dimensions_size() > 0) {
    i->mutable_attrs().SetShared(AttrId::kWindow, ReadWindow(s.proto.window()));
  }
  return absl::OkStatus();
}

Status ReadDimLabels(const Source& s, Instruction* i) {
  if (!s.proto.has_convolution_dimension_numbers()) {
    if (!s.required) return absl::OkStatus();
    return InvalidArgument("convolution_dimension_numbers are missing");
  }
  const auto& d = s.proto.convolution_dimension_numbers();
  ConvolutionDims dims;
  dims.input_batch_dimension = d.input_batch_dimension();
  dims.input_feature_dimension = d.input_feature_dimension();
  dims.input_spatial_dimensions =
      ToList<Int64List>(d.input_spatial_dimensions());
  dims.kernel_input_feature_dimension = d.kernel_input_feature_dimension();
  dims.kernel_output_feature_dimension = d.kernel_output_feature_dimension();
  dims.kernel_spatial_dimensions =
      ToList<Int64List>(d.kernel_spatial_dimensions());
  dims.output_batch_dimension = d.output_batch_dimension();
  dims.output_feature_dimension = d.output_feature_dimension();
  dims.output_spatial_dimensions =
      ToList<Int64List>(d.output_spatial_dimensions());
  i->mutable_attrs().SetShared(AttrId::kDimLabels, std::move(dims));
  return absl::OkStatus();
}

Status ReadSparsity(const Source& s, Instruction* i) {
  const xla::SparsityConfig& proto = s.proto.sparsity_config();
  if (!proto.has_lhs() && !proto.has_rhs()) return absl::OkStatus();
  SparsityConfig config;
  config.has_lhs = proto.has_lhs();
  config.has_rhs = proto.has_rhs();
  if (config.has_lhs) config.lhs = ReadTensorSparsity(proto.lhs());
  if (config.has_rhs) config.rhs = ReadTensorSparsity(proto.rhs());
  i->mutable_attrs().SetShared(AttrId::kSparsityConfig, config);
  return absl::OkStatus();
}

Status ReadSlice(const Source& s, Instruction* i) {
  SliceRanges ranges;
  for (const auto& d : s.proto.slice_dimensions()) {
    ranges.push_back({d.start(), d.limit(), d.stride()});
  }
  i->mutable_attrs().SetShared(AttrId::kSlice, std::move(ranges));
  return absl::OkStatus();
}

Status ReadPadding(const Source& s, Instruction* i) {
  PaddingConfig config;
  for (const auto& d : s.proto.padding_config().dimensions()) {
    config.dimensions.push_back(
        {d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  i->mutable_attrs().SetShared(AttrId::kPadding, std::move(config));
  return absl::OkStatus();
}

}  // namespace hlokit::wire
