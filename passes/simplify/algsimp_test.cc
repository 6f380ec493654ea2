#include "passes/simplify/algsimp.h"

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

struct Case {
  const char* name;
  const char* lines;    // of the entry
  const char* opcodes;  // of the result; null: unchanged
};

std::string Text(const char* lines) {
  return absl::StrCat(R"(
HloModule m
add_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sub_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
)",
                      lines, "\n}\n");
}

class AlgsimpTest : public ::testing::TestWithParam<Case> {};

TEST_P(AlgsimpTest, GivesWhatIsSimplerAndKeepsValues) {
  const std::string text = Text(GetParam().lines);
  if (GetParam().opcodes == nullptr) {
    // What the rules leave alone; unused computations stay.
    ExpectUnchangedBy<AlgebraicSimplifier>(text);
    return;
  }
  auto module = TransformedBy<AlgebraicSimplifier>(text, 1e-5);
  EXPECT_EQ(EntryOpcodes(*module), GetParam().opcodes)
      << ToString(*module);
}

constexpr Case kArithmetic[] = {
    {"ConstantOfEqualElements",
     "x = f32[4] parameter(0) c = f32[4] constant({2.5, 2.5, 2.5, 2.5}) "
     "ROOT r = f32[4] maximum(x, c)",
     "parameter constant broadcast maximum"},
    {"ConstantThatCounts",
     "x = s32[4] parameter(0) c = s32[4] constant({0, 1, 2, 3}) "
     "ROOT r = s32[4] maximum(x, c)",
     "parameter iota maximum"},
    {"ConstantThatDoesNot",
     "x = s32[4] parameter(0) c = s32[4] constant({0, 1, 3, 2}) "
     "ROOT r = s32[4] maximum(x, c)",
     nullptr},
    {"AddZero", "x = f32[4] parameter(0) z = f32[] constant(0) b = f32[4] broadcast(z), dimensions={} ROOT r = f32[4] add(b, x)", "parameter"},
    {"AddOneStays", "x = f32[] parameter(0) c = f32[] constant(1) ROOT r = f32[] add(x, c)", nullptr},
    {"ConstantRight", "x = f32[] parameter(0) c = f32[] constant(1) ROOT r = f32[] add(c, x)", "parameter constant add"},
    {"GatherSums", "x = s32[] parameter(0) c = s32[] constant(1) d = s32[] constant(5) s = s32[] add(x, c) ROOT r = s32[] add(s, d)", "parameter constant add"},
    {"FloatSumsStay", "x = f32[] parameter(0) c = f32[] constant(1) d = f32[] constant(5) s = f32[] add(x, c) ROOT r = f32[] add(s, d)", nullptr},
    {"GatherProducts", "x = f32[] parameter(0) c = f32[] constant(3) d = f32[] constant(5) s = f32[] multiply(x, c) ROOT r = f32[] multiply(s, d)", "parameter constant multiply"},
    {"ProductsThatOverflowStay", "x = f32[] parameter(0) c = f32[] constant(1e30) d = f32[] constant(1e30) s = f32[] multiply(x, c) ROOT r = f32[] multiply(s, d)", nullptr},
    {"AddNegated", "x = f32[] parameter(0) y = f32[] parameter(1) n = f32[] negate(y) ROOT r = f32[] add(n, x)", "parameter parameter subtract"},
    {"FactorOut", "x = s32[] parameter(0) y = s32[] parameter(1) z = s32[] parameter(2) a = s32[] multiply(x, z) b = s32[] multiply(y, z) ROOT r = s32[] add(a, b)", "parameter parameter add parameter multiply"},
    {"SubtractItself", "x = s32[3] parameter(0) ROOT r = s32[3] subtract(x, x)", "parameter constant broadcast"},
    {"FloatMinusItselfStays", "x = f32[3] parameter(0) ROOT r = f32[3] subtract(x, x)", nullptr},
    {"SubtractConstant", "x = f32[] parameter(0) c = f32[] constant(2) ROOT r = f32[] subtract(x, c)", "parameter constant add"},
    {"SubtractNegated", "x = f32[] parameter(0) y = f32[] parameter(1) n = f32[] negate(y) ROOT r = f32[] subtract(x, n)", "parameter parameter add"},
    {"SubtractUndone", "x = s32[] parameter(0) y = s32[] parameter(1) s = s32[] add(x, y) ROOT r = s32[] subtract(s, y)", "parameter parameter"},
    {"MultiplyOne", "x = f32[2] parameter(0) c = f32[2] constant({1, 1}) ROOT r = f32[2] multiply(x, c)", "parameter"},
    {"MultiplyZero", "x = s32[2] parameter(0) c = s32[2] constant({0, 0}) ROOT r = s32[2] multiply(x, c)", "parameter constant broadcast"},
    {"FloatTimesZeroStays", "x = f32[] parameter(0) c = f32[] constant(0) ROOT r = f32[] multiply(x, c)", nullptr},
    {"MultiplyMinusOne", "x = s32[] parameter(0) c = s32[] constant(-1) ROOT r = s32[] multiply(x, c)", "parameter negate"},
    {"FloatTimesMinusOneStays", "x = f32[] parameter(0) c = f32[] constant(-1) ROOT r = f32[] multiply(x, c)", nullptr},
    {"FloatConstantsStayInTheMiddle", "x = f32[] parameter(0) y = f32[] parameter(1) c = f32[] constant(2) m = f32[] multiply(x, c) ROOT r = f32[] multiply(m, y)", nullptr},
    {"RsqrtSquaredStays", "x = f32[] parameter(0) s = f32[] rsqrt(x) ROOT r = f32[] multiply(s, s)", nullptr},
    {"RsqrtOfRootSquaredStays", "x = f32[] parameter(0) t = f32[] sqrt(x) s = f32[] rsqrt(t) ROOT r = f32[] multiply(s, s)", nullptr},
    {"RsqrtOfMinusZeroSquaredStays", "x = f32[] parameter(0) c = f32[] constant(-0) t = f32[] maximum(x, c) s = f32[] rsqrt(t) ROOT r = f32[] multiply(s, s)", nullptr},
    {"RsqrtOfSquareSquared", "x = f32[] parameter(0) t = f32[] multiply(x, x) s = f32[] rsqrt(t) ROOT r = f32[] multiply(s, s)", "constant parameter multiply divide"},
    {"RsqrtOfReciprocalStays", "x = f32[] parameter(0) c = f32[] constant(1) q = f32[] divide(c, x) ROOT r = f32[] rsqrt(q)", nullptr},
    {"ExpTimesExp", "x = f32[] parameter(0) y = f32[] parameter(1) a = f32[] exponential(x) b = f32[] exponential(y) ROOT r = f32[] multiply(a, b)", "parameter parameter add exponential"},
    {"AbsSquared", "x = f32[] parameter(0) a = f32[] abs(x) ROOT r = f32[] multiply(a, a)", "parameter multiply"},
    {"DivideByConstant", "x = f32[] parameter(0) c = f32[] constant(3) ROOT r = f32[] divide(x, c)", "parameter constant multiply"},
    {"DivideByOne", "x = s32[] parameter(0) c = s32[] constant(1) ROOT r = s32[] divide(x, c)", "parameter"},
    {"DivideByPowerOfTwo", "x = u32[] parameter(0) c = u32[] constant(8) ROOT r = u32[] divide(x, c)", "parameter constant shift-right-logical"},
    {"SignedDivideStays", "x = s32[] parameter(0) c = s32[] constant(8) ROOT r = s32[] divide(x, c)", nullptr},
    {"DivideByZeroStays", "x = u32[] parameter(0) c = u32[] constant(0) ROOT r = u32[] divide(x, c)", nullptr},
    {"RemainderOfPowerOfTwo", "x = u32[] parameter(0) c = u32[] constant(8) ROOT r = u32[] remainder(x, c)", "parameter constant and"},
    {"DivideByExp", "x = f32[] parameter(0) y = f32[] parameter(1) e = f32[] exponential(y) ROOT r = f32[] divide(x, e)", "parameter parameter negate exponential multiply"},
    {"QuotientOfQuotient", "x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2) q = f32[] divide(x, y) ROOT r = f32[] divide(q, z)", "parameter parameter parameter multiply divide"},
    {"Square", "x = f32[] parameter(0) c = f32[] constant(2) ROOT r = f32[] power(x, c)", "parameter multiply"},
    {"PowerZero", "x = f32[] parameter(0) c = f32[] constant(0) ROOT r = f32[] power(x, c)", "parameter constant"},
    {"LogOfExp", "x = f32[] parameter(0) y = f32[] exponential(x) ROOT r = f32[] log(y)", "parameter"},
    {"RootOfSquare", "x = f32[] parameter(0) y = f32[] multiply(x, x) ROOT r = f32[] sqrt(y)", "parameter abs"},
    {"NegateTwice", "x = f32[] parameter(0) y = f32[] negate(x) ROOT r = f32[] negate(y)", "parameter"},
    {"AbsOfNegate", "x = f32[] parameter(0) y = f32[] negate(x) ROOT r = f32[] abs(y)", "parameter abs"},
    {"FloorOfConverted", "x = s32[] parameter(0) y = f32[] convert(x) ROOT r = f32[] floor(y)", "parameter convert"},
    {"MaxOfSame", "x = f32[] parameter(0) ROOT r = f32[] maximum(x, x)", "parameter"},
    {"MaxOfLowest", "x = s32[] parameter(0) c = s32[] constant(-2147483648) ROOT r = s32[] maximum(c, x)", "parameter"},
    {"MaxOfMinusInf", "x = f32[] parameter(0) c = f32[] constant(-inf) ROOT r = f32[] maximum(x, c)", "parameter"},
    {"ClampOfMinMax", "x = f32[4] parameter(0) c = f32[] constant(-1) l = f32[4] broadcast(c), dimensions={} d = f32[] constant(1) h = f32[4] broadcast(d), dimensions={} m = f32[4] maximum(x, l) ROOT r = f32[4] minimum(m, h)", "constant parameter constant clamp"},
    {"RealOfComplex", "x = f32[] parameter(0) y = f32[] parameter(1) z = c64[] complex(x, y) ROOT r = f32[] imag(z)", "parameter parameter"},
    {"ComplexOfParts", "z = c64[] parameter(0) x = f32[] real(z) y = f32[] imag(z) ROOT r = c64[] complex(x, y)", "parameter"},
};

