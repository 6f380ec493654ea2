#include "dump/dump_pack.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/compression.h"
#include "base/status.h"
#include "dump/dump_archive.h"
#include "dump/tar_format.h"

namespace hlokit {
namespace {

constexpr int kWindowLog = 27;

template <size_t N>
void Octal(uint64_t value, char (&field)[N]) {
  std::string digits = absl::StrFormat("%0*o", static_cast<int>(N - 1), value);
  if (digits.size() < N) {
    std::memcpy(field, digits.c_str(), N);
    return;
  }
  // GNU's binary form for 8 GiB and more.
  field[0] = static_cast<char>(0x80);
  for (size_t i = N - 1; i > 0; --i, value >>= 8) {
    field[i] = static_cast<char>(value);
  }
}

// ---- writing ----

class ZstdWriter {
 public:
  explicit ZstdWriter(int level) : context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, kWindowLog);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
    // Fails where the library has no threads; then there are none.
    ZSTD_CCtx_setParameter(context_, ZSTD_c_nbWorkers, 2);
  }
  ~ZstdWriter() { ZSTD_freeCCtx(context_); }

  void Write(absl::string_view bytes) { Run(bytes, ZSTD_e_continue); }
  std::string Finish() {
    Run("", ZSTD_e_end);
    return std::move(out_);
  }

 private:
  void Run(absl::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    std::string buffer(ZSTD_CStreamOutSize(), '\0');
    for (;;) {
      ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
      const size_t left = ZSTD_compressStream2(context_, &out, &in, end);
      HLOKIT_CHECK(!ZSTD_isError(left));
      out_.append(buffer.data(), out.pos);
      if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
    }
  }

  ZSTD_CCtx* context_;
  std::string out_;
};

class TarWriter {
 public:
  explicit TarWriter(int level) : out_(level) {}

  void File(const std::string& name, absl::string_view contents) {
    Entry(kTarFile, name, "", contents);
  }
  void Link(const std::string& name, const std::string& target) {
    Entry(kTarHardLink, name, target, "");
  }
  std::string Finish() {
    out_.Write(std::string(2 * kTarBlock, '\0'));
    return out_.Finish();
  }

 private:
  void Entry(TarKind kind, const std::string& name, const std::string& link,
             absl::string_view contents) {
    if (link.size() > 100) Raw(kTarLongLink, "././@LongLink", "", Ended(link));
    if (name.size() > 100) Raw(kTarLongName, "././@LongLink", "", Ended(name));
    Raw(kind, name, link, contents);
  }
  static std::string Ended(const std::string& text) {
    return std::string(text.c_str(), text.size() + 1);
  }

  void Raw(TarKind kind, const std::string& name, const std::string& link,
           absl::string_view contents) {
    TarHeader header;
    std::memset(&header, 0, sizeof header);
    std::memcpy(header.name, name.data(), std::min<size_t>(name.size(), 100));
    std::memcpy(header.link, link.data(), std::min<size_t>(link.size(), 100));
    Octal(0644, header.mode);
    Octal(0, header.uid);
    Octal(0, header.gid);
    Octal(contents.size(), header.size);
    Octal(0, header.mtime);
    header.kind = kind;
    std::memcpy(header.magic, "ustar  ", 8);
    const std::string sum = absl::StrFormat("%06o", TarChecksum(header));
    std::memcpy(header.checksum, sum.c_str(), 7);
    header.checksum[7] = ' ';
    out_.Write(absl::string_view(reinterpret_cast<char*>(&header), kTarBlock));
    out_.Write(contents);
    const int64_t rest = contents.size() % kTarBlock;
    if (rest != 0) out_.Write(std::string(kTarBlock - rest, '\0'));
  }

  ZstdWriter out_;
};

// Dumps of one module after another, in order; the rest behind them.
std::vector<int> PackingOrder(const DumpIndex& index) {
  std::vector<int> order;
  std::vector<bool> taken(index.files.size());
  // First what holds modules: those texts are alike.
  for (const bool holds_module : {true, false}) {
    for (const DumpedModule& module : index.modules) {
      for (int i : module.files) {
        if (index.files[i].name->holds_module() != holds_module) continue;
        order.push_back(i);
        taken[i] = true;
      }
    }
  }
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) order.push_back(i);
  }
  return order;
}

// ---- reading ----

