// Kernels that are written in C++ rather than generated: dots, convolutions,
// sorts, gathers and scatters, windows, FFTs, big copies, ...
//
// native_kernels.def has a row for each opcode that has one: the factory that
// looks at an instruction and makes its kernel, each in the file of its op
// family in kernels/. An instruction whose factory gives nothing is compiled,
// or run by the interpreter.
#ifndef HLOKIT_BACKENDS_CPU_NATIVE_KERNEL_H_
#define HLOKIT_BACKENDS_CPU_NATIVE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/cpu/isa.h"
#include "base/thread_pool.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

// A computation that is applied to elements (a comparator, a combiner), as
// machine code. Arguments and results point to one element each, by parameter
// number and leaf of the result; elements lie in StorageBytes(type) bytes.
// Thread-safe. `call` is set when the module has been compiled, before any
// kernel runs.
struct ElementFunction {
  void (*call)(const void* const* arguments, void* const* results) = nullptr;
};

// What a factory may ask of the compiler.
class KernelEnvironment {
 public:
  virtual ~KernelEnvironment() = default;
  // Has `computation` (scalars in, one scalar or a tuple of them out) compiled;
  // lives as long as the executable. Null when it cannot be: factories then
  // give nothing, too.
  virtual const ElementFunction* Compile(const Computation& computation) = 0;
  // Whether `operand`, one of the instruction's, is the same bytes in every
  // execution.
  virtual bool IsConstant(const Instruction& operand) { return false; }
  // Asks for memory that the kernel keeps as long as it lives: false when the
  // executable has had its share.
  virtual bool MayKeep(int64_t bytes) { return false; }
  // The instructions that matrix products may use.
  virtual Isa isa() const { return HostIsa(); }
};

struct KernelContext {
  ThreadPool* pool;
};

class NativeKernel {
 public:
  virtual ~NativeKernel() = default;
  // The arrays of the operands and of the result in order (the leaves, of
  // tuples), each in the physical order of its instruction's layout (row-major
  // without one), 64-byte aligned, one element in StorageBytes(type) bytes.
  //
  // Buffers do not overlap, except that a result may lie exactly where an
  // operand does if the operation can work in place (dynamic-update-slice,
  // scatter, sort, elementwise; see passes/analysis/in_place.h): kernels for
  // these compare the addresses. A kernel may be run by several threads at the
  // same time. Results must be the same for any number of threads in the pool.
  virtual absl::Status Run(absl::Span<const void* const> operands,
                           absl::Span<void* const> results,
                           const KernelContext& context) const = 0;
  // More about it, on one line; may be empty.
  virtual std::string detail() const { return ""; }
};

// Null when the kernel does not serve this instruction (element type, layout,
// dynamic shape, ...).
using KernelFactory = std::unique_ptr<NativeKernel> (*)(
    const Instruction& instruction, KernelEnvironment& environment);

// Null for opcodes without a row.
KernelFactory NativeKernelOf(Opcode opcode);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_NATIVE_KERNEL_H_
