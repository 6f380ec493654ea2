#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

AttributeSet Dim(int64_t d) {
  return Attrs({{AttrId::kDimensions, Int64List{d}}});
}

TEST(InferCollective, AllGatherGrowsEveryOperandAlike) {
  Query query = {.opcode = Opcode::kAllGather,
                 .operands = {"f32[4,2]"},
                 .attrs = Dim(1),
                 .declared = "f32[4,8]"};
  EXPECT_EQ(Infer(query), "f32[4,8]");
  query.operands.push_back("s8[3,5]");
  query.declared = "(f32[4,8], s8[3,20])";
  EXPECT_EQ(Infer(query), "(f32[4,8], s8[3,20])");
  query.declared = "(f32[4,8], s8[3,21])";
  EXPECT_EQ(Infer(query), "(f32[4,8], s8[3,20])");
  query.declared = "(f32[4,9], s8[3,20])";
  EXPECT_THAT(Infer(query), HasSubstr("multiples"));
  query.declared = "f32[4,8]";
  EXPECT_THAT(Infer(query), HasSubstr("like the operands"));
  query.attrs = Dim(2);
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
}

TEST(InferCollective, AllGatherStartHoldsOperandsAndResults) {
  Query query = {.opcode = Opcode::kAllGatherStart,
                 .operands = {"f32[4]"},
                 .attrs = Dim(0),
                 .declared = "(f32[4], f32[8])"};
  EXPECT_EQ(Infer(query), "(f32[4], f32[8])");
  query.operands.push_back("f32[3]");
  query.declared = "((f32[4], f32[3]), (f32[8], f32[6]))";
  EXPECT_EQ(Infer(query), "((f32[4], f32[3]), (f32[8], f32[6]))");
  query.declared = "f32[8]";
  EXPECT_THAT(Infer(query), HasSubstr("(operands, results)"));
}

TEST(InferCollective, ReduceScatterShrinks) {
  Query query = {.opcode = Opcode::kReduceScatter,
                 .operands = {"f32[8]"},
                 .attrs = Dim(0),
                 .declared = "f32[2]"};
  EXPECT_EQ(Infer(query), "f32[2]");
  query.declared = "f32[3]";
  EXPECT_THAT(Infer(query), HasSubstr("multiples"));
  query.declared = "f32[0]";
  EXPECT_THAT(Infer(query), HasSubstr("multiples"));
  query.operands = {"f32[0]"};
  EXPECT_EQ(Infer(query), "f32[0]");
  query.declared = "f32[4]";
  EXPECT_THAT(Infer(query), HasSubstr("multiples"));
}

TEST(InferCollective, AllReduceGivesItsOperands) {
  for (Opcode opcode : {Opcode::kAllReduce, Opcode::kAllReduceStart}) {
    EXPECT_EQ(Infer({.opcode = opcode, .operands = {"f32[8]{0}"}}),
              "f32[8]{0}");
    EXPECT_EQ(Infer({.opcode = opcode, .operands = {"f32[8]", "s32[]"}}),
              "(f32[8], s32[])");
  }
}

TEST(InferCollective, AllToAllHasTwoForms) {
  Query array = {.opcode = Opcode::kAllToAll,
                 .operands = {"f32[8]"},
                 .attrs = Dim(0)};
  EXPECT_EQ(Infer(array), "f32[8]");
  array.operands.push_back("f32[8]");
  EXPECT_THAT(Infer(array), HasSubstr("expected 1 operand"));
  Query tuple = {.opcode = Opcode::kAllToAll,
                 .operands = {"f32[8]", "f32[8]"}};
  EXPECT_EQ(Infer(tuple), "(f32[8], f32[8])");
  tuple.operands[1] = "f32[9]";
  EXPECT_THAT(Infer(tuple), HasSubstr("equal types"));
}

TEST(InferCollective, RaggedAllToAllGivesItsSecondOperand) {
  Query query = {.opcode = Opcode::kRaggedAllToAll,
                 .operands = {"f32[8]", "f32[16]", "s32[2]", "s32[2]",
                              "s32[2]", "s32[2]"}};
  EXPECT_EQ(Infer(query), "f32[16]");
  query.operands[4] = "s32[3]";
  EXPECT_THAT(Infer(query), HasSubstr("operand 4 is s32[3]"));
}

TEST(InferCollective, CollectiveBroadcastLeavesOutADynamicRoot) {
  Query query = {.opcode = Opcode::kCollectiveBroadcast,
                 .operands = {"f32[8]", "s32[]"}};
  EXPECT_EQ(Infer(query), "(f32[8], s32[])");
  query.attrs = Attrs({{AttrId::kHasDynamicRoot, true}});
  EXPECT_EQ(Infer(query), "f32[8]");
}

