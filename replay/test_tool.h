// For tests: the tool with files in memory and its streams as strings.
#ifndef HLOKIT_REPLAY_TEST_TOOL_H_
#define HLOKIT_REPLAY_TEST_TOOL_H_

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/io.h"
#include "replay/run_hlo_module.h"

namespace hlokit {

struct ToolRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs run_hlo_module with these arguments.
inline ToolRun RunTool(std::vector<std::string> arguments, FileSystem* files,
                       std::map<std::string, std::string> environment = {},
                       std::string input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  ToolIo io;
  io.in = &in;
  io.out = &out;
  io.err = &err;
  io.files = files;
  io.getenv = [&](const char* name) -> const char* {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  };
  ToolRun run;
  run.exit_code = RunRunHloModule(arguments, io);
  run.out = out.str();
  run.err = err.str();
  return run;
}

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_TEST_TOOL_H_
