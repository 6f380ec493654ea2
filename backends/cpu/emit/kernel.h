// Compiles an instruction (a fusion, or one operation by itself) into kernels:
// functions that compute a part of its result.
//
// A kernel is  void f(ptr arrays, i64 begin, i64 end):  the addresses of the
// arrays that it reads and writes, and which of its iterations to do.
// Iterations are independent of each other; kernels of one instruction run one
// after another.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_KERNEL_H_
#define HLOKIT_BACKENDS_CPU_EMIT_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cpu/emit/ir.h"
#include "hlo/ir/instruction.h"

namespace hlokit::cpu {

using KernelFunction = void (*)(void* const* arrays, int64_t begin,
                                int64_t end);

struct EmittedKernel {
  std::string function;  // its name in the module
  int64_t iterations = 1;
  int64_t work_each = 1;  // of an iteration, in about a nanosecond
  // Whether iteration k writes part k of every result and nothing else: the
  // `iterations` equal parts of an array that lies row-major, in the order of
  // memory.
  bool in_order = false;
  // Bytes of memory that the instruction's kernels hand to each other: the last
  // of their arrays, if there are any.
  int64_t scratch = 0;
};

// Where the arrays of an instruction lie: one number for each operand (each
// leaf, of tuples), then one for each leaf of the result. Equal numbers are the
// same memory, others do not overlap. Numbers are places in a kernel's
// `arrays`.
struct KernelArrays {
  std::vector<int> operands;
  std::vector<int> results;
};

// Adds the instruction's kernels to the module. Empty when it cannot be
// compiled; then nothing is added that runs.
std::vector<EmittedKernel> EmitKernels(const Instruction& i,
                                       const KernelArrays& arrays,
                                       IrModule* module);

// A computation on scalars as a function of the form of ElementFunction
// (native_kernel.h); returns its name, empty when it cannot be compiled.
std::string EmitElementFunction(const Computation& computation,
                                IrModule* module);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_KERNEL_H_
