#include "passes/backend/multi_output_fusion.h"

#include "gtest/gtest.h"
#include "absl/strings/str_cat.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::unique_ptr<Pass> MakePass() {
  return std::make_unique<MultiOutputFusion>("multi_output_fusion");
}

constexpr char kBodies[] = R"(
HloModule m
f { x = f32[8] parameter(0) ROOT s = f32[8] sine(x) }
g { x = f32[8] parameter(0) y = f32[8] parameter(1)
    ROOT a = f32[8] add(x, y) }
)";

TEST(MultiOutputFusionTest, FusionsOfOneArrayBecomeOne) {
  auto pass = MakePass();
  auto module = Transformed(pass.get(), absl::StrCat(kBodies, R"(
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  b = f32[8] fusion(x, y), kind=kLoop, calls=g
  ROOT t = (f32[8], f32[8]) tuple(a, b)
})"));
  EXPECT_EQ(CountOf(*module, Opcode::kFusion), 1);
  EXPECT_EQ(module->computation_count(), 2);
}

TEST(MultiOutputFusionTest, LeavesFusionsThatNeedOneAnother) {
  auto pass = MakePass();
  ExpectUnchanged(pass.get(), absl::StrCat(kBodies, R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  n = f32[8] reverse(a), dimensions={0}
  b = f32[8] fusion(x, n), kind=kLoop, calls=g
  ROOT t = (f32[8], f32[8]) tuple(a, b)
})"));
}

}  // namespace
}  // namespace hlokit
