// Writes HLO text, byte for byte as XLA does.
#ifndef HLOKIT_HLO_PRINT_PRINTER_H_
#define HLOKIT_HLO_PRINT_PRINTER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"
#include "hlo/print/print_options.h"

namespace hlokit {

std::string ToString(const Module& module, const PrintOptions& options = {});
std::string ToString(const Computation& computation,
                     const PrintOptions& options = {});
std::string ToString(const Instruction& instruction,
                     const PrintOptions& options = {});
// "%name = opcode(%a, %b)".
std::string ToShortString(const Instruction& instruction);

// The same appended to `out`.
void Print(const Module& module, const PrintOptions& options,
           std::string* out);
// The same in pieces, so that the whole text is never in memory.
void Print(const Module& module, const PrintOptions& options,
           absl::FunctionRef<void(absl::string_view)> emit);

}  // namespace hlokit

#endif  // HLOKIT_HLO_PRINT_PRINTER_H_
