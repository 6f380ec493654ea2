// Dump folders inside archives, read in place: tar (plain, gzip or zstd, so the
// packs of hlo-dumps too) and zip.
#ifndef HLOKIT_DUMP_DUMP_ARCHIVE_H_
#define HLOKIT_DUMP_DUMP_ARCHIVE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"

namespace hlokit {

struct ArchiveLimits {
  int64_t bytes = int64_t{4} << 30;  // of all contents, after decompression
  int64_t files = 1'000'000;
};

// A file system in which archives that were opened are folders: the file "a" of
// "d.tgz" is "d.tgz/a". Everything else is the file system beneath. Read only.
//
// Entries that lead outside ("../x", "/x"), symbolic links, pipes and devices
// are left out with a note. Functions that are const may be called from several
// threads at once.
// Whether bytes start as a zip archive does.
bool IsZipArchive(absl::string_view bytes);

class ArchiveFileSystem : public FileSystem {
 public:
  // `base` must outlive this object.
  explicit ArchiveFileSystem(const FileSystem& base, ArchiveLimits limits = {});
  ~ArchiveFileSystem() override;

  // Opens `path` if it is an archive; returns whether it is one.
  // Errors: InvalidArgument for a broken archive, ResourceExhausted beyond the
  // limits, and those of reading.
  absl::StatusOr<bool> OpenIfArchive(const std::string& path);
  // What was left out, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

  absl::StatusOr<std::string> ReadFile(
      absl::string_view path,
      int64_t max_bytes = kMaxFileBytes) const override;
  absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const override;
  // Hands out a file of an archive piece by piece. Errors: those of MapFile.
  absl::Status ReadPieces(absl::string_view path, EmitPiece emit) const;
  absl::StatusOr<std::vector<std::string>> ListDirectory(
      absl::string_view path) const override;
  absl::StatusOr<FileInfo> Stat(absl::string_view path) const override;

  // Fail with FailedPrecondition.
  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override;
  absl::Status AppendFile(absl::string_view path,
                          absl::string_view contents) override;
  absl::Status CreateDirectories(absl::string_view path) override;
  absl::Status RemoveFile(absl::string_view path) override;
  absl::Status Rename(absl::string_view from, absl::string_view to) override;

 private:
  class Archive;
  // The archive that holds the path, and the path within it; null if none does.
  const Archive* Find(absl::string_view path, std::string* within) const;

  const FileSystem& base_;
  const ArchiveLimits limits_;
  std::map<std::string, std::unique_ptr<Archive>> archives_;  // by path
  std::vector<std::string> notes_;
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_ARCHIVE_H_
