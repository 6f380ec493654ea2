#include "base/terminal.h"

#include <map>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

struct TestTerminal {
  std::ostringstream out;
  std::ostringstream err;
  std::map<std::string, std::string> environment;

  ToolIo io(bool is_terminal) {
    ToolIo io;
    io.out = &out;
    io.err = &err;
    io.out_is_terminal = io.err_is_terminal = is_terminal;
    io.getenv = [this](const char* name) -> const char* {
      const auto it = environment.find(name);
      return it == environment.end() ? nullptr : it->second.c_str();
    };
    return io;
  }
};

TEST(TerminalTest, ColorModesAreParsed) {
  EXPECT_EQ(*ParseColorMode("auto"), ColorMode::kAuto);
  EXPECT_EQ(*ParseColorMode("always"), ColorMode::kAlways);
  EXPECT_EQ(*ParseColorMode("never"), ColorMode::kNever);
  EXPECT_FALSE(ParseColorMode("Always").ok());
}

TEST(TerminalTest, ColorIsForTerminalsUnlessAskedOtherwise) {
  TestTerminal terminal;
  EXPECT_TRUE(UseColorOnOut(ColorMode::kAuto, terminal.io(true)));
  EXPECT_FALSE(UseColorOnOut(ColorMode::kAuto, terminal.io(false)));
  EXPECT_TRUE(UseColorOnOut(ColorMode::kAlways, terminal.io(false)));
  EXPECT_FALSE(UseColorOnOut(ColorMode::kNever, terminal.io(true)));
}

TEST(TerminalTest, EachStreamIsJudgedByItself) {
  TestTerminal terminal;
  ToolIo io = terminal.io(true);
  io.out_is_terminal = false;
  EXPECT_FALSE(UseColorOnOut(ColorMode::kAuto, io));
  EXPECT_TRUE(UseColorOnErr(ColorMode::kAuto, io));
}

TEST(TerminalTest, TheEnvironmentCanTurnColorOff) {
  TestTerminal terminal;
  terminal.environment["NO_COLOR"] = "";
  EXPECT_TRUE(UseColorOnOut(ColorMode::kAuto, terminal.io(true)));
  terminal.environment["NO_COLOR"] = "1";
  EXPECT_FALSE(UseColorOnOut(ColorMode::kAuto, terminal.io(true)));
  EXPECT_TRUE(UseColorOnOut(ColorMode::kAlways, terminal.io(true)));
  terminal.environment = {{"TERM", "dumb"}};
  EXPECT_FALSE(UseColorOnErr(ColorMode::kAuto, terminal.io(true)));
}

TEST(TerminalTest, PaintersPaintOnlyInColor) {
  EXPECT_EQ(Painter(false)(Style::kRed, "x"), "x");
  EXPECT_EQ(Painter(true)(Style::kRed, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Painter(true)(Style::kRed, ""), "");
  EXPECT_EQ(Painter(true)(Style::kPlain, "x"), "x");
}

TEST(TerminalTest, WidthComesFromTheEnvironmentOrIsTheFallback) {
  TestTerminal terminal;
  EXPECT_EQ(TerminalWidth(terminal.io(false)), 80);
  EXPECT_EQ(TerminalWidth(terminal.io(false), 100), 100);
  terminal.environment["COLUMNS"] = "132";
  EXPECT_EQ(TerminalWidth(terminal.io(false)), 132);
  terminal.environment["COLUMNS"] = "wide";
  EXPECT_EQ(TerminalWidth(terminal.io(false)), 80);
}

TEST(TerminalTest, TheDisplayWidthCountsCodePointsAndNoEscapes) {
  EXPECT_EQ(DisplayWidth(""), 0);
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("\xc3\xa9\xe2\x82\xac"), 2);
  EXPECT_EQ(DisplayWidth("\x1b[1;31mab\x1b[0m"), 2);
  EXPECT_EQ(DisplayWidth("\xff\xff"), 2);
  EXPECT_EQ(DisplayWidth("\x1b[1"), 0);
}

TEST(TerminalTest, ElidingKeepsBothEnds) {
  EXPECT_EQ(ElideMiddle("abcdef", 6), "abcdef");
  EXPECT_EQ(ElideMiddle("abcdefgh", 7), "ab...gh");
  EXPECT_EQ(ElideMiddle("abcdefgh", 6), "ab...h");
  EXPECT_EQ(ElideMiddle("abcdefgh", 2), "..");
  EXPECT_EQ(ElideMiddle("abcdefgh", -1), "");
  EXPECT_EQ(ElideMiddle("\xe2\x82\xac" "bcdefg\xe2\x82\xac", 5),
            "\xe2\x82\xac...\xe2\x82\xac");
}

class ProgressLineTest : public ::testing::Test {
 protected:
  std::function<absl::Time()> Clock() {
    return [this] { return now_; };
  }
  TestTerminal terminal_;
  absl::Time now_ = absl::UnixEpoch();
};

TEST_F(ProgressLineTest, RewritesOneLineAndTakesItAway) {
  {
    ProgressLine line(terminal_.io(true), absl::Seconds(1), Clock());
    line.Update("one");
    now_ += absl::Seconds(1);
    line.Update("two");
  }
  EXPECT_EQ(terminal_.err.str(), "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K");
}

TEST_F(ProgressLineTest, IsRateLimited) {
  ProgressLine line(terminal_.io(true), absl::Seconds(1), Clock());
  line.Update("one");
  now_ += absl::Milliseconds(999);
  line.Update("two");
  EXPECT_EQ(terminal_.err.str(), "\r\x1b[Kone");
  line.Clear();
  line.Update("three");
  EXPECT_EQ(terminal_.err.str(), "\r\x1b[Kone\r\x1b[K\r\x1b[Kthree");
}

TEST_F(ProgressLineTest, IsSilentElsewhere) {
  {
    ProgressLine line(terminal_.io(false), absl::ZeroDuration(), Clock());
    line.Update("one");
    EXPECT_FALSE(line.enabled());
  }
  terminal_.environment["TERM"] = "dumb";
  {
    ProgressLine line(terminal_.io(true), absl::ZeroDuration(), Clock());
    line.Update("one");
  }
  EXPECT_EQ(terminal_.err.str(), "");
}

TEST_F(ProgressLineTest, FitsTheTerminalAndStaysOneLine) {
  terminal_.environment["COLUMNS"] = "10";
  ProgressLine line(terminal_.io(true), absl::ZeroDuration(), Clock());
  line.Update("0123456789abc");
  EXPECT_THAT(terminal_.err.str(), HasSubstr("012...abc"));
  line.Update("a\nb\x1b" "c");
  EXPECT_THAT(terminal_.err.str(), HasSubstr("a b c"));
}

}  // namespace
}  // namespace hlokit
