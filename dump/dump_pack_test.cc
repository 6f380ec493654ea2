#include "dump/dump_pack.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
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

// ---- archives that other programs made ----

struct TarMember {
  std::string name, contents;
  char kind = '0';
  std::string link;
  uint64_t size = ~uint64_t{0};  // what the header says, unless the contents'
};

std::string TarOf(const std::vector<TarMember>& members) {
  std::string tar;
  for (const TarMember& member : members) {
    const uint64_t size =
        member.size == ~uint64_t{0} ? member.contents.size() : member.size;
    std::string block(512, '\0');
    auto put = [&](size_t at, const std::string& text) {
      block.replace(at, text.size(), text);
    };
    put(0, member.name);
    put(124, absl::StrFormat("%011o", size));
    block[156] = member.kind;
    put(157, member.link);
    put(257, std::string("ustar\0" "00", 8));
    put(148, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    put(148, absl::StrFormat("%06o", sum));
    tar += block + member.contents;
    tar.resize((tar.size() + 511) / 512 * 512);
  }
  return tar + std::string(1024, '\0');
}

class UnpackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::Create();
    ASSERT_TRUE(folder.ok());
    folder_ = *std::move(folder);
    root_ = folder_->path();
  }
  absl::StatusOr<PackStats> Unpack(const std::string& archive,
                                   int64_t max_bytes = 0) {
    EXPECT_TRUE(disk_->WriteFile(root_ + "/a", archive).ok());
    return UnpackDumps(disk_, root_ + "/a", root_ + "/u", max_bytes);
  }
  std::string File(const std::string& name) {
    auto text = disk_->ReadFile(root_ + "/" + name);
    return text.ok() ? *text : "(not there)";
  }
  static std::string Notes(const PackStats& stats) {
    return absl::StrJoin(stats.notes, "\n");
  }

  FileSystem* const disk_ = DiskFileSystem();
  std::unique_ptr<TemporaryDirectory> folder_;
  std::string root_;
};

TEST_F(UnpackTest, DoesNotWriteThroughLinks) {
  ASSERT_TRUE(disk_->CreateDirectories(root_ + "/u").ok());
  ASSERT_TRUE(disk_->CreateDirectories(root_ + "/outside").ok());
  ASSERT_TRUE(disk_->WriteFile(root_ + "/secret", "secret").ok());
  ASSERT_EQ(::symlink("../outside", (root_ + "/u/d").c_str()), 0);
  ASSERT_EQ(::symlink("../secret", (root_ + "/u/f").c_str()), 0);
  // A link to a file is replaced.
  ASSERT_TRUE(Unpack(TarOf({{"f", "new"}})).ok());
  EXPECT_EQ(File("secret"), "secret");
  EXPECT_EQ(File("u/f"), "new");
  // A link to a folder is refused.
  const auto through = Unpack(TarOf({{"d/x", "new"}}));
  EXPECT_THAT(std::string(through.status().message()),
              HasSubstr("symbolic link"));
  EXPECT_EQ(File("outside/x"), "(not there)");
  // Neither do hard links read through one that was there before.
  ASSERT_EQ(::symlink("../secret", (root_ + "/u/g").c_str()), 0);
  const auto hard = Unpack(TarOf({{"copy", "", '1', "g"}}));
  ASSERT_TRUE(hard.ok()) << hard.status();
  EXPECT_THAT(Notes(*hard), HasSubstr("not in the archive"));
  EXPECT_EQ(File("u/copy"), "(not there)");
}

TEST_F(UnpackTest, EntriesOfAllKindsStayInside) {
  const auto stats = Unpack(TarOf({{"l", "", '2', "../outside"},
                                   {"l/x", "in"},
                                   {"../up", "x"},
                                   {"/abs", "x"},
                                   {"a/../../up", "x"},
                                   {"pipe", "", '6'},
                                   {"device", "", '3'},
                                   {"esc\x1b[2J\n", "y"},
                                   {"first", "z"},
                                   {"second", "", '1', "./first"},
                                   {"third", "", '1', "../secret"}}));
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(File("u/l/x"), "in");
  EXPECT_EQ(File("u/second"), "z");
  EXPECT_EQ(File("u/esc_[2J_"), "y");
  EXPECT_EQ(stats->files, 4);
  for (const char* name : {"'l'", "'../up'", "'/abs'", "'a/../../up'",
                           "'pipe'", "'device'", "'third'"}) {
    EXPECT_THAT(Notes(*stats), HasSubstr(name));
  }
  EXPECT_EQ(disk_->ListDirectory(root_)->size(), 2u);
}

TEST_F(UnpackTest, NamesThatMeetAreNoted) {
  const std::string part(300, 'n');
  const auto stats = Unpack(
      Gzip(TarOf({{"a.txt", "1"}, {"A.txt", "2"}, {"a.txt", "3"}})));
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(File("u/a.txt"), "3");
  EXPECT_THAT(Notes(*stats), HasSubstr("capitals only"));
  EXPECT_THAT(Notes(*stats), HasSubstr("more than once"));
  const auto longer =
      Unpack(TarOf({{"././@LongLink", part, 'L'}, {"short", "x"}}));
  ASSERT_TRUE(longer.ok()) << longer.status();
  EXPECT_THAT(Notes(*longer), HasSubstr("300 bytes"));
}

TEST_F(UnpackTest, LimitsCountEveryByte) {
  const std::string megabyte(1 << 20, 'm');
  const std::string tar = TarOf({{"a", megabyte},
                                 {"b", "", '1', "a"},
                                 {"c", "", '1', "a"}});
  for (const std::string& archive : {tar, Gzip(tar), Zstd(tar)}) {
    const auto stats = Unpack(archive, 5 << 19);
    EXPECT_TRUE(absl::IsResourceExhausted(stats.status())) << stats.status();
    EXPECT_THAT(std::string(stats.status().message()), HasSubstr("'c'"));
    EXPECT_TRUE(Unpack(archive, 3 << 20).ok());
  }
  // Nothing is written for a header that claims more than the limit.
  const auto bomb = Unpack(
      TarOf({{.name = "bomb", .contents = "x", .size = uint64_t{3} << 30}}));
  EXPECT_TRUE(absl::IsResourceExhausted(bomb.status())) << bomb.status();
  EXPECT_EQ(File("u/bomb"), "(not there)");
}

TEST_F(UnpackTest, AMemberThatIsCutOffIsNotWritten) {
  const std::string tar =
      TarOf({{"whole", "w"}, {"cut", std::string(5000, 'c')}});
  const auto stats = Unpack(tar.substr(0, 4000));
  EXPECT_THAT(std::string(stats.status().message()), HasSubstr("ends early"));
  EXPECT_EQ(File("u/whole"), "w");
  EXPECT_EQ(File("u/cut"), "(not there)");
  EXPECT_FALSE(Unpack("no archive").ok());
  EXPECT_FALSE(Unpack("").ok());
  EXPECT_FALSE(
      Unpack(TarOf({{.name = "././@LongLink",
                     .contents = std::string(2 << 20, 'n'),
                     .kind = 'L'}}))
          .ok());
}

}  // namespace
}  // namespace hlokit
