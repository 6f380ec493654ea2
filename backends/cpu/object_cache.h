// Machine code on disk, found again by what it was made from.
//
// Files are written whole and renamed, and carry a sum of their contents, so
// that several processes may share a folder and a damaged file counts as none.
// What has not been used for the longest is removed when the folder grows past
// its limit. Nothing here fails: a cache that cannot be used is an empty one.
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

  // In `folder`, which is made when something is stored.
  explicit ObjectCache(std::string folder, int64_t limit_bytes = kDefaultLimit,
                       FileSystem* files = DiskFileSystem())
      : folder_(std::move(folder)), limit_(limit_bytes), files_(files) {}

  // 32 hexadecimal digits that stand for all parts together.
  static std::string KeyOf(absl::Span<const absl::string_view> parts);

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
