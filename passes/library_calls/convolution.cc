// cuDNN's convolutions. Window, dimension labels and group count are attributes
// of the call and describe the forward convolution, also where the call gives
// one of its gradients. Sums are s32 or of the floats' sum type; scales, bias
// and activation are computed in f32 (f64 for f64).
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "hlo/ir/op_attributes.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

// stream_executor.dnn.ActivationMode, by number.
constexpr absl::string_view kActivations[] = {
    "kNone", "kSigmoid", "kRelu", "kRelu6",     "kReluX",
    "kTanh", "kBandPass", "kElu", "kLeakyRelu", "kGeluExact"};

struct ConvNumbers {
  double scale = 1, side_scale = 0, slope = 0;
  std::string activation, graph;
};

ConvNumbers ReadConv(Lowering& l, LibraryConfig& config) {
  config.Enter("cudnn_conv_backend_config");
  ConvNumbers c;
  c.scale = config.Double("conv_result_scale", 1);
  c.side_scale = config.Double("side_input_scale");
  c.slope = config.Double("leakyrelu_alpha");
  c.activation = std::string(
      kActivations[config.Enum("activation_mode", kActivations)]);
  c.graph = config.String("serialized_graph");
  if (config.Bool("reordered_int8_nchw_vect")) {
    l.Fail(Unimplemented(
        "the filter was reordered for int8 (reordered_int8_nchw_vect); the "
        "order is cuDNN's own: replay the module from before the pass "
        "cudnn_vectorize_convolutions"));
  }
  config.Ignore("algorithm");
  config.Ignore("tensor_ops_enabled");
  config.Ignore("scratch_size");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  return c;
}

struct ConvGeometry {
  Window window;
  ConvolutionDims dims;
  int64_t groups = 1;
};

// From the call's attributes, checked against the ranks of input, kernel and
// output.
ConvGeometry GeometryOf(Lowering& l, const Shape& input, const Shape& kernel,
                        const Shape& output) {
  ConvGeometry g;
  const auto* window = l.call().attrs().Get<Window>(AttrId::kWindow);
  const auto* dims = l.call().attrs().Get<ConvolutionDims>(AttrId::kDimLabels);
  if (window == nullptr && dims != nullptr &&
      dims->input_spatial_dimensions.empty()) {
    static const Window* const kNoWindow = new Window;
    window = kNoWindow;
  }
  if (dims == nullptr || window == nullptr) {
    l.Fail(InvalidArgument("a convolution needs window and dim_labels"));
    return g;
  }
  g.window = *window;
  g.dims = *dims;
  g.groups =
      l.call().attrs().GetInt(AttrId::kFeatureGroupCount, 1);
  const int64_t spatial = g.window.dimensions.size();
  for (const Shape* shape : {&input, &kernel, &output}) {
    if (shape->rank() == spatial + 3) {
      l.Fail(Unimplemented(
          "hlokit does not run convolutions on vectors of features "
          "(NCHW_VECT_C), found %s: replay the module from before the pass "
          "cudnn_vectorize_convolutions",
          shape->ToString()));
    }
    l.Expect(shape->rank() == spatial + 2,
             "window and arrays have different numbers of dimensions");
  }
  const auto fits = [&](int64_t a, int64_t b, const Int64List& list) {
    std::vector<int64_t> all(list.begin(), list.end());
    all.push_back(a);
    all.push_back(b);
    std::sort(all.begin(), all.end());
    return all == Counting(spatial + 2);
  };
  l.Expect(fits(g.dims.input_batch_dimension, g.dims.input_feature_dimension,
                g.dims.input_spatial_dimensions) &&
               fits(g.dims.kernel_input_feature_dimension,
                    g.dims.kernel_output_feature_dimension,
                    g.dims.kernel_spatial_dimensions) &&
               fits(g.dims.output_batch_dimension,
                    g.dims.output_feature_dimension,
                    g.dims.output_spatial_dimensions),
           "dim_labels do not fit the arrays");
  l.Expect(g.groups >= 1, "feature_group_count must be positive");
  return g;
}

PrimitiveType ConvSumType(Lowering& l, const Instruction* a,
                          const Instruction* b) {
  const PrimitiveType left = SumType(a->shape().element_type());
  const PrimitiveType right = SumType(b->shape().element_type());
  l.Expect(IsIntegerType(left) == IsIntegerType(right),
           "cannot multiply integers and floats");
  return BitWidth(left) >= BitWidth(right) ? left : right;
}

