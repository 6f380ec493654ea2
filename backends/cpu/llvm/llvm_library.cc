#include "backends/cpu/llvm/llvm_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace hlokit::cpu {
namespace {

absl::Status Missing(absl::string_view function) {
  return absl::UnavailableError(
      absl::StrCat("LLVM's library has no function LLVM", function));
}

absl::StatusOr<const LlvmLibrary*> Open() {
  // Local, so that another LLVM of the process (a graphics driver's) and ours
  // do not mix.
  void* handle = dlopen("libLLVM.so.19.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) handle = dlopen("libLLVM-19.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "the CPU backend needs LLVM 19 (Debian: libllvm19): ", dlerror()));
  }
  auto* llvm = new LlvmLibrary;
#define LLVM_FUNCTION(name)                                                \
  llvm->name =                                                             \
      reinterpret_cast<decltype(llvm->name)>(dlsym(handle, "LLVM" #name)); \
  if (llvm->name == nullptr) return Missing(#name);
#include "backends/cpu/llvm/llvm_functions.def"
#undef LLVM_FUNCTION
#if defined(__x86_64__)
  llvm->InitializeX86TargetInfo();
  llvm->InitializeX86Target();
  llvm->InitializeX86TargetMC();
  llvm->InitializeX86AsmPrinter();
#elif defined(__aarch64__)
  llvm->InitializeAArch64TargetInfo();
  llvm->InitializeAArch64Target();
  llvm->InitializeAArch64TargetMC();
  llvm->InitializeAArch64AsmPrinter();
#endif
  // Loops of a few iterations are unrolled as a whole; of longer ones that
  // would only make code that takes long to compile. Addresses in loops are
  // simple: "loop strength reduction" is a sixth of the time for nothing.
  const char* const options[] = {"hlokit", "-unroll-full-max-count=4",
                                 "-disable-lsr"};
  llvm->ParseCommandLineOptions(3, options, nullptr);
  return llvm;
}

}  // namespace

absl::StatusOr<const LlvmLibrary*> LlvmLibrary::Load() {
  static const auto* library = new absl::StatusOr<const LlvmLibrary*>(Open());
  return *library;
}

}  // namespace hlokit::cpu
