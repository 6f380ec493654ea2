// Texts that XLA's parser takes although nothing can be done with them;
// hlo/print/README.md has the list.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& line, const std::string& header = "") {
  const auto module = ParseModule(absl::StrCat(
      "HloModule m", header, "\nadd {\n  a = f32[] parameter(0)\n",
      "  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n",
      "ENTRY e {\n  p = f32[8,8] parameter(0)\n",
      "  q = (f32[8,8], s32[]) parameter(1)\n  ROOT r = ", line, "\n}\n"));
  return module.ok() ? "" : std::string(module.status().message());
}

TEST(RefusedTextTest, NeighboursOfTheRefusedAreRead) {
  EXPECT_EQ(ErrorOf("f32[8,8]{0,1:S(1)} negate(p)", ", buffer_donor={ (0, {}) }"),
            "");
}

TEST(RefusedTextTest, LayoutsMustBePermutations) {
  EXPECT_THAT(ErrorOf("f32[8,8]{5,0} negate(p)"), HasSubstr("permutation"));
  EXPECT_THAT(ErrorOf("f32[8,8]{1,1} negate(p)"), HasSubstr("twice"));
  EXPECT_THAT(ErrorOf("f32[8,8]{-1,0} negate(p)"), HasSubstr("negative"));
  EXPECT_THAT(ErrorOf("f32[8,8]{1,0:S(1} negate(p)"), HasSubstr("')'"));
  EXPECT_THAT(ErrorOf("f32[8,8]{1,0:E(-1)} negate(p)"), HasSubstr("negative"));
}

TEST(RefusedTextTest, AliasesAndDonorsMustExist) {
  const std::string line = "f32[8,8] negate(p)";
  EXPECT_THAT(ErrorOf(line, ", buffer_donor={ (7, {}) }"), HasSubstr("no param"));
  EXPECT_THAT(ErrorOf(line, ", buffer_donor={ (0, {3}) }"), HasSubstr("no part"));
  EXPECT_THAT(ErrorOf(line, ", input_output_alias={ {}: (7, {}) }"),
              HasSubstr("no parameter"));
  EXPECT_THAT(ErrorOf(line, ", input_output_alias={ {}: (0, {5}) }"),
              HasSubstr("no part"));
}

TEST(RefusedTextTest, DevicesMustBeAsManyAsTiles) {
  for (const char* devices : {"[2,2]0,1,2,3,4", "[2,2]0,1,2", "[1,4]<=[2]",
                              "[-1,2]<=[4]"}) {
    EXPECT_NE(ErrorOf(absl::StrCat("f32[8,8] negate(p), sharding={devices=",
                                   devices, "}")),
              "")
        << devices;
  }
  EXPECT_THAT(ErrorOf("f32[8,8] all-reduce(p), replica_groups=[2,2]<=[8], "
                      "to_apply=add"),
              HasSubstr("multiply to 4"));
}

TEST(RefusedTextTest, OperandsMustBeThere) {
  EXPECT_THAT(ErrorOf("f32[8,8] add(p, ,p)"), HasSubstr("operand"));
  EXPECT_THAT(ErrorOf("f32[8,8] custom-call(tuple, p), custom_call_target=\"x\""),
              HasSubstr("'tuple'"));
  EXPECT_THAT(ErrorOf("f32[8,8] get-tuple-element(q), index=-1"),
              HasSubstr("negative"));
}

TEST(RefusedTextTest, AWindowIsReversedInEachDimensionOrNot) {
  for (const char* reversal : {"1", "0x2", "2x0"}) {
    EXPECT_THAT(
        ErrorOf(absl::StrCat("f32[1,6,6,1] convolution(p, p), window={size=3x3 "
                             "rhs_reversal=", reversal,
                             "}, dim_labels=b01f_01io->b01f")),
        HasSubstr("rhs_reversal"))
        << reversal;
  }
}

}  // namespace
}  // namespace hlokit
