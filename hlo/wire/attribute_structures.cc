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

void WriteWindow(const Window& window, xla::Window* proto) {
  for (const WindowDimension& d : window.dimensions) {
    xla::WindowDimension* out = proto->add_dimensions();
    out->set_size(d.size);
    out->set_stride(d.stride);
    out->set_padding_low(d.padding_low);
    out->set_padding_high(d.padding_high);
    out->set_window_dilation(d.window_dilation);
    out->set_base_dilation(d.base_dilation);
    out->set_window_reversal(d.window_reversal);
  }
}

TensorSparsity ReadTensorSparsity(
    const xla::SparsityConfig::TensorSparsityConfig& proto) {
  return {proto.num_non_zero(), proto.block_size(), proto.dimension(),
          proto.stride()};
}

void WriteTensorSparsity(const TensorSparsity& t,
                         xla::SparsityConfig::TensorSparsityConfig* proto) {
  proto->set_num_non_zero(t.num_non_zero);
  proto->set_block_size(t.block_size);
  proto->set_dimension(t.dimension);
  proto->set_stride(t.stride);
}

}  // namespace

Status ReadWindowField(const Source& s, Instruction* i) {
  if (s.proto.window().dimensions_size() > 0) {
    i->mutable_attrs().SetShared(AttrId::kWindow, ReadWindow(s.proto.window()));
  }
  return absl::OkStatus();
}

void WriteWindowField(const Instruction& i, P* p) {
  const Window* window = i.window();
  if (window == nullptr && i.opcode() == Opcode::kCustomCall) return;
  xla::Window* out = p->mutable_window();
  if (window != nullptr) WriteWindow(*window, out);
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

void WriteDimLabels(const Instruction& i, P* p) {
  const auto* dims = i.attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  if (dims == nullptr) return;
  auto* d = p->mutable_convolution_dimension_numbers();
  d->set_input_batch_dimension(dims->input_batch_dimension);
  d->set_input_feature_dimension(dims->input_feature_dimension);
  SetField(dims->input_spatial_dimensions,
           d->mutable_input_spatial_dimensions());
  d->set_kernel_input_feature_dimension(dims->kernel_input_feature_dimension);
  d->set_kernel_output_feature_dimension(
      dims->kernel_output_feature_dimension);
  SetField(dims->kernel_spatial_dimensions,
           d->mutable_kernel_spatial_dimensions());
  d->set_output_batch_dimension(dims->output_batch_dimension);
  d->set_output_feature_dimension(dims->output_feature_dimension);
  SetField(dims->output_spatial_dimensions,
           d->mutable_output_spatial_dimensions());
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

void WriteSparsity(const Instruction& i, P* p) {
  xla::SparsityConfig* proto = p->mutable_sparsity_config();
  const auto* config = i.attrs().Get<SparsityConfig>(AttrId::kSparsityConfig);
  if (config == nullptr) return;
  if (config->has_lhs) WriteTensorSparsity(config->lhs, proto->mutable_lhs());
  if (config->has_rhs) WriteTensorSparsity(config->rhs, proto->mutable_rhs());
}

Status ReadSlice(const Source& s, Instruction* i) {
  SliceRanges ranges;
  for (const auto& d : s.proto.slice_dimensions()) {
    ranges.push_back({d.start(), d.limit(), d.stride()});
  }
  i->mutable_attrs().SetShared(AttrId::kSlice, std::move(ranges));
  return absl::OkStatus();
}

void WriteSlice(const Instruction& i, P* p) {
  const auto* ranges = i.attrs().Get<SliceRanges>(AttrId::kSlice);
  if (ranges == nullptr) return;
  for (const SliceRange& r : *ranges) {
    auto* d = p->add_slice_dimensions();
    d->set_start(r.start);
    d->set_limit(r.limit);
    d->set_stride(r.stride);
  }
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

void WritePadding(const Instruction& i, P* p) {
  xla::PaddingConfig* proto = p->mutable_padding_config();
  const auto* config = i.attrs().Get<PaddingConfig>(AttrId::kPadding);
  if (config == nullptr) return;
  for (const PaddingDimension& d : config->dimensions) {
    auto* out = proto->add_dimensions();
    out->set_edge_padding_low(d.low);
    out->set_edge_padding_high(d.high);
    out->set_interior_padding(d.interior);
  }
}

}  // namespace hlokit::wire
