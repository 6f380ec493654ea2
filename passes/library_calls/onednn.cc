// oneDNN's products and convolutions of XLA:CPU, with the operations that are
// fused into them. Sums and fused operations are in the sum type of the
// operands; the result is rounded once.
#include <bit>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/op_attributes.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

struct Fusions {
  std::vector<std::string> ops;
  std::vector<double> alphas;
};

Fusions ReadFusions(LibraryConfig& config) {
  Fusions f;
  f.ops = config.Strings("fusions.ops");
  f.alphas = config.Doubles("fusions.alpha");
  if (f.alphas.empty() && config.Has("fusions.alpha_typecast")) {
    // The bits of the f32 number, as an integer.
    f.alphas.push_back(std::bit_cast<float>(
        static_cast<int32_t>(config.Int("fusions.alpha_typecast"))));
  }
  // bias_broadcast repeats what the bias' shape says.
  config.Ignore("fusions.bias");
  config.Ignore("optimization_config.bias_broadcast");
  config.Ignore("bias_broadcast");
  return f;
}

void CheckPacking(Lowering& l, LibraryConfig& config) {
  if (config.Bool("optimization_config.weights_prepacked") ||
      config.Bool("weights_prepacked")) {
    l.Fail(Unimplemented("the weights are packed in an order of oneDNN's own "
                         "(weights_prepacked): replay the module from before "
                         "the pass onednn-contraction-rewriter"));
  }
  config.Bool("optimization_config.user_scratchpad");
  config.Bool("user_scratchpad");
}

// A bias or summand: of the result's size, or along its last dimensions, or
// with one dimension of its own along `feature`.
Instruction* Addend(Lowering& l, Instruction* x, Instruction* sums,
                    int64_t feature) {
  if (!l.ok()) return sums;
  x = l.Convert(x, sums->shape().element_type());
  if (x->shape().rank() == 1 && sums->shape().rank() > 0 &&
      x->shape().dimension(0) == sums->shape().dimension(feature)) {
    return l.Broadcast(x, {feature}, DimsOf(sums));
  }
  return l.Expand(x, sums);
}

// Operands from number 2 on serve the operations that need one, in order.
Instruction* ApplyFusions(Lowering& l, Instruction* x, const Fusions& f,
                          int64_t feature) {
  int64_t next = 2;
  size_t next_alpha = 0;
  const auto alpha = [&] {
    return next_alpha < f.alphas.size() ? f.alphas[next_alpha++] : 1;
  };
  for (const std::string& op : f.ops) {
    if (!l.ok()) return x;
    if (op == "BIAS" || op == "BINARY_ADD" || op == "SUM") {
      x = l.Add(x, Addend(l, l.operand(next++), x, feature));
    } else if (op == "RELU") {
      x = Relu(l, x);
    } else if (op == "TANH") {
      x = l.Op(Opcode::kTanh, {x});
    } else if (op == "GELU_ERF") {
      x = GeluErf(l, x);
    } else if (op == "GELU_TANH") {
      x = GeluTanh(l, x);
    } else if (op == "LINEAR") {
      x = l.Scale(x, alpha());
    } else if (op == "ELU") {
      x = Elu(l, x, 1);
    } else if (op == "RELU6") {
      x = Relu6(l, x);
    } else if (op == "SIGMOID") {
      x = l.Op(Opcode::kLogistic, {x});
    } else if (op == "SWISH") {
      x = Swish(l, x, 1);
    } else {
      l.Fail(Unimplemented("hlokit does not know the fused operation %s", op));
    }
  }
  l.Expect(next == l.count(),
           "has more operands than the fused operations need");
  return x;
}

PrimitiveType OneDnnSumType(Lowering& l) {
  const PrimitiveType a = SumType(l.operand(0)->shape().element_type());
  const PrimitiveType b = SumType(l.operand(1)->shape().element_type());
  l.Expect(IsFloatType(a) == IsFloatType(b), "takes operands of one kind");
  return BitWidth(a) >= BitWidth(b) ? a : b;
}

// Spatial dimensions and the window are stored one larger than they are, so
// that none is 0; older versions store them as they are. The dimensions of an
// array tell: with batch and feature they must be 0, 1, 2, ...
bool SpatialDims(Lowering& l, int64_t a, int64_t b, std::vector<int64_t> dims,
                 Int64List* spatial, bool* larger) {
  for (const int64_t offset : {1, 0}) {
    std::vector<int64_t> all = {a, b};
    for (int64_t d : dims) all.push_back(d - offset);
    std::sort(all.begin(), all.end());
    if (all != Counting(all.size())) continue;
    spatial->clear();
    for (int64_t d : dims) spatial->push_back(d - offset);
    *larger = offset == 1;
    return true;
  }
  l.Expect(false, "the layouts of the configuration name no dimensions");
  return false;
}

}  // namespace

