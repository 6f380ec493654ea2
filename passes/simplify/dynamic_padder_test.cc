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

bool IsStaticEverywhere(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->shape().is_dynamic()) return false;
    }
  }
  return true;
}

// The size changes in the first iteration.
constexpr char kLoop[] = R"(
body {
  s = (s32[], f32[<=8], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[<=8] get-tuple-element(s), index=1
  t = f32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[<=8] add(x, x)
  n = s32[] get-dimension-size(y), dimensions={0}
  m = s32[] subtract(n, one)
  z = f32[<=8] set-dimension-size(y, m), dimensions={0}
  zero = f32[] constant(0)
  r = f32[] reduce(z, zero), dimensions={0}, to_apply=add
  u = f32[] add(t, r)
  ROOT o = (s32[], f32[<=8], f32[]) tuple(j, z, u)
}
condition {
  s = (s32[], f32[<=8], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  k = s32[] constant(3)
  ROOT l = pred[] compare(i, k), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0)
  n = s32[] constant(7)
  d = f32[<=8] set-dimension-size(x, n), dimensions={0}
  c = s32[] constant(0)
  z = f32[] constant(0)
  init = (s32[], f32[<=8], f32[]) tuple(c, d, z)
  w = (s32[], f32[<=8], f32[]) while(init), body=body, condition=condition
  y = f32[<=8] get-tuple-element(w), index=1
  size = s32[] get-dimension-size(y), dimensions={0}
  t = f32[] get-tuple-element(w), index=2
  ROOT r = (f32[], s32[]) tuple(t, size)
})";

TEST(DynamicPadderTest, LoopsCarrySizesInTheirState) {
  auto module =
      TransformedBy<DynamicPadder>(absl::StrCat(kAdd, kLoop), 1e-5);
  EXPECT_TRUE(IsStaticEverywhere(*module));
  EXPECT_EQ(module->FindComputation("body")
                ->parameter(0)->shape().tuple_shapes().size(), 4u);
}

TEST(DynamicPadderTest, BranchesAndCallsTakeAndGiveSizes) {
  auto module = TransformedBy<DynamicPadder>(absl::StrCat(kAdd, R"(
double {
  x = f32[<=8] parameter(0)
  ROOT y = f32[<=8] add(x, x)
}
f {
  x = f32[<=8] parameter(0)
  s = f32[] parameter(1)
  y = f32[<=8] call(x), to_apply=double
  z = f32[] constant(0)
  r = f32[] reduce(y, z), dimensions={0}, to_apply=add
  ROOT a = f32[] multiply(r, s)
}
yes {
  x = f32[<=8] parameter(0)
  ROOT y = f32[<=8] negate(x)
}
no {
  x = f32[<=8] parameter(0)
  n = s32[] constant(2)
  ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0}
}
ENTRY e {
  x = f32[8] parameter(0)
  p = pred[] parameter(1)
  s = f32[] parameter(2)
  n = s32[] constant(5)
  d = f32[<=8] set-dimension-size(x, n), dimensions={0}
  c = f32[<=8] conditional(p, d, d), true_computation=yes, false_computation=no
  ROOT r = f32[] call(c, s), to_apply=f
})"), 1e-5);
  EXPECT_TRUE(IsStaticEverywhere(*module));
}

TEST(DynamicPadderTest, WorksInsideLoopsOfStaticState) {
  auto module = TransformedBy<DynamicPadder>(absl::StrCat(kAdd, R"(
body {
  s = (s32[], f32[8], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  z = f32[<=8] set-dimension-size(x, j), dimensions={0}
  zero = f32[] constant(0)
  r = f32[] reduce(z, zero), dimensions={0}, to_apply=add
  ROOT o = (s32[], f32[8], f32[]) tuple(j, x, r)
}
condition {
  s = (s32[], f32[8], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  k = s32[] constant(3)
  ROOT l = pred[] compare(i, k), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0)
  c = s32[] constant(0)
  z = f32[] constant(0)
  init = (s32[], f32[8], f32[]) tuple(c, x, z)
  w = (s32[], f32[8], f32[]) while(init), body=body, condition=condition
  ROOT t = f32[] get-tuple-element(w), index=2
})"), 1e-5);
  EXPECT_TRUE(IsStaticEverywhere(*module));
}

TEST(DynamicPadderTest, LeavesLoopsWithOperationsThatItDoesNotKnow) {
  std::string text = absl::StrCat(kAdd, kLoop);
  text.replace(text.find("y = f32[<=8] add(x, x)"), 22,
               "y = f32[<=8] reverse(x), dimensions={0}");
  ExpectUnchangedBy<DynamicPadder>(text);
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
