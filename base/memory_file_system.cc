#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/errno_status.h"
#include "base/file_system.h"
#include "base/status.h"

namespace hlokit {
namespace {

// One spelling for each path: "./a//b/" -> "a/b", "a/../b" -> "b". The folders
// that always exist are "." and "/"; "" stays "" and is nowhere.
std::string KeyOf(absl::string_view path) {
  if (path.empty()) return "";
  const bool absolute = absl::StartsWith(path, "/");
  std::vector<absl::string_view> parts;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!absolute) {
      parts.push_back(part);
    }
  }
  if (parts.empty()) return absolute ? "/" : ".";
  return absl::StrCat(absolute ? "/" : "", absl::StrJoin(parts, "/"));
}

bool IsRoot(absl::string_view key) { return key == "." || key == "/"; }

std::string ParentOf(absl::string_view key) {
  const absl::string_view parent = DirName(key);
  return parent.empty() ? "." : std::string(parent);
}

// What the keys of all that is in a folder start with.
std::string PrefixOf(absl::string_view key) {
  if (key == ".") return "";
  return key == "/" ? "/" : absl::StrCat(key, "/");
}

class MemoryMapping : public MappedFile {
 public:
  explicit MemoryMapping(std::string contents)
      : contents_(std::move(contents)) {}
  absl::string_view contents() const override { return contents_; }

