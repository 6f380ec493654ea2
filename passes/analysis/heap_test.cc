#include "passes/analysis/heap.h"

#include <random>

#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(HeapTest, BuffersThatAreNeverAliveTogetherShareMemory) {
  std::vector<HeapBuffer> buffers = {
      {100, {0, 2}}, {100, {3, 5}}, {64, {2, 3}}, {0, {0, 5}}};
  EXPECT_EQ(PackBuffers(&buffers, 64), 192);
  EXPECT_EQ(buffers[0].offset, 0);
  EXPECT_EQ(buffers[1].offset, 0);
  EXPECT_EQ(buffers[2].offset, 128);
  EXPECT_EQ(PeakBytes(buffers), 164);
}

TEST(HeapTest, TakesTheSmallestGapThatFits) {
  // While the last one is alive, the second (256 bytes) and the fourth (128)
  // leave gaps between the others.
  std::vector<HeapBuffer> buffers = {{512, {0, 9}}, {256, {0, 3}},
                                     {192, {2, 9}}, {128, {0, 3}},
                                     {120, {2, 9}}, {64, {5, 6}}};
  PackBuffers(&buffers, 64);
  for (size_t a = 0; a < buffers.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const bool apart =
          !buffers[a].range.Overlaps(buffers[b].range) ||
          buffers[a].offset + buffers[a].size <= buffers[b].offset ||
          buffers[b].offset + buffers[b].size <= buffers[a].offset;
      EXPECT_TRUE(apart) << a << " " << b;
    }
  }
  EXPECT_EQ(buffers[5].offset, buffers[3].offset);
}

TEST(HeapTest, RandomBuffersNeverOverlapAndAlmostReachThePeak) {
  std::minstd_rand engine(7);
  double used = 0, least = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<HeapBuffer> buffers(200);
    for (HeapBuffer& b : buffers) {
      b.size = 64 * (1 + engine() % 50);
      b.range.start = engine() % 300;
      b.range.end = b.range.start + engine() % 20;
    }
    const int64_t total = PackBuffers(&buffers, 64);
    for (size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(buffers[a].offset % 64, 0);
      EXPECT_LE(buffers[a].offset + buffers[a].size, total);
      for (size_t b = 0; b < a; ++b) {
        const HeapBuffer &x = buffers[a], &y = buffers[b];
        EXPECT_TRUE(!x.range.Overlaps(y.range) ||
                    x.offset + x.size <= y.offset ||
                    y.offset + y.size <= x.offset);
      }
    }
    used += total;
    least += PeakBytes(buffers);
  }
  EXPECT_LE(used / least, 1.15);
}

}  // namespace
}  // namespace hlokit
