#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/compression.h"
#include "base/escape.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "dump/dump_archive.h"
#include "dump/dump_pack.h"
#include "dump/tar_format.h"
#include "dump/tar_reader.h"

namespace hlokit {
namespace {

constexpr size_t kMaxUnpackNotes = 20;
constexpr size_t kMaxNameBytes = 255;

// The bytes that an archive may unpack to where the caller has no limit.
int64_t LimitFor(size_t archive_bytes) {
  return std::max<int64_t>(kUnpackFloor,
                           static_cast<int64_t>(archive_bytes) * kMaxRatio);
}

// Writes the members of an archive below one folder.
class Unpacker {
 public:
  Unpacker(FileSystem* files, const std::string& folder, int64_t max_bytes,
           bool strict)
      : files_(files), folder_(folder), max_bytes_(max_bytes), strict_(strict) {}

  absl::StatusOr<PackStats> FromTar(absl::string_view bytes) {
    HLOKIT_ASSIGN_OR_RETURN(auto in, Decompressor::Create(bytes));
    TarReader tar(std::move(in));
    TarEntry entry;
    while (true) {
      HLOKIT_ASSIGN_OR_RETURN(const bool more, tar.Next(&entry));
      if (!more) return stats_;
      HLOKIT_RETURN_IF_ERROR(Entry(entry, &tar));
    }
  }

  // The folders of an opened archive, which has no entries but files.
  absl::StatusOr<PackStats> FromArchive(const ArchiveFileSystem& from,
                                        const std::string& root) {
    stats_.notes = from.notes();
    std::vector<std::string> pending = {""};
    while (!pending.empty()) {
      const std::string below = pending.back();
      pending.pop_back();
      const std::string source = JoinPath(root, below);
      HLOKIT_ASSIGN_OR_RETURN(const auto names, from.ListDirectory(source));
      for (const std::string& name : names) {
        const std::string path = JoinPath(source, name);
        const std::string target = JoinPath(below, name);
        HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, from.Stat(path));
        if (info.is_directory) {
          pending.push_back(target);
          continue;
        }
        absl::Status status =
            Write(target, info.size, [&](FileSystem::EmitPiece emit) {
              return from.ReadPieces(path, emit);
            });
        if (absl::IsInvalidArgument(status)) {
          status = LeaveOut(target, "is broken");
        }
        HLOKIT_RETURN_IF_ERROR(status);
      }
    }
    return stats_;
  }

 private:
  // An error, or a note for archives that were not written here.
  absl::Status LeaveOut(absl::string_view name, absl::string_view why) {
    const std::string text =
        absl::StrCat("'", Printable(name.substr(0, 200)), "' ", why);
    if (strict_) return InvalidArgument("%s", text);
    ++left_out_;
    if (left_out_ <= kMaxUnpackNotes) {
      stats_.notes.push_back(absl::StrCat(text, "; it is left out"));
    } else if (left_out_ == kMaxUnpackNotes + 1) {
      stats_.notes.push_back("more entries are left out");
    }
    return absl::OkStatus();
  }

  absl::Status Entry(const TarEntry& entry, TarReader* tar) {
    if (entry.kind == kTarFolder) return absl::OkStatus();
    if (entry.kind == kTarFile || entry.kind == kTarOldFile) {
      return Write(entry.name, entry.size, [&](FileSystem::EmitPiece emit) {
        return tar->Contents(emit);
      });
    }
    if (entry.kind != kTarHardLink) {
      return LeaveOut(entry.name, "is neither a file nor a hard link");
    }
    // Only to what came out of this archive: other files of the folder may be
    // links to anywhere.
    const std::string target = TargetName(entry.link);
    if (target.empty() || written_.count(target) == 0) {
      return LeaveOut(entry.name, "links to a file that is not in the archive");
    }
    ++stats_.duplicates;
    HLOKIT_ASSIGN_OR_RETURN(const auto mapped,
                            files_->MapFile(JoinPath(folder_, target)));
    const absl::string_view contents = mapped->contents();
    return Write(entry.name, contents.size(), [&](FileSystem::EmitPiece emit) {
      emit(contents);
      return absl::OkStatus();
    });
  }

  // The path below the folder; "" for one that leads outside.
  static std::string TargetName(absl::string_view written) {
    std::string name = CleanTarName(written);
    for (char& c : name) {
      if (absl::ascii_iscntrl(c)) c = '_';
    }
    return name;
  }

