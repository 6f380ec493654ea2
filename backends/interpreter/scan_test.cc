#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

// Running sums along `dimension`, and the last of them.
std::string RunningSum(absl::string_view type, absl::string_view reverse) {
  return absl::StrReplaceAll(R"(
f {
  x = T[2] parameter(0)
  c = T[2] parameter(1)
  s = T[2] add(x, c)
  ROOT r = (T[2], T[2]) tuple(s, s)
}
ENTRY e {
  a = T[2,3] parameter(0)
  c = T[2] parameter(1)
  ROOT r = (T[2,3], T[2]) scan(a, c), dimensions={1}, num_carries=1, REVERSEto_apply=f
})",
                             {{"T[", absl::StrCat(type, "[")}, {"REVERSE", reverse}});
}

TEST(Scan, CarriesAValueAlongADimension) {
  for (PrimitiveType type : {kF32, kF64, kBF16, kS32, kU8, kC64}) {
    const Literal result =
        RunText(RunningSum(PrimitiveTypeName(type), ""),
            {Numbers(type, {2, 3}, {1, 2, 3, 4, 5, 6}), Vector(type, {0, 10})});
    ASSERT_EQ(result.elements().size(), 2u);
    EXPECT_EQ(result.elements()[0],
              Numbers(type, {2, 3}, {1, 3, 6, 14, 19, 25}));
    EXPECT_EQ(result.elements()[1], Vector(type, {6, 25}));
  }
}

TEST(Scan, GoesBackwards) {
  const Literal result =
      RunText(RunningSum("s32", "is_reverse=true, "),
          {Numbers(kS32, {2, 3}, {1, 2, 3, 4, 5, 6}), Vector(kS32, {0, 10})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(6, 5, 3, 25, 21, 16));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(6, 25));
}

TEST(Scan, OfNothingKeepsTheCarry) {
  const std::string text =
      absl::StrReplaceAll(RunningSum("s32", ""), {{"[2,3]", "[2,0]"}});
  const Literal result =
      RunText(text, {Numbers(kS32, {2, 0}, {}), Vector(kS32, {7, 8})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(7, 8));
}

}  // namespace
}  // namespace hlokit::interpreter
