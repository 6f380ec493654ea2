#include "passes/control/call_inliner.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analysis/expanded_size.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kNested[] = R"(
HloModule m
inner { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
outer { x = f32[2] parameter(0) y = f32[2] parameter(1) c = f32[2] call(x), to_apply=inner ROOT r = f32[2] add(c, y) }
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  a = f32[2] call(p, q), to_apply=outer
  b = f32[2] call(q, p), to_apply=outer
  ROOT r = f32[2] multiply(a, b)
})";

TEST(CallInlinerTest, InlinesNestedCalls) {
  auto module = TransformedBy<CallInliner>(kNested);
  EXPECT_EQ(module->computation_count(), 1);
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter negate parameter add negate add multiply");
}

// Calls that double at every level are put in up to a limit only.
TEST(CallInlinerTest, NestedCallsGrowTheModuleToALimitOnly) {
  std::string text = "k0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int k = 1; k <= 40; ++k) {
    absl::StrAppend(&text, "k", k, " { p = f32[] parameter(0) q = f32[] ",
                    "call(p), to_apply=k", k - 1,
                    " ROOT r = f32[] call(q), to_apply=k", k - 1, " }\n");
  }
  auto module = ParseOrDie(text + "ENTRY e { p = f32[] parameter(0) ROOT r = "
                                  "f32[] call(p), to_apply=k40 }");
  ASSERT_NE(module, nullptr);
  CallInliner pass;
  ASSERT_TRUE(pass.Run(module.get()).ok());
  EXPECT_LT(module->instruction_count(), 2 * kMaxInlinedInstructions);
  EXPECT_GT(CountOf(*module, Opcode::kCall), 0);
}

// However deep a call is nested, its body is copied once.
TEST(CallInlinerTest, DeepNestsAreCopiedOnce) {
  constexpr int kLevels = 2000;
  std::string text = "k0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int k = 1; k <= kLevels; ++k) {
    absl::StrAppend(&text, "k", k, " { p = f32[] parameter(0) q = f32[] ",
                    "call(p), to_apply=k", k - 1,
                    " ROOT r = f32[] negate(q) }\n");
  }
  auto module = ParseOrDie(
      absl::StrCat(text, "ENTRY e { p = f32[] parameter(0) ROOT r = f32[] ",
                   "call(p), to_apply=k", kLevels, " }"));
  ASSERT_NE(module, nullptr);
  CallInliner pass;
  ASSERT_TRUE(pass.Run(module.get()).ok());
  EXPECT_EQ(module->computation_count(), 1);
  EXPECT_EQ(module->instruction_count(), kLevels + 2);
  // Ids count all instructions that there ever were.
  EXPECT_LE(module->entry()->id_limit(), 2 * kLevels + 4);
}

TEST(CallInlinerTest, MayTakeOnlyWhatIsCalledOnce) {
  CallInliner pass(/*single_call_site=*/true);
  auto module = Transformed(&pass, kNested);
  EXPECT_EQ(CountOf(*module, Opcode::kCall), 2);
  EXPECT_EQ(module->computation_count(), 2);
}

TEST(CallInlinerTest, TakesControlDependenciesOver) {
  auto module = TransformedBy<CallInliner>(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  s = f32[2] sine(p)
  a = f32[2] call(p), to_apply=f, control-predecessors={s}
  ROOT r = f32[2] cosine(p), control-predecessors={a}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine negate cosine");
}

TEST(CallInlinerTest, LeavesCompositesAndWhatSaysNo) {
  ExpectUnchangedBy<CallInliner>(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=f, is_composite=true, frontend_attributes={composite.attributes="{}",composite.name="n",composite.version="1"}
  ROOT b = f32[2] call(a), to_apply=f, frontend_attributes={inlineable="false"}
})");
}

TEST(CallInlinerTest, CopiesHaveFusionBodiesOfTheirOwn) {
  auto module = TransformedBy<CallInliner>(R"(
HloModule m
inner { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
body {
  x = f32[2] parameter(0)
  ROOT f = f32[2] fusion(x), kind=kLoop, calls=inner
}
ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=body
  ROOT b = f32[2] call(a), to_apply=body
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion fusion");
  EXPECT_EQ(module->computation_count(), 3);
}

}  // namespace
}  // namespace hlokit
