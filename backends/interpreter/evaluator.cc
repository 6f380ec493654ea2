#include "backends/interpreter/evaluator.h"

#include <chrono>
#include <new>
#include <utility>

#include "backends/custom_call/call_site.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/float_mode.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/large_slices.h"
#include "backends/interpreter/plan.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "passes/analysis/expanded_size.h"
#include "passes/library_calls/library_call.h"

namespace hlokit::interpreter {
namespace {

constexpr int kMaxDepth = 1000;

absl::Status CheckArgumentCount(const Computation& computation,
                                int64_t given) {
  if (given == computation.parameter_count()) return absl::OkStatus();
  return InvalidArgument("%s takes %d arguments, not %d", computation.name(),
                         computation.parameter_count(), given);
}

// The argument as the entry's parameter takes it. Where the parameter has a
// dynamic dimension the argument may be smaller than the bound.
absl::StatusOr<Literal> EntryArgument(const Instruction& parameter,
                                      const Literal& argument) {
  if (ShapesCompatible(parameter.shape(), argument.shape())) return argument;
  if (FitsBounds(argument.shape(), parameter.shape())) {
    HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(parameter.shape(), kMaxValueBytes));
    return ExpandToBounds(argument, parameter.shape());
  }
  return InvalidArgument("argument %d is %s, but parameter %s is %s",
                         parameter.parameter_number(),
                         argument.shape().ToString(), parameter.name(),
                         parameter.shape().ToString());
}

bool DependsOnExecution(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
      return true;
    case Opcode::kCustomCall: {
      const auto handler =
          custom_call::CustomCallRegistry::Global().Find(instruction);
      return !handler.ok() || *handler != nullptr ||
             instruction.HasSideEffect();
    }
    default:
      return instruction.HasSideEffect();
  }
}

absl::StatusOr<ExecutionResult> EvaluateWith(
    const Module& module, absl::Span<const Literal> arguments,
    const ExecuteOptions& options,
    const custom_call::CustomCallSites& custom_calls) {
  if (module.entry() == nullptr) {
    return InvalidArgument("%s has no entry computation", module.name());
  }
  try {
    HLOKIT_ASSIGN_OR_RETURN(std::vector<Literal> values,
                            EntryArguments(*module.entry(), arguments));
    Context context(options);
    ScopedFloatMode mode(options.flush_denormals);
    HLOKIT_ASSIGN_OR_RETURN(const auto run, custom_calls.Begin());
    context.set_custom_calls(run.get());
    const auto start = std::chrono::steady_clock::now();
    HLOKIT_ASSIGN_OR_RETURN(Literal value,
                            context.Call(*module.entry(), std::move(values)));
    const auto end = std::chrono::steady_clock::now();
    ExecutionResult result;
    result.value = std::move(value);
    result.outfeed = std::move(context.outfeed());
    result.seconds = std::chrono::duration<double>(end - start).count();
    return result;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("%s needs more memory than there is",
                             module.name());
  }
}

class InterpreterExecutable : public Executable {
 public:
  InterpreterExecutable(
      std::unique_ptr<Module> module,
      std::unique_ptr<custom_call::CustomCallSites> custom_calls)
      : module_(std::move(module)), custom_calls_(std::move(custom_calls)) {}

  absl::StatusOr<ExecutionResult> Execute(
      absl::Span<const Literal> arguments,
      const ExecuteOptions& options) override {
    return EvaluateWith(*module_, arguments, options, *custom_calls_);
  }
  const Module& module() const override { return *module_; }

 private:
  std::unique_ptr<Module> module_;
  std::unique_ptr<custom_call::CustomCallSites> custom_calls_;
};

}  // namespace

absl::StatusOr<std::vector<Literal>> EntryArguments(
    const Computation& entry, absl::Span<const Literal> arguments) {
  HLOKIT_RETURN_IF_ERROR(CheckArgumentCount(entry, arguments.size()));
  std::vector<Literal> result;
  for (const Instruction* parameter : entry.parameters()) {
    if (parameter == nullptr) {
      return InvalidArgument("%s lacks a parameter", entry.name());
    }
    HLOKIT_ASSIGN_OR_RETURN(
        Literal argument,
        EntryArgument(*parameter, arguments[parameter->parameter_number()]));
    result.push_back(std::move(argument));
  }
  return result;
}

