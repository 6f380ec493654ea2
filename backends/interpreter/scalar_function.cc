#include "backends/interpreter/scalar_function.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/reduce_precision.h"
#include "base/status.h"
#include "hlo/ir/module.h"

namespace hlokit::interpreter {
namespace {

constexpr int kMaxInputs = 3;
constexpr int kMaxSteps = 4096;
constexpr int kMaxInlining = 32;

// One operation: inputs and output point into the registers.
struct Step {
  void (*run)(const Step& step) = nullptr;
  const char* inputs[kMaxInputs] = {};
  char* output = nullptr;
  ElementFunction function;
  // Of convert; of reduce-precision `from` with the widths.
  PrimitiveType from = kInvalid;
  PrimitiveType to = kInvalid;
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;
};

void RunLoop(const Step& step) {
  step.function.loop(step.inputs, step.output, 1);
}
void RunDecoded(const Step& step) {
  step.function(step.inputs, step.output, 1);
}
void RunConvert(const Step& step) {
  ConvertElements(step.from, step.inputs[0], step.to, step.output, 1);
}
void RunReducePrecision(const Step& step) {
  ReducePrecision(step.from, step.exponent_bits, step.mantissa_bits,
                  step.inputs[0], step.output, 1);
}

// Steps over registers; the parameters are the first of them.
class StepFunction : public ScalarFunction {
 public:
  StepFunction(std::vector<ScalarValue> registers, std::vector<Step> steps,
               int64_t parameters, std::vector<int> results)
      : registers_(std::move(registers)),
        steps_(std::move(steps)),
        parameters_(parameters),
        results_(std::move(results)) {}

  // Steps come with register numbers in place of pointers.
  void Link(absl::Span<const std::array<int, kMaxInputs>> inputs,
            absl::Span<const int> outputs) {
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (int k = 0; k < kMaxInputs; ++k) {
        if (inputs[i][k] >= 0) {
          steps_[i].inputs[k] = registers_[inputs[i][k]].bytes;
        }
      }
      steps_[i].output = registers_[outputs[i]].bytes;
    }
  }

  absl::Status Call(absl::Span<const ScalarValue> arguments,
                    absl::Span<ScalarValue> results) override {
    HLOKIT_CHECK(static_cast<int64_t>(arguments.size()) == parameters_ &&
                 results.size() == results_.size());
    for (size_t i = 0; i < arguments.size(); ++i) registers_[i] = arguments[i];
    for (const Step& step : steps_) step.run(step);
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = registers_[results_[i]];
    }
    return absl::OkStatus();
  }

 private:
  std::vector<ScalarValue> registers_;
  std::vector<Step> steps_;
  int64_t parameters_;
  std::vector<int> results_;
};

// The register of a scalar, or the parts of a tuple.
struct Value {
  int reg = -1;
  std::vector<Value> parts;
};

// Translates a computation. Every function returns false where there is
// something that has no steps; the computation is then interpreted.
class Translator {
 public:
  std::unique_ptr<ScalarFunction> Translate(const Computation& computation) {
    std::vector<Value> parameters(computation.parameter_count());
    for (Value& parameter : parameters) parameter.reg = NewRegister();
    Value root;
    if (!Inline(computation, parameters, 0, &root)) return nullptr;
    std::vector<int> results;
    if (root.reg >= 0) {
      results.push_back(root.reg);
    } else {
      for (const Value& part : root.parts) {
        if (part.reg < 0) return nullptr;
        results.push_back(part.reg);
      }
    }
    auto function = std::make_unique<StepFunction>(
        std::move(registers_), std::move(steps_), parameters.size(),
        std::move(results));
    function->Link(inputs_, outputs_);
    return function;
  }

 private:
  using Values = absl::flat_hash_map<const Instruction*, Value>;

  int NewRegister() {
    registers_.emplace_back();
    return static_cast<int>(registers_.size()) - 1;
  }

  int AddStep(const Step& step, std::initializer_list<int> inputs) {
    std::array<int, kMaxInputs> numbers;
    numbers.fill(-1);
    std::copy(inputs.begin(), inputs.end(), numbers.begin());
    steps_.push_back(step);
    inputs_.push_back(numbers);
    outputs_.push_back(NewRegister());
    return outputs_.back();
  }

  bool Inline(const Computation& computation, absl::Span<const Value> arguments,
              int depth, Value* root) {
    if (depth > kMaxInlining || computation.root() == nullptr ||
        computation.parameter_count() !=
            static_cast<int64_t>(arguments.size())) {
      return false;
    }
    Values values;
    for (const Instruction* instruction :
         computation.module()->ExecutionOrder(computation)) {
      if (steps_.size() > kMaxSteps) return false;
      Value value;
      if (!Add(*instruction, arguments, depth, values, &value)) return false;
      values[instruction] = std::move(value);
    }
    const auto it = values.find(computation.root());
    if (it == values.end()) return false;
    *root = it->second;
    return true;
  }

