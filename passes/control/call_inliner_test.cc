#include "passes/control/call_inliner.h"

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace hlokit