Instruction* Convolve(Lowering& l, Instruction* lhs, Instruction* rhs,
                      const ConvGeometry& g, int64_t batch_groups = 1) {
  const PrimitiveType type = ConvSumType(l, lhs, rhs);
  AttributeSet attrs;
  attrs.SetShared(AttrId::kWindow, g.window);
  attrs.SetShared(AttrId::kDimLabels, g.dims);
  if (g.groups != 1) attrs.Set(AttrId::kFeatureGroupCount, g.groups);
  if (batch_groups != 1) attrs.Set(AttrId::kBatchGroupCount, batch_groups);
  return l.Op(Opcode::kConvolution,
              {l.Convert(lhs, type), l.Convert(rhs, type)}, std::move(attrs));
}

Instruction* ForwardConv(Lowering& l) {
  const ConvGeometry g = GeometryOf(l, l.operand(0)->shape(),
                                    l.operand(1)->shape(), l.ResultShape(0));
  if (!l.ok()) return l.operand(0);
  return Convolve(l, l.operand(0), l.operand(1), g);
}

// To the type of scales, bias and activation.
Instruction* ToScaleType(Lowering& l, Instruction* x) {
  return IsIntegerType(x->shape().element_type()) ? l.Convert(x, kF32) : x;
}

Instruction* Activate(Lowering& l, Instruction* x, const ConvNumbers& c) {
  const absl::string_view mode = c.activation;
  if (mode == "kNone") return x;
  if (mode == "kSigmoid") return l.Op(Opcode::kLogistic, {x});
  if (mode == "kRelu") return Relu(l, x);
  if (mode == "kRelu6") return Relu6(l, x);
  if (mode == "kTanh") return l.Op(Opcode::kTanh, {x});
  if (mode == "kElu") return Elu(l, x, 1);
  if (mode == "kLeakyRelu") return LeakyRelu(l, x, c.slope);
  if (mode == "kGeluExact") return GeluErf(l, x);
  l.Fail(Unimplemented("hlokit does not run activation_mode %s: its bound is "
                       "not part of the backend_config",
                       mode));
  return x;
}

void GiveConv(Lowering& l, Instruction* sums, const ConvNumbers& c) {
  if (c.scale != 1) sums = l.Scale(ToScaleType(l, sums), c.scale);
  l.AddResult(
      l.ConvertSaturating(sums, l.ResultShape(0).element_type()));
}

// (original size - 1) * dilation + 1, the extent of a dilated dimension.
int64_t Extent(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// The gradient windows exist for windows that the libraries have.
void CheckGradientWindow(Lowering& l, const ConvGeometry& g) {
  constexpr int64_t kMost = int64_t{1} << 31;
  for (const WindowDimension& w : g.window.dimensions) {
    l.Expect(w.base_dilation == 1,
             "a gradient of a convolution with lhs_dilate is not defined");
    l.Expect(w.stride >= 1 && w.window_dilation >= 1 && w.stride < kMost &&
                 w.window_dilation < kMost && w.padding_low < kMost &&
                 w.padding_low > -kMost && w.padding_high < kMost &&
                 w.padding_high > -kMost,
             "the window is out of range");
  }
}

// [.., o = groups * per group, .., i, ..] as [.., per group, .., groups * i,
// ..]: the kernel of the gradient convolution of as many groups.
Instruction* GroupByInput(Lowering& l, Instruction* kernel,
                          const ConvolutionDims& dims, int64_t groups) {
  if (groups == 1) return kernel;
  const int64_t in = dims.kernel_input_feature_dimension;
  const int64_t out = dims.kernel_output_feature_dimension;
  std::vector<int64_t> sizes = DimsOf(kernel);
  if (sizes[out] % groups != 0) {
    l.Expect(false, "feature_group_count does not divide the features");
    return kernel;
  }
  std::vector<int64_t> split = sizes;
  split[out] /= groups;
  split.insert(split.begin() + out, groups);
  // Dimension d of the kernel is d or, behind the groups, d + 1.
  std::vector<int64_t> order;
  for (int64_t d = 0; d < kernel->shape().rank(); ++d) {
    if (d == in) order.push_back(out);
    order.push_back(d < out ? d : d + 1);
  }
  Instruction* moved = l.Transpose(l.Reshape(kernel, split), order);
  sizes[out] /= groups;
  sizes[in] *= groups;
  return l.Reshape(moved, sizes);
}

}  // namespace

void LowerConvForward(Lowering& l, LibraryConfig& config) {
  const ConvNumbers c = ReadConv(l, config);
  l.TakesArrays(2, 2);
  if (!l.ok()) return;
  GiveConv(l, ForwardConv(l), c);
}

