#include "passes/expand/all_to_all_decomposer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AllToAllDecomposerTest, SplitsTheArray) {
  AllToAllDecomposer pass;
  auto module = ParseOrDie(R"(
HloModule m, replica_count=3
ENTRY e {
  x = f32[8,6] parameter(0)
  ROOT a = f32[8,6] all-to-all(x), dimensions={1}, replica_groups={{0,1,2}}
})");
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter slice slice slice all-to-all get-tuple-element "
            "get-tuple-element get-tuple-element concatenate");
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->dimension(0), 1);
  const Instruction* all = root->operand(2)->operand(0);
  EXPECT_TRUE(all->dimensions().empty());
  EXPECT_TRUE(all->attrs().Has(AttrId::kReplicaGroups));
  const auto* ranges = all->operand(2)->attrs().Get<SliceRanges>(AttrId::kSlice);
  ASSERT_NE(ranges, nullptr);
  EXPECT_EQ((*ranges)[1].start, 4);
  EXPECT_EQ((*ranges)[1].limit, 6);
}

TEST(AllToAllDecomposerTest, WithoutGroupsAllDevicesExchange) {
  AllToAllDecomposer pass;
  auto module = ParseOrDie(R"(
HloModule m, replica_count=2
ENTRY e {
  x = f32[4] parameter(0)
  ROOT a = f32[4] all-to-all(x), dimensions={0}, replica_groups={}
})");
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(CountOf(*module, Opcode::kSlice), 2);
}

TEST(AllToAllDecomposerTest, OneDeviceKeepsItsValues) {
  auto module = TransformedBy<AllToAllDecomposer>(R"(
ENTRY e {
  x = f32[8,6] parameter(0)
  ROOT a = f32[8,6] all-to-all(x), dimensions={1}, replica_groups={{0}}
})");
  EXPECT_EQ(CountOf(*module, Opcode::kAllToAll), 1);
}

TEST(AllToAllDecomposerTest, LeavesThoseOfSeveralArrays) {
  ExpectUnchangedBy<AllToAllDecomposer>(R"(
HloModule m, replica_count=2
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT a = (f32[4], f32[4]) all-to-all(x, y), replica_groups={{0,1}}
})");
}

}  // namespace
}  // namespace hlokit
