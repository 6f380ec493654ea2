#include "hlo_opt/file_check_numbers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

int64_t ValueOf(absl::string_view expression) {
  const NumericVariables variables = {{"n", {7, {}}}, {"h", {255, {'x'}}}};
  const auto block = ParseNumericBlock(expression, variables, 12);
  EXPECT_TRUE(block.ok()) << block.status();
  return block.ok() && block->value.has_value() ? *block->value : -999;
}

std::string FaultOf(absl::string_view expression) {
  return std::string(
      ParseNumericBlock(expression, {}, 12).status().message());
}

TEST(FileCheckNumbersTest, ExpressionsAreComputed) {
  EXPECT_EQ(ValueOf("n+1"), 8);
  EXPECT_EQ(ValueOf(" n - 3 + 2 "), 6);
  EXPECT_EQ(ValueOf("@LINE-2"), 10);
  EXPECT_EQ(ValueOf("10-(n-1)"), 4);
  EXPECT_EQ(ValueOf("mul(n, add(1, 2))"), 21);
  EXPECT_EQ(ValueOf("min(n,max(2,div(9,2)))"), 4);
  EXPECT_EQ(ValueOf("0x10"), 16);
  EXPECT_EQ(ValueOf("== n"), 7);
  EXPECT_EQ(ValueOf("sub(-3, 4)"), -7);
}

TEST(FileCheckNumbersTest, BlocksHaveFormsAndNames) {
  auto block = ParseNumericBlock("%#.4X, addr:", {}, 1);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->name, "addr");
  EXPECT_EQ(block->form, (NumberForm{'X', 4, true}));
  EXPECT_FALSE(block->value.has_value());
  // A variable's form goes on.
  const NumericVariables variables = {{"h", {255, {'x'}}}};
  block = ParseNumericBlock("g: h+1", variables, 1);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->name, "g");
  EXPECT_EQ(FormatNumber(*block->value, block->form), "100");
}

TEST(FileCheckNumbersTest, SaysWhatIsWrong) {
  EXPECT_THAT(FaultOf("m"), HasSubstr("m is not defined"));
  EXPECT_THAT(FaultOf("1+"), HasSubstr("a number or variable"));
  EXPECT_THAT(FaultOf("1 2"), HasSubstr("'2' is no numeric expression"));
  EXPECT_THAT(FaultOf("pow(1, 2)"), HasSubstr("no function is called pow"));
  EXPECT_THAT(FaultOf("div(1, 0)"), HasSubstr("has no value"));
  EXPECT_THAT(FaultOf("9223372036854775807+1"), HasSubstr("has no value"));
  EXPECT_THAT(FaultOf("%q,n:"), HasSubstr("%u, %d, %x and %X"));
  EXPECT_THAT(FaultOf(std::string(5000, '(')), HasSubstr("too deep"));
}

TEST(FileCheckNumbersTest, NumbersAreWrittenAndReadInTheirForm) {
  EXPECT_EQ(FormatNumber(-5, {'d'}), "-5");
  EXPECT_EQ(FormatNumber(171, {'x', 4, true}), "0x00ab");
  EXPECT_EQ(ReadNumber("0x00ab", {'x', 4, true}).value(), 171);
  EXPECT_EQ(ReadNumber("-5", {'d'}).value(), -5);
  EXPECT_FALSE(ReadNumber("99999999999999999999", {}).ok());
  EXPECT_EQ(NumberPattern({'u'}), "[0-9]+");
}

}  // namespace
}  // namespace hlokit
