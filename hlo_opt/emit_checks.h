// Writes a test for FileCheck from what hlo-opt made of its input.
//
// The test holds the command (a RUN line), a check of every line of the output,
// and the input. Names of instructions are variables, so that the test holds
// when numbers in names change:
//
//   // RUN: hlo-opt %s --passes=algsimp | FileCheck %s
//   // CHECK-LABEL: ENTRY %main (p: f32[4]) -> f32[4] {
//   // CHECK-NEXT:  %[[p:[^ ]+]] = f32[4]{0} parameter(0)
//   // CHECK-NEXT:  ROOT %[[n:[^ ]+]] = f32[4]{0} negate(%[[p]])
//   // CHECK-NEXT:  }
#ifndef HLOKIT_HLO_OPT_EMIT_CHECKS_H_
#define HLOKIT_HLO_OPT_EMIT_CHECKS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

// The RUN line's command for these arguments of hlo-opt: without --emit-checks
// and --o, with %s for the input file.
std::string RunLine(absl::Span<const std::string> arguments);

// The check lines for one output: HLO text as the printers write it.
std::string ChecksFor(absl::string_view output);

// The whole test. Check, RUN and COM lines of the inputs are left out.
std::string TestWithChecks(absl::string_view run_line,
                           absl::Span<const std::string> inputs,
                           absl::Span<const std::string> outputs);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_EMIT_CHECKS_H_
