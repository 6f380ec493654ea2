// Reads a tar archive entry by entry, without holding it.
#ifndef HLOKIT_DUMP_TAR_READER_H_
#define HLOKIT_DUMP_TAR_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decompressor.h"
#include "base/file_system.h"

namespace hlokit {

struct TarEntry {
  char kind = 0;     // TarKind, of those that are not about other entries
  std::string name;  // as written
  std::string link;
  uint64_t size = 0;
};

class TarReader {
 public:
  explicit TarReader(std::unique_ptr<Decompressor> in) : in_(std::move(in)) {}

  // Steps to the next entry; false at the archive's end. What is left of the
  // entry before is skipped. Long names and pax headers of more than 1 MiB are
  // an error, as whatever is broken.
  absl::StatusOr<bool> Next(TarEntry* entry);

  // Hands the contents of the current entry out in pieces. Call once at most.
  absl::Status Contents(FileSystem::EmitPiece emit);

 private:
  absl::Status Skip(uint64_t count);
  absl::StatusOr<std::string> Small();
  absl::Status EndsEarly() const;

  const std::unique_ptr<Decompressor> in_;
  uint64_t left_ = 0;     // of the entry's contents
  uint64_t padding_ = 0;  // behind them
  int64_t entries_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_DUMP_TAR_READER_H_
