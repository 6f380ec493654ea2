// cuBLAS: D = function(alpha A B + beta C + bias), with the sums, C, bias and
// function in the type that cuBLAS sums in, rounded to D's type once.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/match.h"
#include "base/status.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {
namespace {

// GemmBackendConfig.Epilogue, by number.
constexpr absl::string_view kEpilogues[] = {
    "DEFAULT",  "BIAS",      "RELU",          "BIAS_RELU", "GELU",
    "GELU_AUX", "BIAS_GELU", "BIAS_GELU_AUX", "SILU",      "BIAS_SILU"};

struct GemmNumbers {
  double alpha_real = 1, alpha_imag = 0, beta = 0;
  DotDims dims;
  std::string epilogue;
  bool largest = false;  // gives the largest magnitude of D, too
};

// Fields that change how fast the call is, or repeat what shapes say.
constexpr absl::string_view kWithoutEffect[] = {
    "selected_algorithm", "algorithm",  "precision_config",
    "lhs_stride",         "rhs_stride", "grad_x",
    "grad_y",             "batch_size", "autotune_workspace_size"};

GemmNumbers ReadGemm(Lowering& l, LibraryConfig& config) {
  GemmNumbers g;
  g.alpha_real = config.Double("alpha_real", 1);
  g.alpha_imag = config.Double("alpha_imag");
  g.beta = config.Double("beta");
  g.dims = ReadDotDims(config, "dot_dimension_numbers");
  g.epilogue = std::string(kEpilogues[config.Enum("epilogue", kEpilogues)]);
  g.largest = config.Bool("damax_output");
  for (absl::string_view name : kWithoutEffect) config.Ignore(name);
  if (config.Int("scale_mode") != 0) {
    l.Fail(Unimplemented("hlokit does not know scale_mode %d of the "
                         "backend_config",
                         config.Int("scale_mode")));
  }
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  return g;
}

// The type of sums of products that become `result`.
PrimitiveType GemmSumType(Lowering& l, const Instruction* a,
                          const Instruction* b, PrimitiveType result) {
  const PrimitiveType left = SumType(a->shape().element_type());
  const PrimitiveType right = SumType(b->shape().element_type());
  if (IsIntegerType(left) != IsIntegerType(right) ||
      IsComplexType(left) != IsComplexType(right)) {
    l.Fail(InvalidArgument("cannot multiply %s and %s", a->shape().ToString(),
                           b->shape().ToString()));
  }
  // f32 operands may give an f64 result, not the other way round.
  PrimitiveType type = BitWidth(left) >= BitWidth(right) ? left : right;
  if (IsFloatType(type) && IsFloatType(result) &&
      BitWidth(result) > BitWidth(type)) {
    type = result;
  }
  return type;
}

Instruction* TimesAlpha(Lowering& l, Instruction* x, const GemmNumbers& g) {
  const PrimitiveType type = x->shape().element_type();
  if (g.alpha_imag == 0) {
    if (IsIntegerType(type) && g.alpha_real != std::trunc(g.alpha_real)) {
      return l.Scale(l.Convert(x, kF32), g.alpha_real);
    }
    return l.Scale(x, g.alpha_real);
  }
  if (!IsComplexType(type)) {
    l.Fail(InvalidArgument("alpha_imag is %g, but the numbers are real",
                           g.alpha_imag));
    return x;
  }
  const PrimitiveType part = type == kC64 ? kF32 : kF64;
  return l.Multiply(x, l.Op(Opcode::kComplex, {l.Scalar(part, g.alpha_real),
                                               l.Scalar(part, g.alpha_imag)}));
}

// The bias runs along the dimensions of the result that are innermost in
// memory, as many as come from the right operand.
Instruction* SpreadBias(Lowering& l, Instruction* bias, Instruction* sums,
                        int64_t columns) {
  const Shape result = l.ResultShape(0);
  const int64_t rank = sums->shape().rank();
  if (!l.ok() || rank != result.rank() || columns > rank) {
    l.Expect(false, "the bias does not fit the result");
    return sums;
  }
  std::vector<int64_t> order;  // innermost first
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(result.has_layout() ? result.layout().minor_to_major[i]
                                        : rank - 1 - i);
  }
  const int64_t bias_rank = bias->shape().rank();
  std::vector<int64_t> dimensions(bias_rank);
  if (bias_rank == columns) {
    for (int64_t i = 0; i < bias_rank; ++i) {
      const int64_t from = bias->shape().has_layout()
                               ? bias->shape().layout().minor_to_major[i]
                               : bias_rank - 1 - i;
      dimensions[from] = order[i];
    }
  } else if (bias_rank == 1 && rank > 0) {
    dimensions[0] = order[0];
  } else {
    return l.Expand(bias, sums);
  }
  return l.Broadcast(bias, dimensions, DimsOf(sums));
}