  absl::Status Write(const std::string& written, uint64_t size,
                     FileSystem::TryProduce produce) {
    const std::string name = TargetName(written);
    if (name.empty()) {
      return LeaveOut(written,
                      "leads outside of the folder or through too many folders");
    }
    for (absl::string_view part : absl::StrSplit(name, '/')) {
      if (part.size() <= kMaxNameBytes) continue;
      return LeaveOut(name, absl::StrCat("has a name of ", part.size(),
                                         " bytes, more than file systems take"));
    }
    if (size > static_cast<uint64_t>(max_bytes_ - stats_.bytes)) {
      return ResourceExhausted(
          "'%s' does not fit: the archive unpacks to more than %s; pass "
          "--max_bytes=N if you trust it",
          Printable(name), MemoryText(max_bytes_));
    }
    HLOKIT_RETURN_IF_ERROR(MakeFolders(name));
    NoteSameNames(name);
    int64_t count = 0;
    HLOKIT_RETURN_IF_ERROR(files_->TryWritePieces(
        JoinPath(folder_, name), [&](FileSystem::EmitPiece emit) {
          return produce([&](absl::string_view piece) {
            count += piece.size();
            emit(piece);
          });
        }));
    ++stats_.files;
    stats_.bytes += count;
    return absl::OkStatus();
  }

  // Makes the folders above a file. Links below the target folder are not
  // followed, whoever put them there.
  absl::Status MakeFolders(const std::string& name) {
    for (size_t end = name.find('/'); end != std::string::npos;
         end = name.find('/', end + 1)) {
      const std::string below = name.substr(0, end);
      if (folders_.count(below) != 0) continue;
      const std::string path = JoinPath(folder_, below);
      HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, files_->Stat(path));
      if (info.is_link) {
        return FailedPrecondition(
            "'%s' is a symbolic link, which unpacking does not follow; remove "
            "it or unpack into an empty folder",
            path);
      }
      HLOKIT_RETURN_IF_ERROR(files_->CreateDirectories(path));
      folders_.insert(below);
    }
    return absl::OkStatus();
  }

  void NoteSameNames(const std::string& name) {
    const bool is_new = written_.insert(name).second;
    const auto [it, first] =
        by_small_letters_.try_emplace(absl::AsciiStrToLower(name), name);
    if (first) return;
    if (!is_new) {
      AddNote(absl::StrCat("'", name,
                           "' is in the archive more than once; the last one "
                           "stays"));
    } else {
      AddNote(absl::StrCat("'", name, "' and '", it->second,
                           "' differ in capitals only; where the file system "
                           "ignores them, the last one stays"));
    }
  }

  void AddNote(std::string note) {
    if (same_names_++ < kMaxUnpackNotes) stats_.notes.push_back(std::move(note));
  }

  FileSystem* files_;
  const std::string folder_;
  const int64_t max_bytes_;
  const bool strict_;
  PackStats stats_;
  size_t left_out_ = 0, same_names_ = 0;
  std::set<std::string> written_, folders_;  // below the folder
  absl::flat_hash_map<std::string, std::string> by_small_letters_;
};

}  // namespace

absl::StatusOr<PackStats> UnpackDumps(FileSystem* files,
                                      const std::string& pack,
                                      const std::string& folder,
                                      int64_t max_bytes) {
  HLOKIT_ASSIGN_OR_RETURN(const auto mapped, files->MapFile(pack));
  const absl::string_view bytes = mapped->contents();
  if (max_bytes == 0) max_bytes = LimitFor(bytes.size());
  HLOKIT_RETURN_IF_ERROR(files->CreateDirectories(folder));
  const bool own = DetectCompression(bytes) == Compression::kZstd;
  Unpacker unpacker(files, folder, max_bytes, /*strict=*/own);
  absl::StatusOr<PackStats> stats;
  if (IsZipArchive(bytes)) {
    ArchiveFileSystem archive(*files);
    HLOKIT_RETURN_IF_ERROR(archive.OpenIfArchive(pack).status());
    stats = unpacker.FromArchive(archive, pack);
  } else {
    stats = unpacker.FromTar(bytes);
  }
  if (stats.ok()) stats->packed_bytes = bytes.size();
  return stats;
}

}  // namespace hlokit
