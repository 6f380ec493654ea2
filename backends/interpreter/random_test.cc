#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/random_bits.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

Literal State(std::vector<uint64_t> words) {
  return Literal::Array<uint64_t>({static_cast<int64_t>(words.size())}, words);
}

Literal Generate(const char* algorithm, const char* bits_shape,
                 std::vector<uint64_t> state) {
  const std::string line = absl::StrCat(
      "(u64[", state.size(), "], ", bits_shape,
      ") rng-bit-generator(a), algorithm=rng_", algorithm);
  return RunOp(line, {State(state)});
}

std::vector<uint64_t> Words(const Literal& array) {
  std::vector<uint64_t> words;
  for (int64_t i = 0; i < array.element_count(); ++i) {
    words.push_back(static_cast<uint64_t>(array.GetAsInt64(i)));
  }
  return words;
}

TEST(RngBitGenerator, ThreeFryGivesXlasBits) {
  const Literal got = Generate("three_fry", "u32[5]", {1, 2});
  EXPECT_THAT(Words(got.Sub({1})),
              ElementsAre(43444564, 2150618427, 3979645651, 3745730563,
                          1672743891));
  EXPECT_THAT(Words(got.Sub({0})), ElementsAre(1, 5));
  const Literal wide = Generate("three_fry", "u64[3]", {1, 2});
  EXPECT_EQ(Words(wide.Sub({1}))[0], 9236835810183407956u);
  EXPECT_THAT(Words(wide.Sub({0})), ElementsAre(1, 5));
}

TEST(RngBitGenerator, PhiloxGivesXlasBits) {
  const Literal three = Generate("philox", "u32[5]", {1, 2, 3});
  EXPECT_THAT(Words(three.Sub({1})), ElementsAre(4031113034, 1366700262,
                                                 495645701, 3051723414,
                                                 89414891));
  EXPECT_THAT(Words(three.Sub({0})), ElementsAre(1, 4, 3));
  const Literal two = Generate("philox", "u32[5]", {1, 2});
  EXPECT_THAT(Words(two.Sub({1})), ElementsAre(2100602697, 2847456232,
                                               2074354647, 800269529,
                                               1828267006));
  EXPECT_THAT(Words(two.Sub({0})), ElementsAre(1, 4));
  const Literal standard = Generate("default", "u32[5]", {1, 2, 3});
  EXPECT_EQ(standard, three);
}

TEST(RngBitGenerator, PhiloxCarriesIntoTheHighWord) {
  const Literal got =
      Generate("philox", "u32[8]", {1, ~uint64_t{0}, 3});
  EXPECT_THAT(Words(got.Sub({0})), ElementsAre(1, 1, 4));
}

TEST(RngBitGenerator, NarrowElementsAreTheLowBitsOfWideOnes) {
  for (const char* algorithm : {"three_fry", "philox"}) {
    const std::vector<uint64_t> wide =
        Words(Generate(algorithm, "u32[3,4]", {7, 8}).Sub({1}));
    const std::vector<uint64_t> narrow =
        Words(Generate(algorithm, "u8[3,4]", {7, 8}).Sub({1}));
    const std::vector<uint64_t> half =
        Words(Generate(algorithm, "u16[3,4]", {7, 8}).Sub({1}));
    for (size_t i = 0; i < wide.size(); ++i) {
      EXPECT_EQ(narrow[i], wide[i] & 0xFF);
      EXPECT_EQ(half[i], wide[i] & 0xFFFF);
    }
  }
}

TEST(RngBitGenerator, ThreeFryInterleavesBlocksAlongTheEvenDimension) {
  // [3,4]: dimension 1 is halved, so the block of (i, j) is 2 i + j.
  const std::vector<uint64_t> got =
      Words(Generate("three_fry", "u32[3,4]", {11, 20}).Sub({1}));
  for (uint64_t i = 0; i < 3; ++i) {
    for (uint64_t j = 0; j < 2; ++j) {
      const auto words = ThreeFry(11, 20 + 2 * i + j);
      EXPECT_EQ(got[4 * i + 2 * j], words[0]);
      EXPECT_EQ(got[4 * i + 2 * j + 1], words[1]);
    }
  }
  // All odd: the largest is halved, and its last half block is cut.
  const Literal odd = Generate("three_fry", "u32[3,5]", {11, 20});
  EXPECT_EQ(Words(odd.Sub({1}))[4], ThreeFry(11, 22)[0]);
  EXPECT_EQ(Words(odd.Sub({1}))[5], ThreeFry(11, 23)[0]);
  EXPECT_THAT(Words(odd.Sub({0})), ElementsAre(11, 29));
  EXPECT_THAT(Words(Generate("three_fry", "u32[]", {11, 20}).Sub({0})),
              ElementsAre(11, 21));
}

std::string RngText(const char* type, int64_t count, const char* distribution,
                    const char* a, const char* b) {
  return absl::StrCat("ENTRY e { a = ", type, "[] constant(", a, ")\n b = ",
                      type, "[] constant(", b, ")\n ROOT r = ", type, "[",
                      count, "] rng(a, b), distribution=rng_", distribution,
                      " }");
}

TEST(Rng, UniformNumbersStayInTheHalfOpenRange) {
  for (const char* type : {"f64", "f32", "bf16", "f16", "f8e5m2"}) {
    const std::vector<double> values =
        Values(RunText(RngText(type, 4000, "uniform", "-1", "3")));
    double sum = 0;
    for (double x : values) {
      EXPECT_GE(x, -1);
      EXPECT_LT(x, 3);
      sum += x;
    }
    // Numbers of so few bits are the lower ends of four equal parts.
    const double mean = absl::string_view(type) == "f8e5m2" ? 0.5 : 1;
    EXPECT_NEAR(sum / values.size(), mean, 0.15) << type;
  }
  for (const char* type : {"s32", "u8", "s64"}) {
    std::vector<int> seen(7, 0);
    for (double x : Values(RunText(RngText(type, 700, "uniform", "2", "7")))) {
      ASSERT_GE(x, 2);
      ASSERT_LT(x, 7);
      ++seen[static_cast<int>(x)];
    }
    for (int i = 2; i < 7; ++i) EXPECT_GT(seen[i], 80) << type;
  }
}

TEST(Rng, NormalNumbersHaveTheirMoments) {
  const std::vector<double> values =
      Values(RunText(RngText("f32", 20000, "normal", "2", "3")));
  double mean = 0, square = 0;
  for (double x : values) mean += x / values.size();
  for (double x : values) square += (x - mean) * (x - mean) / values.size();
  EXPECT_NEAR(mean, 2, 0.1);
  EXPECT_NEAR(std::sqrt(square), 3, 0.1);
}

TEST(Rng, TheSeedDecides) {
  const std::string text = RngText("f32", 10, "uniform", "0", "1");
  ExecuteOptions other;
  other.seed = 43;
  EXPECT_EQ(RunText(text), RunText(text));
  EXPECT_NE(RunText(text), RunText(text, {}, other));
}

TEST(Rng, StateMovesOnByDelta) {
  const Literal got = RunText(
      "ENTRY e { x = u64[2] rng-get-and-update-state(), delta=5\n"
      "y = u64[2] rng-get-and-update-state(), delta=1, "
      "control-predecessors={x}\n"
      "ROOT r = (u64[2], u64[2]) tuple(x, y) }");
  EXPECT_THAT(Words(got.Sub({0})), ElementsAre(0x7012395, 0));
  EXPECT_THAT(Words(got.Sub({1})), ElementsAre(0x7012395 + 5, 0));
}

}  // namespace
}  // namespace hlokit::interpreter
