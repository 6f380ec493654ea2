#include "passes/pipelines.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/verifier.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(PipelinesTest, EveryPlaceIsTaken) {
  int here = 0;
  std::string last_pipeline;
  for (const PipelineEntry& entry : CpuPipelineEntries()) {
    const bool registered = CreatePass(entry.pass).ok();
    EXPECT_EQ(entry.present, registered) << entry.pass;
    EXPECT_TRUE(entry.present) << entry.pass;
    ++here;
    last_pipeline = entry.pipeline;
  }
  EXPECT_GT(here, 90);
  EXPECT_EQ(last_pipeline, "HLO passes after scheduling");
}

TEST(PipelinesTest, NestedPipelinesHaveTheirOuterOnesName) {
  bool found = false;
  for (const PipelineEntry& entry : CpuPipelineEntries()) {
    found |= entry.pipeline ==
                 "HLO passes through layout assignment/simplification" &&
             entry.pass == "algsimp";
  }
  EXPECT_TRUE(found);
}

TEST(PipelinesTest, SimplifyASmallProgramAndKeepItsValues) {
  constexpr char kText[] = R"(
HloModule m
f { x = f32[4,4] parameter(0) ROOT n = f32[4,4] negate(x) }
ENTRY e {
  x = f32[4,4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4,4] broadcast(zero), dimensions={}
  a = f32[4,4] add(x, zeros)
  b = f32[4,4] call(a), to_apply=f
  t = f32[4,4] transpose(b), dimensions={1,0}
  ROOT d = f32[4,4] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";
  auto module = ParseOrDie(kText);
  for (auto& pipeline : CpuPipelines()) {
    pipeline->AddInvariant([](const Module& m) { return VerifyModule(m); });
    const auto changed = pipeline->Run(module.get());
    ASSERT_TRUE(changed.ok()) << changed.status();
  }
  EXPECT_EQ(CountOf(*module, Opcode::kCall), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kTranspose), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kAdd), 0);
  ExpectSameValues(kText, *module);
}

}  // namespace
}  // namespace hlokit
