// The functions that generated code may call, by name: the C library's
// mathematics, their vector variants, and conversions that have no machine
// instruction.
#ifndef HLOKIT_BACKENDS_CPU_LLVM_RUNTIME_SYMBOLS_H_
#define HLOKIT_BACKENDS_CPU_LLVM_RUNTIME_SYMBOLS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cpu/isa.h"

namespace hlokit::cpu {

struct RuntimeSymbol {
  std::string name;
  void* address;
};

absl::Span<const RuntimeSymbol> RuntimeSymbols();

// The value of LLVM's attribute "vector-function-abi-variant" for the C
// library's function `name` of `arity` arguments: which functions of its vector
// library compute several values at once in instructions of `isa`. Empty when
// there are none.
std::string VectorVariants(absl::string_view name, int arity, Isa isa);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_LLVM_RUNTIME_SYMBOLS_H_
