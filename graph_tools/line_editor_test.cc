// What a person at a terminal gets, through a pseudo terminal.
#include "graph_tools/line_editor.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "base/file_system.h"
#include "gmock/gmock.h"
#include "graph_tools/interactive_graphviz.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

constexpr char kModule[] = R"(HloModule m
ENTRY main {
  alpha.1 = f32[8] parameter(0)
  alpha.2 = f32[8] negate(alpha.1)
  beta = f32[8] exponential(alpha.2)
  ROOT omega = f32[8] multiply(beta, alpha.2)
})";

// The tool in a process whose terminal is ours to type on.
class Terminal {
 public:
  explicit Terminal(const std::string& file) {
    std::fflush(nullptr);
    const winsize size = {50, 100, 0, 0};
    pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    ::_exit(RunInteractiveGraphviz({file, "--color=never"}, StandardIo()));
  }
  ~Terminal() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    if (fd_ >= 0) ::close(fd_);
  }

  // Once the editor has turned to the terminal, which else would take some keys
  // for itself.
  void Type(const std::string& keys) {
    const absl::Time end = absl::Now() + absl::Seconds(60);
    while (!Edits() && absl::Now() < end) absl::SleepFor(absl::Milliseconds(1));
    seen_.clear();
    ASSERT_EQ(::write(fd_, keys.data(), keys.size()),
              static_cast<ssize_t>(keys.size()));
  }
  // What the terminal shows from the last Type on, once `text` is in it.
  std::string Await(const std::string& text) {
    const absl::Time end = absl::Now() + absl::Seconds(60);
    while (!absl::StrContains(seen_, text) && absl::Now() < end) Read();
    EXPECT_THAT(seen_, HasSubstr(text));
    return seen_;
  }
  // It waits until what it printed is read.
  int ExitCode() {
    const absl::Time end = absl::Now() + absl::Seconds(60);
    int state = -1;
    while (::waitpid(pid_, &state, WNOHANG) == 0) {
      if (absl::Now() > end) return -1;
      Read();
    }
    pid_ = -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

 private:
  bool Edits() const {
    termios mode;
    return ::tcgetattr(fd_, &mode) == 0 && (mode.c_lflag & ICANON) == 0;
  }
  void Read() {
    pollfd one = {fd_, POLLIN, 0};
    char buffer[4096];
    if (::poll(&one, 1, 50) <= 0) return;
    const ssize_t count = ::read(fd_, buffer, sizeof buffer);
    if (count > 0) seen_.append(buffer, count);
    if (count < 0) absl::SleepFor(absl::Milliseconds(20));
  }

  int fd_ = -1;
  pid_t pid_ = -1;
  std::string seen_;
};

class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = *TemporaryDirectory::Create();
    const std::string path = JoinPath(folder_->path(), "m.hlo");
    ASSERT_TRUE(DiskFileSystem()->WriteFile(path, kModule).ok());
    terminal_ = std::make_unique<Terminal>(path);
    terminal_->Await("\ncommand: ");
  }
  std::unique_ptr<TemporaryDirectory> folder_;
  std::unique_ptr<Terminal> terminal_;
};

TEST_F(TerminalTest, TheBannerTellsTheCommandsAndEndOfFileEnds) {
  terminal_->Type("help\r");
  EXPECT_THAT(terminal_->Await("> FILE"), HasSubstr("allpaths"));
  terminal_->Await("command: ");
  terminal_->Type("\x04");
  EXPECT_EQ(terminal_->ExitCode(), 0);
}

TEST_F(TerminalTest, CommandsRunAndMistakesDoNotEndIt) {
  terminal_->Type("nosuch\r");
  terminal_->Await("called 'nosuch'");
  terminal_->Await("command: ");
  terminal_->Type("omega 1\r");
  terminal_->Await("* omega = multiply f32[8]");
  terminal_->Await("command: ");
  terminal_->Type("quit\r");
  EXPECT_EQ(terminal_->ExitCode(), 0);
}

#if HLOKIT_HAS_LIBEDIT
TEST_F(TerminalTest, TabCompletesCommandsAndNames) {
  // A unique one, and as far as several agree.
  terminal_->Type("stack\tome\t\r");
  EXPECT_THAT(terminal_->Await("no source line is known"), HasSubstr("omega"));
  terminal_->Await("command: ");
  terminal_->Type("info al\t2\r");
  terminal_->Await("negate");
  terminal_->Await("command: ");
  terminal_->Type("info %be\t\r");
  terminal_->Await("exponential");
}

TEST_F(TerminalTest, LinesAreEditedAndRemembered) {
  // To the start, two to the right, a letter between; then the end.
  terminal_->Type("inf omeg\x01\x1b[C\x1b[C\x1b[Co\x05" "a\r");
  terminal_->Await("root of");
  terminal_->Await("command: ");
  terminal_->Type("tree beta 0\r");
  terminal_->Await("* beta");
  terminal_->Await("command: ");
  terminal_->Type("\x1b[A\x1b[A\r");
  terminal_->Await("root of");
}
#endif

}  // namespace
}  // namespace hlokit