constexpr Case kLogic[] = {
    {"AndTrue", "x = pred[] parameter(0) c = pred[] constant(true) ROOT r = pred[] and(c, x)", "parameter"},
    {"OrTrue", "x = pred[] parameter(0) c = pred[] constant(true) ROOT r = pred[] or(c, x)", "parameter constant"},
    {"AndMinusOne", "x = s8[] parameter(0) c = s8[] constant(-1) ROOT r = s8[] and(x, c)", "parameter"},
    {"AndMaxUnsigned", "x = u8[] parameter(0) c = u8[] constant(255) ROOT r = u8[] and(x, c)", "parameter"},
    {"Absorb", "x = s32[] parameter(0) y = s32[] parameter(1) a = s32[] and(x, y) ROOT r = s32[] and(y, a)", "parameter parameter and"},
    {"XorItself", "x = s32[] parameter(0) ROOT r = s32[] xor(x, x)", "parameter constant"},
    {"NotTwice", "x = pred[] parameter(0) y = pred[] not(x) ROOT r = pred[] not(y)", "parameter"},
    {"ShiftByWidth", "x = u8[] parameter(0) c = u8[] constant(8) ROOT r = u8[] shift-left(x, c)", "parameter constant"},
    {"ShiftTwice", "x = u32[] parameter(0) c = u32[] constant(3) d = u32[] constant(4) y = u32[] shift-right-logical(x, c) ROOT r = u32[] shift-right-logical(y, d)", "parameter constant shift-right-logical"},
    {"ArithmeticShiftByWidthStays", "x = s8[] parameter(0) c = s8[] constant(8) ROOT r = s8[] shift-right-arithmetic(x, c)", nullptr},
};

