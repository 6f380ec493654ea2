#include "passes/analysis/heap.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

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

// Placed one by one, each into the smallest gap of its time: many buffers alive
// at once are found another way than few.
int64_t PackSlowly(std::vector<HeapBuffer>* buffers) {
  std::vector<HeapBuffer*> order;
  for (HeapBuffer& b : *buffers) order.push_back(&b);
  std::stable_sort(order.begin(), order.end(), [](auto* x, auto* y) {
    return std::pair(y->size, y->range.end - y->range.start) <
           std::pair(x->size, x->range.end - x->range.start);
  });
  int64_t total = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t o = 0; o < k; ++o) {
      if (!order[o]->range.Overlaps(order[k]->range)) continue;
      taken.emplace_back(order[o]->offset, order[o]->offset + order[o]->size);
    }
    taken.emplace_back(int64_t{1} << 40, int64_t{1} << 40);
    std::sort(taken.begin(), taken.end());
    int64_t at = 0, best_gap = INT64_MAX;
    for (const auto& [begin, end] : taken) {
      if (begin - at >= order[k]->size && begin - at < best_gap) {
        best_gap = begin - at;
        order[k]->offset = at;
      }
      at = std::max(at, end);
    }
    total = std::max(total, order[k]->offset + order[k]->size);
  }
  return total;
}

TEST(HeapTest, PlacesAreThoseOfTheSimpleWay) {
  std::minstd_rand engine(11);
  for (const int longest : {3, 30, 300}) {
    std::vector<HeapBuffer> buffers(600);
    for (HeapBuffer& b : buffers) {
      b.size = 64 * (1 + engine() % 50);
      b.range.start = engine() % 300;
      b.range.end = b.range.start + engine() % longest;
    }
    std::vector<HeapBuffer> slowly = buffers;
    EXPECT_EQ(PackBuffers(&buffers, 64), PackSlowly(&slowly));
    for (size_t k = 0; k < buffers.size(); ++k) {
      ASSERT_EQ(buffers[k].offset, slowly[k].offset) << longest << " " << k;
    }
  }
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
