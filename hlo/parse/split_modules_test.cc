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

TEST(SplitModulesTest, SeparatorsOfWindowsCutTheFile) {
  const auto modules =
      SplitModules("HloModule a\r\n// -----\r\nHloModule b\r\n");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[1].name, "b");
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

TEST(SplitModulesTest, NothingIsLeftOut) {
  const auto modules = SplitModules("starting worker\nHloModule a\nx");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].text, "starting worker\n");
  EXPECT_EQ(modules[1].text, "HloModule a\nx");
  EXPECT_EQ(modules[1].first_line, 2);
}

TEST(SplitModulesTest, AComputationWithoutHeaderIsAModule) {
  const auto modules = SplitModules("ENTRY e {\n}\n");
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].name, "");
  EXPECT_TRUE(SplitModules("// nothing\n\n").empty());
}

}  // namespace
}  // namespace hlokit
