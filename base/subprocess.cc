#include "base/subprocess.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/errno_status.h"
#include "base/memory_limit.h"
#include "base/file_system.h"
#include "base/status.h"

extern char** environ;

namespace hlokit {
namespace {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Both ends above the standard streams, so that the child's dup2 cannot meet
// them even when this process runs with its standard streams closed.
absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    return ErrnoStatus(errno, "cannot make a pipe");
  }
  Pipe pipe{Descriptor(fds[0]), Descriptor(fds[1])};
  for (Descriptor* end : {&pipe.read_end, &pipe.write_end}) {
    if (end->get() > STDERR_FILENO) continue;
    const int moved =
        ::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) return ErrnoStatus(errno, "cannot make a pipe");
    *end = Descriptor(moved);
  }
  return pipe;
}

void SetNonBlocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// Keeps SIGPIPE from this thread while it writes to a program that may have
// closed its input.
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &old_mask_);
  }
  ~SigpipeBlocker() {
    const timespec no_time = {};
    while (!was_pending_ && sigtimedwait(&sigpipe_, nullptr, &no_time) < 0 &&
           errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }

 private:
  sigset_t sigpipe_;
  sigset_t old_mask_;
  bool was_pending_;
};

// All that the child needs between vfork and exec, where it may not allocate.
struct Plan {
  std::string program;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<std::string> environment;
  const char* directory = nullptr;
  int64_t memory_limit_bytes = 0;
  int in = -1;
  int out = -1;
  int err = -1;
  pid_t parent = 0;
};

void MakeArguments(const SubprocessOptions& options, Plan* plan) {
  for (const std::string& argument : options.argv) {
    plan->argv.push_back(const_cast<char*>(argument.c_str()));
  }
  plan->argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const absl::string_view text = *variable;
    const absl::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(
        options.environment.begin(), options.environment.end(),
        [&](const auto& entry) { return entry.first == name; });
    if (!replaced) plan->envp.push_back(*variable);
  }
  for (const auto& [name, value] : options.environment) {
    plan->environment.push_back(absl::StrCat(name, "=", value));
  }
  for (std::string& entry : plan->environment) {
    plan->envp.push_back(entry.data());
  }
  plan->envp.push_back(nullptr);
}

// In the child: gives an errno value when that fails.
int PrepareChild(const Plan& plan) {
  ::setpgid(0, 0);
  // An interrupted tool leaves nothing running.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) return ESRCH;
  if (::dup2(plan.in, STDIN_FILENO) < 0 ||
      ::dup2(plan.out, STDOUT_FILENO) < 0 ||
      ::dup2(plan.err, STDERR_FILENO) < 0) {
    return errno;
  }
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) return errno;
  if (plan.memory_limit_bytes > 0) {
    const rlimit limit = {static_cast<rlim_t>(plan.memory_limit_bytes),
                          static_cast<rlim_t>(plan.memory_limit_bytes)};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return errno;
  }
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &default_action, nullptr);
  ::sigaction(SIGXFSZ, &default_action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  return 0;
}

int BecomeProgram(const Plan& plan) {
  const int error = PrepareChild(plan);
  if (error != 0) return error;
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  return errno;
}

// vfork, not fork: a process with a compiler and GPU memory in it takes long to
// copy. The child shares our memory until exec, so it can tell its error.
__attribute__((noinline)) pid_t Launch(const Plan& plan, volatile int* error) {
  const pid_t pid = ::vfork();
  if (pid == 0) {
    *error = BecomeProgram(plan);
    ::_exit(127);
  }
  if (pid < 0) *error = errno;
  return pid;
}

absl::StatusOr<pid_t> StartCopy(const Plan& plan,
                                const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return ErrnoStatus(errno, "cannot start a process");
  if (pid > 0) return pid;
  if (PrepareChild(plan) != 0) ::_exit(127);
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::_exit(body());
}

absl::StatusOr<pid_t> Start(const Plan& plan) {
  volatile int error = 0;
  sigset_t all;
  sigset_t old_mask;
  // No handler of ours may run in the child.
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old_mask);
  const pid_t pid = Launch(plan, &error);
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  if (error == 0) return pid;
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return FileError(error, "run", plan.program);
}

