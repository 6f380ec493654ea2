// gzip and zstd, read piece by piece.
#ifndef HLOKIT_BASE_DECOMPRESSOR_H_
#define HLOKIT_BASE_DECOMPRESSOR_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// Undoes gzip (all members, zero padding after the last allowed) or zstd (all
// frames, windows up to 128 MiB); gives other bytes back as they are. Takes one
// window of memory, whatever the size of the data.
class Decompressor {
 public:
  // `bytes` must outlive it. Errors: OutOfMemory.
  static absl::StatusOr<std::unique_ptr<Decompressor>> Create(
      absl::string_view bytes);
  virtual ~Decompressor() = default;

  // Writes the next bytes, 1 to `room`, and returns how many; 0 at the end.
  // Errors: InvalidArgument that names the byte offset for broken or truncated
  // input.
  virtual absl::StatusOr<size_t> ReadSome(char* to, size_t room) = 0;

  // Reads until `room` bytes are there or the data end.
  absl::StatusOr<size_t> Read(char* to, size_t room);
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_DECOMPRESSOR_H_
