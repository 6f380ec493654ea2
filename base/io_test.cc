#include "base/io.h"

#include <unistd.h>

#include <csignal>
#include <sstream>
#include <string>

#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

struct TestIo {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  MemoryFileSystem files;

  ToolIo io() {
    ToolIo io;
    io.in = &in;
    io.out = &out;
    io.err = &err;
    io.files = &files;
    io.getenv = [](const char*) -> const char* { return nullptr; };
    return io;
  }
};

TEST(IoTest, DashReadsTheStandardInputByteForByte) {
  TestIo test;
  for (size_t size : {0, 1, 65536, 65537, 300000}) {
    std::string contents(size, '\0');
    for (size_t i = 0; i < size; ++i) contents[i] = static_cast<char>(i * 7);
    test.in.clear();
    test.in.str(contents);
    const auto read = ReadInput(test.io(), "-");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == contents) << size;
  }
  EXPECT_EQ(InputName("-"), "<stdin>");
}

TEST(IoTest, OtherNamesReadFiles) {
  TestIo test;
  ASSERT_TRUE(test.files.WriteFile("f", "abc").ok());
  EXPECT_EQ(*ReadInput(test.io(), "f"), "abc");
  EXPECT_TRUE(absl::IsNotFound(ReadInput(test.io(), "g").status()));
  EXPECT_EQ(InputName("f"), "f");
}

TEST(IoTest, InputMeetsItsLimit) {
  TestIo test;
  test.in.str("12345");
  EXPECT_EQ(*ReadInput(test.io(), "-", 5), "12345");
  test.in.clear();
  test.in.str("123456");
  EXPECT_TRUE(
      absl::IsResourceExhausted(ReadInput(test.io(), "-", 5).status()));
}

TEST(IoTest, OutputGoesToTheFileOrTheStream) {
  TestIo test;
  EXPECT_TRUE(WriteOutput(test.io(), "f", "abc").ok());
  EXPECT_EQ(*test.files.ReadFile("f"), "abc");
  EXPECT_TRUE(WriteOutput(test.io(), "-", "text").ok());
  EXPECT_EQ(test.out.str(), "text");
}

TEST(IoTest, BinaryOutputIsKeptFromTerminals) {
  TestIo test;
  ToolIo io = test.io();
  io.out_is_terminal = true;
  EXPECT_TRUE(absl::IsInvalidArgument(
      WriteOutput(io, "-", "\x01", OutputKind::kBinary)));
  EXPECT_EQ(test.out.str(), "");
  EXPECT_TRUE(WriteOutput(io, "-", "text").ok());
  EXPECT_TRUE(WriteOutput(io, "f", "\x01", OutputKind::kBinary).ok());
  io.out_is_terminal = false;
  EXPECT_TRUE(WriteOutput(io, "-", "\x01", OutputKind::kBinary).ok());
  EXPECT_EQ(test.out.str(), "text\x01");
}

TEST(IoTest, ExitCodesFollowTheKindOfError) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(InvalidArgument("x")), 3);
  EXPECT_EQ(ExitCodeFor(NotFound("x")), 3);
  EXPECT_EQ(ExitCodeFor(Unimplemented("x")), 3);
  EXPECT_EQ(ExitCodeFor(ResourceExhausted("x")), 3);
  EXPECT_EQ(ExitCodeFor(FailedPrecondition("x")), 4);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), 4);
  EXPECT_EQ(ExitCodeFor(absl::PermissionDeniedError("x")), 4);
  EXPECT_EQ(ExitCodeFor(Internal("x")), 1);
}

TEST(IoTest, FinishPrintsTheErrorOnce) {
  TestIo test;
  EXPECT_EQ(FinishTool(test.io(), "tool", NotFound("no f")), kBadInput);
  EXPECT_EQ(test.err.str(), "tool: error: no f\n");
  test.err.str("");
  EXPECT_EQ(FinishTool(test.io(), "tool", InvalidArgument("f:1:2: error: no")),
            kBadInput);
  EXPECT_EQ(test.err.str(), "f:1:2: error: no\n");
  test.err.str("");
  EXPECT_EQ(FinishTool(test.io(), "tool", absl::OkStatus()), kOk);
  EXPECT_EQ(test.err.str(), "");
}

TEST(IoTest, FinishReportsOutputThatDidNotArrive) {
  TestIo test;
  test.out.setstate(std::ios::badbit);
  EXPECT_EQ(FinishTool(test.io(), "tool", absl::OkStatus()), kEnvironment);
  EXPECT_EQ(test.err.str(), "tool: error: cannot write '<stdout>'\n");
}

// Runs as a tool that writes `lines` lines, with its standard output at `fd`.
[[noreturn]] void WriteLinesAndExit(int fd, int lines) {
  ::dup2(fd, STDOUT_FILENO);
  const ToolIo io = StandardIo();
  for (int i = 0; i < lines; ++i) *io.out << "line " << i << "\n";
  ::_exit(FinishTool(io, "tool", absl::OkStatus()));
}

TEST(IoDeathTest, AClosedPipeEndsSilently) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  ::close(fds[0]);
  EXPECT_EXIT(WriteLinesAndExit(fds[1], 100000), ::testing::ExitedWithCode(0),
              "^$");
  EXPECT_EXIT(WriteLinesAndExit(fds[1], 1), ::testing::ExitedWithCode(0),
              "^$");
  ::close(fds[1]);
}

TEST(IoDeathTest, AFullDiskIsReported) {
  FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full";
  EXPECT_EXIT(WriteLinesAndExit(::fileno(full), 100000),
              ::testing::ExitedWithCode(kEnvironment),
              "tool: error: cannot write '<stdout>': No space left on device");
  std::fclose(full);
}

TEST(IoDeathTest, StandardOutputArrivesWhole) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  EXPECT_EXIT(WriteLinesAndExit(fds[1], 1000), ::testing::ExitedWithCode(0),
              "");
  ::close(fds[1]);
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    expected += "line " + std::to_string(i) + "\n";
  }
  std::string text(2 * expected.size(), '\0');
  size_t used = 0;
  for (ssize_t count;
       (count = ::read(fds[0], text.data() + used, text.size() - used)) > 0;) {
    used += count;
  }
  ::close(fds[0]);
  EXPECT_EQ(text.substr(0, used), expected);
}

}  // namespace
}  // namespace hlokit
