#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/custom_call_config.h"
#include "backends/interpreter/live_operands.h"
#include "backends/interpreter/matmul.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

DimensionVector SizesOf(const Literal& array) {
  const auto dimensions = array.shape().dimensions();
  return DimensionVector(dimensions.begin(), dimensions.end());
}

absl::StatusOr<std::vector<double>> Doubles(const Literal& array) {
  HLOKIT_ASSIGN_OR_RETURN(Literal wide, WithElements(array, kF64));
  const auto data = wide.data<double>();
  return std::vector<double>(data.begin(), data.end());
}

absl::StatusOr<Literal> FromDoubles(const std::vector<double>& values,
                                    const Shape& shape) {
  return AsShape(Literal::Array<double>(shape.dimensions(), values), shape);
}

absl::StatusOr<Literal> Softmax(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(1)) return call.status();
  HLOKIT_ASSIGN_OR_RETURN(CustomCallConfig config,
                          CustomCallConfig::Of(instruction));
  const DimensionVector sizes = SizesOf(*operands[0]);
  const int64_t rank = sizes.size();
  int64_t axis = config.Int("onednn_softmax_config.softmax_axis", rank - 1);
  if (axis < 0) axis += rank;
  call.Expect(axis >= 0 && axis < rank, "softmax_axis is out of range");
  call.Expect(IsFloatType(operands[0]->element_type()), "takes floats");
  call.Result(0, 1, instruction.shape().element_type(), sizes);
  if (!call.ok()) return call.status();
  HLOKIT_ASSIGN_OR_RETURN(std::vector<double> values, Doubles(*operands[0]));
  int64_t inner = 1;
  for (int64_t i = axis + 1; i < rank; ++i) inner *= sizes[i];
  const int64_t length = sizes[axis], total = values.size();
  for (int64_t block = 0; block < total; block += length * inner) {
    for (int64_t i = block; i < block + inner; ++i) {
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t j = 0; j < length; ++j) {
        largest = std::max(largest, values[i + j * inner]);
      }
      for (int64_t j = 0; j < length; ++j) {
        double& value = values[i + j * inner];
        value = std::exp(value - largest);
        sum += value;
      }
      for (int64_t j = 0; j < length; ++j) values[i + j * inner] /= sum;
    }
  }
  return FromDoubles(values, instruction.shape());
}

// (array, scale, shift) over the last dimension; without shift, or without
// both.
absl::StatusOr<Literal> LayerNorm(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  CallShapes call(instruction, operands);
  call.Expect(operands.size() >= 1 && operands.size() <= 3,
              "takes an array, scale and shift");
  if (!call.ok() || !call.TakesArrays(operands.size())) return call.status();
  call.Rank(0, 1);
  HLOKIT_ASSIGN_OR_RETURN(CustomCallConfig config,
                          CustomCallConfig::Of(instruction));
  const DimensionVector sizes = SizesOf(*operands[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    const PrimitiveType type = operands[i]->element_type();
    call.Expect(IsFloatType(type), "takes floats");
    if (i > 0) call.Operand(i, type, {sizes.empty() ? 0 : sizes.back()});
  }
  call.Result(0, 1, instruction.shape().element_type(), sizes);
  if (!call.ok()) return call.status();
  // The 32 bits of the number, as an integer.
  const double epsilon = std::bit_cast<float>(static_cast<int32_t>(
      config.Int("onednn_layer_norm_config.epsilon_typecast", 0)));
  std::vector<std::vector<double>> in;
  for (const Literal* operand : operands) {
    HLOKIT_ASSIGN_OR_RETURN(std::vector<double> values, Doubles(*operand));
    in.push_back(std::move(values));
  }
  const int64_t length = sizes.back(), total = in[0].size();
  for (int64_t start = 0; start < total; start += length) {
    double* x = &in[0][start];
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < length; ++i) mean += x[i] / length;
    for (int64_t i = 0; i < length; ++i) {
      variance += (x[i] - mean) * (x[i] - mean) / length;
    }
    for (int64_t i = 0; i < length; ++i) {
      x[i] = (x[i] - mean) / std::sqrt(variance + epsilon);
      if (in.size() > 1) x[i] *= in[1][i];
      if (in.size() > 2) x[i] += in[2][i];
    }
  }
  return FromDoubles(in[0], instruction.shape());
}

// [batch..., m, k] x [batch..., k, n], each side perhaps transposed. Epilogues
// are not supported.
absl::StatusOr<Literal> MatMulCall(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(CustomCallConfig config,
                          CustomCallConfig::Of(instruction));
  const std::string prefix = "onednn_matmul_config.";
  const std::string fused =
      config.String(prefix + "optimization_config.ops") +
      config.String(prefix + "fusions.ops");
  if (operands.size() != 2 || (!fused.empty() && fused != "[]")) {
    return Unimplemented("%s with fused operations %s",
                         instruction.custom_call_target(), fused);
  }
  CallShapes call(instruction, operands);
  if (!call.TakesArrays(2)) return call.status();
  call.Rank(0, 2);
  call.Rank(1, 2);
  if (!call.ok()) return call.status();
  DimensionVector a = SizesOf(*operands[0]), b = SizesOf(*operands[1]);
  const int64_t rank = a.size();
  DimensionVector left(rank), right(rank);
  for (int64_t i = 0; i < rank; ++i) left[i] = right[i] = i;
  if (config.Bool(prefix + "transpose_a")) {
    std::swap(a[rank - 2], a[rank - 1]);
    std::swap(left[rank - 2], left[rank - 1]);
  }
  call.Expect(a.size() == b.size(), "takes operands of one rank");
  if (!call.ok()) return call.status();
  if (config.Bool(prefix + "transpose_b")) {
    std::swap(b[rank - 2], b[rank - 1]);
    std::swap(right[rank - 2], right[rank - 1]);
  }
  const int64_t m = a[rank - 2], k = a[rank - 1], n = b[rank - 1];
  call.Expect(std::equal(a.begin(), a.end() - 2, b.begin()) && b[rank - 2] == k,
              "operands do not fit each other");
  DimensionVector sizes = a;
  sizes.back() = n;
  const Shape& shape = instruction.shape();
  call.Result(0, 1, shape.element_type(), sizes);
  if (!call.ok()) return call.status();
  const PrimitiveType type =
      ProductType(operands[0]->element_type(), operands[1]->element_type(),
                  shape.element_type());
  HLOKIT_ASSIGN_OR_RETURN(Literal lhs, Arrange(*operands[0], left, type));
  HLOKIT_ASSIGN_OR_RETURN(Literal rhs, Arrange(*operands[1], right, type));
  Literal sums = Literal::Zeros(Shape::ArrayWithDescendingLayout(type, sizes));
  DispatchProductType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t matrices =
        m * n == 0 ? 0 : sums.element_count() / (m * n);
    for (int64_t i = 0; i < matrices; ++i) {
      MatMul(m, n, k, lhs.data<T>().data() + i * m * k, k,
             rhs.data<T>().data() + i * k * n, n,
             sums.mutable_data<T>().data() + i * m * n, n);
    }
  });
  return FromProducts(std::move(sums), shape);
}

}  // namespace

absl::Span<const CustomCallTarget> OneDnnTargets() {
  static constexpr CustomCallTarget kTargets[] = {
      {"__onednn$layernorm", &LayerNorm},
      {"__onednn$matmul", &MatMulCall},
      {"__onednn$softmax", &Softmax},
  };
  return kTargets;
}

}  // namespace hlokit::interpreter
