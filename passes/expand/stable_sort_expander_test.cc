#include "passes/expand/stable_sort_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(StableSortExpanderTest, SortsPositionsToo) {
  auto module = TransformedBy<StableSortExpander>(R"(
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  p = s32[4,50] parameter(0)
  q = f32[4,50] parameter(1)
  ROOT r = (s32[4,50], f32[4,50]) sort(p, q), dimensions={1}, is_stable=true,
    to_apply=less
})");
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::kSort) continue;
    EXPECT_EQ(i->operand_count(), 3);
    EXPECT_FALSE(i->attrs().GetBool(AttrId::kIsStable));
  }
}

TEST(StableSortExpanderTest, OrdersEqualElementsByPosition) {
  TransformedBy<StableSortExpander>(R"(
greater {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  two = s32[] constant(2)
  x = s32[] remainder(a, two)
  y = s32[] remainder(b, two)
  ROOT r = pred[] compare(x, y), direction=GT
}
ENTRY e {
  p = s32[12] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  i = s32[12] iota(), iota_dimension=0
  ROOT r = (s32[12], s32[12]) sort(p, i), dimensions={0}, is_stable=true,
    to_apply=greater
})");
}

TEST(StableSortExpanderTest, TakesOneOperandAndEmptyRows) {
  for (const char* sizes : {"[0]", "[1]", "[9]", "[3,0]"}) {
    TransformedBy<StableSortExpander>(absl::StrCat(
        "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " ROOT r = pred[] compare(a, b), direction=LT\n}\n"
        "ENTRY e {\n p = f32", sizes, " parameter(0)\n ROOT r = f32", sizes,
        " sort(p), dimensions={0}, is_stable=true, to_apply=less\n}"));
  }
}

TEST(StableSortExpanderTest, LeavesOtherSortsAlone) {
  ExpectUnchangedBy<StableSortExpander>(R"(
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  p = f32[9] parameter(0)
  ROOT r = f32[9] sort(p), dimensions={0}, to_apply=less
})");
}

}  // namespace
}  // namespace hlokit