constexpr Case kCompare[] = {
    {"EqualToItself", "x = s32[2] parameter(0) ROOT r = pred[2] compare(x, x), direction=LE", "parameter constant broadcast"},
    {"NanIsNotEqualToItself", "x = f32[2] parameter(0) ROOT r = pred[2] compare(x, x), direction=EQ", nullptr},
    {"LessThanItself", "x = f32[2] parameter(0) ROOT r = pred[2] compare(x, x), direction=LT", "parameter constant broadcast"},
    {"ConstantLeft", "x = f32[] parameter(0) c = f32[] constant(1) ROOT r = pred[] compare(c, x), direction=LT", "parameter constant compare"},
    {"UnsignedBelowZero", "x = u32[] parameter(0) c = u32[] constant(0) ROOT r = pred[] compare(x, c), direction=LT", "parameter constant"},
    {"IotaBelowSize", "i = s32[5] iota(), iota_dimension=0 c = s32[] constant(5) b = s32[5] broadcast(c), dimensions={} ROOT r = pred[5] compare(i, b), direction=LT", "constant broadcast"},
    {"IotaBelowLessStays", "i = s32[5] iota(), iota_dimension=0 c = s32[] constant(4) b = s32[5] broadcast(c), dimensions={} ROOT r = pred[5] compare(i, b), direction=LT", nullptr},
    {"EqualToTrue", "x = pred[] parameter(0) c = pred[] constant(true) ROOT r = pred[] compare(x, c), direction=EQ", "parameter"},
    {"EqualToFalse", "x = pred[] parameter(0) c = pred[] constant(false) ROOT r = pred[] compare(x, c), direction=EQ", "parameter not"},
    {"NotOfLess", "x = s32[] parameter(0) y = s32[] parameter(1) c = pred[] compare(x, y), direction=LT ROOT r = pred[] not(c)", "parameter parameter compare"},
    {"NotOfFloatLessStays", "x = f32[] parameter(0) y = f32[] parameter(1) c = pred[] compare(x, y), direction=LT ROOT r = pred[] not(c)", nullptr},
    {"SelectOfSame", "p = pred[2] parameter(0) x = f32[2] parameter(1) ROOT r = f32[2] select(p, x, x)", "parameter parameter"},
    {"SelectByConstant", "p = pred[] constant(false) x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT r = f32[2] select(p, x, y)", "parameter parameter"},
    {"SelectOfNot", "p = pred[2] parameter(0) n = pred[2] not(p) x = f32[2] parameter(1) y = f32[2] parameter(2) ROOT r = f32[2] select(n, x, y)", "parameter parameter parameter select"},
    {"SelectTrueFalse", "p = pred[] parameter(0) t = pred[] constant(true) f = pred[] constant(false) ROOT r = pred[] select(p, t, f)", "parameter"},
    {"SelectXOrFalse", "p = pred[] parameter(0) x = pred[] parameter(1) f = pred[] constant(false) ROOT r = pred[] select(p, x, f)", "parameter parameter and"},
    {"SelectOfSelect", "p = pred[] parameter(0) x = f32[] parameter(1) y = f32[] parameter(2) z = f32[] parameter(3) s = f32[] select(p, x, y) ROOT r = f32[] select(p, s, z)", "parameter parameter parameter parameter select"},
    {"ClampTwice", "x = f32[] parameter(0) l = f32[] constant(0) h = f32[] constant(1) c = f32[] clamp(l, x, h) ROOT r = f32[] clamp(l, c, h)", "constant parameter constant clamp"},
};

