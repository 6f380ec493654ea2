#include "base/tool_main.h"

#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/activity.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using Run = int (*)(absl::Span<const std::string>, const ToolIo&);

[[noreturn]] void RunAndExit(Run run) {
  char name[] = "tool", argument[] = "x";
  char* argv[] = {name, argument, nullptr};
  ::_exit(ToolMain("tool", 2, argv, run));
}

// Asks for more than any address space has.
void Exhaust() {
  volatile size_t bytes = size_t{1} << 62;
  ::operator delete(::operator new(bytes));
}

TEST(ToolMainDeathTest, PassesArgumentsAndTheExitCode) {
  EXPECT_EXIT(RunAndExit([](absl::Span<const std::string> arguments,
                            const ToolIo&) {
                return arguments.size() == 1 && arguments[0] == "x" ? 3 : 0;
              }),
              ::testing::ExitedWithCode(3), "");
}

TEST(ToolMainDeathTest, ExhaustedMemoryNamesTheActivity) {
  EXPECT_EXIT(RunAndExit([](absl::Span<const std::string>, const ToolIo&) {
                const Activity reading("reading", "a.hlo");
                Exhaust();
                return 0;
              }),
              ::testing::ExitedWithCode(kEnvironment),
              "tool: error: out of memory while reading a.hlo");
}

TEST(ToolMainDeathTest, ExhaustedMemoryOfOtherThreadsIsReportedToo) {
  EXPECT_EXIT(RunAndExit([](absl::Span<const std::string>, const ToolIo&) {
                std::thread(Exhaust).join();
                return 0;
              }),
              ::testing::ExitedWithCode(kEnvironment), "out of memory");
  EXPECT_EXIT(RunAndExit([](absl::Span<const std::string>, const ToolIo&) {
                const Activity reading("compiling", "m");
                ThreadPool pool(3);
                pool.ParallelFor(3, 1, [](int64_t, int64_t) { Exhaust(); });
                return 0;
              }),
              ::testing::ExitedWithCode(kEnvironment),
              "out of memory while compiling m");
}

TEST(ToolMainDeathTest, AFailedCheckIsNoSignal) {
  EXPECT_EXIT(RunAndExit([](absl::Span<const std::string>, const ToolIo&) {
                HLOKIT_CHECK(1 + 1 == 3);
                return 0;
              }),
              ::testing::ExitedWithCode(kDifferent),
              "tool: internal error: .*check failed: 1 \\+ 1 == 3; please "
              "report this");
}

}  // namespace
}  // namespace hlokit
