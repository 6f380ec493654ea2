#include "backends/cpu/object_cache.h"

#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlokit::cpu {
namespace {

constexpr absl::string_view kEnding = ".hlokit.o";

std::string TextOf(const XXH128_hash_t& sum) {
  return absl::StrFormat("%016x%016x", sum.high64, sum.low64);
}

std::string SumOf(absl::string_view bytes) {
  return TextOf(XXH3_128bits(bytes.data(), bytes.size()));
}

// The checksum of an object under a key.
std::string SumOf(absl::string_view key, absl::string_view object) {
  const XXH64_hash_t seed = XXH3_64bits(key.data(), key.size());
  return TextOf(XXH3_128bits_withSeed(object.data(), object.size(), seed));
}

}  // namespace

std::string ObjectCache::KeyOf(absl::Span<const absl::string_view> parts) {
  std::string all;
  for (absl::string_view part : parts) {
    absl::StrAppend(&all, part.size(), ":", part);
  }
  return SumOf(all);
}

std::string ObjectCache::PathOf(const std::string& key) const {
  return JoinPath(folder_, absl::StrCat(key, kEnding));
}

bool ObjectCache::IsShared() const {
  const auto info = files_->Stat(folder_);
  return info.ok() && info->exists && !info->is_private;
}

bool ObjectCache::Find(const std::string& key, std::string* object) const {
  const std::string path = PathOf(key);
  const auto info = files_->Stat(path);
  if (!info.ok() || !info->exists || !info->is_private || IsShared()) {
    return false;
  }
  auto file = files_->ReadFile(path);
  const size_t sum_size = key.size();
  if (!file.ok() || file->size() < sum_size) return false;
  const absl::string_view bytes = absl::string_view(*file).substr(sum_size);
  if (!absl::StartsWith(*file, SumOf(key, bytes))) return false;
  object->assign(bytes.data(), bytes.size());
  return true;
}

void ObjectCache::Store(const std::string& key,
                        absl::string_view object) const {
  if (!files_->CreateDirectories(folder_).ok() || IsShared()) return;
  if (!files_
           ->WriteFile(PathOf(key), absl::StrCat(SumOf(key, object), object))
           .ok()) {
    return;
  }
  RemoveOldest();
}

void ObjectCache::RemoveOldest() const {
  const auto names = files_->ListDirectory(folder_);
  if (!names.ok()) return;
  struct File {
    absl::Time modified;
    int64_t size;
    std::string path;
  };
  std::vector<File> found;
  int64_t total = 0;
  for (const std::string& name : *names) {
    if (!absl::EndsWith(name, kEnding)) continue;
    const std::string path = JoinPath(folder_, name);
    const auto info = files_->Stat(path);
    if (!info.ok()) continue;
    total += info->size;
    found.push_back({info->mtime, info->size, path});
  }
  if (total <= limit_) return;
  std::sort(found.begin(), found.end(), [](const File& a, const File& b) {
    return a.modified < b.modified;
  });
  // A good part of it, so that this does not happen each time.
  for (const File& file : found) {
    if (total <= limit_ - limit_ / 5) return;
    if (files_->RemoveFile(file.path).ok()) total -= file.size;
  }
}

}  // namespace hlokit::cpu
