#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

class InferControl : public ::testing::Test {
 protected:
  Callees callees_;
};

TEST_F(InferControl, TuplesAreMadeAndTakenApart) {
  EXPECT_EQ(Infer({.opcode = Opcode::kTuple,
                   .operands = {"f32[2]{0}", "token[]"}}),
            "(f32[2]{0}, token[])");
  EXPECT_EQ(Infer({.opcode = Opcode::kTuple}), "()");
  Query element = {.opcode = Opcode::kGetTupleElement,
                   .operands = {"(f32[2], s8[])"},
                   .number = 1};
  EXPECT_EQ(Infer(element), "s8[]");
  element.number = 2;
  EXPECT_THAT(Infer(element), HasSubstr("index 2 is outside"));
  element.number = -1;
  EXPECT_THAT(Infer(element), HasSubstr("index -1 is outside"));
  element.operands = {"f32[2]"};
  EXPECT_THAT(Infer(element), HasSubstr("expected a tuple"));
}

TEST_F(InferControl, PassingOperationsGiveTheirOperandsType) {
  for (Opcode opcode : {Opcode::kCopy, Opcode::kDomain, Opcode::kOptBarrier,
                        Opcode::kAllReduceDone}) {
    EXPECT_EQ(Infer({.opcode = opcode, .operands = {"(f32[2]{0}, token[])"}}),
              "(f32[2]{0}, token[])");
  }
}

TEST_F(InferControl, TokensOrderThings) {
  EXPECT_EQ(Infer({.opcode = Opcode::kAfterAll}), "token[]");
  EXPECT_EQ(Infer({.opcode = Opcode::kAfterAll,
                   .operands = {"token[]", "token[]"}}),
            "token[]");
  EXPECT_THAT(Infer({.opcode = Opcode::kAfterAll, .operands = {"f32[]"}}),
              HasSubstr("expected a token as operand 0"));
  EXPECT_EQ(Infer({.opcode = Opcode::kAddDependency,
                   .operands = {"f32[2]", "token[]"}}),
            "f32[2]");
  EXPECT_THAT(Infer({.opcode = Opcode::kAddDependency,
                     .operands = {"f32[2]", "f32[2]"}}),
              HasSubstr("operand 1"));
}

TEST_F(InferControl, CallAndFusionGiveWhatTheirComputationGives) {
  for (Opcode opcode : {Opcode::kCall, Opcode::kFusion}) {
    Query query = {
        .opcode = opcode,
        .operands = {"f32[2]", "s32[]"},
        .called = {callees_.Make({"f32[2]", "s32[]"}, "(pred[], f32[3])")}};
    EXPECT_EQ(Infer(query), "(pred[], f32[3])");
    query.operands[1] = "s64[]";
    EXPECT_THAT(Infer(query), HasSubstr("parameter 1 of callee"));
    query.operands.pop_back();
    EXPECT_THAT(Infer(query), HasSubstr("takes 2 parameters, found 1"));
    query.called.clear();
    EXPECT_THAT(Infer(query), HasSubstr("missing"));
  }
}

TEST_F(InferControl, MapGivesItsOperandsDimensions) {
  Query query = {.opcode = Opcode::kMap,
                 .operands = {"f32[2,3]{0,1}", "f32[2,3]"},
                 .called = {callees_.Make({"f32[]", "f32[]"}, "s8[]")}};
  EXPECT_EQ(Infer(query), "s8[2,3]{1,0}");
  query.operands[1] = "f32[3,2]";
  EXPECT_THAT(Infer(query), HasSubstr("equal dimensions"));
  query.operands[1] = "s32[2,3]";
  EXPECT_THAT(Infer(query), HasSubstr("parameter 1"));
  query.operands.clear();
  EXPECT_THAT(Infer(query), HasSubstr("at least 1 operand"));
}

TEST_F(InferControl, WhileGivesTheTypeOfItsOperand) {
  Query query = {
      .opcode = Opcode::kWhile,
      .operands = {"(s32[], f32[2]{0})"},
      .called = {callees_.Make({"(s32[], f32[2])"}, "(s32[], f32[2])"),
                 callees_.Make({"(s32[], f32[2])"}, "pred[]")}};
  EXPECT_EQ(Infer(query), "(s32[], f32[2]{0})");
  query.operands = {"(s32[], f32[3])"};
  EXPECT_THAT(Infer(query), HasSubstr("parameter 0"));
  query.operands = {"(s32[], f32[2])"};
  std::swap(query.called[0], query.called[1]);
  EXPECT_THAT(Infer(query), HasSubstr("condition must give pred[]"));
  query.called.pop_back();
  EXPECT_THAT(Infer(query), HasSubstr("missing"));
}

