// Machine code on disk, found again by what it was made from.
//
// Files are written whole and renamed, so several processes may share a folder.
// Each carries a checksum over its key and its object: a damaged file, and one
// that was renamed to another key, counts as missing. The key itself covers the
// compiler, its options, the processor and the input.
//
// Objects are machine code that this process will run, so folders and files
// that another user owns or may write are not used (FileInfo::is_private); a
// checksum does not protect against a user who can write to the folder.
//
// The files unused for the longest are removed when the folder grows past its
// limit. Nothing here fails: a cache that cannot be used is empty.
#ifndef HLOKIT_BACKENDS_CPU_OBJECT_CACHE_H_
#define HLOKIT_BACKENDS_CPU_OBJECT_CACHE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file_system.h"

namespace hlokit::cpu {

class ObjectCache {
 public:
  static constexpr int64_t kDefaultLimit = int64_t{1} << 30;

  // In `folder`, which is created when something is stored.
  explicit ObjectCache(std::string folder, int64_t limit_bytes = kDefaultLimit,
                       FileSystem* files = DiskFileSystem())
      : folder_(std::move(folder)), limit_(limit_bytes), files_(files) {}

  // Returns 32 hexadecimal digits that identify all parts together.
  static std::string KeyOf(absl::Span<const absl::string_view> parts);

  // Whether the folder exists and others can write to it: then Find and Store
  // do nothing, and a tool should say so.
  bool IsShared() const;

  bool Find(const std::string& key, std::string* object) const;
  void Store(const std::string& key, absl::string_view object) const;

 private:
  std::string PathOf(const std::string& key) const;
  void RemoveOldest() const;

  std::string folder_;
  int64_t limit_;
  FileSystem* files_;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_OBJECT_CACHE_H_
