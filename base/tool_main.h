// What all tools' main functions do.
#ifndef HLOKIT_BASE_TOOL_MAIN_H_
#define HLOKIT_BASE_TOOL_MAIN_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/io.h"

namespace hlokit {

// Runs a tool with the process' own streams and returns its exit code:
//  * on a large stack, so that deeply nested modules do not depend on ulimit -s;
//  * memory that runs out, on any thread, becomes "NAME: error: out of memory
//    while reading a.hlo" and kEnvironment;
//  * a failed internal check and any other exception become "NAME: internal
//    error: ...; please report" and kDifferent, never a signal.
// The process must end after it.
int ToolMain(absl::string_view name, int argc, char** argv,
             absl::FunctionRef<int(absl::Span<const std::string> arguments,
                                   const ToolIo& io)>
                 run);

}  // namespace hlokit

#endif  // HLOKIT_BASE_TOOL_MAIN_H_