constexpr Case kConvert[] = {
    {"ConvertToSame", "x = f32[2] parameter(0) ROOT r = f32[2] convert(x)", "parameter"},
    {"ThroughWider", "x = s8[] parameter(0) y = s32[] convert(x) ROOT r = f32[] convert(y)", "parameter convert"},
    {"ThereAndBack", "x = bf16[] parameter(0) y = f32[] convert(x) ROOT r = bf16[] convert(y)", "parameter"},
    {"ThroughNarrowerStays", "x = s32[] parameter(0) y = s8[] convert(x) ROOT r = s32[] convert(y)", nullptr},
    {"BitcastConvertTwice", "x = f32[] parameter(0) y = s32[] bitcast-convert(x) ROOT r = u32[] bitcast-convert(y)", "parameter bitcast-convert"},
    {"Copy", "x = f32[2] parameter(0) ROOT r = f32[2] copy(x)", "parameter"},
    {"FullPrecision", "x = f32[2] parameter(0) ROOT r = f32[2] reduce-precision(x), exponent_bits=8, mantissa_bits=23", "parameter"},
    {"LessPrecisionStays", "x = f32[2] parameter(0) ROOT r = f32[2] reduce-precision(x), exponent_bits=8, mantissa_bits=7", nullptr},
    {"ElementOfTuple", "x = f32[2] parameter(0) t = (f32[2]) tuple(x) ROOT r = f32[2] get-tuple-element(t), index=0", "parameter"},
};