struct Context::Frame {
  const Plan* plan;
  std::vector<Literal> arguments;
  std::vector<Literal> slots;
  std::vector<const Literal*> operands;
};

Context::Context(const ExecuteOptions& options) : options_(options) {
  if (options.rounding_seed == 0) return;
  roundings_ = std::make_unique<std::mt19937_64>(options.rounding_seed);
}
Context::~Context() = default;

absl::StatusOr<const Plan*> Context::PlanOf(const Computation& computation) {
  std::unique_ptr<Plan>& plan = plans_[&computation];
  if (plan == nullptr) {
    HLOKIT_ASSIGN_OR_RETURN(Plan made, MakePlan(computation));
    plan = std::make_unique<Plan>(std::move(made));
  }
  return plan.get();
}

absl::Status Context::WithPlace(absl::Status status,
                                const Instruction& instruction) {
  if (status.ok() || error_has_place_) return status;
  error_has_place_ = true;
  return Annotate(status, absl::StrCat(instruction.name(), " (",
                                       OpcodeName(instruction.opcode()), ")"));
}

absl::Status Context::Observe(const PlanStep& step, const Literal& value) {
  if (depth_ != 1 || !options_.observer) return absl::OkStatus();
  return options_.observer(*step.instruction, value);
}

// Large results need memory that the machine has, unless an operand dies that
// may lend its own.
absl::Status Context::CheckLargeResult(const PlanStep& step,
                                       const Frame& frame) {
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const Literal& operand = *frame.operands[i];
    if (frame.plan->operand_dies[step.first_operand + i] &&
        operand.shape().IsArray() && operand.size_bytes() == step.large_bytes) {
      return absl::OkStatus();
    }
  }
  return CheckMemory(step.large_bytes,
                     step.instruction->shape().ToString(false));
}

absl::Status Context::RunStep(const PlanStep& step, Frame* frame) {
  const Instruction& instruction = *step.instruction;
  Literal& value = frame->slots[&step - frame->plan->steps.data()];
  if (step.kernel == nullptr) {
    value = WithShape(
        std::move(frame->arguments[instruction.parameter_number()]),
        instruction.shape());
    return Observe(step, value);
  }
  HLOKIT_RETURN_IF_ERROR(CountSteps(1));
  const uint32_t* slots = frame->plan->operand_slots.data() + step.first_operand;
  const char* dies = frame->plan->operand_dies.data() + step.first_operand;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    frame->operands[i] = &frame->slots[slots[i]];
  }
  current_operands_ = frame->operands.data();
  current_dies_ = dies;
  if (step.large_bytes > 0) {
    const absl::Status memory = CheckLargeResult(step, *frame);
    if (!memory.ok()) return WithPlace(memory, instruction);
  }
  if (roundings_ != nullptr) {
    ScopedFloatMode::RoundUp(((*roundings_)() & 1) != 0);
  }
  absl::StatusOr<Literal> result = step.kernel(
      *this, instruction,
      absl::MakeConstSpan(frame->operands.data(), step.operand_count));
  if (!result.ok()) return WithPlace(result.status(), instruction);
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    if (dies[i]) frame->slots[slots[i]] = Literal();
  }
  HLOKIT_RETURN_IF_ERROR(Observe(step, *result));
  if (!step.unused) value = *std::move(result);
  return absl::OkStatus();
}

absl::StatusOr<Literal> Context::Call(const Computation& computation,
                                      std::vector<Literal> arguments) {
  if (depth_ >= kMaxDepth) {
    return ResourceExhausted("calls are nested deeper than %d", kMaxDepth);
  }
  HLOKIT_RETURN_IF_ERROR(CheckArgumentCount(computation, arguments.size()));
  HLOKIT_ASSIGN_OR_RETURN(const Plan* plan, PlanOf(computation));
  Frame frame;
  frame.plan = plan;
  frame.arguments = std::move(arguments);
  frame.slots.resize(plan->steps.size());
  frame.operands.resize(plan->max_operands);
  const Literal* const* outer_operands = current_operands_;
  const char* outer_dies = current_dies_;
  ++depth_;
  absl::Status status;
  for (const PlanStep& step : plan->steps) {
    status = RunStep(step, &frame);
    if (!status.ok()) break;
  }
  --depth_;
  current_operands_ = outer_operands;
  current_dies_ = outer_dies;
  if (!status.ok()) return status;
  return std::move(frame.slots[plan->root_slot]);
}

