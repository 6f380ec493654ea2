#include "base/subprocess.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/file_system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

SubprocessOptions Shell(const std::string& script) {
  SubprocessOptions options;
  options.argv = {"sh", "-c", script};
  return options;
}

SubprocessResult Result(const SubprocessOptions& options) {
  absl::StatusOr<SubprocessResult> result = RunSubprocess(options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : SubprocessResult();
}

// Gone, or dead and waiting for its parent.
bool IsDead(int pid) {
  const auto stat =
      DiskFileSystem()->ReadFile(absl::StrCat("/proc/", pid, "/stat"));
  return !stat.ok() || absl::StrContains(*stat, ") Z ") ||
         absl::StrContains(*stat, ") X ");
}

bool DiesSoon(int pid) {
  for (int i = 0; i < 500 && !IsDead(pid); ++i) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  return IsDead(pid);
}

TEST(SubprocessTest, OutputAndExitCodeAreGiven) {
  const SubprocessResult result =
      Result(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.Describe(), "exit code 3");
  EXPECT_TRUE(Result(Shell("true")).ok());
}

TEST(SubprocessTest, ArgumentsAreNotInterpreted) {
  SubprocessOptions options;
  options.argv = {"printf", "%s|", "a b", "$HOME", "", "*"};
  EXPECT_EQ(Result(options).out, "a b|$HOME||*|");
}

TEST(SubprocessTest, LargeInputAndOutputPassAtTheSameTime) {
  SubprocessOptions options = Shell("cat");
  options.stdin_text.resize(3000000);
  for (size_t i = 0; i < options.stdin_text.size(); ++i) {
    options.stdin_text[i] = static_cast<char>(i * 31 >> 3);
  }
  EXPECT_TRUE(Result(options).out == options.stdin_text);
}

TEST(SubprocessTest, InputNeedNotBeRead) {
  SubprocessOptions options = Shell("exec true");
  options.stdin_text = std::string(3000000, 'x');
  EXPECT_TRUE(Result(options).ok());
}

TEST(SubprocessTest, InputIsEmptyUnlessGiven) {
  EXPECT_EQ(Result(Shell("cat; echo end")).out, "end\n");
}

TEST(SubprocessTest, SignalsAreTold) {
  const SubprocessResult result = Result(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.Describe(), "signal 11 (Segmentation fault)");
}

TEST(SubprocessTest, TheTimeLimitKillsTheWholeGroup) {
  SubprocessOptions options = Shell("sleep 1000 & echo $!; sleep 1000");
  options.time_limit = absl::Milliseconds(300);
  const absl::Time start = absl::Now();
  const SubprocessResult result = Result(options);
  EXPECT_LT(absl::Now() - start, absl::Seconds(60));
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.Describe(), HasSubstr("time limit"));
  int child = 0;
  ASSERT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.out, "\n"), &child));
  EXPECT_TRUE(DiesSoon(child));
}

TEST(SubprocessTest, WhatAProgramLeavesRunningNeitherHoldsUsNorLives) {
  const absl::Time start = absl::Now();
  const SubprocessResult result = Result(Shell("sleep 1000 & echo $!"));
  EXPECT_LT(absl::Now() - start, absl::Seconds(60));
  EXPECT_TRUE(result.ok());
  int child = 0;
  ASSERT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.out, "\n"), &child));
  EXPECT_TRUE(DiesSoon(child));
}

TEST(SubprocessTest, ProgramsDieWithTheToolThatRunsThem) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder.ok());
  const std::string path = JoinPath((*folder)->path(), "pid");
  const SubprocessOptions options =
      Shell(absl::StrCat("echo $$ > ", path, "; exec sleep 1000"));
  const pid_t tool = ::fork();
  if (tool == 0) {
    (void)RunSubprocess(options);
    ::_exit(0);
  }
  int program = 0;
  for (int i = 0; i < 500 && program == 0; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    const auto text = DiskFileSystem()->ReadFile(path);
    if (text.ok()) (void)absl::SimpleAtoi(*text, &program);
  }
  ASSERT_NE(program, 0);
  EXPECT_FALSE(IsDead(program));
  ::kill(tool, SIGKILL);
  ::waitpid(tool, nullptr, 0);
  EXPECT_TRUE(DiesSoon(program));
}