constexpr Case kMovement[] = {
    {"BroadcastToSame", "x = f32[2,3] parameter(0) ROOT r = f32[2,3] broadcast(x), dimensions={0,1}", "parameter"},
    {"BroadcastOfOnes", "x = f32[3] parameter(0) ROOT r = f32[1,3] broadcast(x), dimensions={1}", "parameter reshape"},
    {"BroadcastStays", "x = f32[3] parameter(0) ROOT r = f32[2,3] broadcast(x), dimensions={1}", nullptr},
    {"BroadcastTwice", "x = f32[3] parameter(0) y = f32[3,2] broadcast(x), dimensions={0} ROOT r = f32[4,3,2] broadcast(y), dimensions={1,2}", "parameter broadcast"},
    {"BroadcastOfWidened", "x = f32[3] parameter(0) y = f32[3,1] reshape(x) ROOT r = f32[3,1,4] broadcast(y), dimensions={0,1}", "parameter broadcast"},
    {"ReshapeTwice", "x = f32[2,3] parameter(0) y = f32[6] reshape(x) ROOT r = f32[3,2] reshape(y)", "parameter reshape"},
    {"ReshapeBack", "x = f32[2,3] parameter(0) y = f32[6] reshape(x) ROOT r = f32[2,3] reshape(y)", "parameter"},
    {"ReshapeOfScalarBroadcast", "x = f32[] parameter(0) y = f32[6] broadcast(x), dimensions={} ROOT r = f32[3,2] reshape(y)", "parameter broadcast"},
    {"ReshapeOfIota", "y = s32[6] iota(), iota_dimension=0 ROOT r = s32[1,6] reshape(y)", "iota"},
    {"TransposeTwice", "x = f32[2,3,4] parameter(0) y = f32[3,4,2] transpose(x), dimensions={1,2,0} ROOT r = f32[4,3,2] transpose(y), dimensions={1,0,2}", "parameter transpose"},
    {"TransposeBack", "x = f32[2,3,4] parameter(0) y = f32[3,4,2] transpose(x), dimensions={1,2,0} ROOT r = f32[2,3,4] transpose(y), dimensions={2,0,1}", "parameter"},
    {"TransposeOfOnes", "x = f32[1,3] parameter(0) ROOT r = f32[3,1] transpose(x), dimensions={1,0}", "parameter reshape"},
    {"TransposeOfBroadcast", "x = f32[3] parameter(0) y = f32[3,2] broadcast(x), dimensions={0} ROOT r = f32[2,3] transpose(y), dimensions={1,0}", "parameter broadcast"},
    {"TransposeOfIota", "y = s32[3,2] iota(), iota_dimension=0 ROOT r = s32[2,3] transpose(y), dimensions={1,0}", "iota"},
    {"ReverseTwice", "x = f32[2,3] parameter(0) y = f32[2,3] reverse(x), dimensions={0,1} ROOT r = f32[2,3] reverse(y), dimensions={0}", "parameter reverse"},
    {"ReverseOfOne", "x = f32[1,3] parameter(0) ROOT r = f32[1,3] reverse(x), dimensions={0}", "parameter"},
    {"IotaOfOne", "ROOT r = s32[1,3] iota(), iota_dimension=0", "constant broadcast"},
    {"FunctionOfBroadcast", "x = f32[] parameter(0) y = f32[4] broadcast(x), dimensions={} ROOT r = f32[4] sine(y)", "parameter sine broadcast"},
};

