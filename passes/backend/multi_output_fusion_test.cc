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

TEST(MultiOutputFusionTest, ProducersJoinTheirConsumers) {
  auto pass = MakePass();
  auto module = Transformed(pass.get(), absl::StrCat(kBodies, R"(
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  b = f32[8] fusion(a, y), kind=kLoop, calls=g
  r = f32[8] reverse(a), dimensions={0}
  ROOT t = (f32[8], f32[8]) tuple(b, r)
})"));
  EXPECT_EQ(CountOf(*module, Opcode::kFusion), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kSine), 1);
}

// What only the members need is no result.
TEST(MultiOutputFusionTest, ProducersOfSiblingsJoinThem) {
  auto pass = MakePass();
  auto module = Transformed(pass.get(), absl::StrCat(kBodies, R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  b = f32[8] fusion(a, x), kind=kLoop, calls=g
  c = f32[8] fusion(a), kind=kLoop, calls=f
  ROOT t = (f32[8], f32[8]) tuple(b, c)
})"));
  EXPECT_EQ(CountOf(*module, Opcode::kFusion), 1);
  EXPECT_EQ(module->entry()->root()->operand(0)->operand(0)->shape()
                .tuple_shapes().size(), 2u);
}

TEST(MultiOutputFusionTest, LeavesProducersReadInAnotherOrder) {
  auto pass = MakePass();
  ExpectUnchanged(pass.get(), absl::StrCat(kBodies, R"(
turned { x = f32[8] parameter(0) ROOT r = f32[8] reverse(x), dimensions={0} }
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  b = f32[8] fusion(a), kind=kLoop, calls=turned
  ROOT t = (f32[8], f32[8]) tuple(a, b)
})"));
}

TEST(MultiOutputFusionTest, LeavesProducersThatTheirConsumerNeedsTwice) {
  auto pass = MakePass();
  ExpectUnchanged(pass.get(), absl::StrCat(kBodies, R"(
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] fusion(x), kind=kLoop, calls=f
  n = f32[8] reverse(a), dimensions={0}
  ROOT b = f32[8] fusion(a, n), kind=kLoop, calls=g
})"));
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

TEST(MultiOutputFusionTest, HasANameForTheCpuPipeline) {
  MultiOutputFusion pass("cpu_multi_output_fusion");
  const auto fusions_of = [](absl::string_view a, absl::string_view b) {
    return absl::StrCat(kBodies, "ENTRY e { x = f32[8] parameter(0)\n"
                        "y = f32[8] parameter(1)\n"
                        "a = f32[8] fusion(", a, "), kind=kLoop, calls=f\n"
                        "b = f32[8] fusion(", b, ", ", b,
                        "), kind=kLoop, calls=g\n"
                        "ROOT t = (f32[8], f32[8]) tuple(a, b) }");
  };
  auto module = Transformed(&pass, fusions_of("x", "x"));
  EXPECT_EQ(CountOf(*module, Opcode::kFusion), 1);
  ExpectUnchanged(&pass, fusions_of("x", "y"));
}

}  // namespace
}  // namespace hlokit
