#include "passes/backend/apply_xla_transforms.h"

#include "base/status.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kText[] = R"(
HloModule m
ENTRY e { ROOT x = f32[4] parameter(0) }
)";

TEST(ApplyXlaTransformsTest, DoesNothingWithoutTransforms) {
  ExpectUnchangedBy<ApplyXlaTransforms>(kText);
}

TEST(ApplyXlaTransformsTest, RunsTransformsInTheirOrder) {
  RegisterTransform([](Module* module) -> absl::StatusOr<bool> {
    module->set_name(module->name() + "1");
    return true;
  });
  RegisterTransform([](Module* module) -> absl::StatusOr<bool> {
    module->set_name(module->name() + "2");
    return false;
  });
  auto module = ParseOrDie(kText);
  ApplyXlaTransforms pass;
  const auto changed = pass.Run(module.get());
  EXPECT_TRUE(changed.ok() && *changed);
  EXPECT_EQ(module->name(), "m12");
  RegisterTransform([](Module*) -> absl::StatusOr<bool> {
    return InvalidArgument("no");
  });
  EXPECT_FALSE(pass.Run(module.get()).ok());
  ClearTransforms();
  EXPECT_FALSE(*pass.Run(module.get()));
}

}  // namespace
}  // namespace hlokit
