// What executes modules: the one interface that the interpreter, the CPU
// compiler, CUDA and PJRT plugins have in common.
//
//   HLOKIT_ASSIGN_OR_RETURN(Backend* backend, BackendByName("interpreter"));
//   HLOKIT_ASSIGN_OR_RETURN(auto executable,
//                           backend->Compile(std::move(module), {}));
//   HLOKIT_ASSIGN_OR_RETURN(ExecutionResult r, executable->Execute(arguments, {}));
#ifndef HLOKIT_BACKENDS_BACKEND_H_
#define HLOKIT_BACKENDS_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "passes/pass.h"

namespace hlokit {

struct CompileOptions {
  // Whether the module still needs the backend's passes.
  bool run_passes = true;
  // Which of them run; without one that a backend needs, the module runs in the
  // interpreter or is refused.
  PassSelection passes;
  // Is given each pipeline before it runs on the module: to observe it.
  std::function<void(Pipeline* pipeline, const Module& module)> on_pipeline;
  // xla_backend_optimization_level: 0 to 3, of code generators.
  int optimization_level = 3;
  // xla_cpu_max_isa: an instruction set ("AVX2") beyond which compiled code
  // does not go; empty, or a word that is none: whatever the processor has.
  std::string max_isa;
  // What generated arithmetic of floats may do and take for granted:
  // xla_cpu_enable_fast_math, without which the others mean nothing, and
  // xla_cpu_fast_math_honor_... .
  struct FastMath {
    bool enabled = false;
    bool honor_nans = true;
    bool honor_infs = true;
    bool honor_division = true;
    bool honor_functions = true;
  };
  FastMath fast_math;
  // Where machine code is kept for the next time, found again by what it was
  // made from; empty: nowhere. Processes may share it.
  std::string cache_dir;
  // Is given what a compiler makes on its way, under the name that XLA's dumps
  // have ("part_00.ir-no-opt.ll"); not made when there is nobody to take it.
  std::function<void(absl::string_view suffix, absl::string_view contents)>
      artifact;
};

struct ExecuteOptions {
  // Seed of rng instructions.
  uint64_t seed = 42;
  // Denormal inputs and results of arithmetic count as zero, as XLA:CPU runs.
  bool flush_denormals = true;
  // 0: arithmetic rounds to nearest. Else each instruction rounds up or down,
  // drawn with this seed (interpreter only): results that then come out
  // differently hang on roundings.
  uint64_t rounding_seed = 0;
  // Give up after this many instructions have run (0: never); a while loop that
  // does not end becomes an error.
  int64_t max_steps = 0;
  // Each instruction also runs in the interpreter, on the same operands; the
  // first whose result differs ends the execution with FailedPrecondition (cpu
  // only).
  bool check_instructions = false;
  // Values that infeed and recv take, in order; zeros when they run out.
  std::vector<Literal> infeed;
  // Called after each top-level instruction with its value (interpreter only);
  // an error ends the execution.
  std::function<absl::Status(const Instruction&, const Literal&)> observer;
};

struct ExecutionResult {
  Literal value;                 // of the entry's root
  std::vector<Literal> outfeed;  // what outfeed and send gave away, in order
  double seconds = 0;            // execution alone
};

class Executable {
 public:
  virtual ~Executable() = default;
  // Arguments by parameter number; their shapes must be compatible with the
  // entry's parameters.
  virtual absl::StatusOr<ExecutionResult> Execute(
      absl::Span<const Literal> arguments, const ExecuteOptions& options) = 0;
  // The module as it runs (after passes).
  virtual const Module& module() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual absl::string_view name() const = 0;
  // Whether a custom-call of this target can be executed; tools ask before they
  // start something long.
  virtual bool KnowsCustomCall(const Instruction& call) const { return true; }
  virtual absl::StatusOr<std::unique_ptr<Executable>> Compile(
      std::unique_ptr<Module> module, const CompileOptions& options) = 0;
};

// "interpreter", "cpu" ("host"); any case. An unknown name's error lists those
// that exist. Backends live as long as the program.
absl::StatusOr<Backend*> BackendByName(absl::string_view name);
std::vector<std::string> BackendNames();

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_BACKEND_H_
