// What passes/test_util.h says about execution, for the tests of passes/, which
// may not include a backend.
#include <utility>
#include <vector>

#include "backends/interpreter/evaluator.h"
#include "passes/constant_evaluator.h"
#include "passes/test_util.h"

namespace hlokit {

absl::StatusOr<Literal> ExecuteModule(const Module& module,
                                      const std::vector<Literal>& arguments,
                                      int64_t max_steps,
                                      bool flush_denormals) {
  ExecuteOptions options;
  options.flush_denormals = flush_denormals;
  options.max_steps = max_steps;
  auto result = interpreter::Evaluate(module, arguments, options);
  if (!result.ok()) return result.status();
  return std::move(result->value);
}

void UseInterpreterForConstants() {
  SetConstantEvaluator(&interpreter::EvaluateConstant);
}

}  // namespace hlokit
