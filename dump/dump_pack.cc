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
#include "base/status.h"

namespace hlokit {
namespace {

constexpr int kWindowLog = 27;
constexpr int64_t kBlock = 512;

// ---- tar ----

// Kinds of entries: a file, a hard link, a name or link name of over 100 bytes
// for the next entry.
enum TarKind : char {
  kFile = '0',
  kOldFile = '\0',
  kLink = '1',
  kFolder = '5',
  kLongName = 'L',
  kLongLink = 'K',
};

struct TarHeader {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
  char kind;
  char link[100], magic[8], user[32], group[32], major[8], minor[8];
  char prefix[155], padding[12];
};
static_assert(sizeof(TarHeader) == kBlock);

unsigned ChecksumOf(TarHeader header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned sum = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  for (int64_t i = 0; i < kBlock; ++i) sum += bytes[i];
  return sum;
}

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

template <size_t N>
uint64_t FromOctal(const char (&field)[N]) {
  uint64_t value = 0;
  if ((field[0] & 0x80) != 0) {
    for (size_t i = 1; i < N; ++i) {
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  for (const char c : field) {
    if (c >= '0' && c <= '7') value = value << 3 | (c - '0');
  }
  return value;
}

template <size_t N>
std::string Text(const char (&field)[N]) {
  return std::string(field, ::strnlen(field, N));
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
    Entry(kFile, name, "", contents);
  }
  void Link(const std::string& name, const std::string& target) {
    Entry(kLink, name, target, "");
  }
  std::string Finish() {
    out_.Write(std::string(2 * kBlock, '\0'));
    return out_.Finish();
  }

 private:
  void Entry(TarKind kind, const std::string& name, const std::string& link,
             absl::string_view contents) {
    if (link.size() > 100) Raw(kLongLink, "././@LongLink", "", Ended(link));
    if (name.size() > 100) Raw(kLongName, "././@LongLink", "", Ended(name));
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
    const std::string sum = absl::StrFormat("%06o", ChecksumOf(header));
    std::memcpy(header.checksum, sum.c_str(), 7);
    header.checksum[7] = ' ';
    out_.Write(absl::string_view(reinterpret_cast<char*>(&header), kBlock));
    out_.Write(contents);
    const int64_t rest = contents.size() % kBlock;
    if (rest != 0) out_.Write(std::string(kBlock - rest, '\0'));
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
      HLOKIT_ASSIGN_OR_RETURN(const std::string rest, Read(kBlock));
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

// Relative, and stays below its folder.
bool IsSafePath(absl::string_view path) {
  if (path.empty() || path[0] == '/') return false;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part == ".." || part == "." || part.empty()) return false;
  }
  return true;
}

class Unpacker {
 public:
  Unpacker(FileSystem* files, absl::string_view bytes,
           const std::string& folder)
      : files_(files), in_(bytes), folder_(folder) {}

  absl::StatusOr<PackStats> Run() {
    std::string long_name, long_link;
    for (;;) {
      TarHeader header;
      HLOKIT_ASSIGN_OR_RETURN(const std::string block, in_.Read(kBlock));
      if (block.size() < static_cast<size_t>(kBlock)) {
        return InvalidArgument("the pack ends early, after %d files",
                               stats_.files);
      }
      std::memcpy(&header, block.data(), kBlock);
      if (header.name[0] == '\0') {
        HLOKIT_RETURN_IF_ERROR(in_.Finish());
        return stats_;
      }
      if (FromOctal(header.checksum) != ChecksumOf(header)) {
        return InvalidArgument("the pack holds no tar archive, or it is broken "
                               "after %d files",
                               stats_.files);
      }
      const uint64_t size = FromOctal(header.size);
      HLOKIT_ASSIGN_OR_RETURN(std::string contents, in_.Read(size));
      if (contents.size() < size) {
        return InvalidArgument("the pack ends early, after %d files",
                               stats_.files);
      }
      HLOKIT_RETURN_IF_ERROR(
          in_.Read((kBlock - size % kBlock) % kBlock).status());
      if (header.kind == kLongName) {
        long_name = contents.c_str();
        continue;
      }
      if (header.kind == kLongLink) {
        long_link = contents.c_str();
        continue;
      }
      const std::string name =
          long_name.empty() ? Text(header.name) : long_name;
      const std::string link =
          long_link.empty() ? Text(header.link) : long_link;
      long_name.clear();
      long_link.clear();
      HLOKIT_RETURN_IF_ERROR(Entry(header.kind, name, link, contents));
    }
  }

 private:
  absl::Status Entry(char kind, const std::string& name,
                     const std::string& link, const std::string& contents) {
    if (kind == kFolder) return absl::OkStatus();
    if (!IsSafePath(name)) {
      return InvalidArgument("the pack names a file outside: '%s'", name);
    }
    if (kind == kFile || kind == kOldFile) return Write(name, contents);
    if (kind != kLink || !IsSafePath(link)) {
      return InvalidArgument("'%s' in the pack is neither file nor hard link",
                             name);
    }
    ++stats_.duplicates;
    HLOKIT_ASSIGN_OR_RETURN(const std::string other,
                            files_->ReadFile(JoinPath(folder_, link)));
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

absl::StatusOr<PackStats> PackDumps(FileSystem* files, const DumpIndex& index,
                                    const std::string& folder,
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
    HLOKIT_ASSIGN_OR_RETURN(const auto mapped, files->MapFile(path));
    const absl::string_view contents = mapped->contents();
    ++stats.files;
    stats.bytes += contents.size();
    std::vector<int>& same = seen[absl::HashOf(contents)];
    bool duplicate = false;
    for (int other : same) {
      HLOKIT_ASSIGN_OR_RETURN(const auto first,
                              files->MapFile(index.files[other].path));
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
  HLOKIT_RETURN_IF_ERROR(files->WriteFile(pack, bytes));
  return stats;
}

absl::StatusOr<PackStats> UnpackDumps(FileSystem* files,
                                      const std::string& pack,
                                      const std::string& folder) {
  HLOKIT_ASSIGN_OR_RETURN(const auto mapped, files->MapFile(pack));
  HLOKIT_RETURN_IF_ERROR(files->CreateDirectories(folder));
  HLOKIT_ASSIGN_OR_RETURN(PackStats stats,
                          Unpacker(files, mapped->contents(), folder).Run());
  stats.packed_bytes = mapped->contents().size();
  return stats;
}

}  // namespace hlokit
