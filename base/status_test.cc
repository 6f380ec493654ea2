#include "base/status.h"

#include <map>
#include <memory>
#include <string>

#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(StatusTest, MakersFormatAndCarryTheirCode) {
  const absl::Status status = InvalidArgument("%s has %d", "x", 3);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "x has 3");
  EXPECT_TRUE(absl::IsUnimplemented(Unimplemented("x")));
  EXPECT_TRUE(absl::IsNotFound(NotFound("x")));
  EXPECT_TRUE(absl::IsResourceExhausted(ResourceExhausted("x")));
  EXPECT_TRUE(absl::IsFailedPrecondition(FailedPrecondition("x")));
  EXPECT_TRUE(absl::IsInternal(Internal("x")));
}

TEST(StatusTest, AnnotateKeepsCodeAndPayloads) {
  absl::Status status = NotFound("nothing there");
  status.SetPayload("place", absl::Cord("12:7"));
  const absl::Status annotated = Annotate(status, "a.hlo");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(annotated.message(), "a.hlo: nothing there");
  ASSERT_TRUE(annotated.GetPayload("place").has_value());
  EXPECT_EQ(*annotated.GetPayload("place"), "12:7");
}

TEST(StatusTest, AnnotateLeavesOkAlone) {
  EXPECT_EQ(Annotate(absl::OkStatus(), "a.hlo"), absl::OkStatus());
}

absl::StatusOr<std::unique_ptr<int>> Positive(int value) {
  if (value <= 0) return InvalidArgument("%d is not positive", value);
  return std::make_unique<int>(value);
}

template <typename A, typename B>
absl::StatusOr<std::map<A, B>> Single(A key, B value) {
  return std::map<A, B>{{key, value}};
}

absl::StatusOr<int> Sum(int a, int b) {
  HLOKIT_RETURN_IF_ERROR(Positive(a));
  HLOKIT_ASSIGN_OR_RETURN(const std::unique_ptr<int> x, Positive(a));
  HLOKIT_ASSIGN_OR_RETURN(auto y, Positive(b));
  HLOKIT_ASSIGN_OR_RETURN(auto map, Single<int, int>(*x, *y));
  return map.begin()->first + map.begin()->second;
}

TEST(StatusTest, MacrosPassValuesAndErrorsOn) {
  ASSERT_TRUE(Sum(1, 2).ok());
  EXPECT_EQ(*Sum(1, 2), 3);
  EXPECT_EQ(Sum(-1, 2).status().message(), "-1 is not positive");
  EXPECT_EQ(Sum(1, 0).status().message(), "0 is not positive");
}

TEST(StatusTest, AFailedCheckThrowsItsPlaceAndCondition) {
  const int two = 2;
  try {
    HLOKIT_CHECK(two == 3);
    ADD_FAILURE() << "the check passed";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(),
                ::testing::ContainsRegex(
                    "status_test\\.cc:[0-9]+: check failed: two == 3"));
  }
  HLOKIT_CHECK(two == 2);
}

}  // namespace
}  // namespace hlokit
