#include "passes/collectives/all_reduce_folder.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hlo/ir/replica_groups.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Twice(absl::string_view inner, absl::string_view outer) {
  return absl::StrCat(R"(
HloModule m, replica_count=8
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups=)", inner, R"(
  ROOT b = f32[8] all-reduce(a), to_apply=add, replica_groups=)", outer, R"(
})");
}

std::string FoldedGroupsOf(absl::string_view inner, absl::string_view outer) {
  auto module = ParseOrDie(Twice(inner, outer));
  AllReduceFolder pass;
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter all-reduce");
  return module->entry()->root()->attrs()
      .Get<ReplicaGroups>(AttrId::kReplicaGroups)->ToString();
}

TEST(AllReduceFolderTest, GroupsOfGroupsBecomeLargeGroups) {
  EXPECT_EQ(FoldedGroupsOf("{{0,1},{2,3},{4,5},{6,7}}",
                           "{{0,2},{1,3},{4,6},{5,7}}"),
            "{{0,1,2,3},{4,5,6,7}}");
  EXPECT_EQ(FoldedGroupsOf("[4,2]<=[8]", "[2,4]<=[4,2]T(1,0)"),
            "{{0,1,2,3,4,5,6,7}}");
}

TEST(AllReduceFolderTest, LeavesWhatWouldCountTwice) {
  ExpectUnchangedBy<AllReduceFolder>(
      Twice("{{0,1},{2,3},{4,5},{6,7}}", "{{0,1},{2,3},{4,5},{6,7}}"));
}

TEST(AllReduceFolderTest, LeavesSumsThatDifferWithinAGroup) {
  ExpectUnchangedBy<AllReduceFolder>(
      Twice("{{0,1},{2,3},{4,5},{6,7}}", "{{0,2},{1,4},{3,6},{5,7}}"));
}

}  // namespace
}  // namespace hlokit
