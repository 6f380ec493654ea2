#include "dump/folder_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>

#include "absl/synchronization/mutex.h"
#include "base/file_system.h"

namespace hlokit {
namespace {

// What the process knows of folders, never destroyed.
struct Registry {
  absl::Mutex mutex;
  std::map<std::string, std::weak_ptr<FolderClaim>> claims;
  std::map<std::string, std::atomic<int64_t>> counters;
};

Registry& TheRegistry() {
  static Registry* registry = new Registry;
  return *registry;
}

// One name for a folder, however it is spelt.
std::string RealPath(absl::string_view folder) {
  const std::string text(folder);
  char* real = ::realpath(text.c_str(), nullptr);
  if (real == nullptr) return text;
  std::string path = real;
  std::free(real);
  return path;
}

bool SameFile(int fd, const std::string& path) {
  struct stat open_file, on_disk;
  return ::fstat(fd, &open_file) == 0 &&
         ::stat(path.c_str(), &on_disk) == 0 &&
         open_file.st_ino == on_disk.st_ino &&
         open_file.st_dev == on_disk.st_dev;
}

enum class Lock { kHeld, kTaken, kNone };

Lock TryLock(const std::string& path, int* fd) {
  // The file may be removed by its last holder between open and lock.
  for (int attempt = 0; attempt < 100; ++attempt) {
    *fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*fd < 0) return Lock::kNone;
    if (::flock(*fd, LOCK_EX | LOCK_NB) == 0) {
      if (SameFile(*fd, path)) return Lock::kHeld;
    } else if (errno == EWOULDBLOCK) {
      ::close(*fd);
      *fd = -1;
      return Lock::kTaken;
    } else {
      break;
    }
    ::close(*fd);
  }
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
  return Lock::kNone;
}

}  // namespace

FolderClaim::~FolderClaim() {
  // A forked child shares the lock and must leave it alone.
  if (fd_ < 0) return;
  if (pid_ == ::getpid()) ::unlink(path_.c_str());
  ::close(fd_);
}

std::shared_ptr<FolderClaim> FolderClaim::Take(absl::string_view folder) {
  Registry& registry = TheRegistry();
  const std::string real = RealPath(folder);
  absl::MutexLock lock(&registry.mutex);
  std::weak_ptr<FolderClaim>& known = registry.claims[real];
  std::shared_ptr<FolderClaim> claim = known.lock();
  if (claim != nullptr && claim->pid_ == ::getpid()) return claim;
  claim.reset(new FolderClaim);
  claim->pid_ = ::getpid();
  claim->path_ = JoinPath(real, ".hlokit-dumping");
  claim->held_ = TryLock(claim->path_, &claim->fd_) != Lock::kTaken;
  known = claim;
  return claim;
}

std::atomic<int64_t>* SharedModuleCounter(absl::string_view folder) {
  Registry& registry = TheRegistry();
  absl::MutexLock lock(&registry.mutex);
  return &registry.counters[std::string(folder)];
}

}  // namespace hlokit