constexpr Case kSlice[] = {
    {"SliceTwice", "x = f32[10] parameter(0) y = f32[4] slice(x), slice={[1:9:2]} ROOT r = f32[2] slice(y), slice={[1:4:2]}", "parameter slice"},
    {"SliceOfBroadcast", "x = f32[6] parameter(0) y = f32[4,6] broadcast(x), dimensions={1} ROOT r = f32[2,3] slice(y), slice={[0:2],[1:4]}", "parameter slice broadcast"},
    {"SliceOfConcatenate", "x = f32[3] parameter(0) y = f32[4] parameter(1) c = f32[7] concatenate(x, y), dimensions={0} ROOT r = f32[2] slice(c), slice={[4:6]}", "parameter parameter slice"},
    {"SliceAcrossConcatenateStays", "x = f32[3] parameter(0) y = f32[4] parameter(1) c = f32[7] concatenate(x, y), dimensions={0} ROOT r = f32[2] slice(c), slice={[2:4]}", nullptr},
    {"SliceInsidePad", "x = f32[3] parameter(0) z = f32[] constant(1) p = f32[7] pad(x, z), padding=2_2 ROOT r = f32[2] slice(p), slice={[3:5]}", "parameter slice"},
    {"SliceOfPadding", "x = f32[3] parameter(0) z = f32[] constant(1) p = f32[7] pad(x, z), padding=2_2 ROOT r = f32[2] slice(p), slice={[0:2]}", "parameter constant broadcast"},
    {"SliceOfIota", "y = s32[3,4] iota(), iota_dimension=1 ROOT r = s32[2,4] slice(y), slice={[1:3],[0:4]}", "iota"},
    {"DynamicSliceAtConstant", "x = f32[5] parameter(0) c = s32[] constant(4) ROOT r = f32[2] dynamic-slice(x, c), dynamic_slice_sizes={2}", "parameter slice"},
    {"DynamicSliceWhole", "x = f32[5] parameter(0) i = s32[] parameter(1) ROOT r = f32[5] dynamic-slice(x, i), dynamic_slice_sizes={5}", "parameter parameter"},
    {"UpdateWhole", "x = f32[5] parameter(0) i = s32[] parameter(1) u = f32[5] parameter(2) ROOT r = f32[5] dynamic-update-slice(x, u, i)", "parameter parameter parameter"},
    {"PutBack", "x = f32[5] parameter(0) i = s32[] parameter(1) u = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} ROOT r = f32[5] dynamic-update-slice(x, u, i)", "parameter parameter"},
    {"UpdateOfScalar", "s = f32[] parameter(0) x = f32[5] broadcast(s), dimensions={} u = f32[2] parameter(1) c = s32[] constant(1) ROOT r = f32[5] dynamic-update-slice(x, u, c)", "parameter parameter pad"},
    {"ConcatenateOne", "x = f32[5] parameter(0) ROOT r = f32[5] concatenate(x), dimensions={0}", "parameter"},
    {"ConcatenateEmpty", "x = f32[5] parameter(0) y = f32[0] parameter(1) ROOT r = f32[5] concatenate(x, y), dimensions={0}", "parameter parameter"},
    {"ConcatenateNested", "x = f32[2] parameter(0) y = f32[3] parameter(1) z = f32[1] parameter(2) c = f32[5] concatenate(x, y), dimensions={0} ROOT r = f32[6] concatenate(c, z), dimensions={0}", "parameter parameter parameter concatenate"},
    {"ConcatenateNeighbours", "x = f32[8] parameter(0) a = f32[2] slice(x), slice={[1:3]} b = f32[3] slice(x), slice={[3:6]} ROOT r = f32[5] concatenate(a, b), dimensions={0}", "parameter slice"},
    {"ConcatenateWithScalar", "x = f32[2] parameter(0) s = f32[] parameter(1) b = f32[3] broadcast(s), dimensions={} ROOT r = f32[5] concatenate(b, x), dimensions={0}", "parameter parameter pad"},
    {"PadNothing", "x = f32[2] parameter(0) z = f32[] constant(0) ROOT r = f32[2] pad(x, z), padding=0_0", "parameter"},
    {"PadTwice", "x = f32[2] parameter(0) z = f32[] parameter(1) p = f32[4] pad(x, z), padding=1_1 ROOT r = f32[7] pad(p, z), padding=0_3", "parameter parameter pad"},
    {"PadNegative", "x = f32[5] parameter(0) z = f32[] parameter(1) ROOT r = f32[6] pad(x, z), padding=-1_2", "parameter parameter pad slice"},
    {"PadOfNothing", "x = f32[0] parameter(0) z = f32[] parameter(1) ROOT r = f32[2] pad(x, z), padding=1_1", "parameter parameter broadcast"},
};

