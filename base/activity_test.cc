#include "base/activity.h"

#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(ActivityTest, DescribesTheInnermostFirst) {
  EXPECT_EQ(Activity::Describe(), "");
  {
    const Activity reading("reading", "a.hlo");
    Activity pass("running pass", "dce");
    EXPECT_EQ(Activity::Describe(), "running pass dce, reading a.hlo");
    pass.set_object("cse");
    EXPECT_EQ(Activity::Describe(), "running pass cse, reading a.hlo");
  }
  EXPECT_EQ(Activity::Describe(), "");
}

TEST(ActivityTest, LongNamesAreCutAtTheBuffer) {
  const std::string name(1000, 'n');
  const Activity reading("reading", name);
  char buffer[12];
  Activity::Describe(buffer, sizeof(buffer));
  EXPECT_STREQ(buffer, "reading nnn");
}

TEST(ActivityTest, ThreadsHaveTheirOwnAndCanBorrow) {
  const Activity reading("reading", "a.hlo");
  const Activity* lent = Activity::Innermost();
  std::string own, borrowed, after;
  std::thread([&] {
    own = Activity::Describe();
    {
      const Activity::Lent scope(lent);
      const Activity inner("decoding", "part 1");
      borrowed = Activity::Describe();
    }
    after = Activity::Describe();
  }).join();
  EXPECT_EQ(own, "");
  EXPECT_EQ(borrowed, "decoding part 1, reading a.hlo");
  EXPECT_EQ(after, "");
}

}  // namespace
}  // namespace hlokit
