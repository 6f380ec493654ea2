#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/synchronization/notification.h"
#include "base/activity.h"

namespace hlokit {
namespace {

// One ParallelFor. A thread that comes after the last piece was taken touches
// nothing but `next`, so the loop's caller need not wait for it.
struct Loop {
  Loop(int64_t n, int64_t grain, int64_t pieces,
       absl::FunctionRef<void(int64_t, int64_t)> fn)
      : n(n), grain(grain), pieces(pieces), fn(fn) {
    std::fegetenv(&environment);
  }

  // On another thread than the caller's: with its way of rounding and of taking
  // denormals, so that results do not depend on the thread.
  void Help() {
    if (next.load(std::memory_order_relaxed) >= pieces) return;
    std::fenv_t own;
    std::fegetenv(&own);
    std::fesetenv(&environment);
    {
      const Activity::Lent lent(activity);
      Work();
    }
    std::fesetenv(&own);
  }

  void Work() {
    while (true) {
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      const int64_t begin = piece * grain;
      try {
        fn(begin, begin + std::min(grain, n - begin));
      } catch (...) {
        const absl::MutexLock lock(&mutex);
        exception = std::current_exception();
      }
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces) {
        all_done.Notify();
      }
    }
  }

  const int64_t n;
  const int64_t grain;
  const int64_t pieces;
  const absl::FunctionRef<void(int64_t, int64_t)> fn;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};
  std::fenv_t environment;
  const Activity* const activity = Activity::Innermost();
  absl::Mutex mutex;
  std::exception_ptr exception ABSL_GUARDED_BY(mutex);
  absl::Notification all_done;
};

}  // namespace

ThreadPool::ThreadPool(int parallelism) {
  for (int i = 1; i < parallelism; ++i) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      return;  // go on with those that there are
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Work() {
  while (true) {
    std::function<void()> job;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &ThreadPool::HasWork));
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

void ThreadPool::Schedule(std::function<void()> job) {
  if (threads_.empty()) {
    job();
    return;
  }
  absl::MutexLock lock(&mutex_);
  jobs_.push_back(std::move(job));
}

void ThreadPool::ParallelFor(int64_t n, int64_t grain,
                             absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (n <= 0) return;
  grain = std::clamp<int64_t>(grain, 1, n);
  const int64_t pieces = n / grain + (n % grain != 0 ? 1 : 0);
  if (pieces == 1 || threads_.empty()) {
    for (int64_t i = 0; i < pieces; ++i) {
      fn(i * grain, i * grain + std::min(grain, n - i * grain));
    }
    return;
  }
  const auto loop = std::make_shared<Loop>(n, grain, pieces, fn);
  const int64_t helpers =
      std::min<int64_t>(pieces - 1, static_cast<int64_t>(threads_.size()));
  {
    absl::MutexLock lock(&mutex_);
    for (int64_t i = 0; i < helpers; ++i) {
      jobs_.push_back([loop] { loop->Help(); });
    }
  }
  loop->Work();
  loop->all_done.WaitForNotification();
  const absl::MutexLock lock(&loop->mutex);
  if (loop->exception) std::rethrow_exception(loop->exception);
}

int ThreadPool::AvailableProcessors() {
  cpu_set_t processors;
  if (::sched_getaffinity(0, sizeof(processors), &processors) == 0) {
    return std::max(CPU_COUNT(&processors), 1);
  }
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

ThreadPool* ThreadPool::Default() {
  static ThreadPool* const pool = new ThreadPool;
  return pool;
}

}  // namespace hlokit
