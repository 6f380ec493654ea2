#include "backends/interpreter/combiner.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace hlokit::interpreter {
namespace {

bool IsCombiningOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

// The number of the parameter that `instruction` is, or -1.
int64_t ParameterNumber(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kParameter
             ? instruction.parameter_number()
             : -1;
}

ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    default:
      return direction;
  }
}

bool Same(absl::Span<const PrimitiveType> a,
          absl::Span<const PrimitiveType> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

absl::InlinedVector<PrimitiveType, 4> ParameterTypes(
    const Computation& computation) {
  absl::InlinedVector<PrimitiveType, 4> types;
  for (const Instruction* parameter : computation.parameters()) {
    types.push_back(parameter == nullptr ? kInvalid
                                         : parameter->shape().element_type());
  }
  return types;
}

absl::InlinedVector<PrimitiveType, 4> ResultTypes(
    const Computation& computation) {
  if (computation.root() == nullptr) return {};
  const Shape& shape = computation.root()->shape();
  if (!shape.IsTuple()) return {shape.element_type()};
  absl::InlinedVector<PrimitiveType, 4> types;
  for (const Shape& element : shape.tuple_shapes()) {
    types.push_back(element.element_type());
  }
  return types;
}

Combiner RecognizeCombiner(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr || computation.parameter_count() != 2) return {};
  if (!root->shape().IsScalar()) return {};
  Combiner result;
  result.type = root->shape().element_type();
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter == nullptr || !parameter->shape().IsScalar() ||
        parameter->shape().element_type() != result.type) {
      return {};
    }
  }
  if (ParameterNumber(*root) >= 0) {
    result.kind = ParameterNumber(*root) == 0 ? Combiner::kFirst
                                              : Combiner::kSecond;
    return result;
  }
  if (!IsCombiningOpcode(root->opcode()) || root->operand_count() != 2) {
    return {};
  }
  const int64_t a = ParameterNumber(*root->operand(0));
  const int64_t b = ParameterNumber(*root->operand(1));
  if (std::min(a, b) != 0 || std::max(a, b) != 1) return {};
  result.kind = Combiner::kBinary;
  result.opcode = root->opcode();
  return result;
}

std::optional<Comparison> RecognizeComparison(const Computation& computation,
                                              int64_t first, int64_t second) {
  const Instruction* root = computation.root();
  if (root == nullptr || root->opcode() != Opcode::kCompare ||
      root->operand_count() != 2) {
    return std::nullopt;
  }
  const Instruction& a = *root->operand(0);
  const Instruction& b = *root->operand(1);
  if (!a.shape().IsScalar() || !b.shape().IsScalar() ||
      a.shape().element_type() != b.shape().element_type()) {
    return std::nullopt;
  }
  Comparison result{root->comparison_direction(), root->comparison_type(),
                    a.shape().element_type()};
  if (ParameterNumber(a) == first && ParameterNumber(b) == second) {
    return result;
  }
  if (ParameterNumber(a) == second && ParameterNumber(b) == first) {
    result.direction = Mirrored(result.direction);
    return result;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<ScalarFunction>> MakeScalarFunction(
    Context& context, const Computation& computation,
    absl::Span<const PrimitiveType> parameters,
    absl::Span<const PrimitiveType> results) {
  if (!Same(ParameterTypes(computation), parameters) ||
      !Same(ResultTypes(computation), results)) {
    return InvalidArgument("%s does not take or give the right types",
                           computation.name());
  }
  return ScalarFunction::Create(context, computation);
}

}  // namespace hlokit::interpreter
