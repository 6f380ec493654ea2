// For tests of the CPU backend: the same module on it and in the interpreter.
#ifndef HLOKIT_BACKENDS_CPU_CPU_TEST_UTIL_H_
#define HLOKIT_BACKENDS_CPU_CPU_TEST_UTIL_H_

#include <memory>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Returns the module of a text, which must be valid; null after a failure.
std::unique_ptr<Module> Parsed(const std::string& text);

// Returns numbers from -2 to 2, integers from 0 to 6.
Literal RandomLiteral(const Shape& shape, std::mt19937* engine);

// Runs a module twice: each instruction is compared with the interpreter's by
// itself, and all together must give the same bits.
absl::StatusOr<Literal> RunOn(Backend& backend, const std::string& text,
                              absl::Span<const Literal> arguments,
                              bool run_passes,
                              const std::string& max_isa = "");

// Expects values within 1e-4, relative to 1 or the value; NaN equals NaN.
void ExpectNear(const Literal& got, const Literal& want,
                const std::string& text);

// Runs the module after the passes, and as it is with older instruction sets,
// and in the interpreter. Each instruction is checked by itself, too.
void ExpectSameAsInterpreter(const std::string& text);

// Returns a module with the reducers `add` and `max` and this entry.
std::string Entry(const std::string& body);

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_CPU_CPU_TEST_UTIL_H_
