// Helpers for tests of passes: text in, text out, and whether values stay.
#ifndef HLOKIT_PASSES_TEST_UTIL_H_
#define HLOKIT_PASSES_TEST_UTIL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "passes/pass.h"
#include "passes/value_check.h"

namespace hlokit {

std::unique_ptr<Module> ParseOrDie(absl::string_view text);

// Runs the pass, expects it to say `changed`, the module to verify and a second
// run to change nothing; a change must be work that works_on.def knows of.
void RunPass(Pass* pass, Module* module, bool changed);

// Whether `pass` may change a module that held `before`, by its row of
// works_on.def.
bool IsKnownWork(absl::string_view pass, const Contents& before);

// To be called before main: at the end of a test program that ran in whole
// there is an error for each pass of passes.def whose header is in `folder`
// that no RunPass saw changing a module, or none saw leaving one alone. (Both
// times it was run twice.) `odd`: passes that no RunPass sees change anything.
bool ExpectAllPassesTested(std::string folder,
                           std::vector<std::string> odd = {});

// Executes both modules with the interpreter on the same three sets of small
// random arguments and expects the same results: integers exactly, floats
// within `tolerance` relative to 1 + |value| (0: 32 units in the last place).
// A test fails when the module before cannot be executed.
void ExpectSameValues(absl::string_view before_text, const Module& after,
                      double tolerance = 0);
void ExpectSameValues(const Module& before, const Module& after,
                      double tolerance = 0);

// The module after a pass that must change it: verified, values kept,
// and unchanged by a second run.
std::unique_ptr<Module> Transformed(Pass* pass, absl::string_view text,
                                    double tolerance = 0);
template <typename T>
std::unique_ptr<Module> TransformedBy(absl::string_view text,
                                      double tolerance = 0) {
  T pass;
  return Transformed(&pass, text, tolerance);
}
// The same for a pass that must leave the module alone.
void ExpectUnchanged(Pass* pass, absl::string_view text);
template <typename T>
void ExpectUnchangedBy(absl::string_view text) {
  T pass;
  ExpectUnchanged(&pass, text);
}

// The opcodes of the entry in print order: "parameter negate add".
std::string EntryOpcodes(const Module& module);
std::string OpcodesOf(const Computation& computation);
// How many instructions of this opcode the whole module has.
int64_t CountOf(const Module& module, Opcode opcode);

// With the interpreter; the last two as in ExecuteOptions.
absl::StatusOr<Literal> ExecuteModule(const Module& module,
                                      const std::vector<Literal>& arguments,
                                      int64_t max_steps = 0,
                                      bool flush_denormals = true);
// SetConstantEvaluator with the interpreter. The helpers above do it.
void UseInterpreterForConstants();

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TEST_UTIL_H_
