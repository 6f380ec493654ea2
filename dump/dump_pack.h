// Dump folders as one small file, and back.
//
// A pack is a tar archive (GNU form) in one zstd frame with a window of 128
// MiB, so `tar --zstd -x` reads it too (with zstd's --long=27). Files with the
// same contents are stored once (later ones are hard links in the archive and
// files of their own when unpacked here). Dumps of one module follow one
// another, so that each is stored as its difference from the one before.
#ifndef HLOKIT_DUMP_DUMP_PACK_H_
#define HLOKIT_DUMP_DUMP_PACK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"
#include "dump/dump_index.h"

namespace hlokit {

struct PackStats {
  int64_t files = 0;
  int64_t duplicates = 0;
  int64_t bytes = 0;         // of all files
  int64_t packed_bytes = 0;
  std::vector<std::string> notes;  // files that may not be read
};

// All files of the index; paths in the pack are relative to `folder`. `level`
// is zstd's, 1 to 19. The pack appears whole or not at all.
// Dumps that are cut off are packed as they are; what may not be read is left
// out with a note.
absl::StatusOr<PackStats> PackDumps(const FileSystem& from,
                                    const DumpIndex& index,
                                    const std::string& folder, FileSystem* to,
                                    const std::string& pack, int level = 6);

// The bytes that any archive may unpack to; larger ones (compression.h) may
// unpack to kMaxRatio times their size.
inline constexpr int64_t kUnpackFloor = int64_t{1} << 30;

// Writes every file of a pack or another archive (tar, plain or compressed, and
// zip) under `folder`, which is made. Files are written while they are read, and
// nothing is held whole. Control characters in names become '_'.
//
// Entries that lead outside, links other than hard links to earlier entries,
// devices, and names that file systems do not take are an error in packs and
// .tar.zst; of other archives they are left out, which the notes say.
// `max_bytes` 0: the limit above. Errors: ResourceExhausted beyond it,
// FailedPrecondition where a folder below `folder` is a symbolic link;
// InvalidArgument for a broken archive, of which the files before the fault
// have been written.
absl::StatusOr<PackStats> UnpackDumps(FileSystem* files,
                                      const std::string& pack,
                                      const std::string& folder,
                                      int64_t max_bytes = 0);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_PACK_H_
