// From LLVM IR text to functions that can be called.
//
//   HLOKIT_ASSIGN_OR_RETURN(CompiledIr code, CompileIr(text, {}));
//   HLOKIT_ASSIGN_OR_RETURN(auto loaded, LoadedCode::Load({code.object}));
//   auto f = reinterpret_cast<void (*)(...)>(*loaded->Find("f"));
//
// Modules may call the C library's mathematical functions and what
// runtime_symbols.h lists. All functions are thread-safe.
#ifndef HLOKIT_BACKENDS_CPU_LLVM_JIT_H_
#define HLOKIT_BACKENDS_CPU_LLVM_JIT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cpu/isa.h"

namespace hlokit::cpu {

struct IrCompileOptions {
  int optimization_level = 3;  // 0 to 3, as clang's -O
  std::optional<Isa> max_isa;  // instructions beyond are left out
  // Whether to make the texts of CompiledIr.
  bool texts = false;
};

struct CompiledIr {
  std::string object;        // an ELF file for the host processor
  std::string optimized_ir;  // with `texts`
  std::string assembly;      // with `texts`
};

// Internal when LLVM refuses the text (a mistake of ours), with LLVM's message.
absl::StatusOr<CompiledIr> CompileIr(const std::string& ir,
                                     const IrCompileOptions& options);

// What objects depend on besides their IR: LLVM, processor, its features, the
// options and what is done there.
std::string CompilerDescription(const IrCompileOptions& options);

// Objects in memory, linked; lives as long as its functions are called.
class LoadedCode {
 public:
  static absl::StatusOr<std::unique_ptr<LoadedCode>> Load(
      absl::Span<const absl::string_view> objects);
  virtual ~LoadedCode() = default;
  // Address of a function; NotFound.
  virtual absl::StatusOr<void*> Find(const std::string& name) const = 0;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_LLVM_JIT_H_