Instruction* ApplyEpilogue(Lowering& l, Instruction* x,
                           absl::string_view epilogue) {
  if (absl::StrContains(epilogue, "RELU")) return Relu(l, x);
  if (absl::StrContains(epilogue, "GELU")) return GeluTanh(l, x);
  if (absl::StrContains(epilogue, "SILU")) return Swish(l, x, 1);
  return x;
}

struct GemmOperands {
  Instruction* a;
  Instruction* b;
  Instruction* c = nullptr;
  Instruction* bias = nullptr;
  // Scalars, of f8 calls.
  Instruction* a_scale = nullptr;
  Instruction* b_scale = nullptr;
  Instruction* c_scale = nullptr;
  Instruction* d_scale = nullptr;
};

Instruction* TimesScalar(Lowering& l, Instruction* x, Instruction* scale) {
  if (scale == nullptr) return x;
  return l.Multiply(x, l.Convert(l.Reshape(scale, {}),
                                 x->shape().element_type()));
}

void LowerProduct(Lowering& l, const GemmNumbers& g, const GemmOperands& in) {
  const Shape result = l.ResultShape(0);
  const PrimitiveType type =
      GemmSumType(l, in.a, in.b, result.element_type());
  const int64_t columns = in.b->shape().rank() -
                          static_cast<int64_t>(g.dims.rhs_batch.size() +
                                               g.dims.rhs_contracting.size());
  Instruction* d =
      l.Dot(l.Convert(in.a, type), l.Convert(in.b, type), g.dims);
  d = TimesAlpha(l, d, g);
  d = TimesScalar(l, TimesScalar(l, d, in.a_scale), in.b_scale);
  if (in.c != nullptr) {
    Instruction* c = l.Convert(in.c, d->shape().element_type());
    const bool whole = IsFloatType(d->shape().element_type()) ||
                       IsComplexType(d->shape().element_type()) ||
                       g.beta == std::trunc(g.beta);
    l.Expect(whole, "beta must be an integer where the sums are");
    d = l.Add(d, TimesScalar(l, l.Scale(c, g.beta), in.c_scale));
  }
  if (in.bias != nullptr) {
    Instruction* bias = l.Convert(in.bias, d->shape().element_type());
    d = l.Add(d, SpreadBias(l, bias, d, columns));
  }
  Instruction* before = d;
  if (g.epilogue != "DEFAULT" && g.epilogue != "BIAS") {
    l.Expect(IsFloatType(d->shape().element_type()) || !l.ok(),
             "only sums of floats have an epilogue");
    d = ApplyEpilogue(l, d, g.epilogue);
  }
  l.AddResult(l.ConvertSaturating(TimesScalar(l, d, in.d_scale),
                                  result.element_type()));
  if (g.largest) {
    l.AddResult(
        l.Convert(l.LargestMagnitude(d), l.ResultShape(1).element_type()));
  }
  if (absl::EndsWith(g.epilogue, "_AUX")) {
    const PrimitiveType aux =
        l.ResultShape(g.largest ? 2 : 1).element_type();
    l.AddResult(l.Convert(before, aux));
  }
}

}  // namespace

void LowerGemm(Lowering& l, LibraryConfig& config) {
  config.Enter("gemm_backend_config");
  const GemmNumbers g = ReadGemm(l, config);
  l.TakesArrays(2, 4);
  if (!l.ok()) return;
  GemmOperands in{l.operand(0), l.operand(1)};
  int64_t next = 2;
  if (g.beta != 0) in.c = l.operand(next++);
  if (absl::StartsWith(g.epilogue, "BIAS")) in.bias = l.operand(next++);
  // A matrix C may be there for its memory alone.
  if (next + 1 == l.count() && g.beta == 0) ++next;
  l.Expect(next == l.count(), "has more operands than beta and epilogue need");
  LowerProduct(l, g, in);
}

