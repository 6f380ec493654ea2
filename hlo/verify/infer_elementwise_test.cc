#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string One(Opcode opcode, const std::string& operand) {
  return Infer({.opcode = opcode, .operands = {operand}});
}

std::string Two(Opcode opcode, const std::string& a, const std::string& b) {
  return Infer({.opcode = opcode, .operands = {a, b}});
}

constexpr Opcode kFloatOnly[] = {
    Opcode::kCbrt, Opcode::kCeil, Opcode::kErf, Opcode::kFloor, Opcode::kRoundNearestAfz,
    Opcode::kRoundNearestEven};

constexpr Opcode kFloatOrComplex[] = {
    Opcode::kAcos, Opcode::kAcosh, Opcode::kAsin, Opcode::kAsinh,
    Opcode::kAtanh, Opcode::kCosh, Opcode::kCosine, Opcode::kExponential,
    Opcode::kExponentialMinusOne, Opcode::kLog, Opcode::kLogPlusOne,
    Opcode::kLogistic, Opcode::kRsqrt, Opcode::kSine, Opcode::kSinh,
    Opcode::kSqrt, Opcode::kTan, Opcode::kTanh};

TEST(InferElementwise, FloatOperationsGiveTheirOperandsType) {
  for (Opcode opcode : kFloatOnly) {
    EXPECT_EQ(One(opcode, "bf16[2,3]{0,1}"), "bf16[2,3]{0,1}");
    EXPECT_THAT(One(opcode, "c64[2]"), StartsWith("error:"))
        << OpcodeName(opcode);
    EXPECT_THAT(One(opcode, "s32[2]"), StartsWith("error:"))
        << OpcodeName(opcode);
  }
  for (Opcode opcode : kFloatOrComplex) {
    EXPECT_EQ(One(opcode, "f32[<=4]"), "f32[<=4]");
    EXPECT_EQ(One(opcode, "c128[]"), "c128[]");
    EXPECT_THAT(One(opcode, "u8[2]"), HasSubstr("u8")) << OpcodeName(opcode);
  }
}

TEST(InferElementwise, IntegerOperationsRefuseFloats) {
  for (Opcode opcode : {Opcode::kPopcnt, Opcode::kCountLeadingZeros}) {
    EXPECT_EQ(One(opcode, "u4[7]"), "u4[7]");
    EXPECT_THAT(One(opcode, "f32[7]"), StartsWith("error:"));
    EXPECT_THAT(One(opcode, "pred[7]"), StartsWith("error:"));
  }
  EXPECT_EQ(One(Opcode::kNot, "pred[7]"), "pred[7]");
  EXPECT_EQ(One(Opcode::kNot, "s8[7]"), "s8[7]");
  EXPECT_THAT(One(Opcode::kNot, "f32[7]"), StartsWith("error:"));
}

TEST(InferElementwise, SignAndNegateKnowTheirTypes) {
  EXPECT_EQ(One(Opcode::kNegate, "u32[2]"), "u32[2]");
  EXPECT_THAT(One(Opcode::kNegate, "pred[2]"), StartsWith("error:"));
  EXPECT_EQ(One(Opcode::kSign, "c64[2]"), "c64[2]");
  EXPECT_THAT(One(Opcode::kSign, "u32[2]"), StartsWith("error:"));
}

TEST(InferElementwise, ComponentsOfComplexNumbersAreFloats) {
  EXPECT_EQ(One(Opcode::kAbs, "c64[2]{0}"), "f32[2]{0}");
  EXPECT_EQ(One(Opcode::kAbs, "s32[2]"), "s32[2]");
  EXPECT_THAT(One(Opcode::kAbs, "u32[2]"), StartsWith("error:"));
  for (Opcode opcode : {Opcode::kReal, Opcode::kImag}) {
    EXPECT_EQ(One(opcode, "c128[2]"), "f64[2]");
    EXPECT_EQ(One(opcode, "f32[2]"), "f32[2]");
    EXPECT_THAT(One(opcode, "s32[2]"), StartsWith("error:"));
  }
}

TEST(InferElementwise, IsFiniteGivesPred) {
  EXPECT_EQ(One(Opcode::kIsFinite, "f32[2,<=3]{0,1}"), "pred[2,<=3]{0,1}");
  EXPECT_THAT(One(Opcode::kIsFinite, "s32[2]"), StartsWith("error:"));
}

TEST(InferElementwise, UnaryWantsOneArray) {
  EXPECT_EQ(Infer({.opcode = Opcode::kTanh}),
            "error: expected 1 operand, found 0");
  EXPECT_EQ(One(Opcode::kTanh, "(f32[2])"),
            "error: expected an array as operand 0, found (f32[2])");
  EXPECT_THAT(One(Opcode::kTanh, "token[]"), StartsWith("error:"));
}