// (gradient of the output, kernel) -> gradient of the input
void LowerConvBackwardInput(Lowering& l, LibraryConfig& config) {
  const ConvNumbers c = ReadConv(l, config);
  l.TakesArrays(2, 2);
  if (!l.ok()) return;
  Instruction* dy = l.operand(0);
  Instruction* kernel = l.operand(1);
  const Shape input = l.ResultShape(0);
  const ConvGeometry forward =
      GeometryOf(l, input, kernel->shape(), dy->shape());
  CheckGradientWindow(l, forward);
  if (!l.ok()) return;
  ConvGeometry g = forward;
  const ConvolutionDims& f = forward.dims;
  g.dims.input_batch_dimension = f.output_batch_dimension;
  g.dims.input_feature_dimension = f.output_feature_dimension;
  g.dims.input_spatial_dimensions = f.output_spatial_dimensions;
  g.dims.output_batch_dimension = f.input_batch_dimension;
  g.dims.output_feature_dimension = f.input_feature_dimension;
  g.dims.output_spatial_dimensions = f.input_spatial_dimensions;
  std::swap(g.dims.kernel_input_feature_dimension,
            g.dims.kernel_output_feature_dimension);
  for (size_t i = 0; i < g.window.dimensions.size(); ++i) {
    const WindowDimension& w = forward.window.dimensions[i];
    const int64_t size =
        kernel->shape().dimension(f.kernel_spatial_dimensions[i]);
    const int64_t out = dy->shape().dimension(f.output_spatial_dimensions[i]);
    const int64_t in = input.dimension(f.input_spatial_dimensions[i]);
    const int64_t reach = Extent(size, w.window_dilation);
    WindowDimension& b = g.window.dimensions[i];
    b = WindowDimension();
    b.size = size;
    b.window_dilation = w.window_dilation;
    b.base_dilation = w.stride;
    b.window_reversal = !w.window_reversal;
    b.padding_low = reach - 1 - w.padding_low;
    b.padding_high =
        in - Extent(out, w.stride) - b.padding_low + reach - 1;
  }
  GiveConv(l,
           Convolve(l, dy, GroupByInput(l, kernel, f, forward.groups), g), c);
}

// (input, gradient of the output) -> gradient of the kernel
void LowerConvBackwardFilter(Lowering& l, LibraryConfig& config) {
  const ConvNumbers c = ReadConv(l, config);
  l.TakesArrays(2, 2);
  if (!l.ok()) return;
  Instruction* x = l.operand(0);
  Instruction* dy = l.operand(1);
  const Shape kernel = l.ResultShape(0);
  const ConvGeometry forward = GeometryOf(l, x->shape(), kernel, dy->shape());
  CheckGradientWindow(l, forward);
  if (!l.ok()) return;
  ConvGeometry g = forward;
  g.groups = 1;
  const ConvolutionDims& f = forward.dims;
  std::swap(g.dims.input_batch_dimension, g.dims.input_feature_dimension);
  g.dims.kernel_input_feature_dimension = f.output_batch_dimension;
  g.dims.kernel_output_feature_dimension = f.output_feature_dimension;
  g.dims.kernel_spatial_dimensions = f.output_spatial_dimensions;
  g.dims.output_batch_dimension = f.kernel_input_feature_dimension;
  g.dims.output_feature_dimension = f.kernel_output_feature_dimension;
  g.dims.output_spatial_dimensions = f.kernel_spatial_dimensions;
  std::vector<int64_t> reversed;
  for (size_t i = 0; i < g.window.dimensions.size(); ++i) {
    const WindowDimension& w = forward.window.dimensions[i];
    const int64_t size = kernel.dimension(f.kernel_spatial_dimensions[i]);
    const int64_t out = dy->shape().dimension(f.output_spatial_dimensions[i]);
    const int64_t in = x->shape().dimension(f.input_spatial_dimensions[i]);
    if (w.window_reversal) reversed.push_back(f.kernel_spatial_dimensions[i]);
    WindowDimension& b = g.window.dimensions[i];
    b = WindowDimension();
    b.size = out;
    b.stride = w.window_dilation;
    b.window_dilation = w.stride;
    b.padding_low = w.padding_low;
    b.padding_high = Extent(size, w.window_dilation) +
                     Extent(out, w.stride) - 1 - in - w.padding_low;
  }
  Instruction* gradient = Convolve(l, x, dy, g, forward.groups);
  if (l.ok()) gradient = l.emitter().Reverse(gradient, reversed);
  GiveConv(l, gradient, c);
}

