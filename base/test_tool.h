// For tests: runs a tool as a command line does, with string streams.
#ifndef HLOKIT_BASE_TEST_TOOL_H_
#define HLOKIT_BASE_TEST_TOOL_H_

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/file_system.h"
#include "base/io.h"
#include "gtest/gtest.h"

namespace hlokit {

using ToolMain = int (*)(absl::Span<const std::string> arguments,
                         const ToolIo& io);
using ToolEnvironment = std::map<std::string, std::string>;

struct ToolRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline ToolRun RunToolWith(ToolMain main,
                           const std::vector<std::string>& arguments,
                           FileSystem* files,
                           const ToolEnvironment& environment = {},
                           const std::string& input = "") {
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
  run.exit_code = main(arguments, io);
  run.out = out.str();
  run.err = err.str();
  return run;
}

// What a library reads and writes, in memory:
//   MemoryIo memory;
//   auto& [files, out, err, io] = memory;
struct MemoryIo {
  MemoryIo() {
    io.out = &out;
    io.err = &err;
    io.files = &files;
  }
  MemoryFileSystem files;
  std::ostringstream out, err;
  ToolIo io;
};

// A fixture for many runs: what the latest one printed is in out_ and err_.
class ToolTest : public ::testing::Test {
 protected:
  explicit ToolTest(ToolMain main) : main_(main) {}

  int RunTool(const std::vector<std::string>& arguments,
              const std::string& input = "") {
    const ToolRun run =
        RunToolWith(main_, arguments, files_, environment_, input);
    out_.str(run.out);
    err_.str(run.err);
    return run.exit_code;
  }

  ToolMain main_;
  MemoryFileSystem memory_;
  FileSystem* files_ = &memory_;
  ToolEnvironment environment_;
  std::ostringstream out_, err_;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_TEST_TOOL_H_
