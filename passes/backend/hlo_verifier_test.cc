#include "passes/backend/hlo_verifier.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kText[] = R"(
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })";

TEST(VerifierPassTest, ChangesNothing) {
  ExpectUnchangedBy<HloVerifierPass>(kText);
}

TEST(VerifierPassTest, ABrokenRuleIsAnError) {
  auto module = ParseOrDie(kText);
  module->entry()->root()->set_shape(
      Shape::ArrayWithDescendingLayout(kF32, {3}));
  HloVerifierPass pass;
  const auto result = pass.Run(module.get());
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(std::string(result.status().message()),
              ::testing::HasSubstr("%a"));
}

}  // namespace
}  // namespace hlokit
