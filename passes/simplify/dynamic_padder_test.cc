#include "passes/simplify/dynamic_padder.h"

#include "gtest/gtest.h"
#include "absl/strings/str_cat.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kAdd[] = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
)";

TEST(DynamicPadderTest, SumsCountOnlyWhatIsThere) {
  auto module = TransformedBy<DynamicPadder>(absl::StrCat(kAdd, R"(
ENTRY e {
  x = f32[8] parameter(0)
  n = s32[] constant(5)
  z = f32[] constant(2)
  d = f32[<=8] set-dimension-size(x, n), dimensions={0}
  s = f32[<=8] sine(d)
  size = s32[] get-dimension-size(s), dimensions={0}
  r = f32[] reduce(s, z), dimensions={0}, to_apply=add
  q = f32[] reduce(s, z), dimensions={0}, to_apply=max
  ROOT t = (f32[], f32[], s32[]) tuple(r, q, size)
})"));
  EXPECT_EQ(CountOf(*module, Opcode::kSetDimensionSize), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kGetDimensionSize), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSelect), 2);
  for (const Instruction* i : module->entry()->instructions()) {
    EXPECT_TRUE(i->shape().is_static()) << i->name();
  }
}

TEST(DynamicPadderTest, ResultsLeaveWithTheirSizes) {
  auto module = TransformedBy<DynamicPadder>(R"(
ENTRY e {
  x = f32[8,3] parameter(0)
  n = s32[] constant(5)
  d = f32[<=8,3] set-dimension-size(x, n), dimensions={0}
  t = f32[3,<=8] transpose(d), dimensions={1,0}
  ROOT s = f32[3,1,<=8] reshape(t)
})");
  EXPECT_EQ(module->entry()->root()->custom_call_target(), "SliceToDynamic");
  EXPECT_EQ(CountOf(*module, Opcode::kSetDimensionSize), 0);
}

TEST(DynamicPadderTest, DotsContractOnlyWhatIsThere) {
  TransformedBy<DynamicPadder>(R"(
ENTRY e {
  x = f32[8,3] parameter(0)
  y = f32[8,2] parameter(1)
  n = s32[] constant(5)
  a = f32[<=8,3] set-dimension-size(x, n), dimensions={0}
  b = f32[<=8,2] set-dimension-size(y, n), dimensions={0}
  ROOT d = f32[3,2] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})", 1e-5);
}

TEST(DynamicPadderTest, ParametersComeInWithTheirSizes) {
  DynamicPadder pass;
  auto module = ParseOrDie(absl::StrCat(kAdd, R"(
ENTRY e {
  x = f32[<=8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add
})"));
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module),
            "iota parameter custom-call get-tuple-element broadcast compare "
            "get-tuple-element constant broadcast select constant reduce");
}

TEST(DynamicPadderTest, LeavesEntriesWithOperationsThatItDoesNotKnow) {
  ExpectUnchangedBy<DynamicPadder>(R"(
ENTRY e {
  x = f32[8] parameter(0)
  n = s32[] constant(5)
  d = f32[<=8] set-dimension-size(x, n), dimensions={0}
  ROOT r = f32[<=8] reverse(d), dimensions={0}
})");
}

}  // namespace
}  // namespace hlokit
