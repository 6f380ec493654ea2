// The interpreter: runs a module instruction by instruction, as the operations'
// definitions say. Clear before fast; it is the truth that faster backends are
// checked against.
//
// Each opcode has one kernel, a function of the instruction and its operands'
// values; kernels.def lists them. A kernel file holds one op family.
#ifndef HLOKIT_BACKENDS_INTERPRETER_EVALUATOR_H_
#define HLOKIT_BACKENDS_INTERPRETER_EVALUATOR_H_

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit::custom_call {
class CustomCallRun;
}

namespace hlokit::interpreter {

class Context;
struct Plan;
struct PlanStep;

// Computes the value of `instruction`. Operands' literals have the shapes of
// the operand instructions (dynamic sizes set where dimensions are dynamic).
// The result has the instruction's shape, layout included.
using Kernel = absl::StatusOr<Literal> (*)(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands);

// Null for opcodes that one device cannot execute.
Kernel KernelOf(Opcode opcode);

// The state of one execution. Not thread-safe.
class Context {
 public:
  explicit Context(const ExecuteOptions& options);
  ~Context();

  // Runs a computation on arguments by parameter number. Nested too deep (1000)
  // or too many steps is an error. Arguments that are handed over (the first
  // form) may be changed in place.
  absl::StatusOr<Literal> Call(const Computation& computation,
                               std::vector<Literal> arguments);
  absl::StatusOr<Literal> Call(const Computation& computation,
                               absl::Span<const Literal> arguments);
  absl::StatusOr<Literal> Call(const Computation& computation,
                               absl::Span<const Literal* const> arguments);
  // One instruction on given operand values.
  absl::StatusOr<Literal> Run(const Instruction& instruction,
                              absl::Span<const Literal* const> operands);

  // Operand `i` of the instruction whose kernel runs now, for a kernel that
  // changes or keeps it: moved out of the frame when nobody needs it any more
  // (then *operands[i] is gone), else a copy that shares its data. `operands`
  // must be what the kernel was given.
  Literal TakeOperand(absl::Span<const Literal* const> operands, int64_t i);
  // Whether TakeOperand would move it.
  bool OperandDies(absl::Span<const Literal* const> operands,
                   int64_t i) const {
    return operands.data() == current_operands_ && current_dies_[i];
  }

  // What a library call computes as plain HLO; kept until this object goes.
  absl::StatusOr<const Computation*> LibraryCallBody(const Instruction& call);

  const ExecuteOptions& options() const { return options_; }
  // The custom-calls that libraries serve, of this execution; may be null. Must
  // outlive this object.
  custom_call::CustomCallRun* custom_calls() const { return custom_calls_; }
  void set_custom_calls(custom_call::CustomCallRun* run) {
    custom_calls_ = run;
  }
  // Counts work done in a kernel's own loop against max_steps.
  absl::Status CountSteps(int64_t steps);

  // The next value of the infeed (zeros of `shape` when there is none left).
  Literal NextInfeed(const Shape& shape);
  std::vector<Literal>& outfeed() { return outfeed_; }
  // 128-bit state of rng-get-and-update-state and of rng.
  unsigned __int128& rng_state() { return rng_state_; }

 private:
  struct Frame;
  absl::StatusOr<const Plan*> PlanOf(const Computation& computation);
  absl::Status RunStep(const PlanStep& step, Frame* frame);
  absl::Status CheckLargeResult(const PlanStep& step, const Frame& frame);
  absl::Status Observe(const PlanStep& step, const Literal& value);
  absl::Status WithPlace(absl::Status status, const Instruction& instruction);

  ExecuteOptions options_;
  custom_call::CustomCallRun* custom_calls_ = nullptr;
  int64_t steps_ = 0;
  std::unique_ptr<std::mt19937_64> roundings_;  // null: to nearest
  int depth_ = 0;
  size_t next_infeed_ = 0;
  std::vector<Literal> outfeed_;
  unsigned __int128 rng_state_ = 0x7012395;
  absl::flat_hash_map<const Computation*, std::unique_ptr<Plan>> plans_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Module>>
      library_calls_;
  // Of the kernel that runs now: its operands, and which of them die.
  const Literal* const* current_operands_ = nullptr;
  const char* current_dies_ = nullptr;
  bool error_has_place_ = false;
};

// The arguments as the entry's parameters take them: smaller arrays fill up a
// dynamic parameter's bounds. InvalidArgument when one does not fit.
absl::StatusOr<std::vector<Literal>> EntryArguments(
    const Computation& entry, absl::Span<const Literal> arguments);

// Runs the entry computation. Arguments are checked against the entry's
// parameters. Denormals are flushed as the options say while it runs; the
// thread's floating point mode is restored afterwards.
absl::StatusOr<ExecutionResult> Evaluate(const Module& module,
                                         absl::Span<const Literal> arguments,
                                         const ExecuteOptions& options = {});

// A module that is evaluated each time that it is executed. An error when a
// library's custom-call cannot be instantiated.
absl::StatusOr<std::unique_ptr<Executable>> MakeExecutable(
    std::unique_ptr<Module> module);

// The value of one instruction that has no operands but constants (or none);
// for constant folding. Denormals are kept unless told otherwise, as XLA does
// when it folds.
absl::StatusOr<Literal> EvaluateConstant(const Instruction& instruction,
                                         bool flush_denormals = false);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_EVALUATOR_H_