// (A, B, C if beta is not 0, scales of A and B, [of C and D | of an f8 D],
// bias); older versions have the bias last, newer ones the scale of D. Scales
// are scalars, the bias is not.
void LowerScaledGemm(Lowering& l, LibraryConfig& config) {
  config.Enter("gemm_backend_config");
  const GemmNumbers g = ReadGemm(l, config);
  l.TakesArrays(4, 8);
  if (!l.ok()) return;
  GemmOperands in{l.operand(0), l.operand(1)};
  int64_t next = 2;
  if (g.beta != 0) in.c = l.operand(next++);
  Values scales;
  for (; next < l.count(); ++next) {
    Instruction* x = l.operand(next);
    if (x->shape().IsScalar()) {
      scales.push_back(x);
    } else if (in.bias == nullptr && absl::StartsWith(g.epilogue, "BIAS")) {
      in.bias = x;
    } else {
      l.Expect(false, "has an operand that is neither a scale nor the bias");
    }
  }
  l.Expect(!absl::StartsWith(g.epilogue, "BIAS") || in.bias != nullptr,
           "has an epilogue with a bias, but no operand for it");
  l.Expect(scales.size() >= 2 && scales.size() <= 4,
           "takes scales of A and B, and perhaps of C and D");
  if (!l.ok()) return;
  in.a_scale = scales[0];
  in.b_scale = scales[1];
  const bool narrow = BitWidth(l.ResultShape(0).element_type()) <= 8;
  if (scales.size() == 4) in.c_scale = scales[2];
  // cuBLAS reads the scale of D for an f8 D only.
  if (scales.size() > 2 && narrow) in.d_scale = scales.back();
  l.Expect(scales.size() != 3 || narrow,
           "has a third scale, but the result is not f8");
  LowerProduct(l, g, in);
}

void LowerGroupedGemm(Lowering& l, LibraryConfig& config) {
  if (!config.Enter("grouped_gemm_backend_config")) {
    l.Fail(InvalidArgument(
        "the backend_config has no grouped_gemm_backend_config"));
    return;
  }
  const auto list = [&](absl::string_view field) {
    return config.Ints(
        absl::StrCat("ragged_dot_dimension_numbers.", field));
  };
  const DotDims dims = ReadDotDims(
      config, "ragged_dot_dimension_numbers.dot_dimension_numbers");
  AttributeSet attrs;
  SetList(AttrId::kLhsBatchDims, dims.lhs_batch, &attrs);
  SetList(AttrId::kRhsBatchDims, dims.rhs_batch, &attrs);
  SetList(AttrId::kLhsContractingDims, dims.lhs_contracting, &attrs);
  SetList(AttrId::kRhsContractingDims, dims.rhs_contracting, &attrs);
  SetList(AttrId::kLhsRaggedDims, list("lhs_ragged_dimensions"), &attrs);
  SetList(AttrId::kRhsGroupDims, list("rhs_group_dimensions"), &attrs);
  l.Fail(config.status());
  config.Enter("gemm_backend_config");
  const GemmNumbers g = ReadGemm(l, config);
  l.TakesArrays(3, 3);
  if (!l.ok()) return;
  if (g.beta != 0 || g.epilogue != "DEFAULT" || g.largest) {
    l.Fail(Unimplemented("hlokit runs grouped products with beta 0 and the "
                         "epilogue DEFAULT only"));
  }
  const PrimitiveType result = l.ResultShape(0).element_type();
  const PrimitiveType type =
      GemmSumType(l, l.operand(0), l.operand(1), result);
  Instruction* d = l.Op(Opcode::kRaggedDot,
                        {l.Convert(l.operand(0), type),
                         l.Convert(l.operand(1), type), l.operand(2)},
                        std::move(attrs));
  l.AddResult(l.ConvertSaturating(TimesAlpha(l, d, g), result));
}

}  // namespace hlokit
