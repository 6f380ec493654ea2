#include "passes/expand/rng_bit_generator_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Module(absl::string_view type, absl::string_view sizes, int words,
                   absl::string_view algorithm) {
  const std::string state = absl::StrCat("u64[", words, "]");
  return absl::StrCat(
      "ENTRY e {\n c = ", state, " constant({81985529216486895, ",
      words == 3 ? "18446744073709551615, 7" : "18446744073709551613",
      "})\n p = ", state, " parameter(0)\n s = ", state,
      " add(p, c)\n ROOT r = (", state, ", ", type, sizes,
      ") rng-bit-generator(s), algorithm=", algorithm, "\n}");
}

TEST(RngBitGeneratorExpanderTest, GivesTheSameBits) {
  for (const char* algorithm : {"rng_three_fry", "rng_philox"}) {
    for (const char* type : {"u8", "s16", "u32", "s32", "u64", "s64", "u4"}) {
      for (const char* sizes : {"[]", "[1]", "[5]", "[0]", "[3,4]", "[3,5]",
                                "[5,3]", "[2,3,4]", "[7,7]", "[3,0]"}) {
        for (const int words : {2, 3}) {
          SCOPED_TRACE(absl::StrCat(algorithm, " ", type, sizes, " ", words));
          auto module = TransformedBy<RngBitGeneratorExpander>(
              Module(type, sizes, words, algorithm));
          EXPECT_EQ(CountOf(*module, Opcode::kRngBitGenerator), 0);
        }
      }
    }
  }
}

// The numbers were drawn from an independent implementation.
TEST(RngBitGeneratorExpanderTest, GivesTheNumbersOfThePublishedFunctions) {
  auto module = ParseOrDie(R"(
ENTRY e {
  s = u64[2] constant({1, 2})
  t = u64[3] constant({1, 2, 3})
  a = (u64[2], u32[5]) rng-bit-generator(s), algorithm=rng_three_fry
  b = (u64[3], u32[5]) rng-bit-generator(t), algorithm=rng_philox
  ROOT r = ((u64[2], u32[5]), (u64[3], u32[5])) tuple(a, b)
})");
  RngBitGeneratorExpander pass;
  RunPass(&pass, module.get(), true);
  const auto value = ExecuteModule(*module, {});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_THAT(value->Sub({0, 0}).data<uint64_t>(), testing::ElementsAre(1, 5));
  EXPECT_THAT(value->Sub({0, 1}).data<uint32_t>(),
              testing::ElementsAre(43444564u, 2150618427u, 3979645651u,
                                   3745730563u, 1672743891u));
  EXPECT_THAT(value->Sub({1, 0}).data<uint64_t>(),
              testing::ElementsAre(1, 4, 3));
  EXPECT_THAT(value->Sub({1, 1}).data<uint32_t>(),
              testing::ElementsAre(4031113034u, 1366700262u, 495645701u,
                                   3051723414u, 89414891u));
}

TEST(RngBitGeneratorExpanderTest, TheDefaultIsPhiloxOrAChoice) {
  const std::string text = Module("u32", "[4]", 3, "rng_default");
  TransformedBy<RngBitGeneratorExpander>(text);
  auto module = ParseOrDie(text);
  RngBitGeneratorExpander threefry(RandomAlgorithm::kThreeFry);
  RunPass(&threefry, module.get(), true);
  ExpectSameValues(Module("u32", "[4]", 3, "rng_three_fry"), *module);
}

TEST(RngBitGeneratorExpanderTest, LeavesOtherOperationsAlone) {
  ExpectUnchangedBy<RngBitGeneratorExpander>(R"(
ENTRY e {
  ROOT r = u64[2] rng-get-and-update-state(), delta=1
})");
}

}  // namespace
}  // namespace hlokit
