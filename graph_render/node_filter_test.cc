#include "graph_render/node_filter.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::set<std::string> Shown(const NodeFilter& filter) {
  std::set<std::string> names;
  for (const Instruction* i : filter.computation()->instructions()) {
    if (filter.IsShown(i)) names.insert(std::string(i->name()));
  }
  return names;
}

constexpr char kChain[] = R"(
HloModule chain
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] negate(a)
  c = f32[4] negate(b)
  d = f32[4] negate(c)
  e = f32[4] negate(d)
  side = f32[4] add(b, d)
  lonely = f32[4] parameter(1)
  ROOT out = (f32[4], f32[4], f32[4]) tuple(e, side, lonely)
})";

TEST(NodeFilterTest, ANeighbourhoodReachesAsFarAsItsRadius) {
  const auto module = MustParse(kChain);
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "c"), 0)), ElementsAre("c"));
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "c"), 1)),
              ElementsAre("b", "c", "d"));
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "c"), 2)),
              ElementsAre("a", "b", "c", "d", "e", "side"));
}

TEST(NodeFilterTest, TheCentreIsHighlightedAndCutOperandsShow) {
  const auto module = MustParse(kChain);
  const NodeFilter filter = Neighbourhood(*Named(*module, "c"), 1);
  EXPECT_EQ(filter.Show(Named(*module, "c")), NodeShow::kHighlighted);
  EXPECT_EQ(filter.Show(Named(*module, "b")), NodeShow::kOperandsOmitted);
  EXPECT_EQ(filter.Show(Named(*module, "d")), NodeShow::kNormal);
  EXPECT_EQ(filter.Show(Named(*module, "a")), NodeShow::kHidden);
  const NodeFilter around_side = Neighbourhood(*Named(*module, "e"), 1);
  EXPECT_EQ(around_side.Show(Named(*module, "out")),
            NodeShow::kSomeOperandsOmitted);
}

TEST(NodeFilterTest, ATupleIsNotPassedUnlessItIsTheCentre) {
  const auto module = MustParse(kChain);
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "lonely"), 5)),
              ElementsAre("lonely", "out"));
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "out"), 1)),
              ElementsAre("e", "lonely", "out", "side"));
}

TEST(NodeFilterTest, ABoundaryIsShownAndNotPassed) {
  const auto module = MustParse(kChain);
  EXPECT_THAT(
      Shown(Neighbourhood(*Named(*module, "c"), 9, {Named(*module, "b")})),
      ElementsAre("b", "c", "d", "e", "out", "side"));
}

TEST(NodeFilterTest, BitcastsCostNoDistance) {
  const auto module = MustParse(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[2,2] bitcast(a)
  ROOT c = f32[2,2] negate(b)
})");
  EXPECT_THAT(Shown(Neighbourhood(*Named(*module, "c"), 1)),
              ElementsAre("a", "b", "c"));
}

TEST(NodeFilterTest, ManyUsersAreNotFollowed) {
  std::string text = "HloModule m\nENTRY main {\n  p = f32[] parameter(0)\n";
  for (int i = 0; i < 17; ++i) {
    absl::StrAppend(&text, "  n", i, " = f32[] negate(p)\n");
  }
  text += "  ROOT out = f32[] add(n0, n1)\n}";
  const auto module = MustParse(text);
  const NodeFilter filter = Neighbourhood(*Named(*module, "n0"), 2);
  EXPECT_THAT(Shown(filter), UnorderedElementsAre("n0", "n1", "out", "p"));
  EXPECT_EQ(filter.Show(Named(*module, "p")), NodeShow::kSomeUsersOmitted);
}

TEST(NodeFilterTest, AllPathsGoEitherWay) {
  const auto module = MustParse(kChain);
  const auto paths = AllPaths(*Named(*module, "b"), *Named(*module, "side"));
  ASSERT_TRUE(paths.ok()) << paths.status();
  EXPECT_THAT(Shown(paths->filter), ElementsAre("b", "c", "d", "side"));
  EXPECT_FALSE(paths->reversed);
  const auto back = AllPaths(*Named(*module, "side"), *Named(*module, "b"));
  ASSERT_TRUE(back.ok());
  EXPECT_THAT(Shown(back->filter), ElementsAre("b", "c", "d", "side"));
  EXPECT_TRUE(back->reversed);
}

TEST(NodeFilterTest, ALimitKeepsTheShortestPaths) {
  const auto module = MustParse(kChain);
  const auto paths = AllPaths(*Named(*module, "b"), *Named(*module, "side"), 2);
  ASSERT_TRUE(paths.ok());
  EXPECT_THAT(Shown(paths->filter), ElementsAre("b", "side"));
  EXPECT_EQ(paths->found, 4);
}

TEST(NodeFilterTest, WithoutAPathOrInOtherComputationsThereIsAnError) {
  const auto module = MustParse(kSampleModule);
  EXPECT_TRUE(absl::IsInvalidArgument(
      AllPaths(*Named(*module, "a"), *Named(*module, "v2")).status()));
  EXPECT_TRUE(absl::IsNotFound(
      AllPaths(*Named(*module, "a"), *Named(*module, "i0")).status()));
}

TEST(NodeFilterTest, OperandsAboveStopAtTheHeight) {
  const auto module = MustParse(kChain);
  EXPECT_THAT(Shown(OperandsAbove(*Named(*module, "e"), 2)),
              ElementsAre("c", "d", "e"));
  EXPECT_THAT(Shown(OperandsAbove(*Named(*module, "side"), -1)),
              ElementsAre("a", "b", "c", "d", "side"));
}

TEST(NodeFilterTest, ConditionsLookAtTheirField) {
  const auto module = MustParse(kSampleModule);
  auto count = [&](const std::string& text) {
    const auto condition = ParseCondition(text);
    EXPECT_TRUE(condition.ok()) << condition.status();
    int n = 0;
    for (const auto& computation : module->computations()) {
      for (const Instruction* i : computation->instructions()) {
        n += (*condition)(*i);
      }
    }
    return n;
  };
  EXPECT_EQ(count("op=^dot$"), 1);
  EXPECT_EQ(count("op=^(add|multiply)$,shape=64"), 2);
  EXPECT_EQ(count("source=x.py:3"), 1);
  EXPECT_EQ(count("op_name=layer"), 1);
  EXPECT_EQ(count("name=^i[0-9]$"), 2);
  EXPECT_EQ(count("layer"), 1);
}

TEST(NodeFilterTest, ABadConditionSaysWhatIsWrong) {
  EXPECT_THAT(ParseCondition("op=(").status().ToString(),
              HasSubstr("cannot use the regular expression '('"));
  EXPECT_THAT(ParseCondition("op=a,shap=b").status().ToString(),
              HasSubstr("did you mean 'shape'?"));
}

}  // namespace
}  // namespace hlokit
