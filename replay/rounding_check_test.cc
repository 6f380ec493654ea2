#include "replay/rounding_check.h"

#include "backends/backend.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

std::unique_ptr<Executable> Compiled(absl::string_view text) {
  auto module = ParseModule(text);
  HLOKIT_CHECK(module.ok());
  auto executable =
      (*BackendByName("interpreter"))->Compile(*std::move(module), {});
  HLOKIT_CHECK(executable.ok());
  return *std::move(executable);
}

// What of the difference between the interpreter's result for `argument` and
// `wrong` (the whole of it if it is longer) is a matter of rounding.
RoundingCheck CheckOf(absl::string_view text, Literal argument,
                      const std::function<void(Literal*)>& spoil) {
  const auto executable = Compiled(text);
  const std::vector<Literal> arguments = {std::move(argument)};
  const auto right = executable->Execute(arguments, {});
  HLOKIT_CHECK(right.ok());
  Literal wrong = right->value;
  spoil(&wrong);
  const auto check = CheckRounding(executable.get(), arguments, {},
                                   right->value, wrong, {1e-3, 1e-3}, 8);
  HLOKIT_CHECK(check.ok());
  return *check;
}

constexpr absl::string_view kSquare = R"(
ENTRY e {
  x = f32[3] parameter(0)
  ROOT m = f32[3] multiply(x, x)
})";

// The logarithm of an exponential is where it came from, but for roundings.
constexpr absl::string_view kQuotientOfNoise = R"(
ENTRY e {
  x = f32[3] parameter(0)
  e = f32[3] exponential(x)
  l = f32[3] log(e)
  noise = f32[3] subtract(l, x)
  q = f32[3] divide(x, noise)
  twice = f32[3] add(x, x)
  ROOT t = (f32[3], f32[3]) tuple(q, twice)
})";

TEST(RoundingCheckTest, AWrongResultIsNoMatterOfRounding) {
  const RoundingCheck check =
      CheckOf(kSquare, Literal::Array<float>({3}, {0.1f, 0.3f, 0.7f}),
              [](Literal* r) { r->mutable_data<float>()[1] = 5; });
  EXPECT_EQ(check.mismatches, 1);
  EXPECT_EQ(check.unstable, 0);
  EXPECT_EQ(check.in_unstable_arrays, 0);
  EXPECT_FALSE(check.ExplainsAll());
}

TEST(RoundingCheckTest, AQuotientOfRoundingErrorsIs) {
  const RoundingCheck check = CheckOf(
      kQuotientOfNoise, Literal::Array<float>({3}, {0.11f, 0.37f, 0.71f}),
      [](Literal* r) {
        for (float& x : r->mutable_elements()[0].mutable_data<float>()) {
          x = -x + 1;
        }
      });
  EXPECT_EQ(check.mismatches, 3);
  EXPECT_GE(check.unstable, 1);
  EXPECT_EQ(check.in_unstable_arrays, 3);
  EXPECT_TRUE(check.ExplainsAll());
}

TEST(RoundingCheckTest, SoundArraysOfTheSameResultAreJudgedApart) {
  const RoundingCheck check = CheckOf(
      kQuotientOfNoise, Literal::Array<float>({3}, {0.11f, 0.37f, 0.71f}),
      [](Literal* r) {
        for (Literal& array : r->mutable_elements()) {
          for (float& x : array.mutable_data<float>()) x = -x + 1;
        }
      });
  EXPECT_EQ(check.mismatches, 6);
  EXPECT_EQ(check.in_unstable_arrays, 3);
  EXPECT_FALSE(check.ExplainsAll());
}

TEST(RoundingCheckTest, OperationsThatRoundByDefinitionDoNotChange) {
  constexpr absl::string_view kRounds = R"(
ENTRY e {
  x = f32[4] parameter(0)
  r = f32[4] round-nearest-even(x)
  a = f32[4] round-nearest-afz(x)
  i = s32[4] convert(x)
  ROOT t = (f32[4], f32[4], s32[4]) tuple(r, a, i)
})";
  const RoundingCheck check = CheckOf(
      kRounds, Literal::Array<float>({4}, {0.5f, 1.5f, -2.5f, 2.7f}),
      [](Literal* r) {
        for (int k : {0, 1}) {
          for (float& x : r->mutable_elements()[k].mutable_data<float>()) {
            x += 1;
          }
        }
        for (int& x : r->mutable_elements()[2].mutable_data<int>()) ++x;
      });
  EXPECT_EQ(check.mismatches, 12);
  EXPECT_EQ(check.unstable, 0);
}

TEST(RoundingCheckTest, TheModeOfBeforeComesBack) {
  const auto executable = Compiled(kSquare);
  const std::vector<Literal> arguments = {
      Literal::Array<float>({3}, {0.1f, 0.3f, 0.7f})};
  const auto before = executable->Execute(arguments, {});
  ExecuteOptions other;
  other.rounding_seed = 1;
  ASSERT_TRUE(executable->Execute(arguments, other).ok());
  const auto after = executable->Execute(arguments, {});
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(before->value.ToString(), after->value.ToString());
  volatile float third = 1;
  third = third / 3;
  EXPECT_EQ(third, 0.333333343f);
}

}  // namespace
}  // namespace hlokit
