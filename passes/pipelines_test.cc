#include "passes/pipelines.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/verifier.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;

TEST(PipelinesTest, PlacesThatAreNotTakenAreKnown) {
  int here = 0;
  std::string last_pipeline;
  std::vector<std::string> absent;
  for (const PipelineEntry& entry : CpuPipelineEntries()) {
    const bool registered = CreatePass(entry.pass).ok();
    EXPECT_EQ(entry.present, registered) << entry.pass;
    if (!entry.present) {
      absent.push_back(entry.pass);
      EXPECT_TRUE(IsAbsentPass(entry.pass)) << entry.pass;
    }
    here += entry.present;
    last_pipeline = entry.pipeline;
  }
  EXPECT_GT(here, 90);
  // Several devices, and calls of a library for products.
  EXPECT_THAT(absent, ElementsAre("shardy-xla", "sharding-propagation",
                                  "spmd-partitioning", "dot-library-rewriter"));
  for (const auto& pipeline : CpuPipelines()) {
    EXPECT_NE(pipeline->name(), "spmd-partitioner");
    EXPECT_FALSE(pipeline->passes().empty()) << pipeline->name();
  }
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
