#include "passes/builders.h"

#include <string>

#include "gtest/gtest.h"
#include "hlo/verify/verifier.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kModule[] = R"(
HloModule m
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT r = f32[2,3] negate(p), metadata={op_name="here"}
})";

TEST(BuilderTest, InfersTypesAndGivesEverythingTheOriginsMetadata) {
  auto module = ParseOrDie(kModule);
  Instruction* root = module->entry()->root();
  Instruction* p = root->operand(0);
  Builder b(root);
  Instruction* sum = b.Add(p, b.Full(p->shape(), 2));
  EXPECT_EQ(sum->metadata().op_name, "here");
  Instruction* flat = b.Reshape(b.Transpose(sum, {1, 0}), {6});
  EXPECT_EQ(flat->shape().ToString(), "f32[6]{0}");
  Instruction* positive =
      b.Compare(ComparisonDirection::kGt, flat, b.Full(flat->shape(), 0));
  EXPECT_EQ(positive->shape().ToString(), "pred[6]{0}");
  Instruction* cut = b.SliceInDim(b.Convert(flat, kS32), 0, 1, 4);
  EXPECT_EQ(cut->shape().ToString(), "s32[3]{0}");
  Instruction* total =
      b.Reduce(cut, b.ScalarInt(kS32, 0), {0},
               ScalarBinaryComputation(module.get(), Opcode::kAdd, kS32));
  EXPECT_EQ(total->shape().ToString(), "s32[]");
  const absl::Status verified = VerifyModule(*module);
  EXPECT_TRUE(verified.ok()) << verified;
}

TEST(BuilderTest, LeavesOutWhatDoesNothing) {
  auto module = ParseOrDie(kModule);
  Instruction* p = module->entry()->parameter(0);
  Builder b(module->entry());
  EXPECT_EQ(b.Reshape(p, {2, 3}), p);
  EXPECT_EQ(b.Transpose(p, {0, 1}), p);
  EXPECT_EQ(b.Convert(p, kF32), p);
  EXPECT_EQ(b.SliceInDim(p, 1, 0, 3), p);
  EXPECT_EQ(b.Concatenate({p}, 0), p);
  EXPECT_EQ(module->instruction_count(), 2);
}

TEST(BuilderTest, UsesAnExistingReducerAgain) {
  auto module = ParseOrDie(kModule);
  Computation* first = ScalarBinaryComputation(module.get(), Opcode::kMaximum,
                                               kF32);
  EXPECT_EQ(ScalarBinaryComputation(module.get(), Opcode::kMaximum, kF32),
            first);
  EXPECT_NE(ScalarBinaryComputation(module.get(), Opcode::kMaximum, kBF16),
            first);
  EXPECT_EQ(CommutativeReducer(*first), Opcode::kMaximum);
}

TEST(ReplaceInstructionTest, RemovesWhatNobodyUsesAnyMore) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] sine(p)
  b = f32[4] cosine(a)
  ROOT r = f32[4] negate(b), metadata={op_name="n"}
})");
  Instruction* root = module->entry()->root();
  Builder b(module->entry());
  ReplaceInstruction(root, b.Unary(Opcode::kAbs, module->entry()->parameter(0)));
  EXPECT_EQ(EntryOpcodes(*module), "parameter abs");
  EXPECT_EQ(module->entry()->root()->metadata().op_name, "n");
}

TEST(SameValuesTest, TellsDifferentValues) {
  const Literal a = Literal::Array<float>({2}, {1, 2});
  const Literal b = Literal::Array<float>({2}, {1, 2.5});
  EXPECT_EQ(ValueDifference(a, a), "");
  EXPECT_EQ(ValueDifference(a, b), "element 1 is 2.5, was 2");
  EXPECT_EQ(ValueDifference(a, b, 0.5), "");
}

}  // namespace
}  // namespace hlokit
