// Layer normalization and softmax, computed in f32 (f64 for f64) and rounded to
// the result's type once.
#include <bit>

#include "base/status.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

constexpr absl::string_view kNormKinds[] = {"LAYER_FWD_INFER",
                                            "LAYER_FWD_TRAIN", "LAYER_BWD"};

double ElementsIn(const Instruction* x, Dims dimensions) {
  double count = 1;
  for (int64_t d : dimensions) count *= x->shape().dimension(d);
  return count;
}

Instruction* Mean(Lowering& l, Instruction* x, Dims dimensions) {
  Instruction* sum = l.Reduce(x, Opcode::kAdd, dimensions);
  return l.Divide(sum, l.Scalar(x->shape().element_type(),
                                ElementsIn(x, dimensions)));
}

struct Normalized {
  Instruction* value;
  Instruction* mean;         // reduced
  Instruction* norm_factor;  // reduced; 1 / sqrt(variance + epsilon)
};

Normalized Normalize(Lowering& l, Instruction* x, Dims dimensions,
                     double epsilon) {
  Normalized n;
  n.mean = Mean(l, x, dimensions);
  Instruction* centered = l.Subtract(x, l.SpreadOver(n.mean, x, dimensions));
  Instruction* variance = Mean(l, l.Multiply(centered, centered), dimensions);
  n.norm_factor = l.Op(Opcode::kRsqrt, {l.AddNumber(variance, epsilon)});
  n.value =
      l.Multiply(centered, l.SpreadOver(n.norm_factor, x, dimensions));
  return n;
}

// The dimensions along which there is a scale for each element: those are
// normalized together.
std::vector<int64_t> DimensionsOfScale(Lowering& l, const Instruction* x,
                                       const Instruction* scale) {
  std::vector<int64_t> dimensions;
  const int64_t offset = x->shape().rank() - scale->shape().rank();
  l.Expect(offset >= 0, "the scale has more dimensions than the array");
  for (int64_t d = 0; l.ok() && d < scale->shape().rank(); ++d) {
    if (scale->shape().dimension(d) == x->shape().dimension(d + offset) &&
        (scale->shape().dimension(d) != 1 || offset > 0)) {
      dimensions.push_back(d + offset);
    }
  }
  return dimensions;
}

// (x, scale, dy, mean, norm factor) -> (dx, dscale, dbias)
void LowerNormBackward(Lowering& l) {
  l.TakesArrays(5, 5);
  if (!l.ok()) return;
  const PrimitiveType type = SumType(l.operand(0)->shape().element_type());
  Instruction* in[5];
  for (int i = 0; i < 5; ++i) in[i] = l.Convert(l.operand(i), type);
  Instruction* x = in[0];
  const std::vector<int64_t> normalized = DimensionsOfScale(l, x, in[1]);
  std::vector<int64_t> others;
  for (int64_t d : Counting(x->shape().rank())) {
    if (std::find(normalized.begin(), normalized.end(), d) ==
        normalized.end()) {
      others.push_back(d);
    }
  }
  Instruction* scale = l.Expand(in[1], x);
  Instruction* factor = l.Expand(in[4], x);
  Instruction* unit =
      l.Multiply(l.Subtract(x, l.Expand(in[3], x)), factor);
  Instruction* g = l.Multiply(in[2], scale);
  Instruction* mean_g = l.SpreadOver(Mean(l, g, normalized), x, normalized);
  Instruction* mean_gx = l.SpreadOver(
      Mean(l, l.Multiply(g, unit), normalized), x, normalized);
  Instruction* dx = l.Multiply(
      factor, l.Subtract(l.Subtract(g, mean_g), l.Multiply(unit, mean_gx)));
  if (!l.ok()) return;
  l.AddResult(l.Convert(dx, l.ResultShape(0).element_type()));
  for (Instruction* product : {l.Multiply(in[2], unit), in[2]}) {
    const Shape shape = l.ResultShape(product == in[2] ? 2 : 1);
    Instruction* sum = l.Reduce(product, Opcode::kAdd, others);
    l.AddResult(l.Convert(l.Reshape(sum, shape.dimensions()),
                          shape.element_type()));
  }
}

}  // namespace

