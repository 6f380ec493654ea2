#include "passes/simplify/simplify_sorts.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kText[] = R"(
HloModule m
less {
  a = f32[] parameter(0) b = f32[] parameter(1)
  c = s32[] parameter(2) d = s32[] parameter(3)
  e = f32[] parameter(4) f = f32[] parameter(5)
  ROOT r = pred[] compare(e, f), direction=LT
}
ENTRY e {
  x = f32[5] parameter(0)
  y = s32[5] parameter(1)
  z = f32[5] iota(), iota_dimension=0
  w = f32[5] multiply(z, z)
  s = (f32[5], s32[5], f32[5]) sort(x, y, w), dimensions={0}, is_stable=true, to_apply=less
  g = f32[5] get-tuple-element(s), index=2
  ROOT t = RESULT
})";

std::string Text(const char* result) {
  std::string text = kText;
  text.replace(text.find("RESULT"), 6, result);
  return text;
}

TEST(SimplifySortsTest, DropsWhatNobodyLooksAt) {
  auto module =
      TransformedBy<SimplifySorts>(Text("f32[5] negate(g)"));
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() == Opcode::kSort) {
      EXPECT_EQ(i->operand_count(), 1);
    }
  }
}

TEST(SimplifySortsTest, LeavesWhatIsUsed) {
  ExpectUnchangedBy<SimplifySorts>(
      Text("(f32[5], s32[5], f32[5]) opt-barrier(s)"));
}

}  // namespace
}  // namespace hlokit