constexpr Case kDotReduce[] = {
    {"DotOfNothing", "x = f32[2,0] parameter(0) y = f32[0,3] parameter(1) ROOT r = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "parameter parameter constant broadcast"},
    {"OuterProduct", "x = f32[2,1] parameter(0) y = f32[1,3] parameter(1) ROOT r = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "parameter reshape broadcast parameter reshape broadcast multiply"},
    {"DotStays", "x = f32[2,4] parameter(0) y = f32[4,3] parameter(1) ROOT r = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", nullptr},
    {"TransposeOfDot", "x = f32[2,4] parameter(0) y = f32[4,3] parameter(1) d = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT r = f32[3,2] transpose(d), dimensions={1,0}", "parameter parameter dot"},
    {"ReduceNothing", "x = f32[0,3] parameter(0) i = f32[] parameter(1) ROOT r = f32[3] reduce(x, i), dimensions={0}, to_apply=add_f32", "parameter parameter broadcast"},
    {"ReduceOnes", "x = f32[1,3] parameter(0) i = f32[] constant(0) ROOT r = f32[3] reduce(x, i), dimensions={0}, to_apply=add_f32", "parameter reshape"},
    {"ReduceOnesFromSomewhere", "x = f32[1,3] parameter(0) i = f32[] parameter(1) ROOT r = f32[3] reduce(x, i), dimensions={0}, to_apply=add_f32", "parameter broadcast parameter reshape add"},
    {"ReduceOnesBySubtractionStays", "x = f32[1,3] parameter(0) i = f32[] parameter(1) ROOT r = f32[3] reduce(x, i), dimensions={0}, to_apply=sub_f32", nullptr},
    {"ReduceTwice", "x = f32[2,3,4] parameter(0) i = f32[] constant(0) y = f32[2,4] reduce(x, i), dimensions={1}, to_apply=add_f32 ROOT r = f32[4] reduce(y, i), dimensions={0}, to_apply=add_f32", "parameter constant reduce"},
    {"ReduceOfTranspose", "x = f32[2,3,4] parameter(0) i = f32[] parameter(1) t = f32[4,2,3] transpose(x), dimensions={2,0,1} ROOT r = f32[2,3] reduce(t, i), dimensions={0}, to_apply=add_f32", "parameter parameter reduce"},
    {"ReduceAllOfReshape", "x = f32[2,3] parameter(0) i = f32[] parameter(1) t = f32[6] reshape(x) ROOT r = f32[] reduce(t, i), dimensions={0}, to_apply=add_f32", "parameter parameter reduce"},
    {"MaxOfFloatCopiesStays", "x = f32[3] parameter(0) i = f32[] constant(-inf) t = f32[3,5] broadcast(x), dimensions={0} ROOT r = f32[3] reduce(t, i), dimensions={1}, to_apply=max_f32", nullptr},
    {"SumOfCopies", "x = f32[3] parameter(0) i = f32[] constant(0) t = f32[3,5] broadcast(x), dimensions={0} ROOT r = f32[3] reduce(t, i), dimensions={1}, to_apply=add_f32", "parameter constant broadcast multiply"},
    {"WindowOverAScalar", "x = f32[] parameter(0) i = f32[] constant(0) ROOT r = f32[] reduce-window(x, i), to_apply=add_f32", "parameter"},
    {"WindowOfOne", "x = f32[3] parameter(0) i = f32[] constant(0) ROOT r = f32[3] reduce-window(x, i), window={size=1}, to_apply=add_f32", "parameter"},
    {"SortOne", "x = f32[1,3] parameter(0) ROOT r = f32[1,3] sort(x), dimensions={0}, to_apply=less", "parameter"},
};

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Arithmetic, AlgsimpTest, ::testing::ValuesIn(kArithmetic), NameOf);
INSTANTIATE_TEST_SUITE_P(Logic, AlgsimpTest, ::testing::ValuesIn(kLogic), NameOf);
INSTANTIATE_TEST_SUITE_P(Compare, AlgsimpTest, ::testing::ValuesIn(kCompare), NameOf);
INSTANTIATE_TEST_SUITE_P(Convert, AlgsimpTest, ::testing::ValuesIn(kConvert), NameOf);
INSTANTIATE_TEST_SUITE_P(Movement, AlgsimpTest, ::testing::ValuesIn(kMovement), NameOf);
INSTANTIATE_TEST_SUITE_P(Slice, AlgsimpTest, ::testing::ValuesIn(kSlice), NameOf);
INSTANTIATE_TEST_SUITE_P(DotReduce, AlgsimpTest, ::testing::ValuesIn(kDotReduce), NameOf);

TEST(AlgsimpLayoutTest, KeepsAReplacementWithAnotherLayoutOut) {
  AlgebraicSimplifier pass(/*layout_sensitive=*/true);
  ExpectUnchanged(&pass, R"(
ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  ROOT c = f32[2,3]{0,1} copy(x)
})");
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT c = f32[2,3]{0,1} copy(x)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter");
}

TEST(AlgsimpTest, LeavesControlDependenciesAlone) {
  ExpectUnchangedBy<AlgebraicSimplifier>(R"(
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] sine(x)
  ROOT c = f32[2] copy(x), control-predecessors={a}
})");
}

