#include "passes/backend/cpu_parallel_task_assigner.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(CpuParallelTaskAssignerTest, LargeLoopsAreCut) {
  CpuParallelTaskAssigner pass(/*cores=*/16);
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[2,3000,1000] parameter(0)
  s = f32[2,3000,1000] negate(p)
  ROOT t = f32[2,3000,1000] sine(s)
})");
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(module->entry()->FindInstruction("s")->backend_config(),
            "{\"outer_dimension_partitions\":[\"2\",\"2\"]}");
}

TEST(CpuParallelTaskAssignerTest, SmallLoopsAndOneCoreAreNot) {
  CpuParallelTaskAssigner many(/*cores=*/16), one(/*cores=*/1);
  ExpectUnchanged(&many, R"(
ENTRY e { p = f32[100] parameter(0) ROOT s = f32[100] negate(p) })");
  ExpectUnchanged(&one, R"(
ENTRY e { p = f32[9000] parameter(0) ROOT s = f32[9000] negate(p) })");
}

}  // namespace
}  // namespace hlokit