// Decompresses as much as is asked for.
class ZstdReader {
 public:
  explicit ZstdReader(absl::string_view bytes)
      : context_(ZSTD_createDCtx()), in_{bytes.data(), bytes.size(), 0} {
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLog);
  }
  ~ZstdReader() { ZSTD_freeDCtx(context_); }

  // Exactly `count` bytes, or fewer at the end.
  absl::StatusOr<std::string> Read(uint64_t count) {
    std::string text;
    while (text.size() < count) {
      if (left_ == 0 && in_.pos == in_.size) break;
      const size_t step =
          std::min<uint64_t>(count - text.size(), uint64_t{1} << 20);
      const size_t start = text.size();
      text.resize(start + step);
      ZSTD_outBuffer out = {text.data() + start, step, 0};
      left_ = ZSTD_decompressStream(context_, &out, &in_);
      if (ZSTD_isError(left_)) {
        return InvalidArgument("the pack is broken at byte %d: %s", in_.pos,
                               ZSTD_getErrorName(left_));
      }
      text.resize(start + out.pos);
      if (out.pos == 0 && in_.pos == in_.size) break;
    }
    return text;
  }

  // Reads what is left and checks it.
  absl::Status Finish() {
    for (;;) {
      HLOKIT_ASSIGN_OR_RETURN(const std::string rest, Read(kTarBlock));
      if (rest.empty()) break;
    }
    if (left_ == 0) return absl::OkStatus();
    return InvalidArgument("the pack ends early");
  }

 private:
  ZSTD_DCtx* context_;
  ZSTD_inBuffer in_;
  size_t left_ = 1;  // 0 at the end of a frame
};

class Unpacker {
 public:
  Unpacker(FileSystem* files, absl::string_view bytes,
           const std::string& folder)
      : files_(files), in_(bytes), folder_(folder) {}

  absl::StatusOr<PackStats> Run() {
    std::string long_name, long_link;
    for (;;) {
      TarHeader header;
      HLOKIT_ASSIGN_OR_RETURN(const std::string block, in_.Read(kTarBlock));
      if (block.size() < static_cast<size_t>(kTarBlock)) {
        return InvalidArgument("the pack ends early, after %d files",
                               stats_.files);
      }
      std::memcpy(&header, block.data(), kTarBlock);
      if (header.name[0] == '\0') {
        HLOKIT_RETURN_IF_ERROR(in_.Finish());
        return stats_;
      }
      if (TarNumber(header.checksum) != TarChecksum(header)) {
        return InvalidArgument("the pack holds no tar archive, or it is broken "
                               "after %d files",
                               stats_.files);
      }
      const uint64_t size = TarNumber(header.size);
      HLOKIT_ASSIGN_OR_RETURN(std::string contents, in_.Read(size));
      if (contents.size() < size) {
        return InvalidArgument("the pack ends early, after %d files",
                               stats_.files);
      }
      HLOKIT_RETURN_IF_ERROR(
          in_.Read((kTarBlock - size % kTarBlock) % kTarBlock).status());
      if (header.kind == kTarLongName) {
        long_name = contents.c_str();
        continue;
      }
      if (header.kind == kTarLongLink) {
        long_link = contents.c_str();
        continue;
      }
      if (header.kind == kTarPax) {
        ReadTarPax(contents, &long_name, &long_link);
        continue;
      }
      if (header.kind == kTarPaxGlobal) continue;
      const std::string name =
          long_name.empty() ? TarText(header.name) : long_name;
      const std::string link =
          long_link.empty() ? TarText(header.link) : long_link;
      long_name.clear();
      long_link.clear();
      HLOKIT_RETURN_IF_ERROR(Entry(header.kind, name, link, contents));
    }
  }

 private:
  absl::Status Entry(char kind, const std::string& written,
                     const std::string& link, const std::string& contents) {
    if (kind == kTarFolder) return absl::OkStatus();
    const std::string name = CleanTarName(written);
    if (name.empty()) {
      return InvalidArgument("the pack names a file outside: '%s'", written);
    }
    if (kind == kTarFile || kind == kTarOldFile) return Write(name, contents);
    const std::string target = CleanTarName(link);
    if (kind != kTarHardLink || target.empty()) {
      return InvalidArgument("'%s' in the pack is neither file nor hard link",
                             name);
    }
    ++stats_.duplicates;
    HLOKIT_ASSIGN_OR_RETURN(const std::string other,
                            files_->ReadFile(JoinPath(folder_, target)));
    return Write(name, other);
  }

