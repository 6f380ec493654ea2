#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string Describe(const Literal& array) { return array.ToString(); }

// Equal numbers with equal signs of zero; NaN equals NaN.
void ExpectSame(const Literal& got, const std::vector<double>& want,
                const std::string& what) {
  const std::vector<double> values = Values(got);
  ASSERT_EQ(values.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    const bool same = std::isnan(want[i])
                          ? std::isnan(values[i])
                          : values[i] == want[i] &&
                                std::signbit(values[i]) == std::signbit(want[i]);
    EXPECT_TRUE(same) << what << "[" << i << "] is " << values[i] << ", not "
                      << want[i];
  }
}

struct OpCase {
  const char* op;
  PrimitiveType type;
  std::vector<std::vector<double>> arguments;
  std::vector<double> want;
  const char* attributes = "";
  PrimitiveType result = kInvalid;  // kInvalid: as the operands
};

void ExpectCase(const OpCase& c) {
  std::vector<Literal> arguments;
  std::vector<std::string> names;
  for (const auto& values : c.arguments) {
    names.push_back(std::string(1, static_cast<char>('a' + arguments.size())));
    arguments.push_back(Vector(c.type, values));
  }
  const PrimitiveType result = c.result == kInvalid ? c.type : c.result;
  const int64_t size = c.arguments[0].size();
  const std::string line =
      absl::StrCat(PrimitiveTypeName(result), "[", size, "] ", c.op, "(",
                   absl::StrJoin(names, ", "), ")", c.attributes);
  ExpectSame(RunOp(line, arguments), c.want,
             absl::StrCat(c.op, " on ", PrimitiveTypeName(c.type)));
}

