#include "base/stack.h"

#include <pthread.h>

#include <cstdint>
#include <exception>

namespace hlokit {
namespace {

// The lowest address of the thread's stack.
uintptr_t StackEnd() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(lowest);
}

struct Run {
  absl::FunctionRef<void()> body;
  std::exception_ptr exception;
};

void* RunBody(void* argument) {
  Run& run = *static_cast<Run*>(argument);
  try {
    run.body();
  } catch (...) {
    run.exception = std::current_exception();
  }
  return nullptr;
}

}  // namespace

size_t StackLeft() {
  static thread_local const uintptr_t end = StackEnd();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > end ? here - end : 0;
}

void RunOnLargeStack(absl::FunctionRef<void()> body, size_t bytes) {
  Run run{body, nullptr};
  for (; bytes > StackLeft(); bytes /= 2) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (::pthread_attr_init(&attributes) != 0) break;
    const bool started =
        ::pthread_attr_setstacksize(&attributes, bytes) == 0 &&
        ::pthread_create(&thread, &attributes, RunBody, &run) == 0;
    ::pthread_attr_destroy(&attributes);
    if (!started) continue;
    ::pthread_join(thread, nullptr);
    if (run.exception) std::rethrow_exception(run.exception);
    return;
  }
  body();
}

}  // namespace hlokit