  bool Add(const Instruction& instruction, absl::Span<const Value> arguments,
           int depth, const Values& values, Value* value) {
    std::vector<Value> operands;
    for (const Instruction* operand : instruction.operands()) {
      const auto it = values.find(operand);
      if (it == values.end()) return false;
      operands.push_back(it->second);
    }
    const int arity = InfoOf(instruction.opcode()).arity;
    if (arity >= 0 && arity != static_cast<int>(operands.size())) return false;
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        *value = arguments[instruction.parameter_number()];
        return true;
      case Opcode::kTuple:
        value->parts = std::move(operands);
        return true;
      case Opcode::kGetTupleElement:
        return Part(operands[0], instruction.tuple_index(), value);
      case Opcode::kCall:
      case Opcode::kFusion:
        return instruction.called_computations().size() == 1 &&
               Inline(*instruction.to_apply(), operands, depth + 1, value);
      default:
        return instruction.shape().IsScalar() &&
               AddScalar(instruction, operands, &value->reg);
    }
  }

  static bool Part(const Value& tuple, int64_t index, Value* value) {
    if (index < 0 || index >= static_cast<int64_t>(tuple.parts.size())) {
      return false;
    }
    *value = tuple.parts[index];
    return true;
  }

  bool AddScalar(const Instruction& instruction,
                 absl::Span<const Value> operands, int* reg) {
    for (const Value& operand : operands) {
      if (operand.reg < 0) return false;
    }
    for (const Instruction* operand : instruction.operands()) {
      if (!operand->shape().IsScalar()) return false;
    }
    const PrimitiveType type = instruction.shape().element_type();
    switch (instruction.opcode()) {
      case Opcode::kConstant:
        return AddConstant(instruction, reg);
      case Opcode::kConvert:
        *reg = Convert(operands[0].reg, TypeOf(instruction, 0), type);
        return true;
      case Opcode::kReducePrecision:
        return AddReducePrecision(instruction, operands[0].reg, reg);
      case Opcode::kBitcastConvert:
        return HandOn(BitWidth(TypeOf(instruction, 0)) == BitWidth(type) &&
                          BitWidth(type) >= 8 && type != kPred,
                      operands, reg);
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kCopy:
      case Opcode::kOptBarrier:
      case Opcode::kReshape:
      case Opcode::kTranspose:
        return HandOn(TypeOf(instruction, 0) == type, operands, reg);
      default:
        return AddElementwise(instruction, operands, reg);
    }
  }

  static PrimitiveType TypeOf(const Instruction& instruction, int64_t i) {
    return instruction.operand(i)->shape().element_type();
  }

  static bool HandOn(bool allowed, absl::Span<const Value> operands,
                     int* reg) {
    *reg = operands[0].reg;
    return allowed;
  }

  bool AddConstant(const Instruction& instruction, int* reg) {
    const Literal* literal = instruction.literal();
    if (literal == nullptr ||
        !ShapesCompatible(literal->shape(), instruction.shape())) {
      return false;
    }
    *reg = NewRegister();
    registers_[*reg].Load(literal->untyped_data(), literal->size_bytes(), 0);
    return true;
  }

  int Convert(int reg, PrimitiveType from, PrimitiveType to) {
    if (from == to) return reg;
    Step step;
    step.run = &RunConvert;
    step.from = from;
    step.to = to;
    return AddStep(step, {reg});
  }

  bool AddReducePrecision(const Instruction& instruction, int operand,
                          int* reg) {
    Step step;
    step.run = &RunReducePrecision;
    step.from = TypeOf(instruction, 0);
    step.exponent_bits = instruction.attrs().GetInt(AttrId::kExponentBits);
    step.mantissa_bits = instruction.attrs().GetInt(AttrId::kMantissaBits);
    *reg = AddStep(step, {operand});
    return IsFloatType(step.from) && step.exponent_bits >= 1 &&
           step.mantissa_bits >= 0 &&
           step.from == instruction.shape().element_type();
  }

  // The type that the operands from `first` on are computed in.
  static PrimitiveType CommonOperandType(const Instruction& instruction,
                                         int64_t first) {
    PrimitiveType type = TypeOf(instruction, first);
    for (int64_t i = first + 1; i < instruction.operand_count(); ++i) {
      if (TypeOf(instruction, i) != type) {
        type = HigherPrecision(type, TypeOf(instruction, i));
      }
    }
    return type;
  }

  static ElementFunction FunctionOf(const Instruction& instruction,
                                    PrimitiveType type) {
    switch (instruction.opcode()) {
      case Opcode::kCompare:
        return CompareFunction(instruction.comparison_direction(),
                               instruction.comparison_type(), type);
      case Opcode::kClamp:
        return ClampFunction(type);
      case Opcode::kSelect:
        return SelectFunction(type);
      default:
        return instruction.operand_count() == 1
                   ? UnaryFunction(instruction.opcode(), type)
                   : BinaryFunction(instruction.opcode(), type);
    }
  }

  bool AddElementwise(const Instruction& instruction,
                      absl::Span<const Value> operands, int* reg) {
    if (operands.empty() || operands.size() > kMaxInputs) return false;
    const bool select = instruction.opcode() == Opcode::kSelect;
    if (select && TypeOf(instruction, 0) != kPred) return false;
    const PrimitiveType type = CommonOperandType(instruction, select ? 1 : 0);
    Step step;
    step.function = FunctionOf(instruction, type);
    if (!step.function ||
        step.function.arity != static_cast<int>(operands.size())) {
      return false;
    }
    step.run = step.function.decode == kInvalid ? &RunLoop : &RunDecoded;
    int inputs[kMaxInputs] = {-1, -1, -1};
    for (size_t i = 0; i < operands.size(); ++i) {
      inputs[i] = select && i == 0 ? operands[i].reg
                                   : Convert(operands[i].reg,
                                             TypeOf(instruction, i), type);
    }
    const int result = AddStep(step, {inputs[0], inputs[1], inputs[2]});
    *reg = Convert(result, step.function.result_type,
                   instruction.shape().element_type());
    return true;
  }

  std::vector<ScalarValue> registers_;
  std::vector<Step> steps_;
  std::vector<std::array<int, kMaxInputs>> inputs_;
  std::vector<int> outputs_;
};