// One output stream of the program.
struct Capture {
  Descriptor fd;
  size_t max_bytes = 0;
  std::string* text = nullptr;
  bool* truncated = nullptr;

  // Reads what is there now.
  void Drain() {
    char buffer[1 << 16];
    while (fd.open()) {
      const ssize_t count = ::read(fd.get(), buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        fd.Close();
        return;
      }
      const size_t kept = std::min<size_t>(count, max_bytes - text->size());
      text->append(buffer, kept);
      if (kept < static_cast<size_t>(count)) *truncated = true;
      // So that a program that never stops printing still meets its time limit.
      if (static_cast<size_t>(count) < sizeof(buffer)) return;
      if (*truncated) return;
    }
  }
};

// Feeds a started program and listens to it until it ends.
class Conversation {
 public:
  Conversation(const SubprocessOptions& options, pid_t pid, absl::Time start,
               SubprocessResult* result)
      : options_(options), pid_(pid), start_(start), result_(result) {
#ifdef SYS_pidfd_open
    pid_fd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#endif
  }

  void Run(Descriptor in, Capture out, Capture err) {
    in_ = std::move(in);
    out_ = std::move(out);
    err_ = std::move(err);
    rest_ = options_.stdin_text;
    for (int fd : {in_.get(), out_.fd.get(), err_.fd.get()}) SetNonBlocking(fd);
    if (rest_.empty()) in_.Close();
    while (!Ended()) {
      CheckTime();
      Wait();
      Feed();
      out_.Drain();
      err_.Drain();
    }
    // Its own output is all in the pipes by now; what it left running may hold
    // them open for ever.
    ::kill(-pid_, SIGKILL);
    DrainAll(&out_);
    DrainAll(&err_);
    Reap();
  }

 private:
  bool Ended() const {
    siginfo_t info = {};
    // The process stays a zombie, so that its group's number stays ours.
    const int result =
        ::waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT);
    return (result == 0 && info.si_pid == pid_) ||
           (result != 0 && errno != EINTR);
  }

  void CheckTime() {
    if (result_->timed_out || absl::Now() - start_ < options_.time_limit) {
      return;
    }
    result_->timed_out = true;
    ::kill(-pid_, SIGKILL);
  }

  void Wait() const {
    // Without a descriptor for the process we must look again and again.
    absl::Duration patience =
        pid_fd_.open() ? absl::Hours(1) : absl::Milliseconds(5);
    if (!result_->timed_out) {
      patience =
          std::min(patience, start_ + options_.time_limit - absl::Now());
    }
    pollfd fds[] = {
        {in_.get(), POLLOUT, 0},
        {out_.fd.get(), POLLIN, 0},
        {err_.fd.get(), POLLIN, 0},
        {pid_fd_.get(), POLLIN, 0},
    };
    const int64_t milliseconds =
        std::max<int64_t>(absl::ToInt64Milliseconds(patience) + 1, 0);
    ::poll(fds, 4, static_cast<int>(milliseconds));
  }

  void Feed() {
    while (in_.open() && !rest_.empty()) {
      const ssize_t count = ::write(in_.get(), rest_.data(), rest_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      // Not to read its input to the end is the program's right.
      if (count < 0) break;
      rest_.remove_prefix(count);
    }
    in_.Close();
  }

  static void DrainAll(Capture* capture) {
    // A pipe holds 1 MiB at most unless its owner is privileged.
    constexpr int kMaxReads = 64;
    for (int i = 0; i < kMaxReads && capture->fd.open(); ++i) capture->Drain();
    capture->fd.Close();
  }

  void Reap() {
    int state = 0;
    while (::waitpid(pid_, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state)) result_->exit_code = WEXITSTATUS(state);
    if (WIFSIGNALED(state)) result_->signal = WTERMSIG(state);
    result_->wall_time = absl::Now() - start_;
  }

  const SubprocessOptions& options_;
  const pid_t pid_;
  const absl::Time start_;
  SubprocessResult* const result_;
  Descriptor pid_fd_;
  Descriptor in_;
  Capture out_;
  Capture err_;
  absl::string_view rest_;
};

