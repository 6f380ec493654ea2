// A fixed number of threads, and loops spread over them.
#ifndef HLOKIT_BASE_THREAD_POOL_H_
#define HLOKIT_BASE_THREAD_POOL_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace hlokit {

// All functions may be called from several threads, those of the pool included.
class ThreadPool {
 public:
  // `parallelism` threads work at the same time in ParallelFor, the caller
  // included: 1 makes no thread, and the caller does every job. Where the
  // system refuses more threads (ulimit -u), the pool works with fewer.
  explicit ThreadPool(int parallelism = AvailableProcessors());
  // Does all jobs that were scheduled, then ends the threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int parallelism() const { return static_cast<int>(threads_.size()) + 1; }

  // Runs `job` some time, on a thread of the pool (at once when it has none).
  void Schedule(std::function<void()> job);

  // Calls fn(begin, end) for the pieces [0, grain), [grain, 2 * grain), ... of
  // [0, n), in any order and on any thread, and returns when all are done. The
  // pieces depend on n and grain only, so results that depend on the pieces are
  // the same for every number of threads; they run in the floating-point mode
  // of the caller (rounding, denormals). May be nested. n <= 0 does nothing; a
  // grain below 1 counts as 1. When calls of fn throw, one of the exceptions
  // reaches the caller after all pieces have ended.
  void ParallelFor(int64_t n, int64_t grain,
                   absl::FunctionRef<void(int64_t begin, int64_t end)> fn);

  // The processors that this process may run on, 1 at least.
  static int AvailableProcessors();

  // A pool of AvailableProcessors() for all who need no own; made on first use,
  // never destroyed.
  static ThreadPool* Default();

 private:
  void Work();
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !jobs_.empty();
  }

  absl::Mutex mutex_;
  std::deque<std::function<void()>> jobs_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_THREAD_POOL_H_
