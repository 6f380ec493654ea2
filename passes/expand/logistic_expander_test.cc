#include "passes/expand/logistic_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(LogisticExpanderTest, DividesOneByOnePlusThePower) {
  auto module = TransformedBy<LogisticExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] logistic(p)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kLogistic), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kExponential), 1);
}

TEST(LogisticExpanderTest, KeepsValuesOfAllFloatsAndShapes) {
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    for (const char* sizes : {"[]", "[0]", "[1]", "[3,5]"}) {
      SCOPED_TRACE(absl::StrCat(type, sizes));
      const std::string shape = absl::StrCat(type, sizes);
      const double tolerance =
          type[1] == '1' ? 0.01 : type[0] == 'b' ? 0.02 : 0;
      TransformedBy<LogisticExpander>(
          absl::StrCat("ENTRY e {\n p = ", shape,
                       " parameter(0)\n ROOT r = ", shape,
                       " logistic(p)\n}"),
          tolerance);
    }
  }
}

TEST(LogisticExpanderTest, Saturates) {
  TransformedBy<LogisticExpander>(R"(
ENTRY e {
  p = f32[6] constant({-inf, inf, -100, 100, nan, 0})
  ROOT r = f32[6] logistic(p)
})", 1e-6);
}

TEST(LogisticExpanderTest, LeavesOtherOperationsAlone) {
  ExpectUnchangedBy<LogisticExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] tanh(p)
})");
}

}  // namespace
}  // namespace hlokit
