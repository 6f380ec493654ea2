#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/effects.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/loop_trip_count.h"
#include "passes/analysis/reachability.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReachabilityTest, FollowsOperandsAndControlDependencies) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] sine(p)
  b = f32[4] cosine(p), control-predecessors={a}
  c = f32[4] negate(p)
  ROOT r = f32[4] add(b, c)
})");
  const Computation& entry = *module->entry();
  const ReachabilityMap map(entry);
  const char* names[] = {"p", "a", "b", "c", "r"};
  const bool needs[5][5] = {{1, 0, 0, 0, 0},
                            {1, 1, 0, 0, 0},
                            {1, 1, 1, 0, 0},
                            {1, 0, 0, 1, 0},
                            {1, 1, 1, 1, 1}};
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      const Instruction* user = entry.FindInstruction(names[x]);
      const Instruction* used = entry.FindInstruction(names[y]);
      EXPECT_EQ(map.Needs(user, used), needs[x][y]) << names[x] << names[y];
      EXPECT_EQ(NeedsOrTooFar(user, used), needs[x][y]);
    }
  }
  EXPECT_TRUE(NeedsOrTooFar(entry.FindInstruction("r"),
                            entry.FindInstruction("c"), /*limit=*/1));
}

TEST(CostTest, CountsDotsLoopsAndReductions) {
  auto module = ParseOrDie(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  y = f32[8] exponential(x)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[8]) tuple(n, y)
}
cond {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(10)
  ROOT r = pred[] compare(i, c), direction=LT
}
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,4] parameter(1)
  v = f32[8] parameter(2)
  d = f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  s = f32[] reduce(d, z), dimensions={0,1}, to_apply=add
  k = s32[] constant(0)
  t = (s32[], f32[8]) tuple(k, v)
  w = (s32[], f32[8]) while(t), condition=cond, body=body
  ROOT r = (f32[], (s32[], f32[8])) tuple(s, w)
})");
  const Instruction* dot = module->entry()->FindInstruction("d");
  EXPECT_EQ(CostOf(*dot).flops, 2 * 2 * 3 * 4);
  EXPECT_EQ(CostOf(*dot).bytes, 4 * (6 + 12 + 8));
  EXPECT_EQ(CostOf(*module->entry()->FindInstruction("s")).flops, 7);
  EXPECT_EQ(CostOf(*module->entry()->FindInstruction("w")).transcendentals,
            80);
  EXPECT_EQ(KernelCount(*module->entry()), 3);
}

// So many calls inside one another that a stack would not hold them.
std::unique_ptr<Module> DeepCalls() {
  auto module = std::make_unique<Module>("deep");
  const Shape shape = Shape::ArrayWithDescendingLayout(kF32, {16});
  Computation* inner = nullptr;
  for (int k = 0; k < 100'000; ++k) {
    auto owned = Computation::Create(module.get(), "f");
    Instruction* x = owned->AddParameter(0, shape);
    Instruction* root = inner == nullptr
                            ? owned->Add(Opcode::kNegate, shape, {x})
                            : owned->Add(Opcode::kCall, shape, {x});
    if (inner != nullptr) root->set_called_computations({inner});
    owned->set_root(root);
    inner = k == 99'999 ? module->AddEntryComputation(std::move(owned))
                        : module->AddComputation(std::move(owned));
  }
  return module;
}

TEST(CostTest, GoesAsDeepAsCallsDo) {
  const auto module = DeepCalls();
  EXPECT_EQ(CostOf(*module).flops, 16);
}

TEST(LivenessTest, GoesAsDeepAsCallsDo) {
  const auto module = DeepCalls();
  EXPECT_EQ(MemoryUseOf(*module).path.size(), 100'000u);
}

TEST(LivenessTest, ABufferLivesFromItsInstructionToItsLastUse) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[256] parameter(0)
  a = f32[256] sine(p)
  b = f32[256] cosine(a)
  c = f32[256] negate(b)
  t = (f32[256]) tuple(c)
  g = f32[256] get-tuple-element(t), index=0
  ROOT d = f32[256] abs(g)
})");
  const MemoryUse use = MemoryUseOf(*module);
  EXPECT_EQ(use.parameters, 1024);
  EXPECT_EQ(use.result, 1024);
  // Two at a time.
  EXPECT_EQ(use.peak, 2048);
}

TEST(EffectMapTest, KnowsEffectsThroughCalls) {
  auto module = ParseOrDie(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT c = f32[2] custom-call(x), custom_call_target="t", custom_call_has_side_effect=true }
g { x = f32[2] parameter(0) ROOT c = f32[2] call(x), to_apply=f }
h { x = f32[2] parameter(0) ROOT c = f32[2] sine(x) }
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] call(x), to_apply=g
  ROOT b = f32[2] call(a), to_apply=h
})");
  const EffectMap effects(*module);
  EXPECT_TRUE(effects.HasSideEffect(*module->entry()->FindInstruction("a")));
  EXPECT_FALSE(effects.HasSideEffect(*module->entry()->FindInstruction("b")));
}

TEST(CallGraphTest, TellsSequentialFromEmbeddedCalls) {
  EXPECT_EQ(ContextOf(Opcode::kWhile), CallContext::kSequential);
  EXPECT_EQ(ContextOf(Opcode::kReduce), CallContext::kEmbedded);
  EXPECT_EQ(ContextOf(Opcode::kAdd), CallContext::kNone);
}

}  // namespace
}  // namespace hlokit
