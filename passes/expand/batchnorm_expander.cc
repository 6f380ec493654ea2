#include "passes/expand/batchnorm_expander.h"

namespace hlokit {
namespace {

// What all three forms need: the arrays in the type of computation, per-feature
// vectors spread over them, sums over everything but the features.
class Normalization {
 public:
  Normalization(Instruction* i, Emitter& e)
      : i_(i), e_(e), feature_(i->attrs().GetInt(AttrId::kFeatureIndex)) {
    const Shape& shape = i->operand(0)->shape();
    dims_ = DimsOf(i->operand(0));
    type_ = BitWidth(shape.element_type()) < 32 ? kF32 : shape.element_type();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      count_ *= shape.dimension(d);
    }
  }

  Instruction* Operand(int64_t n) {
    return e_.Convert(i_->operand(n), type_);
  }
  Instruction* Spread(Instruction* vector) {
    return e_.Broadcast(vector, {feature_}, dims_);
  }
  Instruction* Sum(Instruction* x) {
    return e_.Reduce(x, 0, others_, Opcode::kAdd);
  }
  Instruction* Mean(Instruction* x) { return OverCount(Sum(x)); }
  Instruction* OverCount(Instruction* x) {
    return e_.Divide(x, e_.Scalar(type_, static_cast<double>(count_)));
  }
  // 1 / sqrt(variance + epsilon)
  Instruction* InverseDeviation(Instruction* variance) {
    const double epsilon = i_->attrs().GetDouble(AttrId::kEpsilon);
    return e_.Unary(Opcode::kRsqrt, e_.Add(variance, epsilon));
  }
  // (x - mean) * scale / deviation + offset
  Instruction* Normalize(Instruction* x, Instruction* mean,
                         Instruction* variance, Instruction* scale,
                         Instruction* offset) {
    Instruction* factor = e_.Multiply(InverseDeviation(variance), scale);
    return e_.Add(
        e_.Multiply(e_.Subtract(x, Spread(mean)), Spread(factor)),
        Spread(offset));
  }
  Instruction* Results(absl::Span<Instruction* const> parts) {
    Values converted;
    for (size_t n = 0; n < parts.size(); ++n) {
      converted.push_back(e_.Convert(
          parts[n], i_->shape().tuple_shape(n).element_type()));
    }
    return e_.Tuple(converted);
  }

  // (x, scale, offset) -> (normalized, mean, variance)
  Instruction* Training() {
    Instruction* x = Operand(0);
    Instruction* mean = Mean(x);
    Instruction* distance = e_.Subtract(x, Spread(mean));
    Instruction* variance = Mean(e_.Multiply(distance, distance));
    return Results(
        {Normalize(x, mean, variance, Operand(1), Operand(2)), mean,
         variance});
  }
  // (x, scale, offset, mean, variance) -> normalized
  Instruction* Inference() {
    return e_.Convert(
        Normalize(Operand(0), Operand(3), Operand(4), Operand(1), Operand(2)),
        i_->shape().element_type());
  }
  // (x, scale, mean, variance, gradient) -> gradients of x, scale, offset
  Instruction* Gradient() {
    Instruction* inverse = InverseDeviation(Operand(3));
    Instruction* gradient = Operand(4);
    Instruction* distance = e_.Subtract(Operand(0), Spread(Operand(2)));
    Instruction* offset_gradient = Sum(gradient);
    Instruction* dot = Sum(e_.Multiply(gradient, distance));
    Instruction* scale_gradient = e_.Multiply(dot, inverse);
    Instruction* slope =
        OverCount(e_.Multiply(e_.Multiply(inverse, inverse), dot));
    Instruction* inner = e_.Subtract(
        e_.Subtract(gradient, Spread(OverCount(offset_gradient))),
        e_.Multiply(distance, Spread(slope)));
    Instruction* x_gradient =
        e_.Multiply(Spread(e_.Multiply(Operand(1), inverse)), inner);
    return Results({x_gradient, scale_gradient, offset_gradient});
  }

 private:
  Instruction* i_;
  Emitter& e_;
  int64_t feature_;
  std::vector<int64_t> dims_;
  std::vector<int64_t> others_;
  int64_t count_ = 1;
  PrimitiveType type_;
};

}  // namespace

bool BatchNormExpander::Matches(const Instruction& i) const {
  return (i.opcode() == Opcode::kBatchNormTraining ||
          i.opcode() == Opcode::kBatchNormInference ||
          i.opcode() == Opcode::kBatchNormGrad) &&
         IsStatic(i);
}

absl::StatusOr<Instruction*> BatchNormExpander::Expand(Instruction* i,
                                                       Emitter& e) {
  Normalization normalization(i, e);
  switch (i->opcode()) {
    case Opcode::kBatchNormTraining:
      return normalization.Training();
    case Opcode::kBatchNormInference:
      return normalization.Inference();
    default:
      return normalization.Gradient();
  }
}

}  // namespace hlokit
