#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

TEST(SplitModulesTest, SeparatorLinesCutTheFile) {
  const auto modules = SplitModules(
      "HloModule a\nx\n// -----\n\n// ------\nHloModule b\ny\n// -----\n");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].name, "a");
  EXPECT_EQ(modules[0].text, "HloModule a\nx\n");
  EXPECT_EQ(modules[0].first_line, 1);
  EXPECT_EQ(modules[1].name, "b");
  EXPECT_EQ(modules[1].first_line, 4);
}

TEST(SplitModulesTest, WithoutSeparatorEveryHeaderBeginsAModule) {
  const auto modules =
      SplitModules("// note\nHloModule a, is_scheduled=true\nx\n"
                   "HloModule b\ny\n");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].first_line, 1);
  EXPECT_EQ(modules[0].name, "a");
  EXPECT_EQ(modules[1].text, "HloModule b\ny\n");
  EXPECT_EQ(modules[1].first_line, 4);
}

TEST(SplitModulesTest, OutputBeforeTheFirstHeaderIsDropped) {
  const auto modules = SplitModules("starting worker\nHloModule a\nx\n");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].text, "HloModule a\nx\n");
  EXPECT_EQ(modules[0].first_line, 2);
}

TEST(SplitModulesTest, AComputationWithoutHeaderIsAModule) {
  const auto modules = SplitModules("ENTRY e {\n}\n");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].name, "");
  EXPECT_TRUE(SplitModules("// nothing\n\n").empty());
}

TEST(SplitModulesTest, LogPrefixesAreTakenAway) {
  const auto modules = SplitModules(
      "I0102 03:04:05.678901  123 dump.cc:9] HloModule a\n"
      "I0102 03:04:05.678901  123 dump.cc:9] ENTRY e {\n"
      "I0102 03:04:05.678901  123 dump.cc:9]   x\n"
      "I think } stays\n");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].text, "HloModule a\nENTRY e {\n  x\nI think } stays\n");
}

TEST(SplitModulesTest, PrefixesWithADateAreTakenAway) {
  const auto modules = SplitModules(
      "2023-01-02 03:04:05.678901: I xla/hlo.cc:12] HloModule a\n\n"
      "ENTRY e {\n  x\n}\n2023-01-02 stays\n");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].text,
            "HloModule a\n\nENTRY e {\n  x\n}\n2023-01-02 stays\n");
}

TEST(SplitModulesTest, BannersNameTheModules) {
  const auto modules = SplitModules(
      "step 1\n"
      "*** Begin m.before.txt ***\nHloModule a\n\n*** End m.before.txt ***\n"
      "W *** Begin not at the start ***\n"
      "*** Begin m.cut.txt ***\nHloModule b\nkilled\n");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].name, "m.before.txt");
  EXPECT_EQ(modules[0].text, "HloModule a\n\n");
  EXPECT_EQ(modules[0].first_line, 3);
  EXPECT_EQ(modules[1].name, "m.cut.txt");
  EXPECT_EQ(modules[1].first_line, 8);
}

}  // namespace
}  // namespace hlokit
