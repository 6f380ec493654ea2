#include "dump/dump_archive.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/compression.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "dump/tar_format.h"

namespace hlokit {
namespace {

constexpr size_t kMaxNotes = 20;
constexpr zip_uint64_t kZipStep = 64 << 10;

bool IsTar(absl::string_view bytes) {
  if (bytes.size() < static_cast<size_t>(kTarBlock)) return false;
  TarHeader header;
  std::memcpy(&header, bytes.data(), kTarBlock);
  return absl::StartsWith(TarText(header.magic), "ustar") ||
         (header.name[0] != '\0' &&
          TarNumber(header.checksum) == TarChecksum(header));
}

bool IsArchiveName(absl::string_view path) {
  static constexpr absl::string_view kEndings[] = {
      ".tar", ".tgz", ".tar.gz", ".tzst", ".tar.zst", ".zip"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](absl::string_view one) {
                       return absl::EndsWith(path, one);
                     });
}

class ViewOfFile : public MappedFile {
 public:
  explicit ViewOfFile(absl::string_view contents) : contents_(contents) {}
  absl::string_view contents() const override { return contents_; }

 private:
  absl::string_view contents_;
};

class OwnedFile : public MappedFile {
 public:
  explicit OwnedFile(std::string contents) : contents_(std::move(contents)) {}
  absl::string_view contents() const override { return contents_; }

 private:
  std::string contents_;
};

}  // namespace

bool IsZipArchive(absl::string_view bytes) {
  return absl::StartsWith(bytes, absl::string_view("PK\3\4", 4)) ||
         absl::StartsWith(bytes, absl::string_view("PK\5\6", 4));
}

// One archive: its bytes, and where each file is in them.
class ArchiveFileSystem::Archive {
 public:
  Archive(std::string path, const ArchiveLimits& limits,
          std::vector<std::string>* notes)
      : path_(std::move(path)), limits_(limits), notes_(notes) {
    folders_[""];
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
  }

  // False for what is not an archive.
  absl::StatusOr<bool> Read(std::unique_ptr<MappedFile> mapped) {
    mapped_ = std::move(mapped);
    absl::string_view bytes = mapped_->contents();
    if (IsZipArchive(bytes)) {
      HLOKIT_RETURN_IF_ERROR(ReadZip(bytes));
      return true;
    }
    if (DetectCompression(bytes) != Compression::kNone) {
      auto text = Decompress(bytes, limits_.bytes);
      if (!text.ok()) {
        // Whether a tar archive is inside is not known then.
        return IsArchiveName(path_) ? absl::StatusOr<bool>(text.status())
                                    : absl::StatusOr<bool>(false);
      }
      text_ = *std::move(text);
      mapped_ = nullptr;
      bytes = text_;
    }
    if (!IsTar(bytes)) return false;
    HLOKIT_RETURN_IF_ERROR(ReadTar(bytes));
    return true;
  }

  // Where a file is: in the bytes, or an entry of the zip archive.
  struct Place {
    absl::string_view contents;
    int64_t zip_entry = -1;
    int64_t size = 0;
  };

  const Place* File(const std::string& name) const {
    const auto it = files_.find(name);
    return it == files_.end() ? nullptr : &it->second;
  }

  absl::Status ReadPieces(const Place& place, absl::string_view path,
                          EmitPiece emit) const {
    if (place.zip_entry < 0) {
      emit(place.contents);
      return absl::OkStatus();
    }
    return ReadZipEntry(place, path, emit);
  }
  const std::vector<std::string>* Folder(const std::string& name) const {
    const auto it = folders_.find(name);
    return it == folders_.end() ? nullptr : &it->second;
  }

 private:
  void Note(absl::string_view name, absl::string_view what) {
    ++left_out_;
    if (left_out_ <= kMaxNotes) {
      notes_->push_back(absl::StrCat(path_, ": '", name, "' ", what,
                                     "; it is left out"));
    } else if (left_out_ == kMaxNotes + 1) {
      notes_->push_back(absl::StrCat(path_, ": more entries are left out"));
    }
  }

