#include "dump/dump_pack.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "dump/tar_format.h"

namespace hlokit {
namespace {

constexpr int kWindowLog = 27;
constexpr int kSmallWindowLog = 22;
constexpr int64_t kMemoryForLargeWindow = int64_t{3} << 30;

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
  ZstdWriter(int level, FileSystem::EmitPiece emit)
      : context_(ZSTD_createCCtx(), ZSTD_freeCCtx),
        buffer_(ZSTD_CStreamOutSize(), '\0'),
        emit_(emit) {
    if (context_ == nullptr) return;
    const bool small = AvailableMemory() < kMemoryForLargeWindow;
    auto set = [&](ZSTD_cParameter parameter, int value) {
      ZSTD_CCtx_setParameter(context_.get(), parameter, value);
    };
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_enableLongDistanceMatching, 1);
    set(ZSTD_c_windowLog, small ? kSmallWindowLog : kWindowLog);
    set(ZSTD_c_checksumFlag, 1);
    // Fails where the library has no threads; then there are none.
    if (!small) set(ZSTD_c_nbWorkers, 2);
  }

  // Errors: OutOfMemory.
  absl::Status Write(absl::string_view bytes) {
    return Run(bytes, ZSTD_e_continue);
  }
  absl::Status Finish() { return Run("", ZSTD_e_end); }

 private:
  absl::Status Run(absl::string_view bytes, ZSTD_EndDirective end) {
    if (context_ == nullptr) return OutOfMemory("no memory to pack with");
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out = {buffer_.data(), buffer_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      if (ZSTD_isError(left)) {
        return OutOfMemory(
            absl::StrCat("cannot pack: ", ZSTD_getErrorName(left)));
      }
      emit_({buffer_.data(), out.pos});
      if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) {
        return absl::OkStatus();
      }
    }
  }

  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_;
  std::string buffer_;
  const FileSystem::EmitPiece emit_;
};

class TarWriter {
 public:
  TarWriter(int level, FileSystem::EmitPiece emit) : out_(level, emit) {}

  absl::Status File(const std::string& name, absl::string_view contents) {
    return Entry(kTarFile, name, "", contents);
  }
  absl::Status Link(const std::string& name, const std::string& target) {
    return Entry(kTarHardLink, name, target, "");
  }
  absl::Status Finish() {
    HLOKIT_RETURN_IF_ERROR(out_.Write(std::string(2 * kTarBlock, '\0')));
    return out_.Finish();
  }

 private:
  absl::Status Entry(TarKind kind, const std::string& name,
                     const std::string& link, absl::string_view contents) {
    constexpr char kLongName[] = "././@LongLink";
    if (link.size() > 100) {
      HLOKIT_RETURN_IF_ERROR(Raw(kTarLongLink, kLongName, "", Ended(link)));
    }
    if (name.size() > 100) {
      HLOKIT_RETURN_IF_ERROR(Raw(kTarLongName, kLongName, "", Ended(name)));
    }
    return Raw(kind, name, link, contents);
  }
  static std::string Ended(const std::string& text) {
    return std::string(text.c_str(), text.size() + 1);
  }

  absl::Status Raw(TarKind kind, const std::string& name,
                   const std::string& link, absl::string_view contents) {
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
    HLOKIT_RETURN_IF_ERROR(out_.Write(
        absl::string_view(reinterpret_cast<char*>(&header), kTarBlock)));
    HLOKIT_RETURN_IF_ERROR(out_.Write(contents));
    const int64_t rest = contents.size() % kTarBlock;
    if (rest == 0) return absl::OkStatus();
    return out_.Write(std::string(kTarBlock - rest, '\0'));
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

absl::Status WritePack(const FileSystem& from, const DumpIndex& index,
                       const std::string& folder, int level,
                       FileSystem::EmitPiece emit, PackStats* stats) {
  const auto count_and_emit = [&](absl::string_view piece) {
    stats->packed_bytes += piece.size();
    emit(piece);
  };
  TarWriter tar(level, count_and_emit);
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
      stats->notes.push_back(
          absl::StrCat(mapped.status().message(), "; it is left out"));
      continue;
    }
    HLOKIT_RETURN_IF_ERROR(mapped.status());
    const absl::string_view contents = (*mapped)->contents();
    ++stats->files;
    stats->bytes += contents.size();
    std::vector<int>& same = seen[absl::HashOf(contents)];
    bool duplicate = false;
    for (int other : same) {
      HLOKIT_ASSIGN_OR_RETURN(const auto first,
                              from.MapFile(index.files[other].path));
      if (first->contents() == contents) {
        HLOKIT_RETURN_IF_ERROR(tar.Link(name_of(i), name_of(other)));
        duplicate = true;
        ++stats->duplicates;
        break;
      }
    }
    if (duplicate) continue;
    same.push_back(i);
    HLOKIT_RETURN_IF_ERROR(tar.File(name_of(i), contents));
  }
  return tar.Finish();
}

}  // namespace

absl::StatusOr<PackStats> PackDumps(const FileSystem& from,
                                    const DumpIndex& index,
                                    const std::string& folder, FileSystem* to,
                                    const std::string& pack, int level) {
  PackStats stats;
  const absl::Status written = to->TryWritePieces(
      pack, [&](FileSystem::EmitPiece emit) -> absl::Status {
        return WritePack(from, index, folder, level, emit, &stats);
      });
  HLOKIT_RETURN_IF_ERROR(written);
  return stats;
}

}  // namespace hlokit
