#include "passes/collectives/async_collective_replacer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AsyncCollectiveReplacerTest, PairsBecomeSynchronous) {
  auto module = TransformedBy<AsyncCollectiveReplacer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  s = f32[8] all-reduce-start(x), to_apply=add, replica_groups={}, metadata={op_name="psum"}
  d = f32[8] all-reduce-done(s)
  gs = (f32[8], f32[8]) all-gather-start(d), dimensions={0}, replica_groups={}
  gd = f32[8] all-gather-done(gs)
  ps = (f32[8], f32[8]) collective-permute-start(gd), source_target_pairs={{0,0}}
  ROOT pd = f32[8] collective-permute-done(ps)
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter all-reduce all-gather collective-permute");
  const Instruction* reduce =
      module->entry()->root()->operand(0)->operand(0);
  EXPECT_EQ(reduce->metadata().op_name, "psum");
  EXPECT_EQ(reduce->attrs()
                .Get<FrontendAttributes>(AttrId::kFrontendAttributes)
                ->at("async_collective_name"),
            "s");
}

TEST(AsyncCollectiveReplacerTest, WrappedCollectivesAreUnwrapped) {
  auto module = TransformedBy<AsyncCollectiveReplacer>(R"(
HloModule m
wrapped { x = f32[8] parameter(0) ROOT r = f32[8] all-to-all(x), dimensions={0}, replica_groups={{0}} }
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  n = f32[8] negate(y)
  s = ((f32[8]), f32[8], u32[]) async-start(x), calls=wrapped, control-predecessors={n}
  u = ((f32[8]), f32[8], u32[]) async-update(s)
  d = f32[8] async-done(u)
  ROOT r = f32[8] add(d, n)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kAsyncStart), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kAllToAll), 1);
  EXPECT_EQ(module->computation_count(), 1);
  const Instruction* sync = module->entry()->root()->operand(0);
  ASSERT_EQ(sync->control_predecessors().size(), 1u);
  EXPECT_EQ(sync->control_predecessors()[0]->opcode(), Opcode::kNegate);
}

TEST(AsyncCollectiveReplacerTest, LeavesOtherAsyncWork) {
  ExpectUnchangedBy<AsyncCollectiveReplacer>(R"(
HloModule m
wrapped { x = f32[8] parameter(0) ROOT r = f32[8] negate(x) }
ENTRY e {
  x = f32[8] parameter(0)
  s = ((f32[8]), f32[8], u32[]) async-start(x), calls=wrapped
  ROOT d = f32[8] async-done(s)
})");
}

}  // namespace
}  // namespace hlokit
