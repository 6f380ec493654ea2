#include "passes/analysis/expanded_size.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analysis/dataflow.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// `levels` computations, each calling the one before it twice.
std::string Doubling(int levels, absl::string_view opcode) {
  std::string text =
      "k0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int k = 1; k <= levels; ++k) {
    absl::StrAppend(&text, "k", k, " { p = f32[] parameter(0) q = f32[] ",
                    opcode, "(p), to_apply=k", k - 1, " ROOT r = f32[] ",
                    opcode, "(q), to_apply=k", k - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { p = f32[] parameter(0) ROOT r = f32[] ",
                      opcode, "(p), to_apply=k", levels, " }\n");
}

TEST(ExpandedSizeTest, CountsWhatIsCalledAtEveryCall) {
  auto module = ParseOrDie(Doubling(3, "call"));
  ASSERT_NE(module, nullptr);
  // k0 has 2 instructions, each next one 3 and twice the last one's.
  EXPECT_EQ(ExpandedSizes().SizeOf(*module->entry()),
            2 + 3 + 2 * (3 + 2 * (3 + 2 * 2)));
}

TEST(ExpandedSizeTest, TakesTheLargestBranchOfAConditional) {
  auto module = ParseOrDie(R"(
    small { ROOT p = f32[] parameter(0) }
    large { p = f32[] parameter(0) ROOT r = f32[] negate(p) }
    ENTRY e { c = pred[] parameter(0) x = f32[] parameter(1)
      ROOT r = f32[] conditional(c, x, x), true_computation=large,
        false_computation=small })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ExpandedSizes().SizeOf(*module->entry()), 3 + 2);
}

TEST(ExpandedSizeTest, CountsStopAtTheLargestNumber) {
  auto module = ParseOrDie(Doubling(100, "map"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ExpandedSizes().SizeOf(*module->entry()),
            std::numeric_limits<int64_t>::max());
  const absl::Status status = CheckExpandedSize(*module);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(status.message(),
              testing::HasSubstr("the limit is 10000000"));
}

TEST(ExpandedSizeTest, ManyNestedCallsAreWithinTheLimit) {
  std::string text = "k0 { ROOT p = f32[] parameter(0) }\n";
  constexpr int kLevels = 20'000;
  for (int k = 1; k <= kLevels; ++k) {
    absl::StrAppend(&text, "k", k,
                    " { p = f32[] parameter(0) ROOT r = f32[] call(p), "
                    "to_apply=k", k - 1, " }\n");
  }
  auto module = ParseOrDie(
      absl::StrCat(text, "ENTRY e { p = f32[] parameter(0) ROOT r = f32[] "
                         "call(p), to_apply=k", kLevels, " }\n"));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ExpandedSizes().SizeOf(*module->entry()), 2 * kLevels + 3);
  EXPECT_TRUE(CheckExpandedSize(*module).ok());
}

TEST(DataflowPartsTest, IndicesAgreeWithTheirNumbers) {
  const Shape leaf = Shape::Array(kF32, {2});
  const Shape shape = Shape::Tuple(
      {leaf, Shape::Tuple({Shape::Tuple({}), leaf, leaf}), leaf});
  const std::vector<ShapeIndex> indices = PartIndices(shape);
  ASSERT_EQ(static_cast<int64_t>(indices.size()), PartCount(shape));
  for (size_t k = 0; k < indices.size(); ++k) {
    EXPECT_EQ(IndexOfPart(shape, k), indices[k]);
    EXPECT_EQ(PartNumber(shape, indices[k]), static_cast<int64_t>(k));
  }
}

}  // namespace
}  // namespace hlokit