// Runs the interpreter at each call.
class InterpretedFunction : public ScalarFunction {
 public:
  InterpretedFunction(Context& context, const Computation& computation)
      : context_(context), computation_(computation) {}

  absl::Status Call(absl::Span<const ScalarValue> arguments,
                    absl::Span<ScalarValue> results) override {
    std::vector<Literal> literals;
    literals.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Shape& shape = computation_.parameter(i)->shape();
      literals.push_back(Literal::Zeros(shape));
      arguments[i].Store(literals.back().mutable_untyped_data(),
                         StorageBytes(shape.element_type()), 0);
    }
    HLOKIT_ASSIGN_OR_RETURN(const Literal value,
                            context_.Call(computation_, std::move(literals)));
    const absl::Span<const Literal> parts =
        value.shape().IsTuple() ? value.elements()
                                : absl::MakeConstSpan(&value, 1);
    if (parts.size() != results.size()) {
      return InvalidArgument("%s gives %s", computation_.name(),
                             value.shape().ToString());
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].shape().IsScalar()) {
        return InvalidArgument("%s gives %s", computation_.name(),
                               value.shape().ToString());
      }
      results[i].Load(parts[i].untyped_data(), parts[i].size_bytes(), 0);
    }
    return absl::OkStatus();
  }

 private:
  Context& context_;
  const Computation& computation_;
};

absl::Status CheckScalars(const Computation& computation) {
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter == nullptr || !parameter->shape().IsScalar()) {
      return InvalidArgument("%s has a parameter that is no scalar",
                             computation.name());
    }
  }
  if (computation.root() == nullptr) {
    return InvalidArgument("%s has no root", computation.name());
  }
  const Shape& result = computation.root()->shape();
  if (result.IsScalar()) return absl::OkStatus();
  for (const Shape& part : result.tuple_shapes()) {
    if (!part.IsScalar()) {
      return InvalidArgument("%s gives %s instead of scalars",
                             computation.name(), result.ToString());
    }
  }
  if (result.IsTuple()) return absl::OkStatus();
  return InvalidArgument("%s gives %s instead of a scalar", computation.name(),
                         result.ToString());
}

}  // namespace

absl::StatusOr<std::unique_ptr<ScalarFunction>> ScalarFunction::Create(
    Context& context, const Computation& computation) {
  HLOKIT_RETURN_IF_ERROR(CheckScalars(computation));
  std::unique_ptr<ScalarFunction> function =
      Translator().Translate(computation);
  if (function == nullptr) {
    function = std::make_unique<InterpretedFunction>(context, computation);
  }
  return function;
}

}  // namespace hlokit::interpreter
