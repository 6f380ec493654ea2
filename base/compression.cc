#include "base/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/decompressor.h"
#include "base/memory_limit.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr size_t kFirstOutputBytes = size_t{64} << 10;
// zlib counts bytes in 32 bits.
constexpr size_t kMaxZlibBytes = size_t{1} << 30;
constexpr absl::string_view kGzipMagic("\x1f\x8b\x08", 3);
constexpr absl::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

// Grows with what was really written into it, up to one byte over the limit:
// that byte tells that there is more than the limit.
class GrowingBuffer {
 public:
  explicit GrowingBuffer(int64_t max_bytes)
      : max_bytes_(static_cast<size_t>(std::max<int64_t>(max_bytes, 0))) {}

  // Makes room for one byte at least.
  void MakeRoom() {
    if (used_ == bytes_.size()) bytes_.resize(NextSize());
  }
  // Bytes that MakeRoom will allocate now: the old and the new block exist at
  // the same time while it copies.
  int64_t bytes_to_grow() const {
    return used_ < bytes_.size() ? 0 : static_cast<int64_t>(NextSize());
  }
  char* end() { return bytes_.data() + used_; }
  size_t room() const { return bytes_.size() - used_; }
  void Use(size_t count) { used_ += count; }
  bool too_long() const { return used_ > max_bytes_; }

  std::string Take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  size_t NextSize() const {
    return std::min(std::max(kFirstOutputBytes, 2 * used_), max_bytes_) + 1;
  }

  const size_t max_bytes_;
  std::string bytes_;
  size_t used_ = 0;
};

// How much `packed` bytes may decompress to, whatever the machine has.
int64_t LimitByRatio(size_t packed) {
  const auto size = static_cast<int64_t>(packed);
  int64_t limit;
  return __builtin_mul_overflow(size, kMaxRatio, &limit)
             ? std::numeric_limits<int64_t>::max()
             : std::max(kRatioFloor, limit);
}

absl::StatusOr<std::string> ReadAllOf(absl::string_view bytes,
                                      absl::string_view format,
                                      int64_t max_output_bytes) {
  const int64_t by_ratio = LimitByRatio(bytes.size());
  HLOKIT_ASSIGN_OR_RETURN(const auto reader, Decompressor::Create(bytes));
  GrowingBuffer output(std::min(max_output_bytes, by_ratio));
  while (true) {
    // Only large outputs are worth a look at the machine.
    HLOKIT_RETURN_IF_ERROR(CheckMemory(
        output.bytes_to_grow(), absl::StrCat("the ", format, " data")));
    output.MakeRoom();
    HLOKIT_ASSIGN_OR_RETURN(const size_t got,
                            reader->ReadSome(output.end(), output.room()));
    if (got == 0) return output.Take();
    output.Use(got);
    if (!output.too_long()) continue;
    if (max_output_bytes <= by_ratio) {
      return ResourceExhausted("%s data holds more than %d bytes", format,
                               max_output_bytes);
    }
    return ResourceExhausted(
        "%d bytes of %s data decompress to more than %s, over %d times their "
        "size; decompress the file by hand if you trust it",
        bytes.size(), format, MemoryText(by_ratio), kMaxRatio);
  }
}

void AppendLittleEndian32(uint32_t value, std::string* out) {
  for (int shift = 0; shift < 32; shift += 8) {
    *out += static_cast<char>(value >> shift & 0xff);
  }
}

}  // namespace

Compression DetectCompression(absl::string_view bytes) {
  if (absl::StartsWith(bytes, kGzipMagic)) return Compression::kGzip;
  if (absl::StartsWith(bytes, kZstdMagic)) return Compression::kZstd;
  // 184D2A50 to 184D2A5F, little-endian, start a skippable frame.
  if (bytes.size() >= 4 && (bytes[0] & 0xf0) == 0x50 &&
      bytes.substr(1, 3) == "\x2a\x4d\x18") {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

absl::StatusOr<std::string> Decompress(absl::string_view bytes,
                                       int64_t max_output_bytes) {
  switch (DetectCompression(bytes)) {
    case Compression::kGzip:
      return ReadAllOf(bytes, "gzip", max_output_bytes);
    case Compression::kZstd:
      return ReadAllOf(bytes, "zstd", max_output_bytes);
    case Compression::kNone:
      break;
  }
  if (static_cast<int64_t>(bytes.size()) > max_output_bytes) {
    return ResourceExhausted("the data holds more than %d bytes",
                             max_output_bytes);
  }
  return std::string(bytes);
}

std::string Gzip(absl::string_view bytes, int level) {
  constexpr int kWindowBitsRaw = -15;
  constexpr int kMemoryLevel = 8;
  // zlib's own header depends on the level and the system.
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  z_stream stream = {};
  HLOKIT_CHECK(deflateInit2(&stream, std::clamp(level, 1, 9), Z_DEFLATED,
                            kWindowBitsRaw, kMemoryLevel,
                            Z_DEFAULT_STRATEGY) == Z_OK);
  uLong crc = crc32(0, nullptr, 0);
  absl::string_view rest = bytes;
  size_t used = out.size();
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const absl::string_view piece = rest.substr(0, kMaxZlibBytes);
      rest.remove_prefix(piece.size());
      stream.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
      crc = crc32_z(crc, stream.next_in, piece.size());
    }
    if (used == out.size()) {
      out.resize(used + std::max(kFirstOutputBytes, used / 2));
    }
    const size_t room = std::min(out.size() - used, kMaxZlibBytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    result = deflate(&stream, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    HLOKIT_CHECK(result != Z_STREAM_ERROR);
    used += room - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(used);
  AppendLittleEndian32(static_cast<uint32_t>(crc), &out);
  AppendLittleEndian32(static_cast<uint32_t>(bytes.size()), &out);
  return out;
}

std::string Zstd(absl::string_view bytes, int level) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(
      ZSTD_createCCtx(), ZSTD_freeCCtx);
  HLOKIT_CHECK(context != nullptr);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                         std::clamp(level, 1, 19));
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress2(context.get(), out.data(), out.size(),
                                     bytes.data(), bytes.size());
  HLOKIT_CHECK(!ZSTD_isError(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

}  // namespace hlokit
