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

// Writes every file under `folder`, which is made. Paths that lead outside are
// an error and nothing is written for them. Bytes of packs are decompressed as
// they are needed. Other archives (dump_archive.h) are unpacked too; what is
// left out of those is in the notes.
absl::StatusOr<PackStats> UnpackDumps(FileSystem* files,
                                      const std::string& pack,
                                      const std::string& folder);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_PACK_H_
