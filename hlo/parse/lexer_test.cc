#include "hlo/parse/lexer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hlokit::parse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Tok> KindsOf(absl::string_view text) {
  std::vector<Tok> kinds;
  for (Lexer lexer(text); lexer.kind() != Tok::kEof; lexer.Next()) {
    kinds.push_back(lexer.kind());
    if (lexer.kind() == Tok::kError) break;
  }
  return kinds;
}

std::string ErrorOf(absl::string_view text) {
  Lexer lexer(text);
  while (lexer.kind() != Tok::kEof && lexer.kind() != Tok::kError) lexer.Next();
  return lexer.kind() == Tok::kError ? lexer.error() : "no error";
}

TEST(LexerTest, EqualSignMakesAnAttributeOnlyWhenItTouchesTheName) {
  EXPECT_THAT(KindsOf("c=f"), ElementsAre(Tok::kAttr, Tok::kIdent));
  EXPECT_THAT(KindsOf("c = f"),
              ElementsAre(Tok::kIdent, Tok::kEqual, Tok::kIdent));
}

TEST(LexerTest, NamesLoseTheirPercentSignAndColon) {
  Lexer lexer("%a.1-b x: %y:");
  EXPECT_EQ(lexer.kind(), Tok::kName);
  EXPECT_EQ(lexer.token().text, "a.1-b");
  lexer.Next();
  EXPECT_EQ(lexer.kind(), Tok::kName);
  EXPECT_EQ(lexer.token().text, "x");
  lexer.Next();
  EXPECT_EQ(lexer.token().text, "y");
  lexer.Next();
  EXPECT_EQ(lexer.kind(), Tok::kColon);
}

TEST(LexerTest, CommentsAndAllKindsOfBlanksSeparateTokens) {
  EXPECT_THAT(KindsOf(" \t\r\n// all of it\n/* a * / */(/**/)"),
              ElementsAre(Tok::kLParen, Tok::kRParen));
  EXPECT_THAT(ErrorOf("a /* never"), HasSubstr("comment"));
}

TEST(LexerTest, IntegersKeepSixtyFourBits) {
  Lexer lexer("18446744073709551615 -9223372036854775808 7");
  EXPECT_EQ(lexer.token().value, -1);
  EXPECT_FALSE(lexer.token().special);
  lexer.Next();
  EXPECT_EQ(lexer.token().value, INT64_MIN);
  lexer.Next();
  EXPECT_EQ(lexer.token().value, 7);
  EXPECT_TRUE(Lexer("18446744073709551616").token().special);
  EXPECT_TRUE(Lexer("-9223372036854775809").token().special);
}

TEST(LexerTest, DecimalsNeedADigitBeforeThePointUnlessNegative) {
  for (const char* text : {"5.", "5.e3", "1E+5", "-.5", "-inf", "1e-3"}) {
    EXPECT_THAT(KindsOf(text), ElementsAre(Tok::kDecimal)) << text;
  }
  EXPECT_THAT(ErrorOf(".5"), HasSubstr("cannot begin with '.'"));
  EXPECT_THAT(KindsOf("-nan(0x1)"), ElementsAre(Tok::kNan));
}

TEST(LexerTest, PunctuationOfSeveralBytes) {
  EXPECT_THAT(KindsOf("->...<="),
              ElementsAre(Tok::kArrow, Tok::kDots, Tok::kLessEq));
  EXPECT_THAT(ErrorOf("<"), HasSubstr("'<'"));
  EXPECT_THAT(ErrorOf(".."), HasSubstr("'.'"));
}

TEST(LexerTest, StringsTakeEitherQuoteAndShowWhetherTheyAreEscaped) {
  Lexer lexer(R"("a'b" 'c"d' "x\"y")");
  EXPECT_EQ(lexer.token().text, "a'b");
  EXPECT_FALSE(lexer.token().special);
  lexer.Next();
  EXPECT_EQ(lexer.token().text, "c\"d");
  lexer.Next();
  EXPECT_EQ(lexer.token().text, R"(x\"y)");
  EXPECT_TRUE(lexer.token().special);
  EXPECT_THAT(ErrorOf("\"abc"), HasSubstr("string"));
  EXPECT_THAT(ErrorOf("\"abc\\\""), HasSubstr("string"));
}

TEST(LexerTest, ZeroBytesAndStrangeBytesAreErrors) {
  EXPECT_THAT(ErrorOf(absl::string_view("a\0b", 3)), HasSubstr("zero byte"));
  EXPECT_THAT(ErrorOf("\xc3"), HasSubstr("0xc3"));
  EXPECT_THAT(ErrorOf("%1"), HasSubstr("'%'"));
}

TEST(LexerTest, JsonDictionariesIgnoreBracesInStrings) {
  const absl::string_view text = R"({"a":"}\"{","b":{}} rest)";
  EXPECT_EQ(ScanJsonDict(text, 0), text.size() - 5);
  EXPECT_EQ(ScanJsonDict("{", 0), absl::string_view::npos);
}

}  // namespace
}  // namespace hlokit::parse