absl::StatusOr<Literal> Context::Call(const Computation& computation,
                                      absl::Span<const Literal> arguments) {
  return Call(computation,
              std::vector<Literal>(arguments.begin(), arguments.end()));
}

absl::StatusOr<Literal> Context::Call(
    const Computation& computation,
    absl::Span<const Literal* const> arguments) {
  std::vector<Literal> copies;
  copies.reserve(arguments.size());
  for (const Literal* argument : arguments) copies.push_back(*argument);
  return Call(computation, std::move(copies));
}

absl::StatusOr<Literal> Context::Run(
    const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Kernel kernel = KernelOf(instruction.opcode());
  if (kernel == nullptr) {
    return Unimplemented("the interpreter cannot execute %s",
                         OpcodeName(instruction.opcode()));
  }
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(instruction.shape(), kMaxValueBytes));
  HLOKIT_RETURN_IF_ERROR(CountSteps(1));
  absl::StatusOr<Literal> result = kernel(*this, instruction, operands);
  if (!result.ok()) return WithPlace(result.status(), instruction);
  return result;
}

Literal Context::TakeOperand(absl::Span<const Literal* const> operands,
                             int64_t i) {
  if (OperandDies(operands, i)) {
    // Slots of the frame are not const.
    return std::move(*const_cast<Literal*>(operands[i]));
  }
  return *operands[i];
}

absl::StatusOr<const Computation*> Context::LibraryCallBody(
    const Instruction& call) {
  std::unique_ptr<Module>& module = library_calls_[&call];
  if (module == nullptr) {
    HLOKIT_ASSIGN_OR_RETURN(module, LowerLibraryCall(call));
  }
  return module->entry();
}

absl::Status Context::CountSteps(int64_t steps) {
  steps_ += steps;
  if (options_.max_steps <= 0 || steps_ <= options_.max_steps) {
    return absl::OkStatus();
  }
  return ResourceExhausted("more than %d steps", options_.max_steps);
}

Literal Context::NextInfeed(const Shape& shape) {
  if (next_infeed_ >= options_.infeed.size()) return Literal::Zeros(shape);
  return options_.infeed[next_infeed_++];
}

absl::StatusOr<ExecutionResult> Evaluate(const Module& module,
                                         absl::Span<const Literal> arguments,
                                         const ExecuteOptions& options) {
  HLOKIT_RETURN_IF_ERROR(CheckExpandedSize(module));
  HLOKIT_ASSIGN_OR_RETURN(const auto custom_calls,
                          custom_call::CustomCallSites::Create(module));
  return EvaluateWith(module, arguments, options, *custom_calls);
}

absl::StatusOr<std::unique_ptr<Executable>> MakeExecutable(
    std::unique_ptr<Module> module) {
  HLOKIT_RETURN_IF_ERROR(CheckExpandedSize(*module));
  ReadThroughLargeConcatenates(module.get());
  HLOKIT_ASSIGN_OR_RETURN(auto custom_calls,
                          custom_call::CustomCallSites::Create(*module));
  return std::make_unique<InterpreterExecutable>(std::move(module),
                                                 std::move(custom_calls));
}

absl::StatusOr<Literal> EvaluateConstant(const Instruction& instruction,
                                         bool flush_denormals) {
  std::vector<const Literal*> operands;
  for (const Instruction* operand : instruction.operands()) {
    if (operand->opcode() != Opcode::kConstant ||
        operand->literal() == nullptr) {
      return FailedPrecondition("operand %s of %s is no constant",
                                operand->name(), instruction.name());
    }
    operands.push_back(operand->literal());
  }
  if (DependsOnExecution(instruction)) {
    return FailedPrecondition("the value of %s is not constant",
                              instruction.name());
  }
  const int arity = InfoOf(instruction.opcode()).arity;
  if (arity >= 0 && instruction.operand_count() != arity) {
    return InvalidArgument("%s has %d operands", instruction.name(),
                           instruction.operand_count());
  }
  HLOKIT_RETURN_IF_ERROR(CheckExpandedSize(instruction));
  try {
    ExecuteOptions options;
    options.flush_denormals = flush_denormals;
    const ScopedFloatMode mode(flush_denormals);
    Context context(options);
    return context.Run(instruction, operands);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("%s needs more memory than there is",
                             instruction.name());
  }
}

}  // namespace hlokit::interpreter