// (input, kernel, bias[, side input]) ->
//   activation(scale * convolution + side scale * side input + bias)
void LowerConvBiasActivation(Lowering& l, LibraryConfig& config) {
  const ConvNumbers c = ReadConv(l, config);
  l.TakesArrays(3, 4);
  if (!l.ok()) return;
  Instruction* y = l.Scale(ToScaleType(l, ForwardConv(l)), c.scale);
  if (!l.ok()) return;
  const PrimitiveType type = y->shape().element_type();
  if (l.count() == 4 && c.side_scale != 0) {
    y = l.Add(y, l.Scale(l.Convert(l.operand(3), type), c.side_scale));
  }
  l.Expect(l.count() == 4 || c.side_scale == 0,
           "has a side_input_scale, but no side input");
  if (!l.ok()) return;
  const int64_t feature =
      l.call().attrs().Get<ConvolutionDims>(AttrId::kDimLabels)
          ->output_feature_dimension;
  Instruction* bias = l.Convert(l.operand(2), type);
  y = l.Add(y, l.Broadcast(bias, {feature}, DimsOf(y)));
  l.AddResult(l.ConvertSaturating(Activate(l, y, c),
                                  l.ResultShape(0).element_type()));
}

// The graph is a list of operations, each with its number, type, name and the
// numbers of the operations that it takes values of:
//   12:[f32]conv();13:[f32]scale(12);14:[f8e4m3fn]relu(13);15:[f32]amax(13);
// Operations of two values take the second from the call's operands, in order,
// unless two numbers are given. The last value that is no amax is the result,
// amax values are further results.
void LowerConvGraph(Lowering& l, LibraryConfig& config) {
  const ConvNumbers c = ReadConv(l, config);
  l.TakesArrays(2, 64);
  if (!l.ok()) return;
  if (c.graph.empty()) {
    l.Fail(InvalidArgument("the backend_config has no serialized_graph"));
    return;
  }
  std::map<std::string, Instruction*, std::less<>> values;
  Instruction* last = nullptr;
  Values largest;
  int64_t next = 2;
  for (absl::string_view step :
       absl::StrSplit(c.graph, ';', absl::SkipWhitespace())) {
    const auto wrong = [&] {
      l.Fail(InvalidArgument("cannot read '%s' in serialized_graph", step));
    };
    const size_t open = step.find('['), close = step.find(']');
    const size_t left = step.find('('), right = step.rfind(')');
    if (open == step.npos || close == step.npos || left == step.npos ||
        right == step.npos || open > close || close > left || left > right) {
      return wrong();
    }
    absl::string_view number =
        absl::StripAsciiWhitespace(step.substr(0, open));
    absl::ConsumeSuffix(&number, ":");
    const auto type = PrimitiveTypeByName(step.substr(open + 1,
                                                      close - open - 1));
    const absl::string_view name = step.substr(close + 1, left - close - 1);
    if (!type.has_value() || !IsArrayType(*type)) return wrong();
    Values in;
    for (absl::string_view from :
         absl::StrSplit(step.substr(left + 1, right - left - 1), ',',
                        absl::SkipWhitespace())) {
      const auto it = values.find(absl::StripAsciiWhitespace(from));
      if (it == values.end()) return wrong();
      in.push_back(it->second);
    }
    Instruction* value = nullptr;
    if (name == "conv") {
      value = ForwardConv(l);
    } else {
      if (in.empty() && last != nullptr) in.push_back(last);
      if (in.empty()) return wrong();
      Instruction* x = ToScaleType(l, in[0]);
      const auto second = [&] {
        Instruction* y = in.size() > 1 ? in[1] : l.operand(next++);
        y = l.Convert(y, x->shape().element_type());
        return l.Expand(y, x);
      };
      if (name == "scale") value = l.Multiply(x, second());
      if (name == "invscale") value = l.Divide(x, second());
      if (name == "add") value = l.Add(x, second());
      if (name == "relu") value = Relu(l, x);
      if (name == "amax") value = l.LargestMagnitude(x);
      if (value == nullptr) {
        l.Fail(Unimplemented("hlokit does not know the operation '%s' of "
                             "serialized_graph",
                             name));
      }
    }
    if (!l.ok()) return;
    value = l.ConvertSaturating(value, *type);
    if (*type != kF32 && IsFloatType(*type) && BitWidth(*type) < 32 &&
        name != "amax") {
      values[std::string(number)] = l.Convert(value, kF32);
    } else {
      values[std::string(number)] = value;
    }
    if (name == "amax") {
      largest.push_back(value);
    } else {
      last = values[std::string(number)];
    }
  }
  if (last == nullptr) {
    l.Fail(InvalidArgument("serialized_graph has no operations"));
    return;
  }
  l.AddResult(l.ConvertSaturating(last, l.ResultShape(0).element_type()));
  for (Instruction* value : largest) l.AddResult(value);
}

}  // namespace hlokit
