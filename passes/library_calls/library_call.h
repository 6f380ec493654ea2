// Calls of numeric libraries (cuBLAS, cuDNN, oneDNN, CUB, cuSOLVER) that XLA's
// compilers put into optimized modules: custom-calls whose target and
// backend_config say what they compute. A call is turned into plain HLO, so
// that every backend runs it and passes see through it. library_calls.def has
// the targets, docs/library-calls.md describes them.
#ifndef HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_H_
#define HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Whether LowerLibraryCall knows the target of a custom-call: it makes a
// module, or an error that says why it cannot.
bool IsLibraryCall(const Instruction& instruction);

// Sorted.
absl::Span<const absl::string_view> LibraryCallTargets();

// A module whose entry computes the value of `call` from its operands: it has
// one parameter for each operand and the call's result shape. The error names
// the call and says what is missing, malformed or not known to hlokit.
absl::StatusOr<std::unique_ptr<Module>> LowerLibraryCall(
    const Instruction& call);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_LIBRARY_CALLS_LIBRARY_CALL_H_
