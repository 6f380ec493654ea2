// For tests: the tool with files in memory and its streams as strings.
#ifndef HLOKIT_REPLAY_TEST_TOOL_H_
#define HLOKIT_REPLAY_TEST_TOOL_H_

#include <string>
#include <vector>

#include "base/test_tool.h"
#include "replay/run_hlo_module.h"

namespace hlokit {

// Runs run_hlo_module with these arguments.
inline ToolRun RunTool(const std::vector<std::string>& arguments,
                       FileSystem* files,
                       const ToolEnvironment& environment = {},
                       const std::string& input = "") {
  return RunToolWith(RunRunHloModule, arguments, files, environment, input);
}

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_TEST_TOOL_H_
