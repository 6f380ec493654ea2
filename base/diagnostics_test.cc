#include "base/diagnostics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DiagnosticsTest, PlacesCountLinesAndBytesFromOne) {
  const absl::string_view source = "ab\ncd\n";
  const auto expect = [&](size_t offset, int64_t line, int64_t column) {
    const SourcePlace place = PlaceOf(source, offset);
    EXPECT_EQ(place.line, line) << offset;
    EXPECT_EQ(place.column, column) << offset;
  };
  expect(0, 1, 1);
  expect(1, 1, 2);
  expect(2, 1, 3);  // the newline belongs to its line
  expect(3, 2, 1);
  expect(6, 3, 1);
  expect(100, 3, 1);
}

TEST(DiagnosticsTest, ShowsTheLineAndACaret) {
  const absl::string_view source = "ENTRY e {\n  c = f32[] add(a, ad)\n}\n";
  Diagnostics diagnostics("file.hlo", source);
  diagnostics.Error("no instruction is called 'ad'", source.find("ad)"));
  EXPECT_EQ(diagnostics.ToString(),
            "file.hlo:2:20: error: no instruction is called 'ad'\n"
            "    c = f32[] add(a, ad)\n"
            "                     ^\n");
}

TEST(DiagnosticsTest, PlacesInAnyOrderAndTheFirstLineNumberAreRight) {
  const absl::string_view source = "one\ntwo\nthree";
  Diagnostics diagnostics("f", source, 11);
  diagnostics.Error("c", source.find("three"));
  diagnostics.Warning("a", 0);
  diagnostics.Note("b", source.find("wo"));
  EXPECT_EQ(diagnostics.ToString(),
            "f:13:1: error: c\n  three\n  ^\n"
            "f:11:1: warning: a\n  one\n  ^\n"
            "f:12:2: note: b\n  two\n   ^\n");
}

TEST(DiagnosticsTest, WithoutAPlaceOnlyTheFileIsNamed) {
  Diagnostics diagnostics("f", "text");
  diagnostics.Error("empty");
  EXPECT_EQ(diagnostics.ToString(), "f: error: empty\n");
  Diagnostics nameless;
  nameless.Error("empty");
  EXPECT_EQ(nameless.ToString(), "error: empty\n");
}

TEST(DiagnosticsTest, BinaryInputsHaveByteOffsets) {
  Diagnostics diagnostics("f.pb");
  diagnostics.Error("bad tag", 17);
  EXPECT_EQ(diagnostics.ToString(), "f.pb: byte 17: error: bad tag\n");
}

TEST(DiagnosticsTest, TheEndOfTheTextIsAPlace) {
  Diagnostics diagnostics("f", "abc");
  diagnostics.Error("unexpected end", 3);
  EXPECT_EQ(diagnostics.ToString(),
            "f:1:4: error: unexpected end\n  abc\n     ^\n");
  Diagnostics after_newline("f", "abc\n");
  after_newline.Error("unexpected end", 4);
  EXPECT_EQ(after_newline.ToString(), "f:2:1: error: unexpected end\n");
}

TEST(DiagnosticsTest, TheCaretStandsUnderTheCodePoint) {
  const absl::string_view source = "\t\xc3\xa9\xe2\x82\xac x\r\n";
  Diagnostics diagnostics("f", source);
  diagnostics.Error("here", source.find('x'));
  EXPECT_EQ(diagnostics.ToString(),
            "f:1:8: error: here\n   \xc3\xa9\xe2\x82\xac x\n      ^\n");
}

TEST(DiagnosticsTest, BytesThatCouldCommandTheTerminalAreNotShown) {
  Diagnostics diagnostics("f", "a\x1b[31m\xff\xc2\x9b b");
  diagnostics.Error("here", 0);
  EXPECT_THAT(diagnostics.ToString(), HasSubstr("\n  a?[31m?? b\n"));
}

TEST(DiagnosticsTest, LongLinesAreCutAroundThePlace) {
  std::string source(1000, 'a');
  source[500] = 'X';
  Diagnostics diagnostics("f", source);
  diagnostics.Error("here", 500);
  const std::string text = diagnostics.ToString();
  const size_t line = text.find('\n') + 1;
  const size_t caret_line = text.find('\n', line) + 1;
  EXPECT_LE(caret_line - line - 1, 80u);
  EXPECT_EQ(text.find('X') - line, text.find('^') - caret_line);
  EXPECT_EQ(text.substr(line, 6), "  ...a");
  EXPECT_EQ(text.substr(caret_line - 5, 5), "a...\n");
}

TEST(DiagnosticsTest, CuttingLeavesCodePointsWhole) {
  std::string source;
  for (int i = 0; i < 300; ++i) source += "\xe2\x82\xac";
  for (size_t offset = 0; offset < source.size(); offset += 3) {
    Diagnostics diagnostics("f", source);
    diagnostics.Error("here", offset);
    EXPECT_THAT(diagnostics.ToString(), Not(HasSubstr("?"))) << offset;
  }
}

TEST(DiagnosticsTest, CountsErrorsAndIsFullAfterTwenty) {
  Diagnostics diagnostics;
  diagnostics.Warning("w");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(diagnostics.full());
    diagnostics.Error("e");
  }
  EXPECT_TRUE(diagnostics.full());
  EXPECT_EQ(diagnostics.error_count(), 20);
  EXPECT_EQ(diagnostics.all().size(), 21u);
}

TEST(DiagnosticsTest, TheStatusHoldsTheTextWithoutItsLastNewline) {
  Diagnostics diagnostics("f", "abc");
  diagnostics.Error("wrong", 1);
  const absl::Status status = diagnostics.ToStatus();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "f:1:2: error: wrong\n  abc\n   ^");
}

TEST(DiagnosticsTest, ColorAddsEscapesAndNothingElse) {
  Diagnostics diagnostics("f", "abc");
  diagnostics.Error("wrong", 1);
  std::string text = diagnostics.ToString(/*color=*/true);
  EXPECT_THAT(text, HasSubstr("\x1b[1;31merror:\x1b[0m"));
  for (size_t escape; (escape = text.find('\x1b')) != std::string::npos;) {
    text.erase(escape, text.find('m', escape) + 1 - escape);
  }
  EXPECT_EQ(text, diagnostics.ToString());
}

}  // namespace
}  // namespace hlokit