TEST(InferElementwise, BinaryGivesTheTypeOfTheLeftOperandWithItsLayout) {
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum,
                        Opcode::kMinimum, Opcode::kSubtract, Opcode::kDivide,
                        Opcode::kRemainder, Opcode::kPower, Opcode::kAtan2}) {
    EXPECT_EQ(Two(opcode, "f32[2,3]{0,1}", "f32[2,3]{1,0}"), "f32[2,3]{0,1}")
        << OpcodeName(opcode);
  }
  for (Opcode opcode :
       {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
        Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical}) {
    EXPECT_EQ(Two(opcode, "s32[4]", "s32[4]"), "s32[4]");
    EXPECT_THAT(Two(opcode, "f32[4]", "f32[4]"), StartsWith("error:"))
        << OpcodeName(opcode);
  }
}

TEST(InferElementwise, BinaryOfMixedFloatsHasTheHigherPrecision) {
  EXPECT_EQ(Two(Opcode::kAdd, "bf16[2]", "f32[2]"), "f32[2]");
  EXPECT_EQ(Two(Opcode::kAdd, "f64[2]", "f16[2]"), "f64[2]");
}

TEST(InferElementwise, BinaryRefusesOtherMixes) {
  EXPECT_EQ(Two(Opcode::kAdd, "f32[2]", "s32[2]"),
            "error: element types differ: f32[2] and s32[2]");
  EXPECT_THAT(Two(Opcode::kAdd, "s32[2]", "s64[2]"), StartsWith("error:"));
  EXPECT_EQ(Two(Opcode::kAdd, "f32[2]", "f32[3]"),
            "error: operands must have equal dimensions: f32[2] and f32[3]");
  EXPECT_THAT(Two(Opcode::kAdd, "f32[1]", "f32[1,3]"), StartsWith("error:"));
}

TEST(InferElementwise, BinaryRefusesPredWhereItHasNoMeaning) {
  for (Opcode opcode : {Opcode::kSubtract, Opcode::kDivide, Opcode::kPower,
                        Opcode::kRemainder, Opcode::kShiftLeft}) {
    EXPECT_THAT(Two(opcode, "pred[2]", "pred[2]"), HasSubstr("pred"))
        << OpcodeName(opcode);
  }
  EXPECT_EQ(Two(Opcode::kAdd, "pred[2]", "pred[2]"), "pred[2]");
}

TEST(InferElementwise, ScalarsAndSizesOfOneStretch) {
  EXPECT_EQ(Two(Opcode::kAdd, "f32[2,1]{0,1}", "f32[1,3]"), "f32[2,3]{1,0}");
  EXPECT_EQ(Two(Opcode::kAdd, "f32[]", "f32[3]{0}"), "f32[3]{0}");
  EXPECT_EQ(Two(Opcode::kAdd, "f32[3]{0}", "f32[]"), "f32[3]{0}");
}

TEST(InferElementwise, ADimensionIsDynamicIfEitherSideIs) {
  EXPECT_EQ(Two(Opcode::kAdd, "f32[4]", "f32[<=4]"), "f32[<=4]");
  EXPECT_EQ(Two(Opcode::kAdd, "f32[<=4]", "f32[4]"), "f32[<=4]");
  EXPECT_EQ(Two(Opcode::kAdd, "f32[?]", "f32[?]"), "f32[?]");
  EXPECT_EQ(Two(Opcode::kAdd, "f32[?]", "f32[3]"), "f32[3]{0}");
}

TEST(InferElementwise, CompareGivesPred) {
  EXPECT_EQ(Two(Opcode::kCompare, "f32[2]{0}", "f32[2]{0}"), "pred[2]{0}");
  Query ordered = {.opcode = Opcode::kCompare,
                   .operands = {"c64[2]", "c64[2]"},
                   .attrs = Attrs({{AttrId::kComparisonDirection,
                                    static_cast<int64_t>(
                                        ComparisonDirection::kLt)}})};
  EXPECT_THAT(Infer(ordered), HasSubstr("only EQ and NE"));
  ordered.attrs = Attrs({{AttrId::kComparisonDirection, int64_t{1}}});
  EXPECT_EQ(Infer(ordered), "pred[2]");
}

TEST(InferElementwise, ComplexPairsFloats) {
  EXPECT_EQ(Two(Opcode::kComplex, "f32[2]", "f32[2]"), "c64[2]");
  EXPECT_EQ(Two(Opcode::kComplex, "f64[2]", "f64[2]"), "c128[2]");
  EXPECT_THAT(Two(Opcode::kComplex, "f16[2]", "f16[2]"), HasSubstr("f16"));
}