TEST(SubprocessTest, AForkedCopyRunsAFunctionWithinItsLimits) {
  const std::string mine = "of the parent";
  const auto result = RunForked({}, [&] {
    (void)::write(STDOUT_FILENO, mine.data(), mine.size());
    return 7;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, mine);
  EXPECT_EQ(result->exit_code, 7);
  const auto crashed = RunForked({}, [] { return ::raise(SIGSEGV); });
  EXPECT_EQ(crashed->signal, SIGSEGV);
  SubprocessOptions limits;
  limits.time_limit = absl::Milliseconds(100);
  EXPECT_TRUE(RunForked(limits, [] { return ::pause(); })->timed_out);
  limits.time_limit = absl::Seconds(60);
  limits.memory_limit_bytes = 64 << 20;
  EXPECT_EQ(RunForked(limits, [] {
              return std::malloc(size_t{1} << 30) == nullptr ? 9 : 0;
            })->exit_code,
            9);
}

TEST(SubprocessTest, ClosedStreamsDoNotEndTheWait) {
  EXPECT_EQ(Result(Shell("exec >&- 2>&- <&-; sleep 0.1; exit 5")).exit_code, 5);
}

TEST(SubprocessTest, OutputIsCutAtItsLimit) {
  SubprocessOptions options =
      Shell("head -c 500000 /dev/zero; head -c 70000 /dev/zero >&2");
  options.max_out_bytes = 1000;
  options.max_err_bytes = 70000;
  const SubprocessResult result = Result(options);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.size(), 1000u);
  EXPECT_TRUE(result.out_truncated);
  EXPECT_EQ(result.err.size(), 70000u);
  EXPECT_FALSE(result.err_truncated);
}

TEST(SubprocessTest, EndlessOutputMeetsTheTimeLimit) {
  SubprocessOptions options = Shell("exec cat /dev/zero");
  options.max_out_bytes = 10;
  options.time_limit = absl::Milliseconds(200);
  const SubprocessResult result = Result(options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(SubprocessTest, TheEnvironmentIsExtended) {
  ::setenv("HLOKIT_TEST_KEPT", "kept", 1);
  ::setenv("HLOKIT_TEST_CHANGED", "old", 1);
  SubprocessOptions options =
      Shell("echo $HLOKIT_TEST_KEPT $HLOKIT_TEST_CHANGED $HLOKIT_TEST_NEW");
  options.environment = {{"HLOKIT_TEST_CHANGED", "new"},
                         {"HLOKIT_TEST_NEW", "a=b"}};
  EXPECT_EQ(Result(options).out, "kept new a=b\n");
}

TEST(SubprocessTest, TheFolderCanBeChosen) {
  SubprocessOptions options = Shell("pwd");
  options.working_directory = "/";
  EXPECT_EQ(Result(options).out, "/\n");
  options.working_directory = "/no/such/folder";
  const absl::Status status = RunSubprocess(options).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/folder"));
}

TEST(SubprocessTest, MemoryCanBeLimited) {
  SubprocessOptions options = Shell("ulimit -v");
  options.memory_limit_bytes = int64_t{1} << 30;
  EXPECT_EQ(Result(options).out, "1048576\n");
}

TEST(SubprocessTest, ProgramsThatCannotStartAreErrors) {
  SubprocessOptions options;
  EXPECT_TRUE(absl::IsInvalidArgument(RunSubprocess(options).status()));
  options.argv = {"no-such-program-anywhere"};
  const absl::Status missing = RunSubprocess(options).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_EQ(missing.message(),
            "cannot run 'no-such-program-anywhere': No such file or directory");
  options.argv = {"/etc/passwd"};
  EXPECT_TRUE(absl::IsPermissionDenied(RunSubprocess(options).status()));
  options.argv = {"/etc"};
  EXPECT_TRUE(absl::IsPermissionDenied(RunSubprocess(options).status()));
}

TEST(SubprocessTest, BrokenProgramsAreErrorsToo) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder.ok());
  const std::string path = JoinPath((*folder)->path(), "broken");
  ASSERT_TRUE(DiskFileSystem()->WriteFile(path, "\x7f" "ELF").ok());
  SubprocessOptions options;
  options.argv = {"chmod", "+x", path};
  ASSERT_TRUE(Result(options).ok());
  options.argv = {path};
  const absl::Status status = RunSubprocess(options).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("Exec format error"));
}

TEST(SubprocessTest, SignalsThatWeIgnoreWorkInThePrograms) {
  std::signal(SIGPIPE, SIG_IGN);
  const SubprocessResult result = Result(Shell("yes | head -n 1"));
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(result.out, "y\n");
  EXPECT_EQ(result.err, "");
}

TEST(SubprocessTest, ThreadsMayRunProgramsAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        SubprocessOptions options = Shell("cat");
        options.stdin_text = absl::StrCat(t, " ", i);
        EXPECT_EQ(Result(options).out, options.stdin_text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SubprocessTest, ProgramsAreFound) {
  const auto shell = FindProgram("sh");
  ASSERT_TRUE(shell.ok());
  EXPECT_TRUE(absl::EndsWith(*shell, "/sh"));
  EXPECT_EQ(*FindProgram("/bin/sh"), "/bin/sh");
  EXPECT_FALSE(FindProgram("").ok());
  const auto self = ThisProgram();
  ASSERT_TRUE(self.ok());
  EXPECT_TRUE(absl::EndsWith(*self, "base_test")) << *self;
}

}  // namespace
}  // namespace hlokit
