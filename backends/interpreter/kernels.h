// The kernels: one function for each row of kernels.def, each defined in the
// file of its op family. What a kernel must do stands at `Kernel` in
// evaluator.h.
#ifndef HLOKIT_BACKENDS_INTERPRETER_KERNELS_H_
#define HLOKIT_BACKENDS_INTERPRETER_KERNELS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"

namespace hlokit::interpreter {

// Rows may name one function several times.
#define HLO_KERNEL(opcode, function)                                \
  absl::StatusOr<Literal> function(                                 \
      Context& context, const Instruction& instruction,             \
      absl::Span<const Literal* const> operands);
#include "backends/interpreter/kernels.def"

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_KERNELS_H_