  absl::Status Write(const std::string& name, const std::string& contents) {
    const std::string path = JoinPath(folder_, name);
    HLOKIT_RETURN_IF_ERROR(
        files_->CreateDirectories(std::string(DirName(path))));
    HLOKIT_RETURN_IF_ERROR(files_->WriteFile(path, contents));
    ++stats_.files;
    stats_.bytes += contents.size();
    return absl::OkStatus();
  }

  FileSystem* files_;
  ZstdReader in_;
  const std::string folder_;
  PackStats stats_;
};

}  // namespace

absl::StatusOr<PackStats> PackDumps(const FileSystem& from,
                                    const DumpIndex& index,
                                    const std::string& folder, FileSystem* to,
                                    const std::string& pack, int level) {
  PackStats stats;
  TarWriter tar(level);
  // By contents' hash; equal hashes are compared.
  absl::flat_hash_map<size_t, std::vector<int>> seen;
  auto name_of = [&](int i) {
    absl::string_view path = index.files[i].path;
    absl::ConsumePrefix(&path, folder);
    while (absl::ConsumePrefix(&path, "/")) {
    }
    return std::string(path);
  };
  for (int i : PackingOrder(index)) {
    const std::string& path = index.files[i].path;
    const auto mapped = from.MapFile(path);
    if (absl::IsPermissionDenied(mapped.status())) {
      stats.notes.push_back(
          absl::StrCat(mapped.status().message(), "; it is left out"));
      continue;
    }
    HLOKIT_RETURN_IF_ERROR(mapped.status());
    const absl::string_view contents = (*mapped)->contents();
    ++stats.files;
    stats.bytes += contents.size();
    std::vector<int>& same = seen[absl::HashOf(contents)];
    bool duplicate = false;
    for (int other : same) {
      HLOKIT_ASSIGN_OR_RETURN(const auto first,
                              from.MapFile(index.files[other].path));
      if (first->contents() == contents) {
        tar.Link(name_of(i), name_of(other));
        duplicate = true;
        ++stats.duplicates;
        break;
      }
    }
    if (duplicate) continue;
    same.push_back(i);
    tar.File(name_of(i), contents);
  }
  const std::string bytes = tar.Finish();
  stats.packed_bytes = bytes.size();
  HLOKIT_RETURN_IF_ERROR(to->WriteFile(pack, bytes));
  return stats;
}

namespace {

absl::StatusOr<PackStats> CopyAll(const ArchiveFileSystem& from,
                                  const std::string& root, FileSystem* to,
                                  const std::string& folder) {
  PackStats stats;
  stats.notes = from.notes();
  std::vector<std::string> pending = {""};
  while (!pending.empty()) {
    const std::string below = pending.back();
    pending.pop_back();
    const std::string target = JoinPath(folder, below);
    HLOKIT_RETURN_IF_ERROR(to->CreateDirectories(target));
    const std::string source = JoinPath(root, below);
    HLOKIT_ASSIGN_OR_RETURN(const auto names, from.ListDirectory(source));
    for (const std::string& name : names) {
      const std::string path = JoinPath(source, name);
      if (from.IsDirectory(path)) {
        pending.push_back(JoinPath(below, name));
        continue;
      }
      HLOKIT_ASSIGN_OR_RETURN(const auto mapped, from.MapFile(path));
      HLOKIT_RETURN_IF_ERROR(
          to->WriteFile(JoinPath(target, name), mapped->contents()));
      ++stats.files;
      stats.bytes += mapped->contents().size();
    }
  }
  return stats;
}

}  // namespace

absl::StatusOr<PackStats> UnpackDumps(FileSystem* files,
                                      const std::string& pack,
                                      const std::string& folder) {
  HLOKIT_ASSIGN_OR_RETURN(const auto mapped, files->MapFile(pack));
  if (DetectCompression(mapped->contents()) != Compression::kZstd) {
    ArchiveFileSystem archive(*files);
    HLOKIT_ASSIGN_OR_RETURN(const bool is_archive,
                            archive.OpenIfArchive(pack));
    if (is_archive) {
      HLOKIT_ASSIGN_OR_RETURN(PackStats stats,
                              CopyAll(archive, pack, files, folder));
      stats.packed_bytes = mapped->contents().size();
      return stats;
    }
  }
  HLOKIT_RETURN_IF_ERROR(files->CreateDirectories(folder));
  HLOKIT_ASSIGN_OR_RETURN(PackStats stats,
                          Unpacker(files, mapped->contents(), folder).Run());
  stats.packed_bytes = mapped->contents().size();
  return stats;
}

}  // namespace hlokit
