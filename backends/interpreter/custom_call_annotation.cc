#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/custom_call_config.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// The operand, or a tuple of the operands. Targets that change shapes do so
// only where several devices share the values.
absl::StatusOr<Literal> HandOperandsOn(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  Literal result;
  if (operands.size() == 1 &&
      ShapesCompatible(operands[0]->shape(), shape)) {
    result = *operands[0];
  } else {
    std::vector<Literal> parts;
    for (const Literal* operand : operands) parts.push_back(*operand);
    result = Literal::Tuple(std::move(parts));
  }
  if (ShapesCompatible(result.shape(), shape)) return result;
  return Unimplemented(
      "custom-call target \"%s\" makes %s of %s, which takes several devices",
      instruction.custom_call_target(), shape.ToString(),
      result.shape().ToString());
}

// Operand 0 must be true; the others are what the message speaks of.
absl::StatusOr<Literal> ShapeAssertion(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands.empty() || operands[0]->element_type() != kPred ||
      operands[0]->element_count() != 1) {
    return InvalidArgument("shape_assertion takes a pred first");
  }
  if (operands[0]->First<bool>()) return Literal::Zeros(instruction.shape());
  std::string message = "shape assertion failed";
  absl::StatusOr<CustomCallConfig> config = CustomCallConfig::Of(instruction);
  if (config.ok()) message = config->String("error_message", message);
  for (size_t i = 1; i < operands.size(); ++i) {
    if (!operands[i]->shape().IsScalar()) continue;
    const std::string number = absl::StrCat(operands[i]->GetAsInt64(0));
    message = absl::StrReplaceAll(
        message, {{absl::StrCat("{", i - 1, "}"), number}});
  }
  return InvalidArgument("%s", message);
}

}  // namespace

absl::Span<const CustomCallTarget> AnnotationTargets() {
  static constexpr CustomCallTarget kTargets[] = {
      {"AssumeGatherIndicesInBound", &HandOperandsOn},
      {"InspectSharding", &HandOperandsOn},
      {"LayoutConstraint", &HandOperandsOn},
      {"MoveToDevice", &HandOperandsOn},
      {"MoveToHost", &HandOperandsOn},
      {"Pin", &HandOperandsOn},
      {"PinToDevice", &HandOperandsOn},
      {"PinToDeviceSram", &HandOperandsOn},
      {"SPMDFullToShardShape", &HandOperandsOn},
      {"SPMDShardToFullShape", &HandOperandsOn},
      {"Sharding", &HandOperandsOn},
      {"Unpin", &HandOperandsOn},
      {"annotate_device_placement", &HandOperandsOn},
      {"shape_assertion", &ShapeAssertion},
      {"xla.sdy.FuncResultSharding", &HandOperandsOn},
      {"xla.sdy.GlobalToLocalShape", &HandOperandsOn},
      {"xla.sdy.LocalToGlobalShape", &HandOperandsOn},
      {"xla.sdy.PropagationBarrier", &HandOperandsOn},
      {"xla.sdy.ShardingGroup", &HandOperandsOn},
  };
  return kTargets;
}

}  // namespace hlokit::interpreter
