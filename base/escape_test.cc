#include "base/escape.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

TEST(EscapeTest, NamedAndOctalEscapesAreWritten) {
  EXPECT_EQ(CEscape("plain text ~!"), "plain text ~!");
  EXPECT_EQ(CEscape("\n\r\t\"'\\"), "\\n\\r\\t\\\"\\'\\\\");
  EXPECT_EQ(CEscape(absl::string_view("\0\x01\x1f\x7f\x80\xff", 6)),
            "\\000\\001\\037\\177\\200\\377");
  EXPECT_EQ(CEscape("\a\b\f\v?"), "\\007\\010\\014\\013?");
  // A digit after an octal escape stays apart, as there are three always.
  EXPECT_EQ(CEscape("\x01" "2"), "\\0012");
}

TEST(EscapeTest, UnescapingGivesEveryByteBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    for (int j = 0; j < 256; ++j) {
      all += static_cast<char>(i);
      all += static_cast<char>(j);
    }
  }
  const auto back = CUnescape(CEscape(all));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, all);
}

TEST(EscapeTest, AppendingKeepsWhatIsThere) {
  std::string out = "a";
  AppendCEscaped("\n", &out);
  EXPECT_EQ(out, "a\\n");
}

TEST(EscapeTest, AllEscapesAreRead) {
  EXPECT_EQ(*CUnescape(R"(\n\t\r\\\"\'\?\a\b\f\v)"), "\n\t\r\\\"'?\a\b\f\v");
  EXPECT_EQ(*CUnescape(R"(\7\12\101x\1012\377)"), "\7\12Ax" "A2\xff");
  EXPECT_EQ(*CUnescape(R"(\x41\X4a\xAg\x00041)"), "AJ\ng" "A");
  EXPECT_EQ(*CUnescape(R"(\u0041\u00e9\u20AC\U0001F600)"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(CUnescape(R"(\0)")->size(), 1u);
  EXPECT_EQ(*CUnescape(""), "");
}

TEST(EscapeTest, WrongEscapesAreErrorsThatNameTheirPlace) {
  for (const char* text : {R"(\q)", R"(\)", R"(\400)", R"(\x)", R"(\xg)",
                           R"(\x100)", R"(\u123)", R"(\u123g)", R"(\U0011)",
                           R"(\U00110000)", R"(\ud800)", R"(\uDFFF)", R"(\8)",
                           "\\\n"}) {
    const absl::Status status = CUnescape(std::string("abc") + text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("at byte 3")) << text;
  }
}

TEST(Utf8Test, EveryCodePointHasOneForm) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    AppendUtf8(c, &text);
    const size_t expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    ASSERT_EQ(text.size(), expected) << c;
    ASSERT_EQ(Utf8SequenceLength(text), static_cast<int>(expected)) << c;
    ASSERT_EQ(Utf8SequenceLength(text.substr(0, expected - 1)), 0) << c;
  }
}

TEST(Utf8Test, IllFormedBytesAreNone) {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80",
        "\xff", "\xc3(", "\xe2\x82(", "\xf0\x9f\x98("}) {
    EXPECT_EQ(Utf8SequenceLength(text), 0) << CEscape(text);
  }
}

TEST(PrintableTest, EscapesWhatMovesTheCursor) {
  EXPECT_EQ(Printable("a\tb\n"), "a\tb\n");
  EXPECT_EQ(Printable("\x1b[2Jx\r\b\x7f"), "\\033[2Jx\\r\\010\\177");
  EXPECT_EQ(Printable(absl::string_view("a\0b", 3)), "a\\000b");
  // U+009B starts a sequence as ESC [ does; other letters stay.
  EXPECT_EQ(Printable("\xc2\x9b"), "\\302\\233");
  EXPECT_EQ(Printable("\xc3\xa9\xc2\xb5\xff"), "\xc3\xa9\xc2\xb5\xff");
}

}  // namespace
}  // namespace hlokit
