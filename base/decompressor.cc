#include "base/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "base/compression.h"
#include "base/memory_limit.h"
#include "base/status.h"

namespace hlokit {
namespace {

absl::Status Truncated(absl::string_view format, size_t offset) {
  return InvalidArgument("%s data is truncated at byte %d", format, offset);
}

class PlainReader : public Decompressor {
 public:
  explicit PlainReader(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<size_t> ReadSome(char* to, size_t room) override {
    const size_t count = std::min(room, bytes_.size());
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  absl::string_view bytes_;
};

class GzipReader : public Decompressor {
 public:
  explicit GzipReader(absl::string_view bytes) : bytes_(bytes) {
    constexpr int kWindowBitsGzip = 15 + 16;
    ready_ = inflateInit2(&stream_, kWindowBitsGzip) == Z_OK;
  }
  ~GzipReader() override {
    if (ready_) inflateEnd(&stream_);
  }
  bool ready() const { return ready_; }

  absl::StatusOr<size_t> ReadSome(char* to, size_t room) override {
    room = std::min(room, kMaxZlibBytes);
    while (!at_end_) {
      const size_t given = std::min(bytes_.size() - consumed_, kMaxZlibBytes);
      stream_.next_in = reinterpret_cast<Bytef*>(
          const_cast<char*>(bytes_.data() + consumed_));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(to);
      stream_.avail_out = static_cast<uInt>(room);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      consumed_ += given - stream_.avail_in;
      const size_t got = room - stream_.avail_out;
      if (result == Z_STREAM_END) {
        HLOKIT_RETURN_IF_ERROR(NextMember());
      } else if (result == Z_MEM_ERROR) {
        return OutOfMemory("gzip data needs more memory than is available");
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return InvalidArgument("gzip data is broken near byte %d: %s",
                               consumed_,
                               stream_.msg != nullptr ? stream_.msg
                                                      : zError(result));
      } else if (got == 0 && consumed_ == bytes_.size()) {
        // With room left and nothing to read, it waits for bytes that are not
        // there.
        return Truncated("gzip", consumed_);
      }
      if (got > 0) return got;
    }
    return 0;
  }

 private:
  // zlib counts bytes in 32 bits.
  static constexpr size_t kMaxZlibBytes = size_t{1} << 30;

  absl::Status NextMember() {
    const absl::string_view rest = bytes_.substr(consumed_);
    at_end_ = rest.find_first_not_of('\0') == absl::string_view::npos;
    if (at_end_) return absl::OkStatus();
    if (!absl::StartsWith(rest, "\x1f\x8b")) {
      return InvalidArgument("gzip data is followed by other bytes at byte %d",
                             consumed_);
    }
    HLOKIT_CHECK(inflateReset(&stream_) == Z_OK);
    return absl::OkStatus();
  }

  const absl::string_view bytes_;
  z_stream stream_ = {};
  bool ready_ = false;
  bool at_end_ = false;
  size_t consumed_ = 0;
};

class ZstdReader : public Decompressor {
 public:
  explicit ZstdReader(absl::string_view bytes)
      : context_(ZSTD_createDCtx(), ZSTD_freeDCtx),
        in_{bytes.data(), bytes.size(), 0} {
    constexpr int kMaxWindowLog = 27;
    if (ready()) {
      ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                             kMaxWindowLog);
    }
  }
  bool ready() const { return context_ != nullptr; }

  absl::StatusOr<size_t> ReadSome(char* to, size_t room) override {
    while (!at_end_) {
      ZSTD_outBuffer out = {to, room, 0};
      const size_t wanted = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(wanted)) {
        const absl::string_view why = ZSTD_getErrorName(wanted);
        if (absl::StrContains(why, "not enough memory")) {
          return OutOfMemory("zstd data needs more memory than is available");
        }
        return InvalidArgument("zstd data is broken near byte %d: %s", in_.pos,
                               why);
      }
      // 0: a frame is done and all of it was given out.
      at_end_ = wanted == 0 && in_.pos == in_.size;
      if (out.pos > 0) return out.pos;
      if (!at_end_ && in_.pos == in_.size) return Truncated("zstd", in_.pos);
    }
    return 0;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  ZSTD_inBuffer in_;
  bool at_end_ = false;
};

template <typename Reader>
absl::StatusOr<std::unique_ptr<Decompressor>> MakeReader(
    absl::string_view bytes) {
  auto reader = std::make_unique<Reader>(bytes);
  if (!reader->ready()) {
    return OutOfMemory("out of memory while creating a decompressor");
  }
  return reader;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decompressor>> Decompressor::Create(
    absl::string_view bytes) {
  switch (DetectCompression(bytes)) {
    case Compression::kGzip: return MakeReader<GzipReader>(bytes);
    case Compression::kZstd: return MakeReader<ZstdReader>(bytes);
    case Compression::kNone: break;
  }
  return std::make_unique<PlainReader>(bytes);
}

absl::StatusOr<size_t> Decompressor::Read(char* to, size_t room) {
  size_t used = 0;
  while (used < room) {
    HLOKIT_ASSIGN_OR_RETURN(const size_t got, ReadSome(to + used, room - used));
    if (got == 0) break;
    used += got;
  }
  return used;
}

}  // namespace hlokit