TEST(InferCollective, CollectivePermuteMayWorkInPlace) {
  Query query = {.opcode = Opcode::kCollectivePermute,
                 .operands = {"f32[8]"}};
  EXPECT_EQ(Infer(query), "f32[8]");
  query.operands = {"f32[8]", "f32[16]", "(s32[])", "(s32[])"};
  query.attrs.SetShared(AttrId::kPermuteSliceSizes, Int64ListList{{4}});
  EXPECT_EQ(Infer(query), "f32[16]");
  query.opcode = Opcode::kCollectivePermuteStart;
  query.declared = "(f32[8], f32[16], u32[], u32[])";
  EXPECT_EQ(Infer(query), "(f32[8], f32[16], u32[], u32[])");
  query = {.opcode = Opcode::kCollectivePermuteStart,
           .operands = {"f32[8]"},
           .declared = "(f32[8], f32[8])"};
  EXPECT_EQ(Infer(query), "(f32[8], f32[8])");
}

TEST(InferCollective, DeviceIdsAreU32) {
  EXPECT_EQ(Infer({.opcode = Opcode::kReplicaId}), "u32[]");
  EXPECT_EQ(Infer({.opcode = Opcode::kPartitionId}), "u32[]");
}

TEST(InferAsync, DonesTakePartsOfTheirStarts) {
  EXPECT_EQ(Infer({.opcode = Opcode::kCopyStart, .operands = {"f32[8]"}}),
            "(f32[8], f32[8], u32[])");
  EXPECT_EQ(Infer({.opcode = Opcode::kCopyDone,
                   .operands = {"(f32[8], s32[8], u32[])"}}),
            "f32[8]");
  for (Opcode opcode : {Opcode::kAsyncDone, Opcode::kAllGatherDone,
                        Opcode::kCollectivePermuteDone}) {
    EXPECT_EQ(Infer({.opcode = opcode, .operands = {"((f32[8]), s32[8])"}}),
              "s32[8]");
    EXPECT_THAT(Infer({.opcode = opcode, .operands = {"(f32[8])"}}),
                HasSubstr("tuple of at least 2"));
    EXPECT_THAT(Infer({.opcode = opcode, .operands = {"f32[8]"}}),
                HasSubstr("tuple of at least 2"));
  }
}

TEST(InferAsync, StartsDeclareTheirType) {
  Query query = {.opcode = Opcode::kAsyncStart,
                 .operands = {"f32[8]"},
                 .declared = "((f32[8]), f32[4], u32[])"};
  EXPECT_EQ(Infer(query), "((f32[8]), f32[4], u32[])");
  query.declared = "(f32[8], f32[4])";
  EXPECT_THAT(Infer(query), HasSubstr("expected ((operands), results, ...)"));
  EXPECT_EQ(Infer({.opcode = Opcode::kAsyncUpdate,
                   .operands = {"((f32[8]), f32[4])"}}),
            "((f32[8]), f32[4])");
}

TEST(InferTransfer, HasFixedTupleForms) {
  EXPECT_EQ(Infer({.opcode = Opcode::kSend,
                   .operands = {"f32[8]", "token[]"}}),
            "(f32[8], u32[], token[])");
  EXPECT_THAT(Infer({.opcode = Opcode::kSend, .operands = {"f32[8]", "f32[]"}}),
              HasSubstr("expected a token"));
  EXPECT_EQ(Infer({.opcode = Opcode::kSendDone,
                   .operands = {"(f32[8], u32[], token[])"}}),
            "token[]");
  Query recv = {.opcode = Opcode::kRecv,
                .operands = {"token[]"},
                .declared = "(f32[8], u32[], token[])"};
  EXPECT_EQ(Infer(recv), "(f32[8], u32[], token[])");
  recv.declared = "(f32[8], token[])";
  EXPECT_THAT(Infer(recv), HasSubstr("(data, u32[], token[])"));
  EXPECT_EQ(Infer({.opcode = Opcode::kRecvDone,
                   .operands = {"(f32[8], u32[], token[])"}}),
            "(f32[8], token[])");
  Query infeed = {.opcode = Opcode::kInfeed,
                  .operands = {"token[]"},
                  .declared = "((f32[8], s32[]), token[])"};
  EXPECT_EQ(Infer(infeed), "((f32[8], s32[]), token[])");
  infeed.operands = {"f32[]"};
  EXPECT_THAT(Infer(infeed), HasSubstr("expected a token"));
  Query outfeed = {.opcode = Opcode::kOutfeed,
                   .operands = {"f32[8]", "token[]"}};
  EXPECT_EQ(Infer(outfeed), "token[]");
  outfeed.attrs.Set(AttrId::kOutfeedShape, T("f32[9]"));
  EXPECT_THAT(Infer(outfeed), HasSubstr("outfeed_shape is f32[9]"));
}

}  // namespace
}  // namespace hlokit
