// Compiles modules for the processor that this runs on.
//
// The module goes through XLA's CPU pipeline (without the passes that only make
// work for kernels that this backend has itself), is scheduled, and gets its
// buffers. Each instruction then becomes a thunk: a kernel in C++, generated
// code, or, for what neither knows, the interpreter's kernel.
#ifndef HLOKIT_BACKENDS_CPU_COMPILER_H_
#define HLOKIT_BACKENDS_CPU_COMPILER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/cpu/llvm/jit.h"
#include "backends/cpu/native_kernel.h"
#include "backends/cpu/object_cache.h"
#include "backends/cpu/thunk.h"
#include "backends/custom_call/call_site.h"
#include "hlo/ir/module.h"
#include "passes/analysis/buffer_assignment.h"

namespace hlokit::cpu {

// A module as thunks and the memory that they need.
struct Program {
  // Of the module that it was made from, which must live as long.
  BufferAssignment buffers;
  ThunkSequence thunks;
  // Allocations that constants lie in: their bytes, by allocation.
  std::vector<std::string> constants;
  std::vector<const char*> constant_data;  // null where there is none
  Place result;
  std::vector<std::unique_ptr<ElementFunction>> element_functions;
  std::unique_ptr<LoadedCode> code;
  std::unique_ptr<custom_call::CustomCallSites> custom_calls;
  // The modules of generated code: the text that was handed to LLVM, and what
  // became of it.
  std::vector<std::string> ir;
  std::vector<CompiledIr> compiled;
};

struct ProgramOptions {
  IrCompileOptions ir;
  CompileOptions::FastMath fast_math;
  bool exact_arithmetic = false;  // as in PassSelection
  ThreadPool* pool = nullptr;
  const ObjectCache* cache = nullptr;
};
// What these options say, on the threads that everything shares.
ProgramOptions ProgramOptionsOf(const CompileOptions& options);

// Why a module is left to the interpreter as a whole; empty when it is not.
std::string ReasonToInterpret(const Module& module);

// Passes of XLA's pipeline that this backend is better off without.
absl::Span<const char* const> PassesLeftOut();
// XLA's passes for the CPU without those, then the schedule.
absl::Status OptimizeForCpu(Module* module, const CompileOptions& options = {});
// Makes a module that was optimised elsewhere ready for CompileProgram.
absl::Status PrepareForCpu(Module* module, const CompileOptions& options = {});

absl::StatusOr<std::unique_ptr<Program>> CompileProgram(
    const Module& module, const ProgramOptions& options);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_COMPILER_H_
