#include "hlo_opt/observers.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Gives the root another shape than its operands have.
class ShapeBreaker : public Pass {
 public:
  absl::string_view name() const override { return "shape-breaker"; }
  absl::StatusOr<bool> Run(Module* module) override {
    module->entry()->root()->set_shape(Shape::Array(kF32, {5}));
    return true;
  }
};

class Idle : public Pass {
 public:
  explicit Idle(std::string name) : name_(std::move(name)) {}
  absl::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(Module*) override {
    ++runs;
    return false;
  }
  int runs = 0;

 private:
  std::string name_;
};

TEST(VerifyObserverTest, StopsAtThePassThatBreaksTheModule) {
  auto module = ParseModule(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
})");
  ASSERT_TRUE(module.ok());
  Pipeline pipeline("outer");
  Idle* before = pipeline.Add<Idle>("before");
  pipeline.Add<ShapeBreaker>();
  Idle* after = pipeline.Add<Idle>("after");
  VerifyObserver observer;
  pipeline.AddObserver(&observer);
  const absl::Status status = pipeline.Run(module->get()).status();
  EXPECT_EQ(before->runs, 1);
  EXPECT_EQ(after->runs, 0);
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("the module is broken after pass "
                                 "shape-breaker (pipeline outer)"));
  EXPECT_THAT(message, HasSubstr("%n = f32[5]"));
  EXPECT_THAT(message, HasSubstr("expected f32[4]"));
  EXPECT_THAT(message, Not(HasSubstr("after pass before")));
}

}  // namespace
}  // namespace hlokit
