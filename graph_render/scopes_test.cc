#include "graph_render/scopes.h"

#include <map>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ScopesTest, SlashesInParenthesesDoNotCut) {
  EXPECT_THAT(ScopeOf("jit(f)/vmap(a/b)/add"),
              ElementsAre("jit(f)", "vmap(a/b)"));
  EXPECT_THAT(ScopeOf("add"), IsEmpty());
  EXPECT_THAT(ScopeOf("//a//b"), ElementsAre("a"));
  EXPECT_THAT(ScopeOf("((((/x"), IsEmpty());
}

std::string Tree(const std::vector<ScopeBox>& boxes, int b) {
  std::string text = boxes[b].name + "(";
  for (const Instruction* i : boxes[b].instructions) {
    text += std::string(i->name()) + " ";
  }
  for (const int child : boxes[b].boxes) text += Tree(boxes, child);
  return text + ")";
}

TEST(ScopesTest, ScopesBecomeBoxesWithoutSharedBeginnings) {
  const auto module = MustParse(R"(
HloModule m
ENTRY main {
  p = f32[] parameter(0)
  a = f32[] negate(p), metadata={op_name="jit(f)/one/neg"}
  b = f32[] abs(a), metadata={op_name="jit(f)/one/abs"}
  c = f32[] negate(b), metadata={op_name="jit(f)/two/deep/neg"}
  k = f32[] constant(1)
  ROOT d = f32[] add(c, k), metadata={op_name="jit(f)/two/deep/add"}
})");
  EXPECT_EQ(Tree(ScopeBoxes(*module->entry()), 0),
            "(p jit(f)(one(a b )two/deep(c k d )))");
}

TEST(ScopesTest, AScopeThatIsUsedTwiceBecomesTwoBoxes) {
  const auto module = MustParse(R"(
HloModule m
ENTRY main {
  p = f32[] parameter(0)
  a = f32[] negate(p), metadata={op_name="relu/neg"}
  b = f32[] abs(a), metadata={op_name="relu/abs"}
  x = f32[] add(b, b), metadata={op_name="other/add"}
  c = f32[] negate(x), metadata={op_name="relu/neg"}
  ROOT d = f32[] abs(c), metadata={op_name="relu/abs"}
})");
  EXPECT_EQ(Tree(ScopeBoxes(*module->entry()), 0),
            "(p x relu(a b )relu(c d ))");
}

TEST(ScopesTest, GroupsWithACycleBetweenThemAreCut) {
  // 0 -> 1 -> 2 with 0 and 2 in one group that also hangs together by 0 -> 2.
  const std::vector<int> groups = CutIntoAcyclicGroups(
      {7, 8, 7}, std::vector<LayoutEdge>{{0, 1}, {1, 2}, {0, 2}});
  EXPECT_THAT(groups, ElementsAre(0, 1, 2));
  EXPECT_THAT(CutIntoAcyclicGroups({7, 8, 7}, std::vector<LayoutEdge>{
                                                  {0, 1}, {0, 2}}),
              ElementsAre(0, 1, 0));
}

TEST(ScopesTest, RandomGroupsNeverLeaveACycle) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int n = 2 + random() % 60;
    std::vector<int> group(n);
    for (int& g : group) g = random() % 6;
    std::vector<LayoutEdge> edges;
    for (int k = 0; k < 2 * n; ++k) {
      const int a = random() % n, b = random() % n;
      if (a < b) edges.push_back({a, b});
    }
    const std::vector<int> cut = CutIntoAcyclicGroups(group, edges);
    std::map<int, std::set<int>> next;
    std::map<int, int> missing;
    std::set<int> groups(cut.begin(), cut.end());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (cut[i] == cut[j]) {
          ASSERT_EQ(group[i], group[j]);
        }
      }
    }
    for (const LayoutEdge& edge : edges) {
      if (cut[edge.from] != cut[edge.to] &&
          next[cut[edge.from]].insert(cut[edge.to]).second) {
        ++missing[cut[edge.to]];
      }
    }
    std::vector<int> ready;
    for (const int g : groups) {
      if (missing[g] == 0) ready.push_back(g);
    }
    size_t done = 0;
    while (!ready.empty()) {
      const int g = ready.back();
      ready.pop_back();
      ++done;
      for (const int other : next[g]) {
        if (--missing[other] == 0) ready.push_back(other);
      }
    }
    ASSERT_EQ(done, groups.size()) << round;
  }
}

}  // namespace
}  // namespace hlokit