  void AddFolder(const std::string& name) {
    if (folders_.count(name) != 0) return;
    // From the top: no recursion, as deep as the name may be.
    std::string parent;
    for (absl::string_view part : absl::StrSplit(name, '/')) {
      const std::string child = JoinPath(parent, part);
      if (folders_.try_emplace(child).second) {
        folders_[parent].emplace_back(part);
      }
      parent = child;
    }
  }

  absl::Status AddFile(absl::string_view name, Place place) {
    const std::string clean = CleanTarName(name);
    if (clean.empty()) {
      Note(name.substr(0, 200),
           "leads outside of the archive or through too many folders");
      return absl::OkStatus();
    }
    if (folders_.count(clean) != 0) {
      Note(name, "is a file and a folder");
      return absl::OkStatus();
    }
    if (static_cast<int64_t>(files_.size()) >= limits_.files) {
      return ResourceExhausted("%s: there are more than %d files in it", path_,
                               limits_.files);
    }
    const std::string folder(DirName(clean));
    if (!folder.empty()) AddFolder(folder);
    const auto [it, is_new] = files_.insert_or_assign(clean, place);
    if (is_new) folders_[folder].emplace_back(BaseName(clean));
    return absl::OkStatus();
  }

  absl::Status ReadTar(absl::string_view bytes) {
    absl::string_view rest = bytes;
    std::string long_name, long_link;
    while (rest.size() >= static_cast<size_t>(kTarBlock)) {
      TarHeader header;
      std::memcpy(&header, rest.data(), kTarBlock);
      rest.remove_prefix(kTarBlock);
      if (header.name[0] == '\0') break;
      if (TarNumber(header.checksum) != TarChecksum(header)) {
        return InvalidArgument("%s: the tar archive is broken at byte %d",
                               path_, bytes.size() - rest.size() - kTarBlock);
      }
      const uint64_t size = TarNumber(header.size);
      if (size > rest.size()) {
        Note(long_name.empty() ? TarText(header.name) : long_name,
             "is cut off, as the archive is");
        break;
      }
      const absl::string_view contents = rest.substr(0, size);
      const uint64_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
      rest.remove_prefix(std::min<uint64_t>(padded, rest.size()));
      switch (header.kind) {
        case kTarLongName: long_name = UpToNul(contents); continue;
        case kTarLongLink: long_link = UpToNul(contents); continue;
        case kTarPax: ReadTarPax(contents, &long_name, &long_link); continue;
        case kTarPaxGlobal: continue;
        default: break;
      }
      std::string name = std::exchange(long_name, "");
      std::string link = std::exchange(long_link, "");
      if (name.empty()) name = TarName(header);
      if (link.empty()) link = TarText(header.link);
      HLOKIT_RETURN_IF_ERROR(AddEntry(header.kind, name, link, contents));
    }
    return absl::OkStatus();
  }

  absl::Status AddEntry(char kind, const std::string& name,
                        const std::string& link, absl::string_view contents) {
    switch (kind) {
      case kTarFolder: return absl::OkStatus();
      case kTarFile:
      case kTarOldFile:
        return AddFile(name, {.contents = contents,
                              .size = static_cast<int64_t>(contents.size())});
      case kTarHardLink:
        if (const Place* other = File(CleanTarName(link))) {
          return AddFile(name, *other);
        }
        Note(name, "links to a file that is not in the archive");
        return absl::OkStatus();
      case kTarSymbolicLink:
        Note(name, "is a symbolic link");
        return absl::OkStatus();
      default:
        Note(name, "is not a file");
        return absl::OkStatus();
    }
  }

  static std::string UpToNul(absl::string_view text) {
    return std::string(text.substr(0, text.find('\0')));
  }