TEST_F(InferControl, ConditionalGivesWhatEveryBranchGives) {
  Query query = {.opcode = Opcode::kConditional,
                 .operands = {"pred[]", "f32[]", "s32[]"},
                 .called = {callees_.Make({"f32[]"}, "f32[7]"),
                            callees_.Make({"s32[]"}, "f32[7]")}};
  EXPECT_EQ(Infer(query), "f32[7]");
  query.operands[0] = "s32[]";
  EXPECT_EQ(Infer(query), "f32[7]");
  query.operands[0] = "u32[]";
  EXPECT_THAT(Infer(query), HasSubstr("pred[] or s32[]"));
  query.operands[0] = "pred[]";
  query.called[1] = callees_.Make({"s32[]"}, "f32[8]");
  EXPECT_THAT(Infer(query), HasSubstr("branch 0 gives f32[7], branch 1"));
  query.called.pop_back();
  query.operands.pop_back();
  EXPECT_THAT(Infer(query), HasSubstr("expected two branches, found 1"));
  query.operands[0] = "s32[]";
  EXPECT_EQ(Infer(query), "f32[7]");
}

TEST_F(InferControl, ConstantHasTheTypeOfItsValue) {
  Query query = {.opcode = Opcode::kConstant, .declared = "f32[]"};
  EXPECT_EQ(Infer(query), "f32[]");
  query.attrs.SetShared(AttrId::kLiteral, Literal::Scalar<int32_t>(3));
  EXPECT_EQ(Infer(query), "s32[]");
}

TEST_F(InferControl, OthersNeedADeclaration) {
  for (Opcode opcode : {Opcode::kParameter, Opcode::kConstant,
                        Opcode::kCustomCall, Opcode::kIota}) {
    Query query = {.opcode = opcode,
                   .attrs = Attrs({{AttrId::kIotaDimension, int64_t{0}}})};
    EXPECT_EQ(Infer(query), absl::StrCat("error: the type of ",
                                         OpcodeName(opcode),
                                         " must be declared"));
    query.declared = "f32[3]";
    EXPECT_EQ(Infer(query), "f32[3]");
  }
}

// The rules see what files say; nothing may crash them.
TEST_F(InferControl, EveryOpcodeAnswersNonsenseWithAnErrorOrAType) {
  const std::vector<std::vector<std::string>> operand_lists = {
      {},
      {"f32[]"},
      {"(f32[2], ())"},
      {"token[]", "token[]"},
      {"f32[2,3]", "s32[7]", "pred[]"},
      {"f32[?,3]", "f32[?,3]"},
      {"b(f32[3])", "f32[3]", "s32[]"},
      {"f32[0]", "f32[0]", "f32[0]", "f32[0]", "f32[0]"},
      {"s32[9223372036854775807]", "s32[9223372036854775807]"},
      {"c64[1,1,1]", "c64[1,1,1]", "s32[1]", "s32[1]", "s32[1]", "s32[1]"}};
  AttributeSet wild = Attrs({{AttrId::kDimensions, Int64List{-7, 99}},
                             {AttrId::kIndexVectorDim, int64_t{-3}},
                             {AttrId::kSliceSizes, Int64List{-1, -2}},
                             {AttrId::kOffsetDims, Int64List{5}},
                             {AttrId::kLhsContractingDims, Int64List{-1}},
                             {AttrId::kIotaDimension, int64_t{-5}},
                             {AttrId::kFftLength, Int64List{-1}},
                             {AttrId::kNumCarries, int64_t{1} << 60},
                             {AttrId::kK, int64_t{-4}}});
  AttributeSet mistyped = Attrs({{AttrId::kDimensions, std::string("x")},
                                 {AttrId::kIndexVectorDim, Int64List{1}}});
  wild.SetShared(AttrId::kWindow, Window{{{.size = -1, .stride = 0}}});
  wild.SetShared(AttrId::kDimLabels, ConvolutionDims());
  Module module("m");
  auto hollow = Computation::Create(&module, "hollow");
  int types = 0;
  for (const OpcodeInfo& info : AllOpcodes()) {
    for (const auto& operands : operand_lists) {
      for (const AttributeSet& attrs : {AttributeSet(), wild, mistyped}) {
        for (const char* declared : {"", "f32[]", "((), f32[2], token[])"}) {
          for (std::vector<Computation*> called :
               {std::vector<Computation*>{},
                std::vector<Computation*>{nullptr, nullptr},
                std::vector<Computation*>{hollow.get(), hollow.get()}}) {
            std::string result = Infer({.opcode = info.opcode,
                                        .operands = operands,
                                        .attrs = attrs,
                                        .called = called,
                                        .declared = declared,
                                        .number = 1 << 20});
            if (!absl::StartsWith(result, "error:")) ++types;
          }
        }
      }
    }
  }
  EXPECT_GT(types, 0);
}

}  // namespace
}  // namespace hlokit
