// LLVM 19, loaded when the first module is compiled: tools that run no code do
// not pay for it at their start. Through its C interface, which is all we need:
// modules are handed over as text.
#ifndef HLOKIT_BACKENDS_CPU_LLVM_LLVM_LIBRARY_H_
#define HLOKIT_BACKENDS_CPU_LLVM_LLVM_LIBRARY_H_

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Support.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "absl/status/statusor.h"

// Registering the host's target; declared by the headers of that target only.
extern "C" {
void LLVMInitializeX86TargetInfo(void);
void LLVMInitializeX86Target(void);
void LLVMInitializeX86TargetMC(void);
void LLVMInitializeX86AsmPrinter(void);
void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64Target(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64AsmPrinter(void);
}

namespace hlokit::cpu {

struct LlvmLibrary {
#define LLVM_FUNCTION(name) decltype(&::LLVM##name) name = nullptr;
#include "backends/cpu/llvm/llvm_functions.def"
#undef LLVM_FUNCTION

  // The library with the host's target registered. Unavailable when it is not
  // installed. Thread-safe.
  static absl::StatusOr<const LlvmLibrary*> Load();
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_LLVM_LLVM_LIBRARY_H_
