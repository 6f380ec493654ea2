#include "base/file_system.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/errno_status.h"

namespace hlokit {

absl::Status FileSystem::WritePieces(absl::string_view path, Produce produce) {
  return TryWritePieces(path, [&](EmitPiece emit) {
    produce(emit);
    return absl::OkStatus();
  });
}

absl::Status FileSystem::TryWritePieces(absl::string_view path,
                                        TryProduce produce) {
  std::string contents;
  const absl::Status produced = produce([&](absl::string_view piece) {
    contents.append(piece.data(), piece.size());
  });
  return produced.ok() ? WriteFile(path, contents) : produced;
}

bool FileSystem::Exists(absl::string_view path) const {
  const absl::StatusOr<FileInfo> info = Stat(path);
  return info.ok() && info->exists;
}

bool FileSystem::IsDirectory(absl::string_view path) const {
  const absl::StatusOr<FileInfo> info = Stat(path);
  return info.ok() && info->is_directory;
}

std::string JoinPath(absl::string_view folder, absl::string_view name) {
  if (folder.empty() || absl::StartsWith(name, "/")) return std::string(name);
  if (name.empty()) return std::string(folder);
  return absl::StrCat(folder, absl::EndsWith(folder, "/") ? "" : "/", name);
}

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

absl::string_view DirName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return "";
  return path.substr(0, slash == 0 ? 1 : slash);
}

absl::string_view Extension(absl::string_view path) {
  const absl::string_view name = BaseName(path);
  const size_t dot = name.rfind('.');
  return dot == absl::string_view::npos ? "" : name.substr(dot);
}

absl::StatusOr<std::unique_ptr<TemporaryDirectory>>
TemporaryDirectory::Create() {
  const char* parent = ::getenv("TMPDIR");
  std::string path = JoinPath(
      parent != nullptr && *parent != '\0' ? parent : "/tmp", "hlokit-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) {
    return FileError(errno, "create", path);
  }
  return absl::WrapUnique(new TemporaryDirectory(std::move(path)));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hlokit
