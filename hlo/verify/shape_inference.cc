#include "hlo/verify/shape_inference.h"

#include <array>

#include "absl/container/inlined_vector.h"
#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit {
namespace infer {
namespace {

struct Row {
  Opcode opcode;
  Rule rule;
};

constexpr Row kRows[] = {
    {Opcode::kAbs, ComponentOf},
    {Opcode::kAcos, Unary},
    {Opcode::kAcosh, Unary},
    {Opcode::kAdd, Binary},
    {Opcode::kAddDependency, AddDependency},
    {Opcode::kAfterAll, AfterAll},
    {Opcode::kAllGather, AllGather},
    {Opcode::kAllGatherDone, SecondElement},
    {Opcode::kAllGatherStart, AllGatherStart},
    {Opcode::kAllReduce, AllReduce},
    {Opcode::kAllReduceDone, SameAsOperand},
    {Opcode::kAllReduceStart, AllReduce},
    {Opcode::kAllToAll, AllToAll},
    {Opcode::kAnd, Binary},
    {Opcode::kAsin, Unary},
    {Opcode::kAsinh, Unary},
    {Opcode::kAsyncDone, SecondElement},
    {Opcode::kAsyncStart, AsyncStart},
    {Opcode::kAsyncUpdate, AsyncUpdate},
    {Opcode::kAtan2, Binary},
    {Opcode::kAtanh, Unary},
    {Opcode::kBatchNormGrad, BatchNormGrad},
    {Opcode::kBatchNormInference, BatchNormInference},
    {Opcode::kBatchNormTraining, BatchNormTraining},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kCall, Call},
    {Opcode::kCbrt, Unary},
    {Opcode::kCeil, Unary},
    {Opcode::kCholesky, Cholesky},
    {Opcode::kClamp, Clamp},
    {Opcode::kCollectiveBroadcast, CollectiveBroadcast},
    {Opcode::kCollectivePermute, CollectivePermute},
    {Opcode::kCollectivePermuteDone, SecondElement},
    {Opcode::kCollectivePermuteStart, CollectivePermuteStart},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kConditional, Conditional},
    {Opcode::kConstant, Constant},
    {Opcode::kConvert, Convert},
    {Opcode::kConvolution, Convolution},
    {Opcode::kCopy, SameAsOperand},
    {Opcode::kCopyDone, FirstElement},
    {Opcode::kCopyStart, CopyStart},
    {Opcode::kCosh, Unary},
    {Opcode::kCosine, Unary},
    {Opcode::kCountLeadingZeros, Unary},
    {Opcode::kCustomCall, CustomCall},
    {Opcode::kDivide, Binary},
    {Opcode::kDomain, SameAsOperand},
    {Opcode::kDot, Dot},
    {Opcode::kDynamicReshape, DynamicReshape},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kErf, Unary},
    {Opcode::kExponential, Unary},
    {Opcode::kExponentialMinusOne, Unary},
    {Opcode::kFft, Fft},
    {Opcode::kFloor, Unary},
    {Opcode::kFusion, Fusion},
    {Opcode::kGather, Gather},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kImag, ComponentOf},
    {Opcode::kInfeed, Infeed},
    {Opcode::kIota, Iota},
    {Opcode::kIsFinite, IsFinite},
    {Opcode::kLog, Unary},
    {Opcode::kLogPlusOne, Unary},
    {Opcode::kLogistic, Unary},
    {Opcode::kMap, Map},
    {Opcode::kMaximum, Binary},
    {Opcode::kMinimum, Binary},
    {Opcode::kMulhi, Binary},
    {Opcode::kMultiply, Binary},
    {Opcode::kNegate, Unary},
    {Opcode::kNot, Unary},
    {Opcode::kOptBarrier, SameAsOperand},
    {Opcode::kOr, Binary},
    {Opcode::kOutfeed, Outfeed},
    {Opcode::kPad, Pad},
    {Opcode::kParameter, Parameter},
    {Opcode::kPartitionId, DeviceId},
    {Opcode::kPopcnt, Unary},
    {Opcode::kPower, Binary},
    {Opcode::kRaggedAllToAll, RaggedAllToAll},
    {Opcode::kRaggedDot, RaggedDot},
    {Opcode::kReal, ComponentOf},
    {Opcode::kRecv, Recv},
    {Opcode::kRecvDone, RecvDone},
    {Opcode::kReduce, Reduce},
    {Opcode::kReducePrecision, ReducePrecision},
    {Opcode::kReduceScatter, ReduceScatter},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kRemainder, Binary},
    {Opcode::kReplicaId, DeviceId},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kRng, Rng},
    {Opcode::kRngBitGenerator, RngBitGenerator},
    {Opcode::kRngGetAndUpdateState, RngGetAndUpdateState},
    {Opcode::kRoundNearestAfz, Unary},
    {Opcode::kRoundNearestEven, Unary},
    {Opcode::kRsqrt, Unary},
    {Opcode::kScaledDot, ScaledDot},
    {Opcode::kScan, Scan},
    {Opcode::kScatter, Scatter},
    {Opcode::kSelect, Select},
    {Opcode::kSelectAndScatter, SelectAndScatter},
    {Opcode::kSend, Send},
    {Opcode::kSendDone, SendDone},
    {Opcode::kSetDimensionSize, SetDimensionSize},
    {Opcode::kShiftLeft, Binary},
    {Opcode::kShiftRightArithmetic, Binary},
    {Opcode::kShiftRightLogical, Binary},
    {Opcode::kSign, Unary},
    {Opcode::kSine, Unary},
    {Opcode::kSinh, Unary},
    {Opcode::kSlice, Slice},
    {Opcode::kSort, Sort},
    {Opcode::kSqrt, Unary},
    {Opcode::kStochasticConvert, StochasticConvert},
    {Opcode::kSubtract, Binary},
    {Opcode::kTan, Unary},
    {Opcode::kTanh, Unary},
    {Opcode::kTopK, TopK},
    {Opcode::kTranspose, Transpose},
    {Opcode::kTriangularSolve, TriangularSolve},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
    {Opcode::kXor, Binary},
};
static_assert(std::size(kRows) == kOpcodeCount);

