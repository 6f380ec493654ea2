#include <cmath>
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/live_operands.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// The operand as [outer, features, inner].
struct Extents {
  int64_t outer = 1;
  int64_t features = 1;
  int64_t inner = 1;
  int64_t per_feature() const { return outer * inner; }

  Extents(const Shape& shape, int64_t feature_index)
      : features(shape.dimension(feature_index)) {
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (i < feature_index) outer *= shape.dimension(i);
      if (i > feature_index) inner *= shape.dimension(i);
    }
  }

  // fn(linear) for each element of a feature.
  template <typename Fn>
  void ForEach(int64_t feature, const Fn& fn) const {
    for (int64_t i = 0; i < outer; ++i) {
      const int64_t start = (i * features + feature) * inner;
      for (int64_t j = 0; j < inner; ++j) fn(start + j);
    }
  }
};

// Everything is computed in double and rounded at the end.
using Values = std::vector<double>;

absl::StatusOr<std::vector<Values>> AllValues(
    absl::Span<const Literal* const> operands) {
  std::vector<Values> result;
  for (const Literal* operand : operands) {
    HLOKIT_ASSIGN_OR_RETURN(Literal wide, WithElements(*operand, kF64));
    const auto data = wide.data<double>();
    result.emplace_back(data.begin(), data.end());
  }
  return result;
}

absl::StatusOr<Literal> FromValues(const Values& values, const Shape& shape) {
  return AsShape(Literal::Array<double>(shape.dimensions(), values), shape);
}

absl::StatusOr<Literal> TupleOf(std::initializer_list<const Values*> parts,
                                const Shape& shape) {
  std::vector<Literal> elements;
  for (const Values* part : parts) {
    HLOKIT_ASSIGN_OR_RETURN(
        Literal element,
        FromValues(*part, shape.tuple_shape(elements.size())));
    elements.push_back(std::move(element));
  }
  return WithShape(Literal::Tuple(std::move(elements)), shape);
}

double EpsilonOf(const Instruction& instruction) {
  return static_cast<float>(instruction.attrs().GetDouble(AttrId::kEpsilon));
}
Extents ExtentsOf(const Instruction& instruction, const Literal& operand) {
  return Extents(operand.shape(),
                 instruction.attrs().GetInt(AttrId::kFeatureIndex));
}

void Normalize(const Extents& e, double epsilon, const Values& scale,
               const Values& offset, const Values& mean,
               const Values& variance, Values* x) {
  for (int64_t f = 0; f < e.features; ++f) {
    const double factor = scale[f] / std::sqrt(variance[f] + epsilon);
    e.ForEach(f, [&](int64_t i) {
      (*x)[i] = ((*x)[i] - mean[f]) * factor + offset[f];
    });
  }
}

// (operand, scale, offset) -> (normalized, mean, variance)
absl::StatusOr<Literal> Training(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 const Shape& shape) {
  const Extents e = ExtentsOf(instruction, *operands[0]);
  HLOKIT_ASSIGN_OR_RETURN(std::vector<Values> in, AllValues(operands));
  const double count = static_cast<double>(e.per_feature());
  Values mean(e.features), variance(e.features);
  for (int64_t f = 0; f < e.features; ++f) {
    double sum = 0, squares = 0;
    e.ForEach(f, [&](int64_t i) { sum += in[0][i]; });
    mean[f] = sum / count;
    e.ForEach(f, [&](int64_t i) {
      squares += (in[0][i] - mean[f]) * (in[0][i] - mean[f]);
    });
    variance[f] = squares / count;
  }
  Normalize(e, EpsilonOf(instruction), in[1], in[2], mean, variance, &in[0]);
  return TupleOf({&in[0], &mean, &variance}, shape);
}

// (operand, scale, offset, mean, variance) -> normalized
absl::StatusOr<Literal> Inference(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands,
                                  const Shape& shape) {
  HLOKIT_ASSIGN_OR_RETURN(std::vector<Values> in, AllValues(operands));
  Normalize(ExtentsOf(instruction, *operands[0]), EpsilonOf(instruction),
            in[1], in[2], in[3], in[4], &in[0]);
  return FromValues(in[0], shape);
}

// (operand, scale, mean, variance, gradient of the output) -> gradients of
// (operand, scale, offset)
absl::StatusOr<Literal> Gradient(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 const Shape& shape) {
  const Extents e = ExtentsOf(instruction, *operands[0]);
  HLOKIT_ASSIGN_OR_RETURN(std::vector<Values> in, AllValues(operands));
  const Values &x = in[0], &scale = in[1], &mean = in[2], &variance = in[3];
  const Values& gradient = in[4];
  const double epsilon = EpsilonOf(instruction);
  const double count = static_cast<double>(e.per_feature());
  Values x_gradient(x.size()), scale_gradient(e.features),
      offset_gradient(e.features);
  for (int64_t f = 0; f < e.features; ++f) {
    const double inverse = 1 / std::sqrt(variance[f] + epsilon);
    double sum = 0, dot = 0;
    e.ForEach(f, [&](int64_t i) {
      sum += gradient[i];
      dot += gradient[i] * (x[i] - mean[f]);
    });
    scale_gradient[f] = dot * inverse;
    offset_gradient[f] = sum;
    e.ForEach(f, [&](int64_t i) {
      x_gradient[i] = scale[f] * inverse *
                      (gradient[i] - sum / count -
                       (x[i] - mean[f]) * inverse * inverse * dot / count);
    });
  }
  return TupleOf({&x_gradient, &scale_gradient, &offset_gradient}, shape);
}

}  // namespace

absl::StatusOr<Literal> EvalBatchNormTraining(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Training);
}

absl::StatusOr<Literal> EvalBatchNormInference(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Inference);
}

absl::StatusOr<Literal> EvalBatchNormGrad(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Gradient);
}

}  // namespace hlokit::interpreter