  absl::Status ReadZip(absl::string_view bytes) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source =
        zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    zip_t* zip = source == nullptr
                     ? nullptr
                     : zip_open_from_source(source, ZIP_RDONLY, &error);
    if (zip == nullptr) {
      absl::Status status = InvalidArgument("%s: the zip archive is broken: %s",
                                            path_, zip_error_strerror(&error));
      zip_source_free(source);
      zip_error_fini(&error);
      return status;
    }
    zip_error_fini(&error);
    zip_ = zip;
    int64_t total = 0;
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      HLOKIT_RETURN_IF_ERROR(AddZipEntry(i, &total));
    }
    return absl::OkStatus();
  }

  absl::Status AddZipEntry(zip_int64_t i, int64_t* total) {
    zip_stat_t info;
    if (zip_stat_index(zip_, i, 0, &info) != 0 ||
        (info.valid & (ZIP_STAT_NAME | ZIP_STAT_SIZE)) !=
            (ZIP_STAT_NAME | ZIP_STAT_SIZE)) {
      return InvalidArgument("%s: entry %d of the zip archive is broken", path_,
                             i);
    }
    if (absl::EndsWith(info.name, "/")) return absl::OkStatus();
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    // Unix modes are in the upper half: 012 is a symbolic link.
    if (zip_file_get_external_attributes(zip_, i, 0, &system, &attributes) ==
            0 &&
        system == ZIP_OPSYS_UNIX && (attributes >> 28) == 012) {
      Note(info.name, "is a symbolic link");
      return absl::OkStatus();
    }
    if ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
        info.encryption_method != ZIP_EM_NONE) {
      Note(info.name, "is encrypted");
      return absl::OkStatus();
    }
    if (info.size > static_cast<zip_uint64_t>(limits_.bytes - *total)) {
      return ResourceExhausted("%s: there are more than %d bytes in it", path_,
                               limits_.bytes);
    }
    *total += info.size;
    return AddFile(info.name,
                   {.zip_entry = i, .size = static_cast<int64_t>(info.size)});
  }

  // Gives out as much as the header promises at most: the limits were checked
  // against that.
  absl::Status ReadZipEntry(const Place& place, absl::string_view path,
                            EmitPiece emit) const {
    const absl::MutexLock lock(&zip_mutex_);
    zip_file_t* file = zip_fopen_index(zip_, place.zip_entry, 0);
    if (file == nullptr) {
      return InvalidArgument("cannot read '%s': %s", path, zip_strerror(zip_));
    }
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> close(file,
                                                                  zip_fclose);
    const auto piece = std::make_unique<char[]>(kZipStep);
    int64_t left = place.size;
    while (true) {
      const zip_int64_t got = zip_fread(file, piece.get(), kZipStep);
      if (got < 0 || got > left || (got == 0 && left > 0)) {
        return InvalidArgument("cannot read '%s': it is broken", path);
      }
      if (got == 0) return absl::OkStatus();
      left -= got;
      emit({piece.get(), static_cast<size_t>(got)});
    }
  }

  const std::string path_;
  const ArchiveLimits limits_;
  std::vector<std::string>* notes_;
  size_t left_out_ = 0;
  std::unique_ptr<MappedFile> mapped_;  // of plain tar
  std::string text_;                    // of compressed tar
  zip_t* zip_ = nullptr;
  mutable absl::Mutex zip_mutex_;  // libzip reads one entry at a time
  std::map<std::string, Place> files_;
  std::map<std::string, std::vector<std::string>> folders_;  // their names
};

ArchiveFileSystem::ArchiveFileSystem(const FileSystem& base,
                                     ArchiveLimits limits)
    : base_(base), limits_(limits) {}
ArchiveFileSystem::~ArchiveFileSystem() = default;

absl::StatusOr<bool> ArchiveFileSystem::OpenIfArchive(const std::string& path) {
  if (archives_.count(path) != 0) return true;
  HLOKIT_ASSIGN_OR_RETURN(const FileInfo info, base_.Stat(path));
  if (!info.exists || info.is_directory || info.is_special) return false;
  HLOKIT_ASSIGN_OR_RETURN(auto mapped, base_.MapFile(path));
  auto archive = std::make_unique<Archive>(path, limits_, &notes_);
  HLOKIT_ASSIGN_OR_RETURN(const bool is_archive,
                          archive->Read(std::move(mapped)));
  if (is_archive) archives_[path] = std::move(archive);
  return is_archive;
}

