#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/errno_status.h"
#include "base/file_system.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;
// Some systems refuse to move 2 GiB or more in one call.
constexpr size_t kMaxTransferBytes = size_t{1} << 30;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // Late write errors (network disks) appear here. Gives an errno value.
  int Close() {
    const int result = ::close(std::exchange(fd_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_;
};

int OpenRetrying(const std::string& path, int flags, mode_t mode = 0) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// Gives an errno value, 0 for success.
int WriteAll(int fd, absl::string_view contents) {
  while (!contents.empty()) {
    const ssize_t count = ::write(
        fd, contents.data(), std::min(contents.size(), kMaxTransferBytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    contents.remove_prefix(count);
  }
  return 0;
}

// The same piece by piece, small ones collected. Returns an error of `produce`.
absl::Status WriteAll(int fd, absl::string_view path,
                      FileSystem::TryProduce produce) {
  constexpr size_t kEnough = 64 << 10;
  std::string pending;
  int error = 0;
  auto write = [&](absl::string_view bytes) {
    if (error == 0) error = WriteAll(fd, bytes);
  };
  const absl::Status produced = produce([&](absl::string_view piece) {
    if (pending.size() + piece.size() > kEnough) {
      write(pending);
      pending.clear();
    }
    if (piece.size() > kEnough) return write(piece);
    pending.append(piece.data(), piece.size());
  });
  if (!produced.ok()) return produced;
  write(pending);
  return error == 0 ? absl::OkStatus() : FileError(error, "write", path);
}

absl::StatusOr<std::string> ReadAll(int fd, absl::string_view path,
                                    size_t size_hint, int64_t max_bytes) {
  const size_t limit = static_cast<size_t>(std::max<int64_t>(max_bytes, 0));
  std::string contents;
  size_t used = 0;
  while (true) {
    if (used == contents.size()) {
      // One byte more than the hint, so that the end is seen without growing.
      const size_t wanted = used == 0 ? std::max(size_hint + 1, kReadBytes)
                                      : used + used / 2;
      contents.resize(std::min(wanted, limit) + 1);
    }
    const ssize_t count =
        ::read(fd, contents.data() + used,
               std::min(contents.size() - used, kMaxTransferBytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(errno, "read", path);
    if (count == 0) break;
    used += count;
    if (used > limit) {
      return ResourceExhausted("cannot read '%s': more than %d bytes", path,
                               max_bytes);
    }
  }
  contents.resize(used);
  if (contents.capacity() > 2 * used + kReadBytes) contents.shrink_to_fit();
  return contents;
}

class DiskMapping : public MappedFile {
 public:
  DiskMapping(void* data, size_t size) : data_(data), size_(size) {}
  ~DiskMapping() override { ::munmap(data_, size_); }
  absl::string_view contents() const override {
    return {static_cast<const char*>(data_), size_};
  }

 private:
  void* data_;
  size_t size_;
};

class ReadMapping : public MappedFile {
 public:
  explicit ReadMapping(std::string contents) : contents_(std::move(contents)) {}
  absl::string_view contents() const override { return contents_; }

 private:
  std::string contents_;
};

constexpr absl::string_view kTemporaryPrefix = ".hlokit-";
constexpr absl::string_view kTemporarySuffix = ".tmp";

// Returns a name that no other thread or process uses. It starts with a dot and
// is short whatever the final name is.
std::string TemporaryName(absl::string_view path) {
  static std::atomic<int64_t> counter{0};
  return JoinPath(DirName(path),
                  absl::StrCat(kTemporaryPrefix, ::getpid(), "-", counter++,
                               kTemporarySuffix));
}

// Removes the temporary file unless its writer is alive: a writer holds a lock
// on it, and the system drops the locks of processes that end. (Process numbers
// would not do: containers that share a folder have their own.)
void RemoveIfAbandoned(const std::string& path) {
  FileDescriptor fd(OpenRetrying(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (fd.ok() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
    ::unlink(path.c_str());
  }
}

// Removes the temporary files that killed runs left in `folder`. A process
// looks into each folder once.
void SweepTemporaries(const std::string& folder) {
  static absl::Mutex mutex;
  static auto* const swept = new std::set<std::string>;
  {
    const absl::MutexLock lock(&mutex);
    if (!swept->insert(folder).second) return;
  }
  DIR* directory = ::opendir(folder.empty() ? "." : folder.c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    const absl::string_view name = entry->d_name;
    if (absl::StartsWith(name, kTemporaryPrefix) &&
        absl::EndsWith(name, kTemporarySuffix)) {
      RemoveIfAbandoned(JoinPath(folder, name));
    }
  }
  ::closedir(directory);
}

// A file under a temporary name, removed again unless it was committed.
class TemporaryFile {
 public:
  // Check ok(); errno says why not.
  explicit TemporaryFile(const std::string& target) : target_(target) {
    SweepTemporaries(std::string(DirName(target)));
    // A sweeper may have locked the new file before this process could.
    for (int attempt = 0; attempt < 10; ++attempt) {
      name_ = TemporaryName(target);
      // The bits that a umask leaves are right for a new file.
      fd_ = OpenRetrying(name_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
      if (fd_ < 0) return;
      // File systems without locks have no sweepers that could take it.
      if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
      ::close(std::exchange(fd_, -1));
      errno = EAGAIN;
    }
  }
  ~TemporaryFile() {
    if (fd_ < 0) return;
    ::unlink(name_.c_str());
    ::close(fd_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  // Gives the file its name. Returns an errno value, 0 for success. Late write
  // errors (network disks) appear when a file is closed, so a second descriptor
  // is closed first; the one with the lock is closed last.
  int Commit() {
    const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return errno;
    if (::close(copy) != 0 && errno != EINTR) return errno;
    if (::rename(name_.c_str(), target_.c_str()) != 0) return errno;
    ::close(std::exchange(fd_, -1));
    return 0;
  }

 private:
  const std::string target_;
  std::string name_;
  int fd_ = -1;
};

// Whether a link at `path` is followed. Links are replaced, as one in a folder
// that others may write could lead anywhere; but /dev/stdout and its kind, and
// links to devices and pipes, are names that people use for where output goes.
bool IsFollowed(const std::string& path) {
  if (absl::StartsWith(path, "/dev/") || absl::StartsWith(path, "/proc/")) {
    return true;
  }
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

class Disk : public FileSystem {
 public:
  absl::StatusOr<std::string> ReadFile(absl::string_view path,
                                       int64_t max_bytes) const override {
    FileDescriptor fd(OpenRetrying(std::string(path), O_RDONLY));
    struct stat info;
    if (!fd.ok() || ::fstat(fd.get(), &info) != 0) {
      return FileError(errno, "read", path);
    }
    const size_t hint = S_ISREG(info.st_mode) ? info.st_size : 0;
    return ReadAll(fd.get(), path, hint, max_bytes);
  }

  absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const override {
    FileDescriptor fd(OpenRetrying(std::string(path), O_RDONLY));
    struct stat info;
    if (!fd.ok() || ::fstat(fd.get(), &info) != 0) {
      return FileError(errno, "read", path);
    }
    const size_t size = S_ISREG(info.st_mode) ? info.st_size : 0;
    if (size > 0) {
      void* data =
          ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
      if (data != MAP_FAILED) return std::make_unique<DiskMapping>(data, size);
    }
    HLOKIT_ASSIGN_OR_RETURN(std::string contents,
                            ReadAll(fd.get(), path, size, kMaxFileBytes));
    return std::make_unique<ReadMapping>(std::move(contents));
  }

  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override {
    return WritePieces(path, [&](EmitPiece emit) { emit(contents); });
  }

  absl::Status TryWritePieces(absl::string_view path,
                              TryProduce produce) override {
    const std::string target(path);
    struct stat info;
    const bool exists = ::lstat(target.c_str(), &info) == 0;
    if (!exists && errno != ENOENT) return FileError(errno, "write", path);
    if (exists && S_ISLNK(info.st_mode)) {
      if (IsFollowed(target)) {
        return WriteDirectly(target, O_WRONLY | O_TRUNC, path, produce);
      }
      if (IsDirectory(target)) return FileError(EISDIR, "write", path);
    } else if (exists && S_ISDIR(info.st_mode)) {
      return FileError(EISDIR, "write", path);
    } else if (exists && !S_ISREG(info.st_mode)) {
      return WriteDirectly(target, O_WRONLY | O_NOFOLLOW, path, produce);
    }
    TemporaryFile file(target);
    if (!file.ok()) return FileError(errno, "write", path);
    if (exists && S_ISREG(info.st_mode)) {
      (void)::fchmod(file.fd(), info.st_mode & 0777);
    }
    HLOKIT_RETURN_IF_ERROR(WriteAll(file.fd(), path, produce));
    const int error = file.Commit();
    return error == 0 ? absl::OkStatus() : FileError(error, "write", path);
  }

  absl::Status AppendFile(absl::string_view path,
                          absl::string_view contents) override {
    const int links = IsFollowed(std::string(path)) ? 0 : O_NOFOLLOW;
    return WriteDirectly(std::string(path),
                         O_WRONLY | O_CREAT | O_APPEND | links, path,
                         [&](EmitPiece emit) {
                           emit(contents);
                           return absl::OkStatus();
                         });
  }

  absl::Status CreateDirectories(absl::string_view path) override {
    if (path.empty()) return absl::OkStatus();
    size_t end = 0;
    while (end < path.size()) {
      end = std::min(path.find('/', end + 1), path.size());
      const std::string prefix(path.substr(0, end));
      if (IsDirectory(prefix)) continue;
      if (::mkdir(prefix.c_str(), 0777) == 0) continue;
      const int error = errno;
      if (error == EEXIST && IsDirectory(prefix)) continue;  // made meanwhile
      return FileError(error == EEXIST ? ENOTDIR : error, "create folder",
                       prefix);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ListDirectory(
      absl::string_view path) const override {
    DIR* directory = ::opendir(std::string(path).c_str());
    if (directory == nullptr) return FileError(errno, "list", path);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(directory)) {
      const absl::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int error = errno;
    ::closedir(directory);
    if (error != 0) return FileError(error, "list", path);
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::StatusOr<FileInfo> Stat(absl::string_view path) const override {
    struct stat info;
    FileInfo result;
    const std::string name(path);
    const bool found = ::lstat(name.c_str(), &info) == 0;
    result.is_link = found && S_ISLNK(info.st_mode);
    if (!found || (result.is_link && ::stat(name.c_str(), &info) != 0)) {
      if (errno == ENOENT || errno == ENOTDIR) return result;
      return FileError(errno, "look at", path);
    }
    result.exists = true;
    result.is_directory = S_ISDIR(info.st_mode);
    result.is_special = !result.is_directory && !S_ISREG(info.st_mode);
    result.identity = {info.st_dev, info.st_ino};
    result.size = result.is_directory ? 0 : info.st_size;
    result.mtime = absl::TimeFromTimespec(info.st_mtim);
    result.is_private =
        (info.st_uid == ::geteuid() || info.st_uid == 0) &&
        (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    return result;
  }

  absl::Status RemoveFile(absl::string_view path) override {
    if (::unlink(std::string(path).c_str()) != 0) {
      return FileError(errno, "remove", path);
    }
    return absl::OkStatus();
  }

  absl::Status Rename(absl::string_view from, absl::string_view to) override {
    if (::rename(std::string(from).c_str(), std::string(to).c_str()) != 0) {
      return FileError(errno, absl::StrCat("rename to '", to, "'"), from);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status WriteDirectly(const std::string& target, int flags,
                             absl::string_view path, TryProduce produce) {
    FileDescriptor fd(OpenRetrying(target, flags, 0666));
    if (!fd.ok()) return FileError(errno, "write", path);
    HLOKIT_RETURN_IF_ERROR(WriteAll(fd.get(), path, produce));
    const int error = fd.Close();
    return error == 0 ? absl::OkStatus() : FileError(error, "write", path);
  }
};

}  // namespace

FileSystem* DiskFileSystem() {
  static Disk* const disk = new Disk;
  return disk;
}

}  // namespace hlokit
