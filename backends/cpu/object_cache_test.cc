#include "backends/cpu/object_cache.h"

#include <sys/stat.h>

#include <string>

#include "gtest/gtest.h"

namespace hlokit::cpu {
namespace {

TEST(ObjectCache, FindsWhatWasStored) {
  MemoryFileSystem files;
  const ObjectCache cache("/cache", 1000, &files);
  const std::string key = ObjectCache::KeyOf({"host", "ir"});
  std::string object;
  EXPECT_FALSE(cache.Find(key, &object));
  cache.Store(key, "code");
  ASSERT_TRUE(cache.Find(key, &object));
  EXPECT_EQ(object, "code");
}

TEST(ObjectCache, KeysTellPartsApart) {
  EXPECT_NE(ObjectCache::KeyOf({"ab", "c"}), ObjectCache::KeyOf({"a", "bc"}));
  EXPECT_EQ(ObjectCache::KeyOf({"ab", "c"}), ObjectCache::KeyOf({"ab", "c"}));
}

TEST(ObjectCache, ADamagedFileCountsAsNone) {
  MemoryFileSystem files;
  const ObjectCache cache("/cache", 1000, &files);
  const std::string key = ObjectCache::KeyOf({"x"});
  cache.Store(key, "code");
  const auto names = files.ListDirectory("/cache");
  ASSERT_TRUE(names.ok());
  ASSERT_EQ(names->size(), 1u);
  const std::string path = "/cache/" + (*names)[0];
  std::string contents = *files.ReadFile(path);
  contents.back() ^= 1;
  ASSERT_TRUE(files.WriteFile(path, contents).ok());
  std::string object;
  EXPECT_FALSE(cache.Find(key, &object));
}

TEST(ObjectCache, AnObjectUnderAnotherKeyIsNotFound) {
  MemoryFileSystem files;
  const ObjectCache cache("/cache", 1000, &files);
  const std::string one = ObjectCache::KeyOf({"1"});
  const std::string two = ObjectCache::KeyOf({"2"});
  cache.Store(one, "code");
  ASSERT_TRUE(files.Rename("/cache/" + one + ".hlokit.o",
                           "/cache/" + two + ".hlokit.o")
                  .ok());
  std::string object;
  EXPECT_FALSE(cache.Find(two, &object));
}

TEST(ObjectCache, FoldersAndFilesThatOthersMayWriteAreNotUsed) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder.ok());
  const std::string path = (*folder)->path();
  const ObjectCache cache(path);
  const std::string key = ObjectCache::KeyOf({"x"});
  cache.Store(key, "code");
  std::string object;
  ASSERT_TRUE(cache.Find(key, &object));
  EXPECT_FALSE(cache.IsShared());

  ASSERT_EQ(::chmod(path.c_str(), 01777), 0);
  EXPECT_TRUE(cache.IsShared());
  EXPECT_FALSE(cache.Find(key, &object));
  cache.Store(ObjectCache::KeyOf({"y"}), "code");
  EXPECT_EQ(DiskFileSystem()->ListDirectory(path)->size(), 1u);

  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  EXPECT_TRUE(cache.Find(key, &object));
  ASSERT_EQ(::chmod((path + "/" + key + ".hlokit.o").c_str(), 0666), 0);
  EXPECT_FALSE(cache.Find(key, &object));
}

TEST(ObjectCache, StaysBelowItsLimit) {
  MemoryFileSystem files;
  const ObjectCache cache("/cache", 1000, &files);
  for (int k = 0; k < 40; ++k) {
    cache.Store(ObjectCache::KeyOf({std::to_string(k)}), std::string(100, 'x'));
  }
  const auto names = files.ListDirectory("/cache");
  ASSERT_TRUE(names.ok());
  EXPECT_LE(names->size(), 7u);
  EXPECT_GE(names->size(), 5u);
  std::string object;
  EXPECT_TRUE(cache.Find(ObjectCache::KeyOf({"39"}), &object));
}

}  // namespace
}  // namespace hlokit::cpu