const ArchiveFileSystem::Archive* ArchiveFileSystem::Find(
    absl::string_view path, std::string* within) const {
  for (const auto& [name, archive] : archives_) {
    absl::string_view rest = path;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    if (!rest.empty() && rest[0] != '/') continue;
    *within = CleanTarName(absl::StripPrefix(rest, "/"));
    return archive.get();
  }
  return nullptr;
}

namespace {

absl::Status NotInArchive(absl::string_view path) {
  return NotFound("cannot read '%s': the archive has no such file",
                  path);
}

}  // namespace

absl::StatusOr<std::string> ArchiveFileSystem::ReadFile(
    absl::string_view path, int64_t max_bytes) const {
  std::string within;
  if (Find(path, &within) == nullptr) return base_.ReadFile(path, max_bytes);
  HLOKIT_ASSIGN_OR_RETURN(const auto mapped, MapFile(path));
  if (static_cast<int64_t>(mapped->contents().size()) > max_bytes) {
    return ResourceExhausted("cannot read '%s': more than %d bytes", path,
                             max_bytes);
  }
  return std::string(mapped->contents());
}

absl::StatusOr<std::unique_ptr<MappedFile>> ArchiveFileSystem::MapFile(
    absl::string_view path) const {
  std::string within;
  const Archive* archive = Find(path, &within);
  if (archive == nullptr) return base_.MapFile(path);
  const Archive::Place* place = archive->File(within);
  if (place == nullptr) return NotInArchive(path);
  if (place->zip_entry < 0) {
    return std::make_unique<ViewOfFile>(place->contents);
  }
  HLOKIT_RETURN_IF_ERROR(CheckMemory(place->size, path));
  std::string contents;
  HLOKIT_RETURN_IF_ERROR(
      archive->ReadPieces(*place, path, [&](absl::string_view piece) {
        contents.append(piece.data(), piece.size());
      }));
  return std::make_unique<OwnedFile>(std::move(contents));
}

absl::Status ArchiveFileSystem::ReadPieces(absl::string_view path,
                                           EmitPiece emit) const {
  std::string within;
  const Archive* archive = Find(path, &within);
  if (archive == nullptr) return NotInArchive(path);
  const Archive::Place* place = archive->File(within);
  if (place == nullptr) return NotInArchive(path);
  return archive->ReadPieces(*place, path, emit);
}

absl::StatusOr<std::vector<std::string>> ArchiveFileSystem::ListDirectory(
    absl::string_view path) const {
  std::string within;
  const Archive* archive = Find(path, &within);
  if (archive == nullptr) return base_.ListDirectory(path);
  const std::vector<std::string>* names = archive->Folder(within);
  if (names == nullptr) {
    return NotFound("cannot list '%s': the archive has no such folder",
                    path);
  }
  std::vector<std::string> sorted = *names;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

absl::StatusOr<FileInfo> ArchiveFileSystem::Stat(absl::string_view path) const {
  std::string within;
  const Archive* archive = Find(path, &within);
  if (archive == nullptr) return base_.Stat(path);
  FileInfo info;
  if (const Archive::Place* place = archive->File(within)) {
    info.exists = true;
    info.size = place->size;
  } else {
    info.exists = info.is_directory = archive->Folder(within) != nullptr;
  }
  return info;
}

namespace {

absl::Status ReadOnly(absl::string_view path) {
  return FailedPrecondition("cannot write '%s': archives are read only", path);
}

}  // namespace

absl::Status ArchiveFileSystem::WriteFile(absl::string_view path,
                                          absl::string_view) {
  return ReadOnly(path);
}
absl::Status ArchiveFileSystem::AppendFile(absl::string_view path,
                                           absl::string_view) {
  return ReadOnly(path);
}
absl::Status ArchiveFileSystem::CreateDirectories(absl::string_view path) {
  return ReadOnly(path);
}
absl::Status ArchiveFileSystem::RemoveFile(absl::string_view path) {
  return ReadOnly(path);
}
absl::Status ArchiveFileSystem::Rename(absl::string_view from,
                                       absl::string_view) {
  return ReadOnly(from);
}

}  // namespace hlokit
