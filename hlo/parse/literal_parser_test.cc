#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

Shape TypeOf(absl::string_view text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return shape.ok() ? *shape : Shape();
}

// What `text` as a constant of `type` prints as.
std::string Reprint(absl::string_view type, absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text, TypeOf(type));
  return literal.ok() ? literal->ToString()
                      : std::string(literal.status().message());
}

double ScalarOf(absl::string_view type, absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text, TypeOf(type));
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? literal->GetAsDouble(0) : 0;
}

TEST(LiteralParserTest, CommasCountForNothing) {
  EXPECT_EQ(Reprint("s32[2]", "{1 2}"), "{1, 2}");
  EXPECT_EQ(Reprint("s32[2]", "{,1,,2,}"), "{1, 2}");
  EXPECT_EQ(Reprint("s32[2,2]", "{{1,2} /*c*/ {3,4}}"), "{ { 1, 2 }, { 3, 4 } }");
}

TEST(LiteralParserTest, EveryBraceMustHoldTheRightNumber) {
  EXPECT_THAT(Reprint("f32[2,3]", "{{1,2,3},{4,5}}"),
              HasSubstr("row [1] has 2 elements, the type wants 3"));
  EXPECT_THAT(Reprint("s32[2]", "{1,2,3}"), HasSubstr("more than the 2"));
  EXPECT_THAT(Reprint("s32[2,2]", "{1,2}"), HasSubstr("braces around"));
  EXPECT_THAT(Reprint("s32[2]", "{{1},{2}}"), HasSubstr("nested deeper"));
  EXPECT_THAT(Reprint("s32[2]", "{1,2"), HasSubstr("does not end"));
}

TEST(LiteralParserTest, ArraysWithoutElementsShowTheirRows) {
  EXPECT_EQ(Reprint("f32[0,2]", "{}"), "{  }");
  EXPECT_EQ(Reprint("f32[2,0]", "{{},{}}"), "{ {}, {} }");
}