// (x, scale, bias) -> y, of LAYER_FWD_TRAIN (y, mean, norm factor)
void LowerCudnnNorm(Lowering& l, LibraryConfig& config) {
  if (!config.Enter("cudnn_norm_backend_config") && config.empty()) {
    l.Fail(InvalidArgument(
        "the backend_config has no cudnn_norm_backend_config"));
  }
  const double epsilon = config.Double("epsilon");
  const int64_t kind = config.Enum("kind", kNormKinds);
  config.Ignore("algorithm");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  if (kind == 2) return LowerNormBackward(l);
  l.TakesArrays(3, 3);
  if (!l.ok()) return;
  const PrimitiveType type = SumType(l.operand(0)->shape().element_type());
  Instruction* x = l.Convert(l.operand(0), type);
  const std::vector<int64_t> dimensions =
      DimensionsOfScale(l, x, l.operand(1));
  const Normalized n = Normalize(l, x, dimensions, epsilon);
  Instruction* y = l.Multiply(
      n.value, l.Expand(l.Convert(l.operand(1), type), x));
  y = l.Add(y, l.Expand(l.Convert(l.operand(2), type), x));
  if (!l.ok()) return;
  l.AddResult(l.Convert(y, l.ResultShape(0).element_type()));
  if (kind == 0) return;
  for (Instruction* value : {n.mean, n.norm_factor}) {
    const Shape shape = l.ResultShape(value == n.mean ? 1 : 2);
    if (!l.ok()) return;
    l.AddResult(l.Convert(l.Reshape(value, shape.dimensions()),
                          shape.element_type()));
  }
}

// (array, scale, shift) over the last dimension; the last ones may be missing.
void LowerOneDnnNorm(Lowering& l, LibraryConfig& config) {
  config.Enter("onednn_layer_norm_config");
  // The bits of the f32 number, as an integer.
  const float epsilon =
      std::bit_cast<float>(static_cast<int32_t>(config.Int("epsilon_typecast")));
  constexpr absl::string_view kRescale[] = {"UNDEFINED", "SCALE", "SHIFT",
                                            "SCALE_AND_SHIFT"};
  const int64_t rescale = config.Enum("rescale", kRescale);
  const std::vector<std::string> fused = config.Strings("fusions.ops");
  config.Ignore("fusions");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(1, 3);
  if (!l.ok()) return;
  if (!fused.empty()) {
    l.Fail(Unimplemented("hlokit does not know the fused operation %s of a "
                         "layer normalization",
                         fused[0]));
  }
  const PrimitiveType type = SumType(l.operand(0)->shape().element_type());
  l.Expect(IsFloatType(type) && l.operand(0)->shape().rank() > 0,
           "takes an array of floats");
  if (!l.ok()) return;
  Instruction* x = l.Convert(l.operand(0), type);
  Instruction* y =
      Normalize(l, x, {x->shape().rank() - 1}, epsilon).value;
  const bool shift_only = rescale == 2 && l.count() == 2;
  for (int64_t i = 1; i < l.count(); ++i) {
    const int64_t size = x->shape().dimension(x->shape().rank() - 1);
    l.Expect(l.operand(i)->shape().rank() == 1 &&
                 l.operand(i)->shape().dimension(0) == size,
             "scale and shift must have the size of the last dimension");
    Instruction* value = l.Expand(l.Convert(l.operand(i), type), x);
    y = i == 1 && !shift_only ? l.Multiply(y, value) : l.Add(y, value);
  }
  l.AddResult(l.Convert(y, l.ResultShape(0).element_type()));
}

void LowerOneDnnSoftmax(Lowering& l, LibraryConfig& config) {
  config.Enter("onednn_softmax_config");
  const bool has_axis = config.Has("softmax_axis");
  int64_t axis = config.Int("softmax_axis");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(1, 1);
  if (!l.ok()) return;
  const int64_t rank = l.operand(0)->shape().rank();
  if (!has_axis) axis = rank - 1;
  if (axis < 0) axis += rank;
  l.Expect(axis >= 0 && axis < rank, "softmax_axis is out of range");
  l.Expect(IsFloatType(l.operand(0)->shape().element_type()), "takes floats");
  if (!l.ok()) return;
  Instruction* x = l.Convert(l.operand(0),
                             SumType(l.operand(0)->shape().element_type()));
  Instruction* largest = l.Reduce(x, Opcode::kMaximum, {axis});
  Instruction* powers = l.Op(
      Opcode::kExponential, {l.Subtract(x, l.SpreadOver(largest, x, {axis}))});
  Instruction* sum = l.Reduce(powers, Opcode::kAdd, {axis});
  l.AddResult(l.Convert(l.Divide(powers, l.SpreadOver(sum, x, {axis})),
                        l.ResultShape(0).element_type()));
}

}  // namespace hlokit