constexpr std::array<Rule, kOpcodeCount> kRules = [] {
  std::array<Rule, kOpcodeCount> rules = {};
  for (const Row& row : kRows) rules[static_cast<int>(row.opcode)] = row.rule;
  return rules;
}();

constexpr bool NoneIsMissing() {
  for (Rule rule : kRules) {
    if (rule == nullptr) return false;
  }
  return true;
}
static_assert(NoneIsMissing());

}  // namespace

Rule RuleOf(Opcode opcode) { return kRules[static_cast<int>(opcode)]; }

}  // namespace infer

absl::StatusOr<Shape> InferShape(const InferenceInput& input) {
  static const AttributeSet& none = *new AttributeSet;
  if (input.attrs != nullptr) return infer::RuleOf(input.opcode)(input);
  InferenceInput with_attrs = input;
  with_attrs.attrs = &none;
  return infer::RuleOf(input.opcode)(with_attrs);
}

absl::StatusOr<Shape> InferShape(const Instruction& instruction) {
  absl::InlinedVector<const Shape*, 8> operands;
  operands.reserve(instruction.operand_count());
  for (const Instruction* operand : instruction.operands()) {
    if (operand == nullptr) return InvalidArgument("an operand is missing");
    operands.push_back(&operand->shape());
  }
  return InferShape({.opcode = instruction.opcode(),
                     .operands = operands,
                     .attrs = &instruction.attrs(),
                     .called = instruction.called_computations(),
                     .number = instruction.tuple_index(),
                     .explicit_shape = &instruction.shape()});
}

}  // namespace hlokit
