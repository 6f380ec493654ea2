#include "passes/constant_evaluator.h"

#include <utility>

namespace hlokit {
namespace {

ConstantEvaluator& TheEvaluator() {
  static auto* evaluator = new ConstantEvaluator;
  return *evaluator;
}

}  // namespace

void SetConstantEvaluator(ConstantEvaluator evaluator) {
  TheEvaluator() = std::move(evaluator);
}

const ConstantEvaluator& GetConstantEvaluator() { return TheEvaluator(); }

}  // namespace hlokit
