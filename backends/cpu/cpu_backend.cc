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
#include "backends/interpreter/evaluator.h"
#include "backends/interpreter/float_mode.h"
#include "base/huge_pages.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "passes/analysis/expanded_size.h"
#include "passes/constant_evaluator.h"

namespace hlokit {
namespace cpu {
namespace {

struct FreeMemory {
  void operator()(char* p) const { std::free(p); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

absl::StatusOr<Memory> Allocate(int64_t size) {
  HLOKIT_RETURN_IF_ERROR(CheckMemory(size, "a buffer"));
  const int64_t rounded = (std::max<int64_t>(size, 1) + 63) / 64 * 64;
  auto* p = static_cast<char*>(std::aligned_alloc(64, rounded));
  if (p == nullptr) {
    return OutOfMemory(
        absl::StrCat("a buffer needs ", MemoryText(size), " of memory"));
  }
  AdviseHugePages(p, rounded);
  return Memory(p);
}

// Memory that the next execution can use again, by allocation. Results hold on
// to it as long as they live, longer than the executable if need be.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  explicit MemoryPool(size_t allocations) : free_(allocations) {}

  // Goes back to the pool when nobody holds it any more.
  absl::StatusOr<std::shared_ptr<char>> Take(size_t allocation, int64_t size) {
    Memory memory;
    {
      absl::MutexLock lock(&mutex_);
      std::vector<Memory>& free = free_[allocation];
      if (!free.empty()) {
        memory = std::move(free.back());
        free.pop_back();
      }
    }
    if (memory == nullptr) {
      HLOKIT_ASSIGN_OR_RETURN(memory, Allocate(size));
    }
    return std::shared_ptr<char>(
        memory.release(), [pool = shared_from_this(), allocation](char* p) {
          pool->Return(allocation, Memory(p));
        });
  }

 private:
  // As many as are in use at the same time where one result is kept while the
  // next is made.
  static constexpr size_t kMaxFree = 2;

  void Return(size_t allocation, Memory memory) {
    absl::MutexLock lock(&mutex_);
    std::vector<Memory>& free = free_[allocation];
    if (free.size() < kMaxFree) free.push_back(std::move(memory));
  }

  absl::Mutex mutex_;
  std::vector<std::vector<Memory>> free_ ABSL_GUARDED_BY(mutex_);
};

class CpuExecutable : public Executable {
 public:
  CpuExecutable(std::unique_ptr<Module> module,
                std::unique_ptr<Program> program)
      : module_(std::move(module)),
        program_(std::move(program)),
        memory_(std::make_shared<MemoryPool>(
            program_->buffers.allocations().size())) {}

  const Module& module() const override { return *module_; }

  absl::StatusOr<ExecutionResult> Execute(
      absl::Span<const Literal> arguments,
      const ExecuteOptions& options) override {
    HLOKIT_ASSIGN_OR_RETURN(
        std::vector<Literal> values,
        interpreter::EntryArguments(*module_->entry(), arguments));
    interpreter::Context context(options);
    const interpreter::ScopedFloatMode mode(options.flush_denormals);
    const auto& allocations = program_->buffers.allocations();
    HLOKIT_ASSIGN_OR_RETURN(const auto custom_calls,
                            program_->custom_calls->Begin());
    context.set_custom_calls(custom_calls.get());
    const auto start = std::chrono::steady_clock::now();
    Execution execution;
    execution.custom_calls = custom_calls.get();
    execution.pool = ThreadPool::Default();
    execution.interpreter = &context;
    execution.max_steps = options.max_steps;
    execution.check = options.check_instructions;
    execution.allocations.resize(allocations.size());
    std::vector<std::shared_ptr<char>> memory(allocations.size());
    for (size_t a = 0; a < allocations.size(); ++a) {
      char*& at = execution.allocations[a];
      switch (allocations[a].kind) {
        case BufferAllocation::kConstant:
          at = const_cast<char*>(program_->constant_data[a]);
          break;
        case BufferAllocation::kThreadLocal:
          break;
        case BufferAllocation::kParameter:
          at = ArgumentInPlace(allocations[a], values);
          if (at != nullptr) break;
          [[fallthrough]];
        case BufferAllocation::kTemp:
        case BufferAllocation::kLiveOut: {
          auto taken = memory_->Take(a, allocations[a].size);
          if (!taken.ok()) {
            return Annotate(taken.status(), LargestValueIn(allocations[a]));
          }
          memory[a] = *std::move(taken);
          at = memory[a].get();
        }
      }
      if (allocations[a].kind == BufferAllocation::kParameter &&
          memory[a] != nullptr) {
        CopyArgument(allocations[a], values, at);
      }
    }
    HLOKIT_RETURN_IF_ERROR(program_->thunks.Execute(execution));
    ExecutionResult result;
    size_t next = 0;
    result.value = ResultOf(execution, memory, program_->result.shape, &next);
    result.outfeed = std::move(context.outfeed());
    const auto end = std::chrono::steady_clock::now();
    result.seconds = std::chrono::duration<double>(end - start).count();
    return result;
  }

