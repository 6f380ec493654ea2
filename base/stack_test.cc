#include "base/stack.h"

#include <stdexcept>
#include <thread>

#include "gtest/gtest.h"

namespace hlokit {
namespace {

// Recurses until little of the stack is left and returns the depth.
int DepthUntilLow(volatile char* caller) {
  volatile char frame[4096];
  frame[0] = *caller;
  if (StackIsLow()) return 0;
  return 1 + DepthUntilLow(frame);
}

TEST(StackTest, RecursionStopsBeforeTheEnd) {
  volatile char frame = 0;
  EXPECT_GT(DepthUntilLow(&frame), 10);
  std::thread([&] { EXPECT_GT(DepthUntilLow(&frame), 10); }).join();
}

TEST(StackTest, ALargeStackIsDeeper) {
  volatile char frame = 0;
  int depth = 0;
  RunOnLargeStack([&] { depth = DepthUntilLow(&frame); });
  EXPECT_GT(depth, static_cast<int>(kLargeStack / 4096 / 4));
}

TEST(StackTest, ImpossibleSizesFallBack) {
  size_t left = 0;
  RunOnLargeStack([&] { left = StackLeft(); }, size_t{1} << 60);
  EXPECT_GT(left, kStackReserve);
}

TEST(StackTest, ExceptionsReachTheCaller) {
  EXPECT_THROW(RunOnLargeStack([] { throw std::runtime_error("x"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace hlokit
