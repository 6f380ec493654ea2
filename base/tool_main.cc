#include "base/tool_main.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/activity.h"
#include "base/stack.h"
#include "base/status.h"

namespace hlokit {
namespace {

// None of these may allocate: they serve when memory has run out.
char tool_name[64] = "tool";
// What was done when memory ran out last, on any thread: the scopes have ended
// by the time that the exception is caught.
char activity_at_failure[512];
std::atomic_flag recording = ATOMIC_FLAG_INIT;

void WriteError(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(count);
  }
}

[[noreturn]] void OnAllocationFailure() {
  if (!recording.test_and_set(std::memory_order_acquire)) {
    Activity::Describe(activity_at_failure, sizeof(activity_at_failure));
    recording.clear(std::memory_order_release);
  }
  throw std::bad_alloc();
}

// Reports the exception that is being handled and returns the exit code.
int ReportException(const std::exception_ptr& exception,
                    absl::string_view activity) {
  WriteError(tool_name);
  int exit_code = kDifferent;
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    WriteError(": error: out of memory");
    exit_code = kEnvironment;
  } catch (const InternalError& error) {
    WriteError(": internal error: ");
    WriteError(error.what());
    activity = {};  // the message names it
  } catch (const std::exception& error) {
    WriteError(": internal error: ");
    WriteError(error.what());
  } catch (...) {
    WriteError(": internal error: unknown exception");
  }
  if (!activity.empty()) {
    WriteError(" while ");
    WriteError(activity);
  }
  WriteError(exit_code == kDifferent ? "; please report this\n" : "\n");
  return exit_code;
}

// Exceptions of other threads, and those that leave a noexcept function, come
// here: the activities are still there.
[[noreturn]] void OnTerminate() {
  char activity[512];
  Activity::Describe(activity, sizeof(activity));
  const std::exception_ptr exception = std::current_exception();
  if (exception) ::_exit(ReportException(exception, activity));
  std::abort();
}

}  // namespace

int ToolMain(absl::string_view name, int argc, char** argv,
             absl::FunctionRef<int(absl::Span<const std::string> arguments,
                                   const ToolIo& io)>
                 run) {
  const size_t length = std::min(name.size(), sizeof(tool_name) - 1);
  std::memcpy(tool_name, name.data(), length);
  tool_name[length] = '\0';
  std::set_new_handler(OnAllocationFailure);
  std::set_terminate(OnTerminate);
  int exit_code = kDifferent;
  RunOnLargeStack([&] {
    try {
      const ToolIo io = StandardIo();
      exit_code =
          run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
              io);
    } catch (...) {
      exit_code =
          ReportException(std::current_exception(), activity_at_failure);
    }
  });
  return exit_code;
}

}  // namespace hlokit
