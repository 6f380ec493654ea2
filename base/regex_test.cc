#include "base/regex.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string Nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += "(a|";
  return text + "b" + std::string(depth, ')');
}

std::string FaultOf(absl::string_view expression) {
  return std::string(CompileRegex(expression).status().message());
}

TEST(RegexTest, CompilesWhatPeopleWrite) {
  auto regex = CompileRegex("fusion.*|^all-reduce$");
  ASSERT_TRUE(regex.ok());
  EXPECT_TRUE(RE2::PartialMatch("all-reduce", **regex));
  std::string names = "a";
  for (int i = 0; i < 600; ++i) absl::StrAppend(&names, "|pass-name-", i);
  EXPECT_TRUE(CompileRegex(names).ok());
}

TEST(RegexTest, RefusesExpressionsThatAreTooLargeToMatchInTime) {
  EXPECT_THAT(FaultOf(Nested(10'000)), HasSubstr("too long"));
  EXPECT_THAT(FaultOf(Nested(3'900)), HasSubstr("too complex"));
  EXPECT_THAT(FaultOf("((a.{900}){900}b?){900}"), HasSubstr("repe"));
  EXPECT_TRUE(CompileRegex(Nested(1'000)).ok());
}

TEST(RegexTest, KeepsMessagesShort) {
  EXPECT_LT(FaultOf(std::string(9'000, '(')).size(), 200u);
  EXPECT_EQ(Shortened("abcdefgh", 4), "ab...gh");
  EXPECT_EQ(Shortened("abcd", 4), "abcd");
}

}  // namespace
}  // namespace hlokit
