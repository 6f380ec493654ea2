#include "base/thread_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using Pieces = std::set<std::pair<int64_t, int64_t>>;

Pieces PiecesOf(ThreadPool* pool, int64_t n, int64_t grain) {
  std::mutex mutex;
  Pieces pieces;
  pool->ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(pieces.emplace(begin, end).second);
  });
  return pieces;
}

TEST(ThreadPoolTest, PiecesDependOnSizeAndGrainOnly) {
  ThreadPool one(1);
  ThreadPool four(4);
  for (ThreadPool* pool : {&one, &four}) {
    EXPECT_EQ(PiecesOf(pool, 10, 4), (Pieces{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(PiecesOf(pool, 3, 1), (Pieces{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(PiecesOf(pool, 3, 0), (Pieces{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(PiecesOf(pool, 3, 100), (Pieces{{0, 3}}));
    EXPECT_EQ(PiecesOf(pool, 0, 1), Pieces());
    EXPECT_EQ(PiecesOf(pool, -5, 1), Pieces());
  }
}

TEST(ThreadPoolTest, LargestSizesDoNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ThreadPool pool(3);
  EXPECT_EQ(PiecesOf(&pool, kMax, kMax - 1),
            (Pieces{{0, kMax - 1}, {kMax - 1, kMax}}));
  EXPECT_EQ(PiecesOf(&pool, kMax, kMax), (Pieces{{0, kMax}}));
}

TEST(ThreadPoolTest, EveryIndexIsVisitedOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> visits(10007);
  for (int round = 0; round < 50; ++round) {
    pool.ParallelFor(visits.size(), 13, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++visits[i];
    });
  }
  for (const auto& count : visits) EXPECT_EQ(count, 50);
}

TEST(ThreadPoolTest, ThreadsWorkAtTheSameTime) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.parallelism(), 3);
  // Each piece waits for the others: this ends only when all three run.
  std::atomic<int> arrived{0};
  pool.ParallelFor(3, 1, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPoolTest, PiecesRoundAsTheirCallerDoes) {
  ThreadPool pool(4);
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  std::atomic<int> others{0};
  pool.ParallelFor(200, 1, [&](int64_t, int64_t) {
    if (std::fegetround() != FE_UPWARD) ++others;
    absl::SleepFor(absl::Microseconds(50));
  });
  std::fesetround(before);
  EXPECT_EQ(others, 0);
  pool.ParallelFor(200, 1, [&](int64_t, int64_t) {
    if (std::fegetround() != before) ++others;
    absl::SleepFor(absl::Microseconds(50));
  });
  EXPECT_EQ(others, 0);
}

TEST(ThreadPoolTest, ExceptionsReachTheCallerAfterAllPieces) {
  ThreadPool pool(4);
  std::atomic<int> calls = 0;
  EXPECT_THROW(pool.ParallelFor(100, 1,
                                [&](int64_t begin, int64_t) {
                                  ++calls;
                                  if (begin % 10 == 3) {
                                    throw std::runtime_error("piece");
                                  }
                                }),
               std::runtime_error);
  EXPECT_EQ(calls, 100);
  pool.ParallelFor(100, 1, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 200);
}

// Exits with 0 if a pool works whose threads cannot start: their stacks do not
// fit into the address space.
[[noreturn]] void WorkWithoutThreads() {
  rlimit limit = {size_t{1} << 20, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &limit);
  std::atomic<int> calls = 0;
  {
    ThreadPool pool(4);
    limit.rlim_cur = RLIM_INFINITY;
    ::setrlimit(RLIMIT_AS, &limit);
    if (pool.parallelism() != 1) ::_exit(2);
    pool.ParallelFor(10, 1, [&](int64_t, int64_t) { ++calls; });
    pool.Schedule([&] { ++calls; });
  }
  ::_exit(calls == 11 ? 0 : 1);
}

TEST(ThreadPoolDeathTest, WorksWithTheThreadsThatCanBeStarted) {
  EXPECT_EXIT(WorkWithoutThreads(), ::testing::ExitedWithCode(0), "");
}

TEST(ThreadPoolTest, LoopsMayBeNested) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(20, 1, [&](int64_t i, int64_t) {
    pool.ParallelFor(20, 1, [&](int64_t j, int64_t) {
      pool.ParallelFor(5, 2, [&](int64_t begin, int64_t end) {
        sum += (end - begin) * (i + j);
      });
    });
  });
  EXPECT_EQ(sum, 5 * 2 * 20 * 190);
}

TEST(ThreadPoolTest, SeveralThreadsMayLoopOnOnePool) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        pool.ParallelFor(16, 1, [&](int64_t, int64_t) { ++sum; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 4 * 200 * 16);
}

TEST(ThreadPoolTest, ScheduledJobsAreDoneBeforeThePoolGoes) {
  for (int parallelism : {1, 4}) {
    std::atomic<int> done{0};
    {
      ThreadPool pool(parallelism);
      for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++done; });
    }
    EXPECT_EQ(done, 100);
  }
}

TEST(ThreadPoolTest, OneIsDoneByTheCallerInOrder) {
  ThreadPool pool(1);
  std::vector<int64_t> begins;
  const std::thread::id caller = std::this_thread::get_id();
  pool.ParallelFor(6, 2, [&](int64_t begin, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    begins.push_back(begin);
  });
  EXPECT_THAT(begins, ::testing::ElementsAre(0, 2, 4));
}

TEST(ThreadPoolTest, ThereIsAProcessorAndADefaultPool) {
  EXPECT_GE(ThreadPool::AvailableProcessors(), 1);
  EXPECT_EQ(ThreadPool::Default()->parallelism(),
            ThreadPool::AvailableProcessors());
  EXPECT_EQ(ThreadPool::Default(), ThreadPool::Default());
}

}  // namespace
}  // namespace hlokit