absl::StatusOr<std::string> AbsoluteProgram(absl::string_view name) {
  HLOKIT_ASSIGN_OR_RETURN(const std::string found, FindProgram(name));
  if (absl::StartsWith(found, "/")) return found;
  char here[PATH_MAX];
  if (::getcwd(here, sizeof(here)) == nullptr) {
    return FileError(errno, "run", name);
  }
  return JoinPath(here, found);
}

}  // namespace

std::string SubprocessResult::Describe() const {
  if (timed_out) {
    return absl::StrCat("time limit met after ",
                        absl::FormatDuration(
                            absl::Trunc(wall_time, absl::Milliseconds(1))));
  }
  if (signal != 0) {
    return absl::StrCat("signal ", signal, " (", ::strsignal(signal), ")");
  }
  return absl::StrCat("exit code ", exit_code);
}

namespace {

// Connects a plan with its pipes and starts it by `start`.
template <typename StartFn>
absl::StatusOr<SubprocessResult> RunPlan(const SubprocessOptions& options,
                                         Plan* plan, StartFn start_child) {
  plan->parent = ::getpid();
  HLOKIT_ASSIGN_OR_RETURN(Pipe in, MakePipe());
  HLOKIT_ASSIGN_OR_RETURN(Pipe out, MakePipe());
  HLOKIT_ASSIGN_OR_RETURN(Pipe err, MakePipe());
  plan->in = in.read_end.get();
  plan->out = out.write_end.get();
  plan->err = err.write_end.get();

  const SigpipeBlocker blocker;
  const absl::Time start = absl::Now();
  HLOKIT_ASSIGN_OR_RETURN(const pid_t pid, start_child(*plan));
  in.read_end.Close();
  out.write_end.Close();
  err.write_end.Close();
  SubprocessResult result;
  const auto limit = [](int64_t bytes) {
    return static_cast<size_t>(std::max<int64_t>(bytes, 0));
  };
  Conversation(options, pid, start, &result)
      .Run(std::move(in.write_end),
           {std::move(out.read_end), limit(options.max_out_bytes), &result.out,
            &result.out_truncated},
           {std::move(err.read_end), limit(options.max_err_bytes), &result.err,
            &result.err_truncated});
  return result;
}

}  // namespace

absl::StatusOr<SubprocessResult> RunForked(const SubprocessOptions& options,
                                           const std::function<int()>& body) {
  Plan plan;
  if (options.memory_limit_bytes > 0) {
    plan.memory_limit_bytes = options.memory_limit_bytes + UsedAddressSpace();
  }
  return RunPlan(options, &plan,
                 [&](const Plan& made) { return StartCopy(made, body); });
}

absl::StatusOr<SubprocessResult> RunSubprocess(
    const SubprocessOptions& options) {
  if (options.argv.empty()) {
    return absl::InvalidArgumentError("no program to run");
  }
  Plan plan;
  HLOKIT_ASSIGN_OR_RETURN(plan.program, AbsoluteProgram(options.argv[0]));
  MakeArguments(options, &plan);
  if (!options.working_directory.empty()) {
    if (!DiskFileSystem()->IsDirectory(options.working_directory)) {
      return FileError(ENOENT, "run in", options.working_directory);
    }
    plan.directory = options.working_directory.c_str();
  }
  plan.memory_limit_bytes = options.memory_limit_bytes;
  return RunPlan(options, &plan, Start);
}

absl::StatusOr<std::string> FindProgram(absl::string_view program) {
  const auto check = [](const std::string& path) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return errno;
    if (!S_ISREG(info.st_mode)) return EACCES;
    return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
  };
  if (absl::StrContains(program, "/")) {
    const int error = check(std::string(program));
    if (error != 0) return FileError(error, "run", program);
    return std::string(program);
  }
  const char* path = ::getenv("PATH");
  int error = ENOENT;
  for (absl::string_view folder :
       absl::StrSplit(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate =
        JoinPath(folder.empty() ? "." : folder, program);
    const int candidate_error = program.empty() ? ENOENT : check(candidate);
    if (candidate_error == 0) return candidate;
    if (candidate_error == EACCES) error = EACCES;
  }
  return FileError(error, "run", program);
}

absl::StatusOr<std::string> ThisProgram() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path));
  if (length < 0) return FileError(errno, "read", "/proc/self/exe");
  return std::string(path, length);
}

}  // namespace hlokit
