// Files, behind an interface: the disk, or memory in tests.
//
// Every error's text names the path and the system's reason. Codes: NotFound
// (no such file or folder), PermissionDenied, AlreadyExists, InvalidArgument (a
// folder where a file was expected, or the reverse; a bad name), Unavailable
// (disk full and whatever else is no fault of the caller).
#ifndef HLOKIT_BASE_FILE_SYSTEM_H_
#define HLOKIT_BASE_FILE_SYSTEM_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace hlokit {

// The bytes of one file, valid as long as this object lives.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual absl::string_view contents() const = 0;
};

struct FileInfo {
  bool exists = false;
  bool is_directory = false;
  // A pipe, a socket or a device: opening one may wait forever.
  bool is_special = false;
  bool is_link = false;  // the path itself is a symbolic link
  int64_t size = 0;  // bytes; 0 for folders
  absl::Time mtime;
  // Whether only this process' user and root can change it: one of them owns it
  // and neither group nor others have the permission to write. A folder with
  // the sticky bit is not private.
  bool is_private = false;
  // Device and number on it: equal for two paths to the same file or folder.
  // {0, 0} where the file system has no such numbers.
  std::pair<uint64_t, uint64_t> identity;
};

// All functions may be called from several threads at once.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Reads to the end, so that pipes and devices work too. ResourceExhausted
  // when there are more than `max_bytes`.
  virtual absl::StatusOr<std::string> ReadFile(
      absl::string_view path, int64_t max_bytes = kMaxFileBytes) const = 0;

  // For large files: on the disk no byte is copied. What cannot be mapped (a
  // pipe) is read. The file must not be cut short by others while it is mapped.
  virtual absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const = 0;

  // Writes under a temporary name in the same folder, then renames: others see
  // the old contents or the new ones, and a failure leaves nothing. What killed
  // processes left there is removed first. The folder must exist. A symbolic
  // link is replaced, not followed, unless it leads to a pipe or device or is
  // in /dev or /proc (/dev/stdout); pipes and devices are written directly.
  // The permission bits of an existing file are kept.
  virtual absl::Status WriteFile(absl::string_view path,
                                 absl::string_view contents) = 0;

  // The same for contents that need not be in memory as a whole: `produce` hands
  // one piece after another to its argument. It is called once at most, and its
  // pieces are passed over when writing fails in the middle. (Where this is not
  // overridden, the whole is collected.)
  using EmitPiece = absl::FunctionRef<void(absl::string_view)>;
  using Produce = absl::FunctionRef<void(EmitPiece)>;
  absl::Status WritePieces(absl::string_view path, Produce produce);

  // The same for contents that are read while they are written: an error of
  // `produce` is returned, and the file is not written then.
  using TryProduce = absl::FunctionRef<absl::Status(EmitPiece)>;
  virtual absl::Status TryWritePieces(absl::string_view path,
                                      TryProduce produce);

  // Adds to the end, and creates the file when there is none. Symbolic links
  // are refused, with the same exceptions.
  virtual absl::Status AppendFile(absl::string_view path,
                                  absl::string_view contents) = 0;

  // Makes the folder and those above it; one that exists is no error.
  virtual absl::Status CreateDirectories(absl::string_view path) = 0;

  // The names (not paths) in a folder, without "." and "..", sorted by bytes.
  virtual absl::StatusOr<std::vector<std::string>> ListDirectory(
      absl::string_view path) const = 0;

  // A missing path is not an error: exists is false then. Links are followed; a
  // link that leads nowhere does not exist but has is_link set.
  virtual absl::StatusOr<FileInfo> Stat(absl::string_view path) const = 0;

  // Removes one file (or symbolic link); not folders.
  virtual absl::Status RemoveFile(absl::string_view path) = 0;

  // Renames a file or folder; an existing file at `to` is replaced.
  virtual absl::Status Rename(absl::string_view from, absl::string_view to) = 0;

  bool Exists(absl::string_view path) const;
  bool IsDirectory(absl::string_view path) const;

  static constexpr int64_t kMaxFileBytes = int64_t{1} << 36;
};

// The machine's files. Never destroyed.
FileSystem* DiskFileSystem();

// Files in memory, for tests. Relative paths and the root folders "/" and "."
// exist from the start; other folders must be made, as on a disk.
class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem() = default;
  // With these files (path -> contents), their folders made.
  explicit MemoryFileSystem(
      std::initializer_list<std::pair<const std::string, std::string>> files);

  absl::StatusOr<std::string> ReadFile(
      absl::string_view path,
      int64_t max_bytes = kMaxFileBytes) const override;
  absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const override;
  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override;
  absl::Status AppendFile(absl::string_view path,
                          absl::string_view contents) override;
  absl::Status CreateDirectories(absl::string_view path) override;
  absl::StatusOr<std::vector<std::string>> ListDirectory(
      absl::string_view path) const override;
  absl::StatusOr<FileInfo> Stat(absl::string_view path) const override;
  absl::Status RemoveFile(absl::string_view path) override;
  absl::Status Rename(absl::string_view from, absl::string_view to) override;

  // Lets `n` more writes (WriteFile, AppendFile) succeed; the following ones
  // fail with Unavailable ("No space left on device"). Negative: never fail.
  void FailWritesAfter(int64_t n);

  // Every file, path -> contents.
  std::map<std::string, std::string> Files() const;

 private:
  struct Entry {
    bool is_directory = false;
    std::string contents;
    int64_t mtime = 0;  // in seconds: the number of the change
  };

  absl::Status CheckWritable(const std::string& key, absl::string_view path)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckParent(const std::string& key, absl::string_view path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<const Entry*> FindFile(absl::string_view path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  int64_t changes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t writes_left_ ABSL_GUARDED_BY(mutex_) = -1;
};

// "a" and "b" -> "a/b"; "a/" and "b" -> "a/b"; "" and "b" -> "b". An absolute
// `name` is the answer itself.
std::string JoinPath(absl::string_view folder, absl::string_view name);
// What follows the last slash ("a/b.txt" -> "b.txt").
absl::string_view BaseName(absl::string_view path);
// What precedes the last slash ("a/b" -> "a", "b" -> "", "/b" -> "/").
absl::string_view DirName(absl::string_view path);
// The base name's last ".x", dot included, or "" ("a.b/c.d.gz" -> ".gz").
absl::string_view Extension(absl::string_view path);

// A fresh folder on the disk, under $TMPDIR or /tmp, removed with everything in
// it when this object goes.
class TemporaryDirectory {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryDirectory>> Create();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_FILE_SYSTEM_H_