 private:
  std::string contents_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem(
    std::initializer_list<std::pair<const std::string, std::string>> files) {
  for (const auto& [path, contents] : files) {
    absl::Status status = CreateDirectories(DirName(path));
    if (status.ok()) status = WriteFile(path, contents);
    HLOKIT_CHECK(status.ok());
  }
}

absl::Status MemoryFileSystem::CheckParent(const std::string& key,
                                           absl::string_view path) const {
  if (key.empty()) return FileError(ENOENT, "write", path);
  const std::string parent = ParentOf(key);
  if (IsRoot(parent)) return absl::OkStatus();
  const auto it = entries_.find(parent);
  if (it == entries_.end()) return FileError(ENOENT, "write", path);
  if (!it->second.is_directory) return FileError(ENOTDIR, "write", path);
  return absl::OkStatus();
}

absl::Status MemoryFileSystem::CheckWritable(const std::string& key,
                                             absl::string_view path) {
  HLOKIT_RETURN_IF_ERROR(CheckParent(key, path));
  const auto it = entries_.find(key);
  if (IsRoot(key) || (it != entries_.end() && it->second.is_directory)) {
    return FileError(EISDIR, "write", path);
  }
  if (writes_left_ == 0) return FileError(ENOSPC, "write", path);
  if (writes_left_ > 0) --writes_left_;
  return absl::OkStatus();
}

absl::StatusOr<const MemoryFileSystem::Entry*> MemoryFileSystem::FindFile(
    absl::string_view path) const {
  const std::string key = KeyOf(path);
  if (IsRoot(key)) return FileError(EISDIR, "read", path);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return FileError(ENOENT, "read", path);
  if (it->second.is_directory) return FileError(EISDIR, "read", path);
  return &it->second;
}

absl::StatusOr<std::string> MemoryFileSystem::ReadFile(
    absl::string_view path, int64_t max_bytes) const {
  absl::MutexLock lock(&mutex_);
  HLOKIT_ASSIGN_OR_RETURN(const Entry* entry, FindFile(path));
  if (static_cast<int64_t>(entry->contents.size()) > max_bytes) {
    return ResourceExhausted("cannot read '%s': more than %d bytes", path,
                             max_bytes);
  }
  return entry->contents;
}

absl::StatusOr<std::unique_ptr<MappedFile>> MemoryFileSystem::MapFile(
    absl::string_view path) const {
  HLOKIT_ASSIGN_OR_RETURN(std::string contents, ReadFile(path));
  return std::make_unique<MemoryMapping>(std::move(contents));
}

absl::Status MemoryFileSystem::WriteFile(absl::string_view path,
                                         absl::string_view contents) {
  absl::MutexLock lock(&mutex_);
  const std::string key = KeyOf(path);
  HLOKIT_RETURN_IF_ERROR(CheckWritable(key, path));
  entries_[key] = {false, std::string(contents), ++changes_};
  return absl::OkStatus();
}

absl::Status MemoryFileSystem::AppendFile(absl::string_view path,
                                          absl::string_view contents) {
  absl::MutexLock lock(&mutex_);
  const std::string key = KeyOf(path);
  HLOKIT_RETURN_IF_ERROR(CheckWritable(key, path));
  Entry& entry = entries_[key];
  absl::StrAppend(&entry.contents, contents);
  entry.mtime = ++changes_;
  return absl::OkStatus();
}

absl::Status MemoryFileSystem::CreateDirectories(absl::string_view path) {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> missing;
  for (std::string key = KeyOf(path); !key.empty() && !IsRoot(key);
       key = ParentOf(key)) {
    const auto it = entries_.find(key);
    if (it == entries_.end()) {
      missing.push_back(key);
    } else if (!it->second.is_directory) {
      return FileError(ENOTDIR, "create folder", key);
    }
  }
  for (const std::string& key : missing) entries_[key] = {true, "", ++changes_};
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> MemoryFileSystem::ListDirectory(
    absl::string_view path) const {
  absl::MutexLock lock(&mutex_);
  const std::string key = KeyOf(path);
  if (!IsRoot(key)) {
    const auto it = entries_.find(key);
    if (it == entries_.end()) return FileError(ENOENT, "list", path);
    if (!it->second.is_directory) return FileError(ENOTDIR, "list", path);
  }
  std::vector<std::string> names;
  const std::string prefix = PrefixOf(key);
  for (auto it = entries_.lower_bound(prefix);
       it != entries_.end() && absl::StartsWith(it->first, prefix);) {
    const size_t slash = it->first.find('/', prefix.size());
    if (slash == std::string::npos) {
      names.emplace_back(BaseName(it->first));
      ++it;
    } else {
      // All that is below the same folder: '0' follows '/'.
      it = entries_.lower_bound(absl::StrCat(it->first.substr(0, slash), "0"));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<FileInfo> MemoryFileSystem::Stat(absl::string_view path) const {
  absl::MutexLock lock(&mutex_);
  const std::string key = KeyOf(path);
  FileInfo info;
  if (IsRoot(key)) {
    info.exists = info.is_directory = info.is_private = true;
    return info;
  }
  const auto it = entries_.find(key);
  if (it == entries_.end()) return info;
  info.exists = true;
  info.is_directory = it->second.is_directory;
  info.is_private = true;
  info.size = static_cast<int64_t>(it->second.contents.size());
  info.mtime = absl::FromUnixSeconds(it->second.mtime);
  return info;
}

absl::Status MemoryFileSystem::RemoveFile(absl::string_view path) {
  absl::MutexLock lock(&mutex_);
  const std::string key = KeyOf(path);
  const auto it = entries_.find(key);
  if (IsRoot(key) || (it != entries_.end() && it->second.is_directory)) {
    return FileError(EISDIR, "remove", path);
  }
  if (it == entries_.end()) return FileError(ENOENT, "remove", path);
  entries_.erase(it);
  return absl::OkStatus();
}

absl::Status MemoryFileSystem::Rename(absl::string_view from,
                                      absl::string_view to) {
  absl::MutexLock lock(&mutex_);
  const std::string old_key = KeyOf(from);
  const std::string new_key = KeyOf(to);
  const auto it = entries_.find(old_key);
  if (it == entries_.end()) return FileError(ENOENT, "rename", from);
  HLOKIT_RETURN_IF_ERROR(CheckParent(new_key, to));
  if (old_key == new_key) return absl::OkStatus();
  const bool is_directory = it->second.is_directory;
  const std::string old_prefix = PrefixOf(old_key);
  if (is_directory && absl::StartsWith(new_key, old_prefix)) {
    return FileError(EINVAL, "rename", from);
  }
  const auto target = entries_.find(new_key);
  const bool target_is_directory =
      IsRoot(new_key) ||
      (target != entries_.end() && target->second.is_directory);
  if (target_is_directory && !is_directory) {
    return FileError(EISDIR, "rename", from);
  }
  if (target_is_directory) return FileError(ENOTEMPTY, "rename", from);
  if (is_directory && target != entries_.end()) {
    return FileError(ENOTDIR, "rename", from);
  }
  std::map<std::string, Entry> moved;
  for (auto i = entries_.begin(); i != entries_.end();) {
    absl::string_view rest = i->first;
    if (i->first == old_key) {
      moved[new_key] = std::move(i->second);
    } else if (is_directory && absl::ConsumePrefix(&rest, old_prefix)) {
      moved[absl::StrCat(PrefixOf(new_key), rest)] = std::move(i->second);
    } else {
      ++i;
      continue;
    }
    i = entries_.erase(i);
  }
  for (auto& [key, entry] : moved) entries_[key] = std::move(entry);
  ++changes_;
  return absl::OkStatus();
}

void MemoryFileSystem::FailWritesAfter(int64_t n) {
  absl::MutexLock lock(&mutex_);
  writes_left_ = n;
}

std::map<std::string, std::string> MemoryFileSystem::Files() const {
  absl::MutexLock lock(&mutex_);
  std::map<std::string, std::string> files;
  for (const auto& [key, entry] : entries_) {
    if (!entry.is_directory) files[key] = entry.contents;
  }
  return files;
}

}  // namespace hlokit