TEST(Integers, WrapDivideAndShiftInTheirOwnWidth) {
  const double min32 = -2147483648.0;
  const OpCase cases[] = {
      {"add", kS8, {{127, -128}, {1, -1}}, {-128, 127}},
      {"subtract", kU8, {{0}, {1}}, {255}},
      {"multiply", kS16, {{300}, {300}}, {300 * 300 - 2 * 65536 + 65536}},
      {"multiply", kS4, {{7, -8}, {7, -1}}, {1, -8}},
      {"add", kU4, {{15}, {2}}, {1}},
      {"add", kS2, {{1}, {1}}, {-2}},
      {"subtract", kU2, {{0}, {1}}, {3}},
      {"add", kU1, {{1}, {1}}, {0}},
      {"subtract", kS1, {{0}, {-1}}, {-1}},
      {"divide", kS32, {{7, -7, 5, min32}, {-2, 2, 0, -1}}, {-3, -3, -1, min32}},
      {"divide", kU32, {{7, 5}, {2, 0}}, {3, 4294967295.0}},
      {"divide", kS4, {{-8, 7, 3}, {-1, 0, -2}}, {-8, -1, -1}},
      {"divide", kU4, {{9}, {0}}, {15}},
      {"remainder", kS32, {{7, -7, 5, min32}, {-2, 2, 0, -1}}, {1, -1, 5, 0}},
      {"remainder", kU16, {{7, 9}, {4, 0}}, {3, 9}},
      {"remainder", kS4, {{-8, -7}, {-1, 2}}, {0, -1}},
      {"shift-left", kS32, {{1, 1, 1, 3}, {31, 32, -1, 0}}, {min32, 0, 0, 3}},
      {"shift-left", kU4, {{5, 5}, {1, 4}}, {10, 0}},
      {"shift-right-logical", kS8, {{-1, -1, -1}, {1, 8, -1}}, {127, 0, 0}},
      {"shift-right-logical", kS4, {{-1, -8}, {1, 3}}, {7, 1}},
      {"shift-right-arithmetic", kS8, {{-128, -1, 64}, {3, 9, 9}}, {-16, -1, 0}},
      {"shift-right-arithmetic", kU8, {{128, 64}, {3, 9}}, {240, 0}},
      {"shift-right-arithmetic", kU4, {{8}, {2}}, {14}},
      {"and", kS8, {{-1}, {15}}, {15}},
      {"or", kU4, {{9}, {6}}, {15}},
      {"xor", kS4, {{-1}, {5}}, {-6}},
      {"maximum", kS8, {{-3}, {2}}, {2}},
      {"maximum", kU8, {{253}, {2}}, {253}},
      {"minimum", kS4, {{-3}, {2}}, {-3}},
      {"minimum", kU64, {{9e18}, {1}}, {1}},
      {"power", kS32, {{3, 2, 0, 0}, {4, 31, 0, -1}}, {81, min32, 1, 0}},
      {"power", kS32, {{1, -1, -1, 5}, {-7, -7, -2, -1}}, {1, -1, 1, 0}},
      {"power", kU8, {{3}, {255}}, {171}},
      {"mulhi", kS8, {{-128, 127}, {-128, 2}}, {64, 0}},
      {"mulhi", kU8, {{255}, {255}}, {254}},
      {"mulhi", kU4, {{15}, {15}}, {14}},
      {"mulhi", kU64, {{9223372036854775808.0}, {4}}, {2}},
      {"mulhi", kS64, {{-9223372036854775808.0}, {2}}, {-1}},
      {"abs", kS8, {{-128, -5, 5}}, {-128, 5, 5}},
      {"negate", kS16, {{-32768, 4}}, {-32768, -4}},
      {"negate", kU8, {{1}}, {255}},
      {"sign", kS64, {{-9, 0, 4}}, {-1, 0, 1}},
      {"not", kS8, {{0, 5}}, {-1, -6}},
      {"not", kU4, {{5}}, {10}},
      {"count-leading-zeros", kS8, {{0, 1, -1}}, {8, 7, 0}},
      {"count-leading-zeros", kU4, {{0, 1, 15}}, {4, 3, 0}},
      {"count-leading-zeros", kU64, {{0, 1}}, {64, 63}},
      {"popcnt", kS16, {{-1, 5}}, {16, 2}},
      {"popcnt", kS4, {{-1, -8}}, {4, 1}},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(Preds, AddAndMultiplyAsLogicDoes) {
  const std::vector<std::vector<double>> all = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  const OpCase cases[] = {
      {"add", kPred, all, {0, 1, 1, 1}},      {"or", kPred, all, {0, 1, 1, 1}},
      {"maximum", kPred, all, {0, 1, 1, 1}},  {"and", kPred, all, {0, 0, 0, 1}},
      {"multiply", kPred, all, {0, 0, 0, 1}}, {"xor", kPred, all, {0, 1, 1, 0}},
      {"minimum", kPred, all, {0, 0, 0, 1}},  {"not", kPred, {{0, 1}}, {1, 0}},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(Floats, FollowC99InSpecialCases) {
  const OpCase cases[] = {
      {"maximum", kF32, {{kNan, 1, -0.0, 0.0}, {1, kNan, 0.0, -0.0}},
       {kNan, kNan, 0.0, 0.0}},
      {"minimum", kF64, {{kNan, 1, -0.0, 0.0}, {1, kNan, 0.0, -0.0}},
       {kNan, kNan, -0.0, -0.0}},
      {"remainder", kF32, {{-5.5, 5, kInf, -3}, {2, 0, 2, 3}},
       {-1.5, kNan, kNan, -0.0}},
      {"power", kF32, {{0, 1, kNan, -8, 0}, {0, kNan, 0, 1.0 / 3, -1}},
       {1, 1, 1, kNan, kInf}},
      {"atan2", kF64, {{0.0, 0.0, -0.0}, {0.0, -0.0, -1}},
       {0.0, std::acos(-1.0), -std::acos(-1.0)}},
      {"divide", kF32, {{1, -1, 0}, {0, 0, 0}}, {kInf, -kInf, kNan}},
      {"sign", kF32, {{kNan, -0.0, 0.0, -7, kInf}}, {kNan, -0.0, 0.0, -1, 1}},
      {"abs", kBF16, {{-0.0, -2.5}}, {0.0, 2.5}},
      {"ceil", kF32, {{-0.5, 1.2}}, {-0.0, 2}},
      {"floor", kF16, {{-0.5, 1.5}}, {-1, 1}},
      {"round-nearest-afz", kF32, {{0.5, -2.5, 0.49999997, 8388609}},
       {1, -3, 0, 8388609}},
      {"round-nearest-even", kF32, {{-0.5, 2.5, 3.5}}, {-0.0, 2, 4}},
      {"sqrt", kF32, {{-0.0, 4, -1}}, {-0.0, 2, kNan}},
      {"rsqrt", kF32, {{-0.0, 0.0, 4}}, {-kInf, kInf, 0.5}},
      {"log", kF64, {{-0.0, 1, -1}}, {-kInf, 0, kNan}},
      {"log-plus-one", kF32, {{-1, 0}}, {-kInf, 0}},
      {"cbrt", kF32, {{-8, 27}}, {-2, 3}},
      {"exponential", kF32, {{0, -kInf, kInf}}, {1, 0, kInf}},
      {"exponential-minus-one", kF64, {{0, -kInf}}, {0, -1}},
      {"logistic", kF32, {{0, -kInf, kInf}}, {0.5, 0, 1}},
      {"tanh", kF16, {{0, kInf}}, {0, 1}},
      {"negate", kF8E4M3FN, {{1.5, -0.0}}, {-1.5, 0.0}},
      {"is-finite", kF32, {{1, kInf, kNan}}, {1, 0, 0}, "", kPred},
      {"is-finite", kF8E5M2, {{1, kInf, kNan}}, {1, 0, 0}, "", kPred},
      {"real", kF32, {{1.5}}, {1.5}},
      {"imag", kF32, {{1.5}}, {0}},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(Floats, OneRoundingAnOperationInSmallTypes) {
  const OpCase cases[] = {
      {"add", kBF16, {{256}, {1}}, {256}},
      {"add", kF8E4M3FN, {{448}, {448}}, {kNan}},
      {"add", kF8E5M2, {{57344}, {57344}}, {kInf}},
      {"multiply", kF16, {{300}, {300}}, {kInf}},
      {"multiply", kF4E2M1FN, {{3}, {4}}, {6}},
      {"add", kF6E2M3FN, {{0.125}, {0.5}}, {0.625}},
      {"add", kF6E3M2FN, {{16}, {16}}, {28}},
      {"subtract", kF8E4M3FNUZ, {{1}, {1}}, {0}},
      {"divide", kF8E3M4, {{1}, {4}}, {0.25}},
      {"divide", kF8E4M3, {{240}, {0.5}}, {kInf}},
      {"multiply", kF8E5M2FNUZ, {{1.25}, {2}}, {2.5}},
      {"multiply", kF8E4M3B11FNUZ, {{1.25}, {2}}, {2.5}},
      {"multiply", kF8E8M0FNU, {{4}, {8}}, {32}},
      {"maximum", kBF16, {{kNan, 2}, {1, 3}}, {kNan, 3}},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(Floats, TranscendentalsAgreeWithTheMathLibrary) {
  const std::vector<std::pair<const char*, double (*)(double)>> functions = {
      {"acos", std::acos},
      {"asin", std::asin},
      {"asinh", std::asinh},
      {"atanh", std::atanh},
      {"cbrt", std::cbrt},
      {"cosh", std::cosh},
      {"cosine", std::cos},
      {"erf", std::erf},
      {"exponential", std::exp},
      {"exponential-minus-one", std::expm1},
      {"log-plus-one", std::log1p},
      {"sine", std::sin},
      {"sinh", std::sinh},
      {"tan", std::tan},
      {"tanh", std::tanh},
  };
  for (const auto& [name, function] : functions) {
    for (PrimitiveType type : {kF64, kF32, kBF16}) {
      for (double x : {-0.75, 0.125, 0.5}) {
        const Literal got =
            RunOp(absl::StrCat(PrimitiveTypeName(type), "[1] ", name, "(a)"),
                  {Vector(type, {x})});
        const double tolerance = type == kF64   ? 1e-15
                                 : type == kF32 ? 3e-7
                                                : 4e-3;
        EXPECT_NEAR(got.GetAsDouble(0), function(x),
                    tolerance * std::max(1.0, std::fabs(function(x))))
            << name << " of " << x;
      }
    }
  }
  EXPECT_NEAR(RunOp("f64[1] acosh(a)", {Vector(kF64, {2})}).GetAsDouble(0),
              1.3169578969248166, 1e-15);
}

TEST(Denormals, CountAsZeroUnlessTheOptionsKeepThem) {
  const Literal x = Vector(kF32, {1e-40});
  ExecuteOptions keep;
  keep.flush_denormals = false;
  EXPECT_EQ(RunOp("f32[1] add(a, a)", {x}).GetAsDouble(0), 0);
  EXPECT_GT(RunOp("f32[1] add(a, a)", {x}, keep).GetAsDouble(0), 1.9e-40);
  EXPECT_EQ(RunOp("f32[1] rsqrt(a)", {x}).GetAsDouble(0), kInf);
  EXPECT_EQ(RunOp("f32[1] maximum(a, a)", {x}).GetAsDouble(0), 0);
  EXPECT_GT(RunOp("f32[1] maximum(a, a)", {x}, keep).GetAsDouble(0), 0);
  EXPECT_EQ(RunOp("f32[1] clamp(a, a, a)", {x}).GetAsDouble(0), 0);
  EXPECT_FALSE(RunOp("pred[1] convert(a)", {x}).First<bool>());
  EXPECT_TRUE(RunOp("pred[1] convert(a)", {x}, keep).First<bool>());
  // Moves keep them, and so do conversions between floats.
  EXPECT_GT(RunOp("f32[1] reverse(a), dimensions={0}", {x}).GetAsDouble(0), 0);
  EXPECT_GT(RunOp("bf16[1] convert(a)", {x}).GetAsDouble(0), 0);
}

TEST(Denormals, TheThreadsModeComesBack) {
  volatile float tiny = 1e-40f;
  RunOp("f32[1] add(a, a)", {Vector(kF32, {1})});
  EXPECT_GT(tiny * 2.0f, 0.0f);
}

TEST(Compare, TotalOrderTellsZerosAndNansApart) {
  const Literal a = Vector(kF32, {-0.0, kNan, 1, -kNan, kNan});
  const Literal b = Vector(kF32, {0.0, kNan, 2, -kInf, kInf});
  const auto compare = [&](const char* attributes) {
    return Values(RunOp(absl::StrCat("pred[5] compare(a, b), ", attributes),
                        {a, b}));
  };
  EXPECT_THAT(compare("direction=LT"), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(compare("direction=EQ"), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(compare("direction=NE"), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(compare("direction=LT, type=TOTALORDER"),
              ElementsAre(1, 0, 1, 1, 0));
  EXPECT_THAT(compare("direction=EQ, type=TOTALORDER"),
              ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(compare("direction=GT, type=TOTALORDER"),
              ElementsAre(0, 0, 0, 0, 1));
}

TEST(Compare, WorksOnEveryKindOfType) {
  const OpCase cases[] = {
      {"compare", kPred, {{0, 1}, {1, 1}}, {1, 0}, ", direction=LT", kPred},
      {"compare", kS8, {{-1, 1}, {1, 1}}, {1, 0}, ", direction=LT", kPred},
      {"compare", kU8, {{255, 1}, {1, 1}}, {1, 1}, ", direction=GE", kPred},
      {"compare", kS4, {{-1, 1}, {1, 1}}, {1, 1}, ", direction=LE", kPred},
      {"compare", kU4, {{15, 1}, {1, 1}}, {1, 0}, ", direction=GT", kPred},
      {"compare", kBF16, {{-1, 1}, {1, 1}}, {1, 0}, ", direction=NE", kPred},
      {"compare", kF8E5M2, {{-1, 1}, {1, 1}}, {0, 1}, ", direction=EQ", kPred},
      {"compare", kU32, {{4294967295.0}, {0}}, {1}, ", direction=GT", kPred},
      {"compare", kC64, {{1, 2}, {1, 3}}, {1, 0}, ", direction=EQ", kPred},
      {"compare", kC128, {{1, 2}, {1, 3}}, {0, 1}, ", direction=NE", kPred},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(Clamp, HighBoundWinsAndNanStays) {
  const OpCase cases[] = {
      {"clamp", kS32, {{0, 0, 5}, {-3, 9, 4}, {7, 7, 1}}, {0, 7, 1}},
      {"clamp", kF32, {{kNan, 0, 0}, {1, kNan, 1}, {2, 2, kNan}},
       {kNan, kNan, kNan}},
      {"clamp", kU4, {{2, 2}, {1, 15}, {9, 9}}, {2, 9}},
      {"clamp", kF8E4M3FN, {{-1}, {4}, {2}}, {2}},
      {"clamp", kPred, {{0}, {1}, {0}}, {0}},
  };
  for (const OpCase& c : cases) ExpectCase(c);
  EXPECT_THAT(Values(RunOp("f32[3] clamp(a, b, c)",
                           {Numbers(kF32, {}, {0}), Vector(kF32, {-1, 1, 3}),
                            Numbers(kF32, {}, {2})})),
              ElementsAre(0, 1, 2));
}

TEST(Select, ChoosesElementsOrWholeValues) {
  const Literal which = Vector(kPred, {1, 0, 1});
  for (PrimitiveType type : {kPred, kS4, kU8, kS16, kF16, kF32, kS64, kF64}) {
    EXPECT_THAT(
        Values(RunOp(absl::StrCat(PrimitiveTypeName(type),
                                  "[3] select(a, b, c)"),
                     {which, Vector(type, {1, 1, 1}), Vector(type, {0, 0, 0})})),
        ElementsAre(1, 0, 1));
  }
  EXPECT_THAT(Values(RunOp("c128[3] select(a, b, c)",
                           {which, Vector(kC128, {1, 1, 1}),
                            Vector(kC128, {0, 0, 0})})),
              ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(Values(RunOp("f32[2] select(a, b, c)",
                           {Numbers(kPred, {}, {0}), Vector(kF32, {1, 2}),
                            Vector(kF32, {3, 4})})),
              ElementsAre(3, 4));
}

TEST(Convert, SaturatesFloatsAndWrapsIntegers) {
  const OpCase cases[] = {
      {"convert", kF32, {{300, -300, kNan, 2.9, -2.9}}, {127, -128, 0, 2, -2},
       "", kS8},
      {"convert", kF32, {{-5, 1e10}}, {0, 4294967295.0}, "", kU32},
      {"convert", kF32, {{100, kNan}}, {7, 0}, "", kS4},
      {"convert", kF32, {{kNan, -0.0, 2}}, {1, 0, 1}, "", kPred},
      {"convert", kS32, {{300, -1}}, {44, -1}, "", kS8},
      {"convert", kS32, {{23}}, {7}, "", kU4},
      {"convert", kPred, {{1, 0}}, {1, 0}, "", kBF16},
      {"convert", kS32, {{70000}}, {kInf}, "", kF16},
      {"convert", kF32, {{65519, 65520}}, {65504, kInf}, "", kF16},
      {"convert", kF32, {{464, 480, kInf}}, {448, kNan, kNan}, "", kF8E4M3FN},
      {"convert", kF32, {{0.25, 0.75, 5, kInf}}, {0, 1, 4, 6}, "", kF4E2M1FN},
      {"convert", kF32, {{1.5}}, {1.5, 0}, "", kC64},
      {"convert", kC64, {{1.5}}, {1.5}, "", kF32},
      {"convert", kC128, {{1.5}}, {1.5, 0}, "", kC64},
      {"convert", kF64, {{1 + std::ldexp(1, -8) + std::ldexp(1, -40)}}, {1}, "",
       kBF16},
      {"convert", kS4, {{-8, 7}}, {-8, 7}, "", kF8E5M2},
      {"convert", kU64, {{9007199254740993.0}}, {9007199254740992.0}, "", kF64},
  };
  for (const OpCase& c : cases) ExpectCase(c);
}

TEST(ReducePrecision, RoundsThenLimitsTheRange) {
  const auto reduce = [](PrimitiveType type, double x, const char* attributes) {
    return RunOp(absl::StrCat(PrimitiveTypeName(type),
                              "[1] reduce-precision(a), ", attributes),
                 {Vector(type, {x})})
        .GetAsDouble(0);
  };
  const char* const e5m10 = "exponent_bits=5, mantissa_bits=10";
  EXPECT_EQ(reduce(kF32, 65519.9, e5m10), 65504);
  EXPECT_EQ(reduce(kF32, 65520, e5m10), kInf);
  EXPECT_EQ(reduce(kF32, -1e-6, e5m10), -0.0);
  EXPECT_TRUE(std::isnan(reduce(kF32, kNan, e5m10)));
  EXPECT_EQ(reduce(kF32, 70000, "exponent_bits=8, mantissa_bits=7"), 70144);
  EXPECT_EQ(reduce(kF32, 448, "exponent_bits=4, mantissa_bits=3"), kInf);
  EXPECT_EQ(reduce(kF32, 1.5, "exponent_bits=1, mantissa_bits=0"), kInf);
  EXPECT_EQ(reduce(kF64, 1 + std::ldexp(1, -30), e5m10), 1);
  // A type's own denormals stay where the range is not reduced.
  EXPECT_EQ(reduce(kF16, std::ldexp(1, -20), e5m10), std::ldexp(1, -20));
  EXPECT_EQ(reduce(kBF16, 1.0078125, "exponent_bits=8, mantissa_bits=3"), 1);
}

TEST(StochasticConvert, RoundsUpInProportion) {
  const auto convert = [](double x, double random) {
    return RunOp("s8[1] stochastic-convert(a, b)",
                 {Vector(kF32, {x}), Vector(kU32, {random})})
        .GetAsDouble(0);
  };
  EXPECT_EQ(convert(2.25, std::ldexp(1, 30) - 1), 3);
  EXPECT_EQ(convert(2.25, std::ldexp(1, 30)), 2);
  EXPECT_EQ(convert(-2.25, 0), -3);
  EXPECT_EQ(convert(-2.25, 4294967295.0), -2);
  EXPECT_EQ(convert(3, 0), 3);
  EXPECT_EQ(convert(kInf, 0), 127);
  EXPECT_EQ(convert(-kInf, 0), -128);
  EXPECT_EQ(convert(-127.5, 0), -128);
  EXPECT_EQ(convert(kNan, 0), 0);
}

TEST(BitcastConvert, ReadsTheSameBits) {
  EXPECT_THAT(Values(RunOp("s32[1] bitcast-convert(a)", {Vector(kF32, {1})})),
              ElementsAre(0x3F800000));
  EXPECT_THAT(
      Values(RunOp("u8[1,4] bitcast-convert(a)", {Vector(kS32, {0x04030201})})),
      ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(RunOp("s32[1] bitcast-convert(a)",
                           {Numbers(kU8, {1, 4}, {1, 2, 3, 4})})),
              ElementsAre(0x04030201));
  EXPECT_THAT(
      Values(RunOp("s4[2,2] bitcast-convert(a)", {Vector(kU8, {0x21, 0xF8})})),
      ElementsAre(1, 2, -8, -1));
  EXPECT_THAT(Values(RunOp("u8[2] bitcast-convert(a)",
                           {Numbers(kS4, {2, 2}, {1, 2, -8, -1})})),
              ElementsAre(0x21, 0xF8));
  EXPECT_THAT(Values(RunOp("u4[2] bitcast-convert(a)", {Vector(kS4, {-1, 3})})),
              ElementsAre(15, 3));
  EXPECT_THAT(Values(RunOp("c64[1] bitcast-convert(a)",
                           {Vector(kF64, {0})})),
              ElementsAre(0, 0));
}

Literal Complex64(std::vector<C64> values) {
  return Literal::Array<C64>({static_cast<int64_t>(values.size())}, values);
}

TEST(Complex, ArithmeticOnSpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto binary = [](const char* op, C64 a, C64 b) {
    return RunOp(absl::StrCat("c64[1] ", op, "(a, b)"),
                 {Complex64({a}), Complex64({b})});
  };
  ExpectSame(binary("multiply", {1, 2}, {3, 4}), {-5, 10}, "product");
  ExpectSame(binary("multiply", {inf, 0}, {1, 0}), {kInf, kNan}, "inf * 1");
  ExpectSame(binary("divide", {1, 0}, {0, 0}), {kInf, kNan}, "1 / 0");
  ExpectSame(binary("divide", {1, 1}, {0, 0}), {kInf, kInf}, "(1 + i) / 0");
  ExpectSame(binary("divide", {1, 0}, {inf, 0}), {0, 0}, "1 / inf");
  ExpectSame(binary("divide", {1e30f, 1e30f}, {1e30f, 1e30f}), {1, 0}, "big");
  ExpectSame(binary("add", {1, 2}, {3, 4}), {4, 6}, "sum");
  ExpectSame(binary("subtract", {1, 2}, {3, 4}), {-2, -2}, "difference");
  ExpectSame(binary("power", {0, 0}, {0, 0}), {1, 0}, "0^0");
  ExpectSame(binary("power", {0, 0}, {1, 0}), {0, 0}, "0^1");
  ExpectSame(binary("power", {inf, 0}, {2, 0}), {kInf, 0}, "inf^2");
}

TEST(Complex, FunctionsOfOneNumber) {
  const auto unary = [](const char* op, C64 z) {
    return RunOp(absl::StrCat("c64[1] ", op, "(a)"), {Complex64({z})});
  };
  ExpectSame(unary("sqrt", {-4, -0.0f}), {0, 2}, "sqrt(-4 - 0i)");
  ExpectSame(unary("exponential", {1000, 0}), {kInf, 0}, "exp(1000)");
  ExpectSame(unary("negate", {1, -2}), {-1, 2}, "-z");
  ExpectSame(unary("sign", {0, 0}), {0, 0}, "sign(0)");
  ExpectSame(unary("sign", {3, 4}), {0.6f, 0.8f}, "sign(3 + 4i)");
  ExpectSame(RunOp("f32[1] abs(a)", {Complex64({{3, 4}})}), {5}, "abs");
  ExpectSame(RunOp("f32[1] real(a)", {Complex64({{3, 4}})}), {3}, "real");
  ExpectSame(RunOp("f32[1] imag(a)", {Complex64({{3, 4}})}), {4}, "imag");
  ExpectSame(RunOp("c128[1] complex(a, b)",
                   {Vector(kF64, {3}), Vector(kF64, {4})}),
             {3, 4}, "complex");
  const Literal log1p = unary("log-plus-one", {1e-8f, 1e-8f});
  EXPECT_NEAR(log1p.First<C64>().real(), 1e-8, 1e-14);
  EXPECT_NEAR(log1p.First<C64>().imag(), 1e-8, 1e-14);
}

TEST(Complex, AnalyticFunctionsAgreeWithTheirDefinitions) {
  const C128 z(0.3, -0.7);
  const C128 i(0, 1);
  const C128 e = std::exp(C128(0.3)) * C128(std::cos(-0.7), std::sin(-0.7));
  const C128 eiz = std::exp(0.7) * C128(std::cos(0.3), std::sin(0.3));
  const C128 log(std::log(std::hypot(0.3, 0.7)), std::atan2(-0.7, 0.3));
  const std::vector<std::pair<const char*, C128>> cases = {
      {"exponential", e},
      {"exponential-minus-one", e - 1.0},
      {"log", log},
      {"logistic", 1.0 / (1.0 + 1.0 / e)},
      {"sinh", (e - 1.0 / e) / 2.0},
      {"cosh", (e + 1.0 / e) / 2.0},
      {"tanh", (e - 1.0 / e) / (e + 1.0 / e)},
      {"sine", (eiz - 1.0 / eiz) / (2.0 * i)},
      {"cosine", (eiz + 1.0 / eiz) / 2.0},
      {"tan", (eiz - 1.0 / eiz) / (i * (eiz + 1.0 / eiz))},
  };
  for (const auto& [name, want] : cases) {
    const C128 got =
        RunOp(absl::StrCat("c128[1] ", name, "(a)"),
              {Literal::Array<C128>({1}, absl::MakeConstSpan(&z, 1))})
            .First<C128>();
    EXPECT_NEAR(std::abs(got - want), 0, 1e-14) << name;
  }
  // Inverses undo their functions.
  for (const auto& [name, inverse] :
       std::vector<std::pair<const char*, const char*>>{{"sine", "asin"},
                                                        {"cosine", "acos"},
                                                        {"sinh", "asinh"},
                                                        {"cosh", "acosh"},
                                                        {"tanh", "atanh"}}) {
    const C128 start = absl::string_view(name) == "cosine" ? -z : z;
    const Literal x =
        Literal::Array<C128>({1}, absl::MakeConstSpan(&start, 1));
    const C128 back =
        RunOp(absl::StrCat("c128[1] ", inverse, "(a)"),
              {RunOp(absl::StrCat("c128[1] ", name, "(a)"), {x})})
            .First<C128>();
    EXPECT_NEAR(std::min(std::abs(back - start), std::abs(back + start)), 0,
                1e-13)
        << inverse;
  }
  const C128 root = RunOp("c128[1] rsqrt(a)",
                          {Literal::Array<C128>({1}, absl::MakeConstSpan(&z, 1))})
                        .First<C128>();
  EXPECT_NEAR(std::abs(root * root * z - 1.0), 0, 1e-14);
}

TEST(Elementwise, RefusesTypesThatTheOperationDoesNotTake) {
  EXPECT_THAT(OpError("s32[1] tanh(a)", {Vector(kS32, {1})}).ToString(),
              HasSubstr("tanh is not defined on s32"));
  EXPECT_FALSE(OpError("pred[1] subtract(a, a)", {Vector(kPred, {1})}).ok());
  EXPECT_FALSE(OpError("f32[1] shift-left(a, a)", {Vector(kF32, {1})}).ok());
  EXPECT_FALSE(OpError("c64[1] maximum(a, a)", {Vector(kC64, {1})}).ok());
}

TEST(Elementwise, MixedFloatOperandsAreComputedInTheHigherPrecision) {
  EXPECT_THAT(Values(RunOp("f32[1] add(a, b)",
                           {Vector(kBF16, {256}), Vector(kF32, {1})})),
              ElementsAre(257));
}

TEST(Elementwise, ResultsHaveTheInstructionsShape) {
  const Literal x = Counting(kF32, {2, 3});
  const Literal y = RunText(
      "ENTRY e { a = f32[2,3]{1,0} parameter(0)\n"
      "ROOT r = f32[2,3]{0,1} negate(a) }",
      {x});
  EXPECT_EQ(y.shape().ToString(), "f32[2,3]{0,1}") << Describe(y);
  EXPECT_THAT(Values(y), ElementsAre(-0.0, -1, -2, -3, -4, -5));
}

}  // namespace
}  // namespace hlokit::interpreter
