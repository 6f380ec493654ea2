// gzip (RFC 1952) and zstd (RFC 8878) for whole inputs and outputs.
#ifndef HLOKIT_BASE_COMPRESSION_H_
#define HLOKIT_BASE_COMPRESSION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

enum class Compression { kNone, kGzip, kZstd };

// Looks at the first bytes only: gzip with its method byte, zstd frames and
// skippable frames.
Compression DetectCompression(absl::string_view bytes);

// Undoes gzip (all members, zero padding after the last allowed) or zstd (all
// frames, windows up to 128 MiB); gives other bytes back as they are. Memory
// grows with what is really there, never with what a header promises (but for
// one zstd window).
//
// The output may have 256 MiB, or kMaxRatio times the input where that is more,
// and what memory the machine has left, so that a small file cannot take all of
// it. Plain bytes have no ratio.
//
// Errors: InvalidArgument that names the byte offset for broken or truncated
// input; ResourceExhausted when there are more than `max_output_bytes` or more
// than the ratio allows; OutOfMemory (memory_limit.h).
absl::StatusOr<std::string> Decompress(
    absl::string_view bytes, int64_t max_output_bytes = int64_t{1} << 36);

// gzip cannot do better than 1032, so this stops zstd only, on data that repeats
// one short pattern.
inline constexpr int64_t kMaxRatio = 1100;
inline constexpr int64_t kRatioFloor = int64_t{256} << 20;

// One gzip member with the header 1f 8b 08 00 00000000 00 03 (no name, no time,
// Unix), so the same input always gives the same bytes. level: 1 to 9.
std::string Gzip(absl::string_view bytes, int level = 6);

// One zstd frame with content size and checksum. level: 1 to 19.
std::string Zstd(absl::string_view bytes, int level = 3);

}  // namespace hlokit

#endif  // HLOKIT_BASE_COMPRESSION_H_
