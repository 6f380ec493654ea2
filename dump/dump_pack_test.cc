#include "dump/dump_pack.h"

#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "base/subprocess.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

PackStats Pack(MemoryFileSystem* files) {
  auto index = ReadDumpFolder(*files, "d");
  EXPECT_TRUE(index.ok()) << index.status();
  auto stats = PackDumps(*files, *index, "d", files, "pack");
  EXPECT_TRUE(stats.ok()) << stats.status();
  return *stats;
}

// The files below a folder, without its name.
std::map<std::string, std::string> Below(const MemoryFileSystem& files,
                                         const std::string& folder) {
  std::map<std::string, std::string> below;
  for (const auto& [path, contents] : files.Files()) {
    if (path.compare(0, folder.size() + 1, folder + "/") == 0) {
      below[path.substr(folder.size() + 1)] = contents;
    }
  }
  return below;
}

TEST(DumpPackTest, WhatIsPackedComesBackByteForByte) {
  MemoryFileSystem files{
      {{"d/module_0000.m.before_optimizations.txt", "HloModule m\n"},
       {"d/module_0001.m.before_optimizations.txt", "HloModule m\n"},
       {"d/module_0000.m/module.mlir", std::string("a\0b", 3)},
       {"d/sub/" + std::string(150, 'n') + "/" + std::string(200, 'x'), "long"},
       {"d/sub/" + std::string(150, 'n') + "/" + std::string(201, 'x'), "long"},
       {"d/notes.txt", ""},
       {"d/" + std::string(512, 'y').substr(0, 99), std::string(512, 'z')}}};
  const PackStats stats = Pack(&files);
  EXPECT_EQ(stats.files, 7);
  EXPECT_EQ(stats.duplicates, 2);
  auto unpacked = UnpackDumps(&files, "pack", "e/f");
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_EQ(unpacked->files, 7);
  EXPECT_EQ(Below(files, "e/f"), Below(files, "d"));
}

TEST(DumpPackTest, BrokenPacksAreErrorsAndPathsStayInside) {
  MemoryFileSystem files{{{"d/module_0000.m.x.txt", std::string(3000, 'a')}}};
  Pack(&files);
  const std::string whole = files.Files()["pack"];
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(files.WriteFile("cut", whole.substr(0, size)).ok());
    EXPECT_FALSE(UnpackDumps(&files, "cut", "e").ok()) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] ^= 0x20;
    ASSERT_TRUE(files.WriteFile("bad", changed).ok());
    UnpackDumps(&files, "bad", "e").IgnoreError();
  }
  // A path that climbs out, with a right checksum.
  auto tar = Decompress(whole);
  ASSERT_TRUE(tar.ok());
  std::string evil = *tar;
  const std::string name = "../evil";
  evil.replace(0, name.size() + 1, name.c_str(), name.size() + 1);
  unsigned sum = 8 * ' ';
  for (int i = 0; i < 512; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(evil[i]);
  }
  char digits[8];
  snprintf(digits, sizeof digits, "%06o", sum);
  evil.replace(148, 7, digits, 7);
  ASSERT_TRUE(files.WriteFile("evil", Zstd(evil)).ok());
  auto stats = UnpackDumps(&files, "evil", "e/f");
  EXPECT_THAT(std::string(stats.status().message()), HasSubstr("outside"));
  EXPECT_FALSE(files.Exists("e/evil"));
}

TEST(DumpPackTest, AFullDiskLeavesNoPack) {
  MemoryFileSystem files{{{"d/module_0000.m.x.txt", "a"}}};
  auto index = ReadDumpFolder(files, "d");
  files.FailWritesAfter(0);
  EXPECT_FALSE(PackDumps(files, *index, "d", &files, "pack").ok());
  EXPECT_FALSE(files.Exists("pack"));
}

TEST(DumpPackTest, APerPassFolderShrinksEightfoldAndMore) {
  const std::string folder = Corpora() + "jax_dumps/full_pass_dump";
  if (!DiskFileSystem()->Exists(folder)) GTEST_SKIP() << "no corpora";
  auto temporary = TemporaryDirectory::Create();
  ASSERT_TRUE(temporary.ok());
  const std::string root = (*temporary)->path();
  auto index = ReadDumpFolder(*DiskFileSystem(), folder);
  ASSERT_TRUE(index.ok());
  auto stats =
      PackDumps(*DiskFileSystem(), *index, folder, DiskFileSystem(),
                root + "/p.tar.zst");
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_GE(stats->bytes, 8 * stats->packed_bytes);
  RecordProperty("ratio", absl::StrCat(stats->bytes / stats->packed_bytes));
  ASSERT_TRUE(
      UnpackDumps(DiskFileSystem(), root + "/p.tar.zst", root + "/u").ok());
  for (const DumpFile& file : index->files) {
    const std::string back = root + "/u" + file.path.substr(folder.size());
    auto a = DiskFileSystem()->ReadFile(file.path);
    auto b = DiskFileSystem()->ReadFile(back);
    ASSERT_TRUE(a.ok() && b.ok()) << back;
    EXPECT_TRUE(*a == *b) << back;
  }
  // Other people's tar reads it.
  if (!FindProgram("tar").ok() || !FindProgram("zstd").ok()) return;
  ASSERT_TRUE(DiskFileSystem()->CreateDirectories(root + "/t").ok());
  SubprocessOptions options;
  options.argv = {"tar", "-I", "zstd --long=27", "-xf", root + "/p.tar.zst",
                  "-C", root + "/t"};
  auto tar = RunSubprocess(options);
  ASSERT_TRUE(tar.ok() && tar->ok()) << (tar.ok() ? tar->err : "");
  auto mine = ReadDumpFolder(*DiskFileSystem(), root + "/u");
  auto theirs = ReadDumpFolder(*DiskFileSystem(), root + "/t");
  EXPECT_EQ(mine->files.size(), theirs->files.size());
}

}  // namespace
}  // namespace hlokit
