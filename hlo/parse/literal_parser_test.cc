#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
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
  EXPECT_EQ(Reprint("u32[4294967296,0]", "{...}"), "{...}");
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

// A constant as XLA's reader has it; expected values are what jaxlib 0.10.2 gives.
std::unique_ptr<Module> QuirkyModule(absl::string_view type,
                                     absl::string_view text,
                                     std::string* error) {
  const std::string module = absl::StrCat("ROOT c = ", type, " constant(", text,
                                          ")");
  Diagnostics diagnostics("<text>", module);
  ParseOptions options;
  options.xla_literal_quirks = true;
  auto read = ParseModule(module, &diagnostics, options);
  *error = diagnostics.ToString();
  return read;
}

std::string Quirky(absl::string_view type, absl::string_view text) {
  std::string error;
  const auto module = QuirkyModule(type, text, &error);
  return module != nullptr ? module->entry()->root()->literal()->ToString()
                           : error;
}

TEST(LiteralParserTest, XlaKeepsPartOfAConstantsLayout) {
  auto type_of = [](absl::string_view type, absl::string_view text) {
    std::string error;
    const auto module = QuirkyModule(type, text, &error);
    return module != nullptr ? module->entry()->root()->shape().ToString()
                             : error;
  };
  EXPECT_EQ(type_of("s32[]{:E(4)}", "1"), "s32[]");
  EXPECT_EQ(type_of("s32[]{:M(128)}", "1"), "s32[]");
  EXPECT_EQ(type_of("s32[]{:L(2)}", "1"), "s32[]");
  EXPECT_EQ(type_of("s32[]{:T(2)L(4)}", "1"), "s32[]{:T(2)L(4)}");
  EXPECT_EQ(type_of("s32[]{:T(2)E(4)}", "1"), "s32[]{:T(2)}");
  EXPECT_EQ(type_of("s32[]{:L(2)E(4)S(3)}", "1"), "s32[]{:L(2)S(3)}");
  EXPECT_EQ(type_of("s32[]{:S(4)M(5)}", "1"), "s32[]{:S(4)M(5)}");
  EXPECT_EQ(type_of("s4[2]{0:T(4)L(2)E(4)S(1)M(3)}", "{1,2}"),
            "s4[2]{0:T(4)L(2)S(1)M(3)}");
  EXPECT_EQ(type_of("(s4[2]{0:E(4)}, s32[]{:M(4)})", "({1,2}, 1)"),
            "(s4[2]{0}, s32[])");
  // A dump's own text keeps its types.
  const auto module = ParseModule("ROOT c = s4[2]{0:E(4)} constant({1,2})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->root()->shape().ToString(), "s4[2]{0:E(4)}");
}

TEST(LiteralParserTest, XlaTakesIntegersInFloatsThroughInt64) {
  for (const char* type :
       {"f64[]", "f32[]", "f16[]", "bf16[]", "f8e5m2[]", "f8e4m3fn[]",
        "f8e4m3[]", "f8e3m4[]", "f4e2m1fn[]", "f6e3m2fn[]", "f6e2m3fn[]"}) {
    EXPECT_EQ(Quirky(type, "-0"), "0") << type;
    EXPECT_EQ(Quirky(type, "-00"), "0") << type;
    EXPECT_EQ(Quirky(type, "-0.0"), "-0") << type;
    EXPECT_EQ(Quirky(type, "-0e0"), "-0") << type;
    EXPECT_EQ(Quirky(type, "18446744073709551615"), "-1") << type;
    EXPECT_EQ(Reprint(type, "-0"), "-0") << type;
  }
  EXPECT_EQ(Quirky("f32[2]", "{-0, 1}"), "{0, 1}");
  EXPECT_EQ(Quirky("f64[]", "9223372036854775808"), "-9.2233720368547758e+18");
  EXPECT_EQ(Quirky("f64[]", "-9223372036854775808"), "-9.2233720368547758e+18");
  EXPECT_EQ(Quirky("bf16[]", "9223372036854775808"), "-9.223e+18");
  EXPECT_EQ(Quirky("f4e2m1fn[]", "9223372036854775808"), "-6");
  EXPECT_EQ(Quirky("f6e3m2fn[]", "9223372036854775808"), "-28");
  EXPECT_EQ(Quirky("f6e2m3fn[]", "9223372036854775808"), "-7.5");
  EXPECT_EQ(Reprint("f64[]", "9223372036854775808"), "9.2233720368547758e+18");
  for (const char* type : {"f64[]", "bf16[]", "pred[]", "s32[]"}) {
    EXPECT_THAT(Quirky(type, "18446744073709551616"), HasSubstr("fit 64 bits"));
    EXPECT_THAT(Quirky(type, "-9223372036854775809"), HasSubstr("fit 64 bits"));
  }
  EXPECT_THAT(Quirky("f8e8m0fnu[]", "18446744073709551615"),
              HasSubstr("does not fit f8e8m0fnu"));
}

TEST(LiteralParserTest, XlaWrapsIntegersBeforeItChecksTheirRange) {
  for (const char* type : {"s2[]", "s4[]", "s8[]", "s16[]", "s32[]", "s64[]"}) {
    EXPECT_EQ(Quirky(type, "18446744073709551615"), "-1") << type;
  }
  EXPECT_EQ(Quirky("s8[]", "18446744073709551488"), "-128");
  EXPECT_EQ(Quirky("s32[2]", "{18446744073709551615, 1}"), "{-1, 1}");
  EXPECT_EQ(Quirky("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(Quirky("u64[]", "-2"), "18446744073709551614");
  EXPECT_THAT(Quirky("u8[]", "18446744073709551615"), HasSubstr("fit u8"));
  EXPECT_THAT(Reprint("s32[]", "18446744073709551615"), HasSubstr("fit s32"));
}

TEST(LiteralParserTest, XlaLosesPartsOfComplexNumbersWithNan) {
  EXPECT_EQ(Quirky("c64[]", "(-0, -0)"), "(0, 0)");
  EXPECT_EQ(Quirky("c64[]", "(-0.0, -0)"), "(-0, 0)");
  EXPECT_EQ(Quirky("c128[]", "(-0, -0.0)"), "(0, -0)");
  EXPECT_EQ(Quirky("c64[]", "(nan, 0)"), "(nan, nan)");
  EXPECT_EQ(Quirky("c64[]", "(nan, -nan)"), "(nan, nan)");
  EXPECT_EQ(Quirky("c64[]", "(-nan, inf)"), "(-nan, -nan)");
  EXPECT_EQ(Quirky("c64[]", "(nan(0x5), nan(0x1))"), "(nan(0x5), nan(0x5))");
  EXPECT_EQ(Quirky("c64[]", "(inf, -nan)"), "(inf, -nan)");
  EXPECT_EQ(Quirky("c128[]", "(-nan(0x3), 1)"), "(-nan(0x3), -nan(0x3))");
  EXPECT_EQ(Quirky("c64[2]", "{(nan,1) (inf,nan)}"), "{(nan, nan), (inf, nan)}");
  // The NaN of an imaginary part is a double first.
  EXPECT_EQ(Quirky("c64[]", "(1, nan(0x1))"), "(1, nan)");
  EXPECT_EQ(Quirky("c64[]", "(1, nan(0x200000))"), "(1, nan)");
  EXPECT_EQ(Quirky("c64[]", "(1, nan(0x20000000))"), "(1, nan(0x400001))");
  EXPECT_EQ(Quirky("c64[]", "(1, -nan(0x8000020000000))"),
            "(1, -nan(0x400001))");
  EXPECT_EQ(Quirky("c64[]", "(1, nan(0xfffffffffffff))"), "(1, nan(0x7fffff))");
  EXPECT_EQ(Quirky("c128[]", "(1, nan(0x1))"), "(1, nan(0x1))");
  EXPECT_THAT(Quirky("c64[]", "(nan(0x20000000), 1)"), HasSubstr("payload"));
  EXPECT_EQ(Reprint("c64[]", "(nan, 0)"), "(nan, 0)");
  EXPECT_EQ(Reprint("c64[]", "(1, nan(0x1))"), "(1, nan(0x1))");
}

TEST(LiteralParserTest, ThePayloadOfTheQuietNanFitsEveryType) {
  for (const char* type : {"f64[]", "f32[]", "f16[]", "bf16[]", "f8e5m2[]",
                           "f8e4m3fn[]", "f8e4m3[]", "f8e8m0fnu[]"}) {
    EXPECT_EQ(Reprint(type, "nan(0x8000000000000)"), "nan") << type;
    EXPECT_EQ(Quirky(type, "nan(0x8000000000000)"), "nan") << type;
  }
  EXPECT_EQ(Reprint("f8e4m3fnuz[]", "nan(0x8000000000000)"), "-nan");
  EXPECT_EQ(Reprint("f4e2m1fn[]", "nan(0x8000000000000)"), "-0");
}

}  // namespace
}  // namespace hlokit
