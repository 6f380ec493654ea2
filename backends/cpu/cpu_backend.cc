#include "backends/cpu/cpu_backend.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "backends/cpu/compiler.h"
#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/denormals.h"
#include "backends/interpreter/evaluator.h"
#include "base/status.h"
#include "passes/constant_evaluator.h"

namespace hlokit {
namespace cpu {
namespace {

struct FreeMemory {
  void operator()(char* p) const { std::free(p); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

absl::StatusOr<Memory> Allocate(int64_t size) {
  const int64_t rounded = (std::max<int64_t>(size, 1) + 63) / 64 * 64;
  auto* p = static_cast<char*>(std::aligned_alloc(64, rounded));
  if (p == nullptr) {
    return ResourceExhausted("the module needs %d bytes more memory", size);
  }
  return Memory(p);
}

// Memory of an execution that the next one can use again.
class MemoryPool {
 public:
  absl::StatusOr<std::vector<Memory>> Take(
      const std::vector<BufferAllocation>& allocations) {
    {
      absl::MutexLock lock(&mutex_);
      if (!free_.empty()) {
        std::vector<Memory> memory = std::move(free_.back());
        free_.pop_back();
        return memory;
      }
    }
    std::vector<Memory> memory;
    for (const BufferAllocation& allocation : allocations) {
      memory.emplace_back();
      if (allocation.kind == BufferAllocation::kTemp) {
        HLOKIT_ASSIGN_OR_RETURN(memory.back(), Allocate(allocation.size));
      }
    }
    return memory;
  }
  void Return(std::vector<Memory> memory) {
    absl::MutexLock lock(&mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::vector<Memory>> free_ ABSL_GUARDED_BY(mutex_);
};

class CpuExecutable : public Executable {
 public:
  CpuExecutable(std::unique_ptr<Module> module,
                std::unique_ptr<Program> program)
      : module_(std::move(module)), program_(std::move(program)) {}

  const Module& module() const override { return *module_; }

  absl::StatusOr<ExecutionResult> Execute(
      absl::Span<const Literal> arguments,
      const ExecuteOptions& options) override {
    HLOKIT_ASSIGN_OR_RETURN(
        std::vector<Literal> values,
        interpreter::EntryArguments(*module_->entry(), arguments));
    interpreter::Context context(options);
    const interpreter::ScopedDenormalMode mode(options.flush_denormals);
    const auto& allocations = program_->buffers.allocations();
    const auto start = std::chrono::steady_clock::now();
    HLOKIT_ASSIGN_OR_RETURN(std::vector<Memory> memory,
                            memory_.Take(allocations));
    Execution execution;
    execution.pool = ThreadPool::Default();
    execution.interpreter = &context;
    execution.max_steps = options.max_steps;
    execution.flush_denormals = options.flush_denormals;
    execution.check = options.check_instructions;
    execution.allocations.resize(allocations.size());
    // Results and what may be overwritten live as long as this execution.
    std::vector<Literal> results(allocations.size());
    std::vector<Memory> copies;
    for (size_t a = 0; a < allocations.size(); ++a) {
      char*& at = execution.allocations[a];
      switch (allocations[a].kind) {
        case BufferAllocation::kConstant:
          at = const_cast<char*>(program_->constant_data[a]);
          break;
        case BufferAllocation::kTemp:
          at = memory[a].get();
          break;
        case BufferAllocation::kLiveOut: {
          // As bytes; it becomes part of the result where it fits.
          HLOKIT_ASSIGN_OR_RETURN(Memory bytes, Allocate(allocations[a].size));
          at = bytes.get();
          copies.push_back(std::move(bytes));
          break;
        }
        case BufferAllocation::kParameter: {
          HLOKIT_ASSIGN_OR_RETURN(at,
                                  ParameterMemory(allocations[a], values,
                                                  &copies));
          break;
        }
        case BufferAllocation::kThreadLocal:
          break;
      }
    }
    const absl::Status status = program_->thunks.Execute(execution);
    if (status.ok()) {
      ExecutionResult result;
      result.value = CopyOf(ReadPlace(execution, program_->result));
      result.outfeed = std::move(context.outfeed());
      const auto end = std::chrono::steady_clock::now();
      result.seconds = std::chrono::duration<double>(end - start).count();
      memory_.Return(std::move(memory));
      return result;
    }
    memory_.Return(std::move(memory));
    return status;
  }

 private:
  // The argument's own memory where nothing writes to it and it lies right.
  absl::StatusOr<char*> ParameterMemory(const BufferAllocation& allocation,
                                        const std::vector<Literal>& values,
                                        std::vector<Memory>* copies) const {
    const Literal& argument =
        values[allocation.parameter].Sub(allocation.parameter_index);
    const Shape& shape = module_->entry()
                             ->parameter(allocation.parameter)
                             ->shape()
                             .Subshape(allocation.parameter_index);
    if (!shape.IsArray()) {
      HLOKIT_ASSIGN_OR_RETURN(Memory table, Allocate(allocation.size));
      copies->push_back(std::move(table));
      return copies->back().get();
    }
    const bool row_major =
        !shape.has_layout() || shape.layout().IsDescending();
    const char* data = argument.untyped_data();
    if (row_major && allocation.assigned.size() <= 1 && data != nullptr &&
        reinterpret_cast<uintptr_t>(data) % 64 == 0) {
      return const_cast<char*>(data);
    }
    HLOKIT_ASSIGN_OR_RETURN(Memory copy, Allocate(allocation.size));
    if (row_major) {
      std::memcpy(copy.get(), data, argument.size_bytes());
    } else {
      RowMajorToLayout(shape, data, copy.get());
    }
    copies->push_back(std::move(copy));
    return copies->back().get();
  }

  // With memory of its own.
  static Literal CopyOf(const Literal& value) {
    if (value.shape().IsTuple()) {
      std::vector<Literal> parts;
      for (const Literal& part : value.elements()) {
        parts.push_back(CopyOf(part));
      }
      return Literal::Tuple(std::move(parts));
    }
    if (!value.shape().IsArray()) return value;
    Literal copy = value;
    copy.mutable_untyped_data();
    return copy;
  }

  std::unique_ptr<Module> module_;
  std::unique_ptr<Program> program_;
  MemoryPool memory_;
};

// For modules that cannot be compiled.
class InterpretedExecutable : public Executable {
 public:
  explicit InterpretedExecutable(std::unique_ptr<Module> module)
      : module_(std::move(module)) {}
  absl::StatusOr<ExecutionResult> Execute(
      absl::Span<const Literal> arguments,
      const ExecuteOptions& options) override {
    return interpreter::Evaluate(*module_, arguments, options);
  }
  const Module& module() const override { return *module_; }

 private:
  std::unique_ptr<Module> module_;
};

void GiveArtifacts(const Program& program, const CompileOptions& options) {
  options.artifact("thunk_sequence.txt", program.thunks.ToString());
  for (size_t k = 0; k < program.ir.size(); ++k) {
    const std::string part = absl::StrFormat("part_%02d", k);
    options.artifact(part + ".ir-no-opt.ll", program.ir[k]);
    options.artifact(part + ".ir-with-opt.ll",
                     program.compiled[k].optimized_ir);
    options.artifact(part + ".s", program.compiled[k].assembly);
    options.artifact("obj-file." + part + ".o", program.compiled[k].object);
  }
}

class Cpu : public Backend {
 public:
  absl::string_view name() const override { return "cpu"; }
  bool KnowsCustomCall(const Instruction& call) const override {
    return interpreter::KnowsCustomCall(call);
  }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      std::unique_ptr<Module> module, const CompileOptions& options) override {
    if (module == nullptr || module->entry() == nullptr) {
      return InvalidArgument("the module has no entry computation");
    }
    if (!ReasonToInterpret(*module).empty()) {
      return std::make_unique<InterpretedExecutable>(std::move(module));
    }
    // Constants fold by the interpreter's rules.
    static const bool once = [] {
      if (GetConstantEvaluator() == nullptr) {
        SetConstantEvaluator(&interpreter::EvaluateConstant);
      }
      return true;
    }();
    (void)once;
    const bool optimize = options.run_passes && !module->is_scheduled();
    HLOKIT_RETURN_IF_ERROR(optimize ? OptimizeForCpu(module.get())
                                    : PrepareForCpu(module.get()));
    ProgramOptions program_options;
    program_options.pool = ThreadPool::Default();
    program_options.ir.optimization_level = options.optimization_level;
    program_options.ir.texts = options.artifact != nullptr;
    std::optional<ObjectCache> cache;
    if (!options.cache_dir.empty()) {
      cache.emplace(options.cache_dir);
      program_options.cache = &*cache;
    }
    HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Program> program,
                            CompileProgram(*module, program_options));
    if (options.artifact) GiveArtifacts(*program, options);
    program->ir.clear();
    program->compiled.clear();
    return std::make_unique<CpuExecutable>(std::move(module),
                                           std::move(program));
  }
};

}  // namespace
}  // namespace cpu

Backend* CpuBackend() {
  static auto* backend = new cpu::Cpu;
  return backend;
}

}  // namespace hlokit