// Each of many looks at its own element, not at all of them.
TEST(AlgsimpTest, WideTuplesTakeNoMoreTimeThanTheirElements) {
  Module module("wide");
  constexpr int kWidth = 30'000;
  const Shape scalar = Shape::Scalar(kF32);
  auto owned = Computation::Create(&module, "e");
  Instruction* state = owned->AddParameter(
      0, Shape::Tuple(std::vector<Shape>(kWidth, scalar)));
  std::vector<Instruction*> elements;
  for (int k = 0; k < kWidth; ++k) {
    elements.push_back(owned->AddGetTupleElement(state, kWidth - 1 - k));
  }
  owned->set_root(owned->AddTuple(elements));
  module.AddEntryComputation(std::move(owned));
  const std::clock_t start = std::clock();
  EXPECT_FALSE(*AlgebraicSimplifier().Run(&module));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

double SecondsToSimplify(const std::string& text) {
  auto module = ParseOrDie(text);
  if (module == nullptr) return 1e9;
  const std::clock_t start = std::clock();
  EXPECT_TRUE(AlgebraicSimplifier().Run(module.get()).ok());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// Concatenations of concatenations, each the first operand of the next.
TEST(AlgsimpTest, ChainsOfConcatenationsTakeTimeByTheirLength) {
  std::string text = "ENTRY e {\n x = f32[1] parameter(0)\n"
                     " cat0 = f32[2] concatenate(x, x), dimensions={0}\n";
  constexpr int kLength = 20'000;
  for (int k = 1; k < kLength; ++k) {
    absl::StrAppend(&text, k + 1 == kLength ? " ROOT" : "", " cat", k,
                    " = f32[", k + 2, "] concatenate(cat", k - 1,
                    ", x), dimensions={0}\n");
  }
  EXPECT_LT(SecondsToSimplify(text + "}\n"), 10);
}

// Each joins the one before it to itself: parts would double at every step.
TEST(AlgsimpTest, ConcatenationsThatDoubleStayShort) {
  std::string text = "ENTRY e {\n c0 = f32[4] parameter(0)\n";
  for (int k = 1; k <= 27; ++k) {
    absl::StrAppend(&text, " c", k, " = f32[", 4 << k, "] concatenate(c", k - 1,
                    ", c", k - 1, "), dimensions={0}\n");
  }
  auto module = ParseOrDie(text + " ROOT r = f32[] custom-call(c27), "
                                  "custom_call_target=\"f\"\n}\n");
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(AlgebraicSimplifier().Run(module.get()).ok());
  for (const Instruction* i : module->entry()->instructions()) {
    EXPECT_LE(i->operand_count(), 1024) << i->name();
  }
}

// Each slice takes one part of one wide concatenation.
TEST(AlgsimpTest, SlicesOfAWideConcatenationTakeTimeByTheirNumber) {
  constexpr int kWidth = 20'000;
  std::string text = "ENTRY e {\n x = f32[1] parameter(0)\n y = f32[1] "
                     "parameter(1)\n";
  std::string parts = "x", slices, elements = "x";
  for (int k = 1; k < kWidth; ++k) {
    parts += k % 2 == 0 ? ", x" : ", y";
    absl::StrAppend(&slices, " part", k, " = f32[1] slice(c), slice={[", k, ":",
                    k + 1, "]}\n");
    absl::StrAppend(&elements, ", part", k);
  }
  std::string shapes = "f32[1]";
  for (int k = 1; k < kWidth; ++k) shapes += ", f32[1]";
  EXPECT_LT(SecondsToSimplify(absl::StrCat(
                text, " c = f32[", kWidth, "] concatenate(", parts,
                "), dimensions={0}\n", slices, " ROOT t = (", shapes,
                ") tuple(", elements, ")\n}\n")),
            10);
}

// Every link of a chain of moves is also an operand of arithmetic, which asks
// whether it is a constant.
TEST(AlgsimpTest, UsersOfAChainOfMovesTakeTimeByTheirNumber) {
  constexpr int kLength = 20'000;
  std::string text =
      "ENTRY e {\n m0 = f32[2,3] parameter(0)\n sum0 = f32[6] parameter(1)\n";
  for (int k = 1; k <= kLength; ++k) {
    absl::StrAppend(&text, " t", k, " = f32[3,2] transpose(m", k - 1,
                    "), dimensions={1,0}\n m", k, " = f32[2,3] reshape(t", k,
                    ")\n v", k, " = f32[6] reshape(m", k, ")\n ",
                    k == kLength ? "ROOT " : "", "sum", k, " = f32[6] add(sum",
                    k - 1, ", v", k, ")\n");
  }
  EXPECT_LT(SecondsToSimplify(text + "}\n"), 10);
}

}  // namespace
}  // namespace hlokit
