// For targets that work on modules: only those that users could have.
#ifndef HLOKIT_FUZZ_VALID_MODULE_H_
#define HLOKIT_FUZZ_VALID_MODULE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"

namespace hlokit::fuzz {

// Reads a module of moderate size that the verifier accepts; null for all other
// input. Moderate: 400 instructions, 2^16 elements an array, so that one input
// takes milliseconds.
std::unique_ptr<Module> ReadValidModule(absl::string_view text);

// Requires that the status is OK or says what the input or the environment
// lacks: an internal error is a fault of hlokit.
void RequireNoInternalError(const absl::Status& status);

}  // namespace hlokit::fuzz

#endif  // HLOKIT_FUZZ_VALID_MODULE_H_