TEST(InferElementwise, SelectGivesTheTypeOfItsChoices) {
  auto select = [](const char* p, const char* a, const char* b) {
    return Infer({.opcode = Opcode::kSelect, .operands = {p, a, b}});
  };
  EXPECT_EQ(select("pred[2,3]{1,0}", "f32[2,3]{0,1}", "f32[2,3]{0,1}"),
            "f32[2,3]{1,0}");
  EXPECT_EQ(select("pred[]", "f32[2,3]{0,1}", "f32[2,3]"), "f32[2,3]{0,1}");
  EXPECT_EQ(select("pred[]", "bf16[2]", "f32[2]"), "f32[2]");
  EXPECT_THAT(select("s32[2]", "f32[2]", "f32[2]"), HasSubstr("must be pred"));
  EXPECT_THAT(select("pred[3]", "f32[2]", "f32[2]"), StartsWith("error:"));
  EXPECT_THAT(select("pred[2]", "f32[2]", "f32[3]"), StartsWith("error:"));
  EXPECT_THAT(select("pred[2]", "f32[2]", "s32[2]"), StartsWith("error:"));
}

TEST(InferElementwise, ClampGivesTheTypeOfItsMiddleOperand) {
  auto clamp = [](const char* lo, const char* x, const char* hi) {
    return Infer({.opcode = Opcode::kClamp, .operands = {lo, x, hi}});
  };
  EXPECT_EQ(clamp("f32[]", "f32[2]{0}", "f32[2]"), "f32[2]{0}");
  EXPECT_THAT(clamp("f32[3]", "f32[2]", "f32[]"), HasSubstr("operand 0"));
  EXPECT_THAT(clamp("f32[]", "f32[2]", "s32[]"), StartsWith("error:"));
}

TEST(InferElementwise, ConvertTakesTheElementTypeFromTheDeclaration) {
  EXPECT_EQ(Infer({.opcode = Opcode::kConvert,
                   .operands = {"f32[2,<=3]"},
                   .declared = "s8[7]"}),
            "s8[2,<=3]");
  EXPECT_EQ(One(Opcode::kConvert, "f32[2]"),
            "error: the type of convert must be declared");
}

TEST(InferElementwise, BitcastConvertScalesTheLastDimension) {
  auto convert = [](const char* from, const char* declared) {
    return Infer({.opcode = Opcode::kBitcastConvert,
                  .operands = {from},
                  .declared = declared});
  };
  EXPECT_EQ(convert("f32[3]", "s32[3]"), "s32[3]");
  EXPECT_EQ(convert("f32[3]", "u8[3,4]"), "u8[3,4]{1,0}");
  EXPECT_EQ(convert("u8[3,4]", "f32[3]"), "f32[3]{0}");
  EXPECT_EQ(convert("s8[2]", "s4[2,2]"), "s4[2,2]{1,0}");
  EXPECT_THAT(convert("u8[3,3]", "f32[3]"), HasSubstr("must be 4"));
  EXPECT_THAT(convert("u8[]", "f32[]"), StartsWith("error:"));
  EXPECT_THAT(convert("c64[3]", "u64[3]"), StartsWith("error:"));
}

TEST(InferElementwise, StochasticConvertWantsRandomBitsOfTheSameWidth) {
  auto convert = [](const char* x, const char* random) {
    return Infer({.opcode = Opcode::kStochasticConvert,
                  .operands = {x, random},
                  .declared = "s8[2]"});
  };
  EXPECT_EQ(convert("f32[2]", "u32[2]"), "s8[2]");
  EXPECT_THAT(convert("f32[2]", "u16[2]"), HasSubstr("as wide as f32"));
  EXPECT_THAT(convert("f32[2]", "s32[2]"), StartsWith("error:"));
  EXPECT_THAT(convert("s32[2]", "u32[2]"), StartsWith("error:"));
  EXPECT_THAT(convert("f32[2]", "u32[3]"), StartsWith("error:"));
}

TEST(InferElementwise, ReducePrecisionWantsAnExponentBit) {
  auto reduce = [](int64_t exponent, int64_t mantissa) {
    return Infer({.opcode = Opcode::kReducePrecision,
                  .operands = {"f32[2]"},
                  .attrs = Attrs({{AttrId::kExponentBits, exponent},
                                  {AttrId::kMantissaBits, mantissa}})});
  };
  EXPECT_EQ(reduce(1, 0), "f32[2]");
  EXPECT_THAT(reduce(0, 5), HasSubstr("exponent_bits"));
  EXPECT_THAT(reduce(5, -1), HasSubstr("mantissa_bits"));
}

}  // namespace
}  // namespace hlokit