void LowerOneDnnMatMul(Lowering& l, LibraryConfig& config) {
  config.Enter("onednn_matmul_config");
  const Fusions fusions = ReadFusions(config);
  const bool swap_a = config.Bool("transpose_a");
  const bool swap_b = config.Bool("transpose_b");
  CheckPacking(l, config);
  // Strides, which say nothing about values.
  for (absl::string_view name : {"lhs", "rhs", "result"}) config.Ignore(name);
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(2, 64);
  if (!l.ok()) return;
  const int64_t a_rank = l.operand(0)->shape().rank();
  const int64_t b_rank = l.operand(1)->shape().rank();
  l.Expect(a_rank >= 1 && a_rank >= b_rank && b_rank >= 1,
           "takes matrices, with batch dimensions before them");
  l.Expect(b_rank >= 2 || !swap_b, "cannot transpose a vector");
  l.Expect(a_rank >= 2 || !swap_a, "cannot transpose a vector");
  const PrimitiveType type = OneDnnSumType(l);
  if (!l.ok()) return;
  DotDims dims;
  const int64_t batch = b_rank > 2 ? b_rank - 2 : 0;
  l.Expect(batch == 0 || a_rank == b_rank, "takes operands of one rank");
  for (int64_t d = 0; d < batch; ++d) {
    dims.lhs_batch.push_back(d);
    dims.rhs_batch.push_back(d);
  }
  dims.lhs_contracting = {a_rank - (swap_a ? 2 : 1)};
  dims.rhs_contracting = {b_rank >= 2 ? b_rank - (swap_b ? 1 : 2) : 0};
  Instruction* product =
      l.Dot(l.Convert(l.operand(0), type), l.Convert(l.operand(1), type), dims);
  if (!l.ok()) return;
  const Shape result = l.ResultShape(0);
  if (!SameDimensions(product->shape(), result)) {
    product = l.Reshape(product, result.dimensions());
  }
  product = ApplyFusions(l, product, fusions, product->shape().rank() - 1);
  l.AddResult(l.ConvertSaturating(product, result.element_type()));
}

void LowerOneDnnConvolution(Lowering& l, LibraryConfig& config) {
  if (!config.Enter("onednn_conv_config") && config.empty()) {
    l.Fail(InvalidArgument("the backend_config has no onednn_conv_config"));
  }
  const Fusions fusions = ReadFusions(config);
  CheckPacking(l, config);
  ConvolutionDims dims;
  dims.input_batch_dimension = config.Int("input.data.batch_dim");
  dims.input_feature_dimension = config.Int("input.data.feature_dim");
  dims.kernel_input_feature_dimension =
      config.Int("kernel.filter.input_feature_dim");
  dims.kernel_output_feature_dimension =
      config.Int("kernel.filter.output_feature_dim");
  dims.output_batch_dimension = config.Int("output.data.batch_dim");
  dims.output_feature_dimension = config.Int("output.data.feature_dim");
  const std::vector<int64_t> in = config.Ints("input.data.spatial_dims");
  const std::vector<int64_t> kernel = config.Ints("kernel.filter.spatial_dims");
  const std::vector<int64_t> out = config.Ints("output.data.spatial_dims");
  const std::vector<int64_t> low = config.Ints("window.pad_left");
  const std::vector<int64_t> high = config.Ints("window.pad_right");
  const std::vector<int64_t> strides = config.Ints("window.strides");
  const std::vector<int64_t> dilations =
      config.Ints("window.window_dilations");
  const int64_t groups = std::max<int64_t>(1, config.Int("feature_groups"));
  for (absl::string_view name :
       {"dims", "input.dims", "kernel.dims", "output.dims", "window.size",
        "kernel.filter.shape"}) {
    config.Ignore(name);
  }
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(2, 64);
  const size_t spatial = in.size();
  l.Expect(kernel.size() == spatial && out.size() == spatial &&
               low.size() == spatial && high.size() == spatial &&
               strides.size() == spatial && dilations.size() == spatial,
           "window and layouts have different numbers of dimensions");
  if (!l.ok()) return;
  l.Expect(l.operand(0)->shape().rank() == static_cast<int64_t>(spatial) + 2 &&
               l.operand(1)->shape().rank() ==
                   static_cast<int64_t>(spatial) + 2,
           "window and arrays have different numbers of dimensions");
  bool larger = false;
  if (!SpatialDims(l, dims.input_batch_dimension, dims.input_feature_dimension,
                   in, &dims.input_spatial_dimensions, &larger) ||
      !SpatialDims(l, dims.kernel_input_feature_dimension,
                   dims.kernel_output_feature_dimension, kernel,
                   &dims.kernel_spatial_dimensions, &larger) ||
      !SpatialDims(l, dims.output_batch_dimension,
                   dims.output_feature_dimension, out,
                   &dims.output_spatial_dimensions, &larger) ||
      !l.ok()) {
    return;
  }
  Window window;
  const int64_t less = larger ? 1 : 0;
  for (size_t i = 0; i < spatial; ++i) {
    WindowDimension w;
    w.size =
        l.operand(1)->shape().dimension(dims.kernel_spatial_dimensions[i]);
    w.padding_low = low[i] - less;
    w.padding_high = high[i] - less;
    w.stride = strides[i] - less;
    w.window_dilation = dilations[i] - less;
    window.dimensions.push_back(w);
  }
  const int64_t feature = dims.output_feature_dimension;
  AttributeSet attrs;
  attrs.SetShared(AttrId::kWindow, std::move(window));
  attrs.SetShared(AttrId::kDimLabels, std::move(dims));
  if (groups != 1) attrs.Set(AttrId::kFeatureGroupCount, groups);
  const PrimitiveType type = OneDnnSumType(l);
  Instruction* y = l.Op(
      Opcode::kConvolution,
      {l.Convert(l.operand(0), type), l.Convert(l.operand(1), type)},
      std::move(attrs));
  y = ApplyFusions(l, y, fusions, feature);
  l.AddResult(l.ConvertSaturating(y, l.ResultShape(0).element_type()));
}

}  // namespace hlokit
