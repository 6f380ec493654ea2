#include "base/suggest.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The whole table, by the recurrence itself.
int SlowDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> d(a.size() + 1,
                                  std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<int>(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(EditDistanceTest, CountsSlips) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("add", "add"), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("ad", "add"), 1);
  EXPECT_EQ(EditDistance("adf", "add"), 1);
  EXPECT_EQ(EditDistance("mulitply", "multiply"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(EditDistanceTest, AgreesWithTheWholeTableForEveryLimit) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == 4) break;
    for (char c : {'a', 'b', 'c'}) words.push_back(words[i] + c);
  }
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const int distance = SlowDistance(a, b);
      EXPECT_EQ(EditDistance(a, b), distance) << a << " " << b;
      for (int limit = 0; limit < 4; ++limit) {
        EXPECT_EQ(EditDistance(a, b, limit), std::min(distance, limit + 1))
            << a << " " << b << " " << limit;
      }
    }
  }
}

TEST(EditDistanceTest, AgreesWithTheWholeTableOnLongWords) {
  std::mt19937 random(7);
  auto word = [&](size_t size) {
    std::string w(size, 'a');
    for (char& c : w) c = "abcd"[random() % 4];
    return w;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string a = word(random() % 129);
    std::string b = word(random() % 200);
    if (i % 2 == 0) {  // near to the first
      b = a;
      for (int k = 0; k + 1 < static_cast<int>(b.size()) && k < 5; ++k) {
        std::swap(b[random() % b.size()], b[random() % b.size()]);
      }
    }
    EXPECT_EQ(EditDistance(a, b), SlowDistance(a, b)) << a << " " << b;
    EXPECT_EQ(EditDistance(b, a), SlowDistance(a, b)) << a << " " << b;
  }
}

TEST(SuggestTest, FindsWhatWasMeant) {
  const std::vector<std::string> opcodes = {
      "add",      "and",    "multiply", "subtract", "reduce",
      "reshape",  "reverse", "dot",     "dynamic-slice",
      "dynamic-update-slice", "convert", "copy"};
  EXPECT_THAT(NearestNames("ad", opcodes), ElementsAre("add", "and"));
  EXPECT_THAT(NearestNames("mulitply", opcodes), ElementsAre("multiply"));
  EXPECT_THAT(NearestNames("Reshpae", opcodes), ElementsAre("reshape"));
  EXPECT_THAT(NearestNames("dynamic_slice", opcodes),
              ElementsAre("dynamic-slice"));
  EXPECT_THAT(NearestNames("DOT", opcodes), ElementsAre("dot"));
  EXPECT_THAT(NearestNames("sub", opcodes), ElementsAre("subtract"));
}

TEST(SuggestTest, StaysSilentWhenNothingIsNear) {
  const std::vector<absl::string_view> names = {"add", "x", "multiply"};
  EXPECT_THAT(NearestNames("convolution", names), IsEmpty());
  EXPECT_THAT(NearestNames("y", names), IsEmpty());
  EXPECT_THAT(NearestNames("", names), IsEmpty());
  EXPECT_THAT(NearestNames(std::string(100000, 'a'), names), IsEmpty());
  EXPECT_EQ(DidYouMean("convolution", names), "");
}

TEST(SuggestTest, GivesTheBestFirstAndNoMoreThanAskedFor) {
  const std::vector<std::string> names = {"param.13", "param.1", "param.12",
                                          "param.2", "param.12"};
  EXPECT_THAT(NearestNames("param.122", names, 2),
              ElementsAre("param.12", "param.13"));
  EXPECT_THAT(NearestNames("param.122", names, 1), ElementsAre("param.12"));
}

TEST(SuggestTest, DoesNotOfferTheWordItself) {
  EXPECT_THAT(NearestNames("add", std::vector<std::string>{"add"}), IsEmpty());
}

TEST(SuggestTest, AsksAQuestion) {
  EXPECT_EQ(DidYouMean("ad", std::vector<std::string>{"add", "dot"}),
            "; did you mean 'add'?");
  EXPECT_EQ(DidYouMean("add.12", std::vector<std::string>{"add.1", "add.2"}),
            "; did you mean 'add.1' or 'add.2'?");
}

TEST(SuggestTest, ManyCandidatesAreNoProblem) {
  std::vector<std::string> names;
  for (int i = 0; i < 100000; ++i) names.push_back(absl::StrCat("fusion.", i));
  EXPECT_EQ(NearestNames("fusoin.77777", names).front(), "fusion.77777");
}

}  // namespace
}  // namespace hlokit
