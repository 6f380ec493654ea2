#include "base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "base/io.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(MemoryLimitTest, ThereIsSomeMemory) {
  EXPECT_GT(AvailableMemory(), int64_t{1} << 20);
  EXPECT_TRUE(CheckMemory(1000, "a small array").ok());
}

TEST(MemoryLimitTest, TooMuchIsAnErrorOfTheEnvironment) {
  const absl::Status status = CheckMemory(int64_t{1} << 50, "%p");
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith("%p needs 1.0 PiB of memory, but only "),
                    HasSubstr(" are available")));
  EXPECT_TRUE(IsOutOfMemory(status));
  EXPECT_EQ(ExitCodeFor(status), kEnvironment);
  EXPECT_EQ(ExitCodeFor(Annotate(status, "a.hlo")), kEnvironment);
  EXPECT_EQ(ExitCodeFor(ResourceExhausted("too deep")), kBadInput);
}

[[noreturn]] void AskUnderALimit() {
  constexpr int64_t kLimit = int64_t{8} << 30;
  const rlimit limit = {kLimit, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &limit);
  ::_exit(AvailableMemory() < kLimit ? 0 : 1);
}

TEST(MemoryLimitDeathTest, TheLimitOfAddressSpaceCounts) {
  EXPECT_EXIT(AskUnderALimit(), ::testing::ExitedWithCode(0), "");
}

TEST(MemoryLimitTest, SizesAreWrittenForPeople) {
  EXPECT_EQ(MemoryText(0), "0 bytes");
  EXPECT_EQ(MemoryText(1023), "1023 bytes");
  EXPECT_EQ(MemoryText(1536), "1.5 KiB");
  EXPECT_EQ(MemoryText(int64_t{14} << 30), "14.0 GiB");
}

}  // namespace
}  // namespace hlokit
