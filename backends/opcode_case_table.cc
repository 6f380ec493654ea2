#include "backends/opcode_cases.h"

namespace hlokit {
namespace {

constexpr double kE = 2.718281828459045;
constexpr double kHalfPi = 1.5707963267948966;

const OpcodeCase kCases[] = {
    // --- One operand, element by element ---
    {Opcode::kAbs, "s f", "$T[3]", "$T[3] abs(a)", {{-2, 0, 3}}, {2, 0, 3}},
    {Opcode::kAbs, "u", "$T[2]", "$T[2] abs(a)", {{0, 3}}, {0, 3}},
    {Opcode::kAbs, "c", "$T[2]", "$R[2] abs(a)", {{-3, 4}}, {3, 4}},
    {Opcode::kAcos, "f c", "$T[2]", "$T[2] acos(a)", {{1, 0}}, {0, kHalfPi}},
    {Opcode::kAcosh, "f c", "$T[2]", "$T[2] acosh(a)", {{1, 2}},
     {0, 1.3169578969248166}},
    {Opcode::kAsin, "f c", "$T[2]", "$T[2] asin(a)", {{0, 1}}, {0, kHalfPi}},
    {Opcode::kAsinh, "f c", "$T[2]", "$T[2] asinh(a)", {{0, 1}},
     {0, 0.881373587019543}},
    {Opcode::kAtanh, "f c", "$T[2]", "$T[2] atanh(a)", {{0, 0.5}},
     {0, 0.5493061443340548}},
    {Opcode::kCbrt, "f", "$T[2]", "$T[2] cbrt(a)", {{8, -1}}, {2, -1}},
    {Opcode::kCeil, "f", "$T[3]", "$T[3] ceil(a)", {{-1.5, 1.25, 2}},
     {-1, 2, 2}},
    {Opcode::kCosh, "f c", "$T[2]", "$T[2] cosh(a)", {{0, 1}},
     {1, 1.5430806348152437}},
    {Opcode::kCosine, "f c", "$T[2]", "$T[2] cosine(a)", {{0, 1}},
     {1, 0.5403023058681398}},
    // Bits above the highest one, less those above it in another number.
    {Opcode::kCountLeadingZeros, "s u", "$T[2], $T[2]",
     "c = $T[2] count-leading-zeros(a)\n"
     "d = $T[2] count-leading-zeros(b)\n"
     "ROOT r = $T[2] subtract(c, d)",
     {{1, 1}, {3, 7}}, {1, 2}},
    {Opcode::kErf, "f", "$T[2]", "$T[2] erf(a)", {{0, 1}},
     {0, 0.8427007929497149}},
    {Opcode::kExponential, "f c", "$T[2]", "$T[2] exponential(a)", {{0, 1}},
     {1, kE}},
    {Opcode::kExponentialMinusOne, "f c", "$T[2]",
     "$T[2] exponential-minus-one(a)", {{0, 1}}, {0, kE - 1}},
    {Opcode::kFloor, "f", "$T[3]", "$T[3] floor(a)", {{-1.5, 1.25, 2}},
     {-2, 1, 2}},
    {Opcode::kImag, "f c", "$T[2]", "$R[2] imag(a)", {{1, 2}}, {0, 0}},
    {Opcode::kIsFinite, "f", "$T[2], $T[2]",
     "q = $T[2] divide(a, b)\n"
     "ROOT r = pred[2] is-finite(q)",
     {{1, 0}, {2, 0}}, {1, 0}},
    {Opcode::kLog, "f c", "$T[2]", "$T[2] log(a)", {{1, 2}},
     {0, 0.6931471805599453}},
    {Opcode::kLogPlusOne, "f c", "$T[2]", "$T[2] log-plus-one(a)", {{0, 1}},
     {0, 0.6931471805599453}},
    {Opcode::kLogistic, "f c", "$T[2]", "$T[2] logistic(a)", {{0, 1}},
     {0.5, 0.7310585786300049}},
    {Opcode::kNegate, "s f c", "$T[3]", "$T[3] negate(a)", {{1, -2, 0}},
     {-1, 2, 0}},
    {Opcode::kNegate, "u8", "$T[2]", "$T[2] negate(a)", {{1, 0}}, {255, 0}},
    {Opcode::kNegate, "u", "$T[1]", "$T[1] negate(a)", {{0}}, {0}},
    {Opcode::kNot, "s", "$T[3]", "$T[3] not(a)", {{0, 1, -1}}, {-1, -2, 0}},
    {Opcode::kNot, "u8", "$T[2]", "$T[2] not(a)", {{0, 1}}, {255, 254}},
    {Opcode::kNot, "u", "$T[2]",
     "n = $T[2] not(a)\n"
     "ROOT r = $T[2] not(n)",
     {{0, 5}}, {0, 5}},
    {Opcode::kNot, "p", "$T[2]", "$T[2] not(a)", {{0, 1}}, {1, 0}},
    {Opcode::kPopcnt, "s u", "$T[4]", "$T[4] popcnt(a)", {{0, 1, 3, 7}},
     {0, 1, 2, 3}},
    {Opcode::kReal, "f c", "$T[2]", "$R[2] real(a)", {{1, 2}}, {1, 2}},
    {Opcode::kReducePrecision, "f", "$T[4]",
     "$T[4] reduce-precision(a), exponent_bits=4, mantissa_bits=1",
     {{1, 1.5, 1.25, 1.75}}, {1, 1.5, 1, 2}},
    {Opcode::kRoundNearestAfz, "f", "$T[4]", "$T[4] round-nearest-afz(a)",
     {{0.5, -0.5, 2.5, 1.25}}, {1, -1, 3, 1}},
    {Opcode::kRoundNearestEven, "f", "$T[4]", "$T[4] round-nearest-even(a)",
     {{0.5, 1.5, 2.5, 1.25}}, {0, 2, 2, 1}},
    {Opcode::kRsqrt, "f c", "$T[2]", "$T[2] rsqrt(a)", {{1, 4}}, {1, 0.5}},
    {Opcode::kSign, "s f c", "$T[3]", "$T[3] sign(a)", {{-3, 0, 2}},
     {-1, 0, 1}},
    {Opcode::kSign, "u", "$T[2]", "$T[2] sign(a)", {{0, 2}}, {0, 1}},
    {Opcode::kSine, "f c", "$T[2]", "$T[2] sine(a)", {{0, 1}},
     {0, 0.8414709848078965}},
    {Opcode::kSinh, "f c", "$T[2]", "$T[2] sinh(a)", {{0, 1}},
     {0, 1.1752011936438014}},
    {Opcode::kSqrt, "f c", "$T[3]", "$T[3] sqrt(a)", {{0, 1, 4}}, {0, 1, 2}},
    {Opcode::kTan, "f c", "$T[2]", "$T[2] tan(a)", {{0, 1}},
     {0, 1.5574077246549023}},
    {Opcode::kTanh, "f c", "$T[2]", "$T[2] tanh(a)", {{0, 1}},
     {0, 0.7615941559557649}},
    // --- Two and three operands ---
    {Opcode::kAdd, "p s u f c", "$T[3], $T[3]", "$T[3] add(a, b)",
     {{0, 1, 3}, {0, 2, 4}}, {0, 3, 7}},
    {Opcode::kAnd, "p s u", "$T[3], $T[3]", "$T[3] and(a, b)",
     {{0, 1, 3}, {1, 3, 2}}, {0, 1, 2}},
    {Opcode::kAtan2, "f c", "$T[2], $T[2]", "$T[2] atan2(a, b)",
     {{0, 1}, {1, 1}}, {0, kHalfPi / 2}},
    {Opcode::kClamp, "s u f", "$T[], $T[3], $T[]", "$T[3] clamp(a, b, c)",
     {{1}, {0, 2, 7}, {4}}, {1, 2, 4}},
    {Opcode::kClamp, "p", "$T[], $T[2], $T[]", "$T[2] clamp(a, b, c)",
     {{0}, {0, 1}, {1}}, {0, 1}},
    {Opcode::kCompare, "p s u f c", "$T[3], $T[3]",
     "pred[3] compare(a, b), direction=EQ", {{0, 1, 1}, {0, 0, 1}}, {1, 0, 1}},
    {Opcode::kCompare, "p s u f", "$T[3], $T[3]",
     "pred[3] compare(a, b), direction=GT", {{0, 1, 1}, {0, 0, 1}}, {0, 1, 0}},
    {Opcode::kComplex, "f32 f64", "$T[2], $T[2]",
     "z = complex(a, b)\n"
     "ROOT r = $T[2] imag(z)",
     {{1, 2}, {3, 4}}, {3, 4}},
    {Opcode::kDivide, "s u", "$T[3], $T[3]", "$T[3] divide(a, b)",
     {{6, 7, 4}, {3, 2, 4}}, {2, 3, 1}},
    {Opcode::kDivide, "s", "$T[3], $T[3]", "$T[3] divide(a, b)",
     {{-7, 5, 0}, {2, 0, 3}}, {-3, -1, 0}},
    {Opcode::kDivide, "f c", "$T[3], $T[3]", "$T[3] divide(a, b)",
     {{6, 7, -4}, {3, 2, 4}}, {2, 3.5, -1}},
    {Opcode::kMaximum, "p s u f", "$T[3], $T[3]", "$T[3] maximum(a, b)",
     {{0, 1, 3}, {0, 2, 1}}, {0, 2, 3}},
    {Opcode::kMinimum, "p s u f", "$T[3], $T[3]", "$T[3] minimum(a, b)",
     {{0, 1, 3}, {1, 2, 1}}, {0, 1, 1}},
    {Opcode::kMulhi, "s", "$T[3], $T[3]", "$T[3] mulhi(a, b)",
     {{-1, 1, 0}, {1, 1, 7}}, {-1, 0, 0}},
    {Opcode::kMulhi, "u", "$T[2], $T[2]", "$T[2] mulhi(a, b)",
     {{1, 2}, {1, 3}}, {0, 0}},
    {Opcode::kMulhi, "u8", "$T[2], $T[2]", "$T[2] mulhi(a, b)",
     {{255, 16}, {255, 16}}, {254, 1}},
    {Opcode::kMultiply, "p s u f c", "$T[3], $T[3]", "$T[3] multiply(a, b)",
     {{0, 1, 3}, {1, 2, 2}}, {0, 2, 6}},
    {Opcode::kOr, "p s u", "$T[3], $T[3]", "$T[3] or(a, b)",
     {{0, 1, 2}, {0, 2, 3}}, {0, 3, 3}},
    {Opcode::kPower, "s u f c", "$T[3], $T[3]", "$T[3] power(a, b)",
     {{2, 3, 1}, {2, 1, 3}}, {4, 3, 1}},
    {Opcode::kRemainder, "s f", "$T[3], $T[3]", "$T[3] remainder(a, b)",
     {{7, -7, 5}, {3, 3, 2}}, {1, -1, 1}},
    {Opcode::kRemainder, "u", "$T[2], $T[2]", "$T[2] remainder(a, b)",
     {{7, 5}, {3, 5}}, {1, 0}},
    {Opcode::kSelect, "p s u f c", "pred[2], $T[2], $T[2]",
     "$T[2] select(a, b, c)", {{1, 0}, {3, 0}, {0, 2}}, {3, 2}},
    {Opcode::kShiftLeft, "s u", "$T[3], $T[3]", "$T[3] shift-left(a, b)",
     {{1, 1, 3}, {0, 1, 1}}, {1, 2, 6}},
    {Opcode::kShiftRightArithmetic, "s", "$T[2], $T[2]",
     "$T[2] shift-right-arithmetic(a, b)", {{-4, 7}, {1, 2}}, {-2, 1}},
    {Opcode::kShiftRightArithmetic, "u", "$T[2], $T[2]",
     "$T[2] shift-right-arithmetic(a, b)", {{4, 7}, {1, 2}}, {2, 1}},
    {Opcode::kShiftRightLogical, "s u", "$T[2], $T[2]",
     "$T[2] shift-right-logical(a, b)", {{4, 7}, {1, 2}}, {2, 1}},
    {Opcode::kStochasticConvert, "f32", "$T[2], u32[2]",
     "s32[2] stochastic-convert(a, b)", {{2, 3.5}, {0, 0}}, {2, 4}},
    {Opcode::kStochasticConvert, "f16", "$T[2], u16[2]",
     "s8[2] stochastic-convert(a, b)", {{2, -3.5}, {0, 65535}}, {2, -3}},
    {Opcode::kSubtract, "s f c", "$T[3], $T[3]", "$T[3] subtract(a, b)",
     {{3, 5, 1}, {1, 5, 3}}, {2, 0, -2}},
    {Opcode::kSubtract, "u", "$T[2], $T[2]", "$T[2] subtract(a, b)",
     {{3, 5}, {1, 5}}, {2, 0}},
    {Opcode::kXor, "p s u", "$T[3], $T[3]", "$T[3] xor(a, b)",
     {{0, 1, 1}, {0, 0, 1}}, {0, 1, 0}},
    // --- Other types ---
    {Opcode::kBitcastConvert, "p s u f c", "$T[2]", "$T[2] bitcast-convert(a)",
     {{0, 1}}, {0, 1}},
    {Opcode::kBitcastConvert, "f32", "$T[2]", "s32[2] bitcast-convert(a)",
     {{0, 1}}, {0, 1065353216}},
    {Opcode::kBitcastConvert, "u8", "$T[2,4]", "u32[2] bitcast-convert(a)",
     {{1, 2, 0, 0, 0, 0, 0, 1}}, {513, 16777216}},
    {Opcode::kConvert, "p s u f", "$T[3]", "f32[3] convert(a)", {{0, 1, 1}},
     {0, 1, 1}},
    {Opcode::kConvert, "s f", "$T[2]", "s16[2] convert(a)", {{-3, 5}}, {-3, 5}},
    {Opcode::kConvert, "c", "$T[2]", "c64[2] convert(a)", {{0, 5}}, {0, 5}},
    {Opcode::kConvert, "p s u f c", "f32[3]", "$T[3] convert(a)", {{0, 1, 3}},
     {0, 1, 3}},
    // --- Structure of the program ---
    {Opcode::kAddDependency, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "ROOT r = $T[2] add-dependency(a, t)",
     {{0, 3}}, {0, 3}},
    {Opcode::kAfterAll, "t", "",
     "t = token[] after-all()\n"
     "ROOT r = token[] after-all(t, t)",
     {}, {}},
    {Opcode::kConstant, "p s u f c", "", "$T[2] constant({$0, $1})", {},
     {0, 1}},
    {Opcode::kCopy, "p s u f c", "$T[2,2]{1,0}", "$T[2,2]{0,1} copy(a)",
     {{0, 1, 2, 3}}, {0, 1, 2, 3}},
    {Opcode::kDomain, "p s u f c", "$T[2]",
     "$T[2] domain(a), domain={kind=\"sharding\", entry={maximal device=0}, "
     "exit={maximal device=0}}",
     {{0, 3}}, {0, 3}},
    {Opcode::kGetTupleElement, "p s u f c", "$T[1], $T[2]",
     "t = ($T[1], $T[2]) tuple(a, b)\n"
     "ROOT r = $T[2] get-tuple-element(t), index=1",
     {{0}, {1, 2}}, {1, 2}},
    {Opcode::kOptBarrier, "p s u f c", "$T[2]", "$T[2] opt-barrier(a)",
     {{0, 3}}, {0, 3}},
    {Opcode::kParameter, "p s u f c", "$T[2]", "ROOT b = $T[2] parameter(1)",
     {{0, 3}, {1, 0}}, {1, 0}},
    {Opcode::kTuple, "p s u f c", "$T[1], $T[2]", "($T[1], $T[2]) tuple(a, b)",
     {{0}, {1, 2}}, {0, 1, 2}},
    // --- Moving elements ---
    {Opcode::kBitcast, "p s u f c", "$T[2,2]", "$T[4] bitcast(a)",
     {{0, 1, 2, 0}}, {0, 1, 2, 0}},
    {Opcode::kBroadcast, "p s u f c", "$T[2]",
     "$T[2,2] broadcast(a), dimensions={0}", {{0, 3}}, {0, 0, 3, 3}},
    {Opcode::kConcatenate, "p s u f c", "$T[1], $T[2]",
     "$T[3] concatenate(a, b), dimensions={0}", {{3}, {0, 1}}, {3, 0, 1}},
    {Opcode::kDynamicReshape, "p s u f c", "$T[4], s32[]",
     "$T[<=2,2] dynamic-reshape(a, b, b)", {{0, 1, 2, 0}, {2}}, {0, 1, 2, 0}},
    {Opcode::kDynamicSlice, "p s u f c", "$T[4], s32[]",
     "$T[2] dynamic-slice(a, b), dynamic_slice_sizes={2}", {{0, 1, 0, 2}, {9}},
     {0, 2}},
    {Opcode::kDynamicUpdateSlice, "p s u f c", "$T[4], $T[2], s32[]",
     "$T[4] dynamic-update-slice(a, b, c)", {{0, 1, 0, 2}, {3, 0}, {1}},
     {0, 3, 0, 2}},
    {Opcode::kGather, "p s u f c", "$T[3,2], s32[2]",
     "$T[2,2] gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
     {{0, 1, 2, 3, 0, 5}, {2, 0}}, {0, 5, 0, 1}},
    {Opcode::kGetDimensionSize, "p s u f c", "$T[2,3]",
     "s32[] get-dimension-size(a), dimensions={1}", {{0, 0, 0, 0, 0, 0}}, {3}},
    {Opcode::kIota, "s u f c", "", "$T[2,2] iota(), iota_dimension=1", {},
     {0, 1, 0, 1}},
    {Opcode::kPad, "p s u f c", "$T[2], $T[]", "$T[5] pad(a, b), padding=1_1_1",
     {{0, 2}, {3}}, {3, 0, 3, 2, 3}},
    {Opcode::kReshape, "p s u f c", "$T[4]", "$T[2,2] reshape(a)",
     {{0, 1, 2, 0}}, {0, 1, 2, 0}},
    {Opcode::kReverse, "p s u f c", "$T[3]",
     "$T[3] reverse(a), dimensions={0}", {{0, 1, 2}}, {2, 1, 0}},
    {Opcode::kScatter, "p s u f c", "$T[3], s32[2], $T[2]",
     "$T[3] scatter(a, b, c), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     {{0, 1, 0}, {1, 1}, {2, 3}}, {0, 6, 0}},
    {Opcode::kSetDimensionSize, "p s u f c", "$T[3], s32[]",
     "d = $T[<=3] set-dimension-size(a, b), dimensions={0}\n"
     "ROOT r = s32[] get-dimension-size(d), dimensions={0}",
     {{0, 1, 2}, {2}}, {2}},
    {Opcode::kSlice, "p s u f c", "$T[4]", "$T[2] slice(a), slice={[1:4:2]}",
     {{0, 1, 0, 2}}, {1, 2}},
    {Opcode::kTranspose, "p s u f c", "$T[2,2]",
     "$T[2,2] transpose(a), dimensions={1,0}", {{0, 1, 2, 0}}, {0, 2, 1, 0}},
    // --- Reductions, windows, sorting ---
    {Opcode::kReduce, "p s u f c", "$T[2,3], $T[]",
     "$T[2] reduce(a, b), dimensions={1}, to_apply=sum",
     {{0, 0, 0, 1, 2, 3}, {0}}, {0, 6}},
    {Opcode::kReduceWindow, "p s u f c", "$T[4], $T[]",
     "$T[3] reduce-window(a, b), window={size=2}, to_apply=sum",
     {{0, 0, 1, 2}, {0}}, {0, 1, 3}},
    {Opcode::kScan, "p s u f c", "$T[3], $T[]",
     "($T[3], $T[]) scan(a, b), dimensions={0}, num_carries=1, "
     "to_apply=running_sum",
     {{0, 1, 2}, {0}}, {0, 1, 3, 3}},
    {Opcode::kSelectAndScatter, "p s u f", "$T[4], $T[2], $T[]",
     "$T[4] select-and-scatter(a, b, c), window={size=2 stride=2}, "
     "select=at_least, scatter=sum",
     {{0, 1, 2, 0}, {1, 2}, {0}}, {0, 1, 2, 0}},
    {Opcode::kSort, "p s u f", "$T[4]",
     "$T[4] sort(a), dimensions={0}, to_apply=less", {{3, 1, 0, 2}},
     {0, 1, 2, 3}},
    {Opcode::kTopK, "s u f", "$T[4]", "($T[2], s32[2]) topk(a), k=2",
     {{1, 3, 0, 2}}, {3, 2, 1, 3}},
    {Opcode::kTopK, "p", "$T[4]", "($T[2], s32[2]) topk(a), k=2",
     {{0, 1, 0, 1}}, {1, 1, 1, 3}},
    // --- Dots and convolutions ---
    {Opcode::kConvolution, "s u f c", "$T[1,1,4], $T[1,1,2]",
     "$T[1,1,3] convolution(a, b), window={size=2}, dim_labels=bf0_io0->bf0",
     {{1, 2, 0, 3}, {1, 2}}, {5, 2, 6}},
    {Opcode::kConvolution, "p", "$T[1,1,4], $T[1,1,2]",
     "$T[1,1,3] convolution(a, b), window={size=2}, dim_labels=bf0_io0->bf0",
     {{1, 0, 0, 1}, {0, 1}}, {0, 0, 1}},
    {Opcode::kDot, "s u f c", "$T[2,2], $T[2]",
     "$T[2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     {{1, 2, 0, 3}, {1, 2}}, {5, 6}},
    {Opcode::kDot, "p", "$T[2,2], $T[2]",
     "$T[2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     {{1, 0, 0, 1}, {1, 0}}, {1, 0}},
    {Opcode::kRaggedDot, "s u f c", "$T[3,1], $T[2,1,1], s32[2]",
     "$T[3,1] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     {{1, 2, 3}, {2, 1}, {1, 1}}, {2, 2, 0}},
    {Opcode::kRaggedDot, "p", "$T[3,1], $T[2,1,1], s32[2]",
     "$T[3,1] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     {{1, 1, 1}, {1, 0}, {1, 1}}, {1, 0, 0}},
    {Opcode::kScaledDot, "f8e4m3fn f8e5m2", "$T[1,4], $T[4,1], f8e8m0fnu[1,2], "
     "f8e8m0fnu[2,1]",
     "f32[1,1] scaled-dot(a, b, c, d), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}",
     {{1, 2, 3, 4}, {1, 1, 1, 1}, {2, 1}, {1, 4}}, {34}},
    // --- Linear algebra, FFT, batch normalisation ---
    {Opcode::kBatchNormGrad, "f", "$T[2,1], $T[1], $T[1], $T[1], $T[2,1]",
     "($T[2,1], $T[1], $T[1]) batch-norm-grad(a, b, c, d, e), epsilon=0, "
     "feature_index=1",
     {{-1, 1}, {1}, {0}, {1}, {1, 1}}, {0, 0, 0, 2}},
    {Opcode::kBatchNormInference, "f",
     "$T[2,1], $T[1], $T[1], $T[1], $T[1]",
     "$T[2,1] batch-norm-inference(a, b, c, d, e), epsilon=0, feature_index=1",
     {{1, 5}, {2}, {1}, {3}, {4}}, {-1, 3}},
    {Opcode::kBatchNormTraining, "f", "$T[2,1], $T[1], $T[1]",
     "($T[2,1], $T[1], $T[1]) batch-norm-training(a, b, c), epsilon=0, "
     "feature_index=1",
     {{1, 5}, {2}, {1}}, {-1, 3, 3, 4}},
    {Opcode::kCholesky, "f c", "$T[2,2]", "$T[2,2] cholesky(a), lower=true",
     {{4, 2, 2, 5}}, {2, 0, 1, 2}},
    {Opcode::kFft, "c", "$T[4]", "$T[4] fft(a), fft_type=FFT, fft_length={4}",
     {{1, 0, 0, 0}}, {1, 1, 1, 1}},
    {Opcode::kFft, "f32", "$T[4]",
     "c64[3] fft(a), fft_type=RFFT, fft_length={4}",
     {{1, 1, 1, 1}}, {4, 0, 0}},
    {Opcode::kTriangularSolve, "f c", "$T[2,2], $T[2,1]",
     "$T[2,1] triangular-solve(a, b), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     {{2, 0, 1, 4}, {4, 6}}, {2, 1}},
    // --- Random numbers ---
    // Ranges that leave one number only.
    {Opcode::kRng, "s u", "$T[], $T[]",
     "$T[2] rng(a, b), distribution=rng_uniform", {{3}, {4}}, {3, 3}},
    {Opcode::kRng, "p", "$T[], $T[]",
     "$T[2] rng(a, b), distribution=rng_uniform", {{1}, {1}}, {1, 1}},
    {Opcode::kRng, "f", "$T[], $T[]",
     "$T[2] rng(a, b), distribution=rng_normal", {{3}, {0}}, {3, 3}},
    {Opcode::kRngBitGenerator, "u32", "u64[2]",
     "p = (u64[2], $T[5]) rng-bit-generator(a), algorithm=rng_three_fry\n"
     "ROOT r = $T[5] get-tuple-element(p), index=1",
     {{1, 2}},
     {43444564, 2150618427, 3979645651, 3745730563, 1672743891}},
    {Opcode::kRngBitGenerator, "s32", "u64[2]",
     "p = (u64[2], $T[5]) rng-bit-generator(a), algorithm=rng_three_fry\n"
     "ROOT r = $T[5] get-tuple-element(p), index=1",
     {{1, 2}},
     {43444564, -2144348869, -315321645, -549236733, 1672743891}},
    {Opcode::kRngBitGenerator, "f32", "u64[2]",
     "p = (u64[2], $T[5]) rng-bit-generator(a), algorithm=rng_three_fry\n"
     "x = $T[5] get-tuple-element(p), index=1\n"
     "ROOT r = u32[5] bitcast-convert(x)",
     {{1, 2}},
     {43444564, 2150618427, 3979645651, 3745730563, 1672743891}},
    {Opcode::kRngGetAndUpdateState, "t", "",
     "x = u64[2] rng-get-and-update-state(), delta=5\n"
     "y = u64[2] rng-get-and-update-state(), delta=1, "
     "control-predecessors={x}\n"
     "d = u64[2] subtract(y, x)\n"
     "ROOT r = u64[1] slice(d), slice={[0:1]}",
     {}, {5}},
    // --- Calls and loops ---
    {Opcode::kCall, "p s u f c", "$T[], $T[]", "$T[] call(a, b), to_apply=sum",
     {{0}, {3}}, {3}},
    {Opcode::kConditional, "p s u f c", "pred[], $T[]",
     "$T[] conditional(a, b, b), true_computation=twice, "
     "false_computation=same",
     {{1}, {3}}, {6}},
    {Opcode::kCustomCall, "p s u f c", "$T[2]",
     "$T[2] custom-call(a), custom_call_target=\"Sharding\", "
     "sharding={replicated}",
     {{0, 3}}, {0, 3}},
    {Opcode::kFusion, "p s u f c", "$T[], $T[]",
     "$T[] fusion(a, b), kind=kLoop, calls=sum", {{0}, {3}}, {3}},
    {Opcode::kMap, "p s u f c", "$T[2], $T[2]",
     "$T[2] map(a, b), dimensions={0}, to_apply=sum", {{0, 1}, {0, 3}}, {0, 4}},
    {Opcode::kWhile, "p s u f c", "$T[]",
     "n = s32[] constant(0)\n"
     "i = (s32[], $T[]) tuple(n, a)\n"
     "w = (s32[], $T[]) while(i), condition=thrice, body=add_one\n"
     "ROOT r = $T[] get-tuple-element(w), index=1",
     {{1}}, {4}},
    // --- Collectives with one participant ---
    {Opcode::kAllGather, "p s u f c", "$T[2]",
     "$T[2] all-gather(a), replica_groups={{0}}, dimensions={0}", {{0, 3}},
     {0, 3}},
    {Opcode::kAllGatherStart, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2]) all-gather-start(a), replica_groups={{0}}, "
     "dimensions={0}\n"
     "ROOT r = $T[2] get-tuple-element(s), index=1",
     {{0, 3}}, {0, 3}},
    {Opcode::kAllGatherDone, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2]) all-gather-start(a), replica_groups={{0}}, "
     "dimensions={0}\n"
     "ROOT r = $T[2] all-gather-done(s)",
     {{0, 3}}, {0, 3}},
    {Opcode::kAllReduce, "p s u f c", "$T[2]",
     "$T[2] all-reduce(a), replica_groups={{0}}, to_apply=sum", {{0, 3}},
     {0, 3}},
    {Opcode::kAllReduceStart, "p s u f c", "$T[2]",
     "s = $T[2] all-reduce-start(a), replica_groups={}, to_apply=sum\n"
     "ROOT r = $T[2] all-reduce-done(s)",
     {{0, 3}}, {0, 3}},
    {Opcode::kAllReduceDone, "p s u f c", "$T[2]",
     "s = $T[2] all-reduce-start(a), replica_groups={{0}}, to_apply=sum\n"
     "ROOT r = $T[2] all-reduce-done(s)",
     {{0, 3}}, {0, 3}},
    {Opcode::kAllToAll, "p s u f c", "$T[2]",
     "$T[2] all-to-all(a), replica_groups={{0}}, dimensions={0}", {{0, 3}},
     {0, 3}},
    {Opcode::kCollectiveBroadcast, "p s u f c", "$T[2]",
     "$T[2] collective-broadcast(a), replica_groups={{0}}", {{0, 3}}, {0, 3}},
    {Opcode::kCollectivePermute, "p s u f c", "$T[2]",
     "$T[2] collective-permute(a), source_target_pairs={{0,0}}", {{0, 3}},
     {0, 3}},
    {Opcode::kCollectivePermuteStart, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2], u32[], u32[]) collective-permute-start(a), "
     "source_target_pairs={{0,0}}\n"
     "ROOT r = $T[2] get-tuple-element(s), index=1",
     {{0, 3}}, {0, 3}},
    {Opcode::kCollectivePermuteDone, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2], u32[], u32[]) collective-permute-start(a), "
     "source_target_pairs={{0,0}}\n"
     "ROOT r = $T[2] collective-permute-done(s)",
     {{0, 3}}, {0, 3}},
    {Opcode::kPartitionId, "t", "", "u32[] partition-id()", {}, {0}},
    {Opcode::kRaggedAllToAll, "p s u f c",
     "$T[3], $T[4], s32[1], s32[1], s32[1], s32[1]",
     "$T[4] ragged-all-to-all(a, b, c, d, e, f), replica_groups={{0}}",
     {{1, 2, 3}, {0, 0, 0, 0}, {1}, {2}, {2}, {2}}, {0, 0, 2, 3}},
    {Opcode::kReduceScatter, "p s u f c", "$T[2]",
     "$T[2] reduce-scatter(a), replica_groups={{0}}, dimensions={0}, "
     "to_apply=sum",
     {{0, 3}}, {0, 3}},
    {Opcode::kReplicaId, "t", "", "u32[] replica-id()", {}, {0}},
    // --- Asynchronous forms ---
    {Opcode::kAsyncStart, "p s u f c", "$T[2]",
     "s = (($T[2]), $T[2], u32[]) async-start(a), calls=both\n"
     "ROOT r = $T[2] get-tuple-element(s), index=1",
     {{0, 3}}, {0, 3}},
    {Opcode::kAsyncUpdate, "p s u f c", "$T[2]",
     "s = (($T[2]), $T[2], u32[]) async-start(a), calls=both\n"
     "u = (($T[2]), $T[2], u32[]) async-update(s)\n"
     "ROOT r = $T[2] async-done(u)",
     {{0, 3}}, {0, 3}},
    {Opcode::kAsyncDone, "p s u f c", "$T[2]",
     "s = (($T[2]), $T[2], u32[]) async-start(a), calls=both\n"
     "ROOT r = $T[2] async-done(s)",
     {{0, 3}}, {0, 3}},
    {Opcode::kCopyStart, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2], u32[]) copy-start(a)\n"
     "ROOT r = $T[2] get-tuple-element(s), index=0",
     {{0, 3}}, {0, 3}},
    {Opcode::kCopyDone, "p s u f c", "$T[2]",
     "s = ($T[2], $T[2], u32[]) copy-start(a)\n"
     "ROOT r = $T[2] copy-done(s)",
     {{0, 3}}, {0, 3}},
    // --- Transfers between host and device ---
    {Opcode::kInfeed, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "i = ($T[2], token[]) infeed(t)\n"
     "ROOT r = $T[2] get-tuple-element(i), index=0",
     {{0, 3}}, {0, 3}},
    {Opcode::kOutfeed, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "ROOT r = token[] outfeed(a, t), outfeed_shape=$T[2]{0}",
     {{0, 3}}, {0, 3}},
    {Opcode::kRecv, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "s = ($T[2], u32[], token[]) recv(t), channel_id=1, "
     "is_host_transfer=true\n"
     "ROOT r = $T[2] get-tuple-element(s), index=0",
     {{0, 3}}, {0, 3}},
    {Opcode::kRecvDone, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "s = ($T[2], u32[], token[]) recv(t), channel_id=1, "
     "is_host_transfer=true\n"
     "d = ($T[2], token[]) recv-done(s), channel_id=1, is_host_transfer=true\n"
     "ROOT r = $T[2] get-tuple-element(d), index=0",
     {{0, 3}}, {0, 3}},
    {Opcode::kSend, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "s = ($T[2], u32[], token[]) send(a, t), channel_id=1, "
     "is_host_transfer=true\n"
     "ROOT r = $T[2] get-tuple-element(s), index=0",
     {{0, 3}}, {0, 3, 0, 3}},
    {Opcode::kSendDone, "p s u f c", "$T[2]",
     "t = token[] after-all()\n"
     "s = ($T[2], u32[], token[]) send(a, t), channel_id=1, "
     "is_host_transfer=true\n"
     "ROOT r = token[] send-done(s), channel_id=1, is_host_transfer=true",
     {{0, 3}}, {0, 3}},
};

}  // namespace

absl::Span<const OpcodeCase> OpcodeCases() { return kCases; }

}  // namespace hlokit