TEST(LiteralParserTest, IntegersMustFitTheirType) {
  EXPECT_EQ(Reprint("s4[2]", "{-8,7}"), "{-8, 7}");
  EXPECT_THAT(Reprint("s4[]", "8"), HasSubstr("8 does not fit s4"));
  EXPECT_THAT(Reprint("s8[]", "200"), HasSubstr("200 does not fit s8"));
  EXPECT_THAT(Reprint("u32[]", "-1"), HasSubstr("does not fit u32"));
  EXPECT_EQ(Reprint("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(Reprint("u64[]", "-1"), "18446744073709551615");
  EXPECT_EQ(Reprint("s64[]", "18446744073709551615"), "-1");
  EXPECT_THAT(Reprint("s64[]", "18446744073709551616"), HasSubstr("not fit"));
  EXPECT_THAT(Reprint("s32[]", "1.5"), HasSubstr("expected an integer"));
}

TEST(LiteralParserTest, PredIsTrueFalseOrAnyInteger) {
  EXPECT_EQ(Reprint("pred[4]", "{true,false,2,0}"), "{1, 0, 1, 0}");
  EXPECT_EQ(Reprint("pred[]", "1"), "true");
  EXPECT_THAT(Reprint("f32[]", "true"), HasSubstr("expected a number"));
  EXPECT_THAT(Reprint("s32[]", "true"), HasSubstr("expected an integer"));
}

TEST(LiteralParserTest, NumbersAreReadInEveryFormOfTheFormat) {
  EXPECT_EQ(ScalarOf("f32[]", "5."), 5);
  EXPECT_EQ(ScalarOf("f32[]", "5.e3"), 5000);
  EXPECT_EQ(ScalarOf("f32[]", "1E+5"), 1e5);
  EXPECT_EQ(ScalarOf("f32[]", "-.5"), -0.5);
  EXPECT_EQ(ScalarOf("f64[]", "0.1"), 0.1);
  EXPECT_THAT(Reprint("f32[]", ".5"), HasSubstr("cannot begin with '.'"));
  EXPECT_THAT(Reprint("f32[]", "+5"), HasSubstr("expected a number"));
  EXPECT_THAT(Reprint("f32[]", "1x2"), HasSubstr("is no number"));
  EXPECT_THAT(Reprint("f32[]", "NaN"), HasSubstr("expected a number"));
}

TEST(LiteralParserTest, TheSignOfZeroSurvivesInEveryForm) {
  for (const char* text : {"-0", "-0.0", "-0e0"}) {
    EXPECT_TRUE(std::signbit(ScalarOf("f32[]", text))) << text;
  }
}

TEST(LiteralParserTest, FiniteValuesMustStayFinite) {
  EXPECT_EQ(ScalarOf("f16[]", "65519"), 65504);
  EXPECT_THAT(Reprint("f16[]", "65520"), HasSubstr("does not fit f16"));
  EXPECT_THAT(Reprint("f8e4m3fn[]", "1000"), HasSubstr("does not fit"));
  EXPECT_THAT(Reprint("f64[]", "1e400"), HasSubstr("too large"));
  EXPECT_THAT(Reprint("f8e8m0fnu[]", "0"), HasSubstr("does not fit"));
  EXPECT_EQ(ScalarOf("f64[]", "1e-400"), 0);
  EXPECT_EQ(ScalarOf("f32[]", "1e-45"),
            std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(ScalarOf("f4e2m1fn[]", "100"), 6);
}

TEST(LiteralParserTest, InfinityBecomesWhatTheTypeHas) {
  EXPECT_EQ(ScalarOf("f32[]", "-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(ScalarOf("f8e4m3fn[]", "inf")));
  EXPECT_EQ(ScalarOf("f4e2m1fn[]", "inf"), 6);
}

TEST(LiteralParserTest, NanPayloadsAreTheMantissa) {
  absl::StatusOr<Literal> one = ParseLiteral("nan(0x1)", TypeOf("f32[]"));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(std::bit_cast<uint32_t>(one->First<float>()), 0x7f800001u);
  absl::StatusOr<Literal> minus = ParseLiteral("-nan", TypeOf("f32[]"));
  ASSERT_TRUE(minus.ok());
  EXPECT_EQ(std::bit_cast<uint32_t>(minus->First<float>()), 0xffc00000u);
  EXPECT_THAT(Reprint("bf16[]", "nan(0x80)"), HasSubstr("payload"));
  EXPECT_THAT(Reprint("f8e4m3fn[]", "nan(0x1)"), HasSubstr("payload"));
  EXPECT_THAT(Reprint("f32[]", "nan(0x0)"), HasSubstr("payload"));
}

TEST(LiteralParserTest, ComplexPartsAreIndependent) {
  EXPECT_EQ(Reprint("c64[2]", "{(1, -2.5), (nan, -inf)}"),
            "{(1, -2.5), (nan, -inf)}");
  EXPECT_THAT(Reprint("c64[]", "1"), HasSubstr("(re, im)"));
  EXPECT_THAT(Reprint("f32[]", "(1, 2)"), HasSubstr("expected a number"));
}

TEST(LiteralParserTest, AValueWithoutBracesIsTheFirstElement) {
  EXPECT_EQ(Reprint("s32[3]", "7"), "{7, 0, 0}");
}

TEST(LiteralParserTest, ElidedValuesAreARunningCounter) {
  EXPECT_EQ(Reprint("u32[3]", "{...}"), "{0, 1, 2}");
  EXPECT_EQ(Reprint("u64[2]", "{...}"), "{4294967296, 12884901890}");
  EXPECT_EQ(Reprint("pred[6]", "{...}"), "{0, 0, 1, 0, 0, 0}");
  EXPECT_THAT(Reprint("u32[2,2]", "{{...}}"), HasSubstr("outer braces"));
}

TEST(LiteralParserTest, TuplesNest) {
  EXPECT_EQ(Reprint("(s32[], (f32[2], pred[]))", "( 1, ( {2, 3}, true ) )"),
            "( 1, ( {2, 3}, true ) )");
  EXPECT_THAT(Reprint("(s32[], s32[])", "(1)"), HasSubstr("tuple has 1"));
  EXPECT_THAT(Reprint("(s32[])", "(1, 2)"), HasSubstr("more than the 1"));
}

TEST(LiteralParserTest, AShortTextCannotAskForMuchMemory) {
  EXPECT_THAT(Reprint("f32[1000000000000]", "{...}"), HasSubstr("larger than"));
  EXPECT_THAT(Reprint("f32[1000000000]", "{1, 2}"),
              HasSubstr("the text ends before"));
  EXPECT_THAT(Reprint("f32[?]", "{1}"), HasSubstr("no bounded size"));
}

TEST(LiteralParserTest, DynamicDimensionsBecomeStatic) {
  absl::StatusOr<Literal> literal = ParseLiteral("{1,2,3}", TypeOf("s32[<=3]"));
  ASSERT_TRUE(literal.ok());
  EXPECT_TRUE(literal->shape().is_static());
}

}  // namespace
}  // namespace hlokit