 private:
  // Returns the name of the instruction whose value takes most of it.
  std::string LargestValueIn(const BufferAllocation& allocation) const {
    const BufferAllocation::Assigned* largest = nullptr;
    for (const BufferAllocation::Assigned& value : allocation.assigned) {
      if (largest == nullptr || value.size > largest->size) largest = &value;
    }
    if (largest == nullptr) return "a temporary value";
    return std::string(
        program_->buffers.dataflow().values()[largest->value].at->name());
  }
  const Shape& ParameterShape(const BufferAllocation& allocation) const {
    return module_->entry()
        ->parameter(allocation.parameter)
        ->shape()
        .Subshape(allocation.parameter_index);
  }

  // The argument's own memory where nothing writes to it and it lies right.
  char* ArgumentInPlace(const BufferAllocation& allocation,
                        const std::vector<Literal>& values) const {
    const Shape& shape = ParameterShape(allocation);
    if (!shape.IsArray() || !LiesRowMajor(shape) || shape.is_dynamic()) {
      return nullptr;
    }
    const char* data = values[allocation.parameter]
                           .Sub(allocation.parameter_index)
                           .untyped_data();
    const bool fits = data != nullptr && allocation.assigned.size() <= 1 &&
                      reinterpret_cast<uintptr_t>(data) % 64 == 0;
    return fits ? const_cast<char*>(data) : nullptr;
  }

  void CopyArgument(const BufferAllocation& allocation,
                    const std::vector<Literal>& values, char* to) const {
    const Shape& shape = ParameterShape(allocation);
    if (!shape.IsArray()) return;
    const Literal& value =
        values[allocation.parameter].Sub(allocation.parameter_index);
    RowMajorToLayout(shape, value.untyped_data(), to);
    WriteDynamicSizes(shape, value, to);
  }

  // Results keep the memory that they were made in, where it is theirs alone.
  Literal ResultOf(const Execution& execution,
                   const std::vector<std::shared_ptr<char>>& memory,
                   const Shape& shape, size_t* next) const {
    if (shape.IsTuple()) {
      std::vector<Literal> parts;
      for (const Shape& part : shape.tuple_shapes()) {
        parts.push_back(ResultOf(execution, memory, part, next));
      }
      return Literal::Tuple(std::move(parts));
    }
    const Slice& slice = program_->result.leaves[(*next)++];
    if (slice.allocation < 0) return Literal::Token();
    const char* data = execution.At(slice);
    // Of this execution: not an argument or a constant that nothing wrote to,
    // nor shared with what the result does not need.
    const bool own = memory[slice.allocation] != nullptr &&
                     program_->buffers.allocations()[slice.allocation].kind !=
                         BufferAllocation::kTemp;
    Literal result;
    if (own && LiesRowMajor(shape)) {
      result = Literal::View(shape, data, memory[slice.allocation]);
    } else {
      result = Literal::Zeros(shape);
      LayoutToRowMajor(shape, data, result.mutable_untyped_data());
    }
    ReadDynamicSizes(shape, data, &result);
    return result;
  }

  std::unique_ptr<Module> module_;
  std::unique_ptr<Program> program_;
  std::shared_ptr<MemoryPool> memory_;
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
  // Constants fold by the interpreter's rules.
  Cpu() {
    if (GetConstantEvaluator() == nullptr) {
      SetConstantEvaluator(&interpreter::EvaluateConstant);
    }
  }

  absl::string_view name() const override { return "cpu"; }
  bool KnowsCustomCall(const Instruction& call) const override {
    return interpreter::KnowsCustomCall(call);
  }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(
      std::unique_ptr<Module> module, const CompileOptions& options) override {
    if (module == nullptr || module->entry() == nullptr) {
      return InvalidArgument("the module has no entry computation");
    }
    HLOKIT_RETURN_IF_ERROR(CheckExpandedSize(*module));
    if (!ReasonToInterpret(*module).empty()) {
      return interpreter::MakeExecutable(std::move(module));
    }
    const bool optimize = options.run_passes && !module->is_scheduled();
    HLOKIT_RETURN_IF_ERROR(optimize ? OptimizeForCpu(module.get(), options)
                                    : PrepareForCpu(module.get(), options));
    ProgramOptions program_options = ProgramOptionsOf(options);
    program_options.ir.texts = options.artifact != nullptr;
    std::optional<ObjectCache> cache;
    if (!options.cache_dir.empty()) {
      cache.emplace(options.cache_dir);
      program_options.cache = &*cache;
    }
    auto compiled = CompileProgram(*module, program_options);
    // Values that cannot lie where they must (copies are missing).
    if (absl::IsInvalidArgument(compiled.status())) {
      return interpreter::MakeExecutable(std::move(module));
    }
    HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Program> program,
                            std::move(compiled));
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
