#include "base/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The same behaviour is expected of the disk and of memory.
class FileSystemTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      auto folder = TemporaryDirectory::Create();
      ASSERT_TRUE(folder.ok()) << folder.status();
      folder_ = std::move(*folder);
      root_ = folder_->path();
      files_ = DiskFileSystem();
    } else {
      root_ = "root";
      ASSERT_TRUE(memory_.CreateDirectories(root_).ok());
      files_ = &memory_;
    }
  }

  std::string Path(absl::string_view name) { return JoinPath(root_, name); }
  std::string Read(absl::string_view name) {
    const absl::StatusOr<std::string> contents = files_->ReadFile(Path(name));
    return contents.ok() ? *contents : std::string(contents.status().message());
  }

  std::unique_ptr<TemporaryDirectory> folder_;
  MemoryFileSystem memory_;
  std::string root_;
  FileSystem* files_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Both, FileSystemTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Disk" : "Memory";
                         });

TEST_P(FileSystemTest, WhatIsWrittenIsRead) {
  const std::string contents("a\0\xff\r\n", 5);
  ASSERT_TRUE(files_->WriteFile(Path("f"), contents).ok());
  EXPECT_EQ(Read("f"), contents);
  ASSERT_TRUE(files_->WriteFile(Path("f"), "").ok());
  EXPECT_EQ(Read("f"), "");
}

TEST_P(FileSystemTest, AListHoldsWhatIsDirectlyInTheFolder) {
  for (const char* path : {"a/b/c", "a.b", "a-", "b"}) {
    ASSERT_TRUE(files_->CreateDirectories(DirName(Path(path))).ok());
    ASSERT_TRUE(files_->WriteFile(Path(path), "").ok());
  }
  EXPECT_THAT(*files_->ListDirectory(root_),
              ElementsAre("a", "a-", "a.b", "b"));
  EXPECT_THAT(*files_->ListDirectory(Path("a")), ElementsAre("b"));
  EXPECT_THAT(*files_->ListDirectory(Path("a/b")), ElementsAre("c"));
}

TEST(DiskStat, TellsLinksAndPipes) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder.ok()) << folder.status();
  const FileSystem& files = *DiskFileSystem();
  auto path = [&](const char* name) { return JoinPath((*folder)->path(), name); };
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink(".", path("here").c_str()), 0);
  ASSERT_EQ(::symlink("gone", path("dangling").c_str()), 0);
  EXPECT_TRUE(files.Stat(path("pipe"))->is_special);
  const FileInfo here = *files.Stat(path("here"));
  EXPECT_TRUE(here.is_link && here.is_directory && !here.is_special);
  EXPECT_EQ(here.identity, files.Stat((*folder)->path())->identity);
  const FileInfo dangling = *files.Stat(path("dangling"));
  EXPECT_TRUE(dangling.is_link && !dangling.exists);
}

TEST_P(FileSystemTest, LargeFilesAreReadWhole) {
  for (size_t size : {65535, 65536, 65537, 200000, 3000000}) {
    std::string contents(size, 'x');
    contents.back() = 'y';
    ASSERT_TRUE(files_->WriteFile(Path("f"), contents).ok());
    EXPECT_TRUE(Read("f") == contents) << size;
    const auto mapped = files_->MapFile(Path("f"));
    ASSERT_TRUE(mapped.ok()) << mapped.status();
    EXPECT_TRUE((*mapped)->contents() == contents) << size;
  }
}

TEST_P(FileSystemTest, EmptyFilesCanBeMapped) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "").ok());
  const auto mapped = files_->MapFile(Path("f"));
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ((*mapped)->contents(), "");
}

TEST_P(FileSystemTest, AMappingOutlivesTheFile) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "old").ok());
  const auto mapped = files_->MapFile(Path("f"));
  ASSERT_TRUE(mapped.ok());
  ASSERT_TRUE(files_->WriteFile(Path("f"), "new!").ok());
  ASSERT_TRUE(files_->RemoveFile(Path("f")).ok());
  EXPECT_EQ((*mapped)->contents(), "old");
}

TEST_P(FileSystemTest, ReadingStopsAtTheLimit) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "12345").ok());
  EXPECT_EQ(*files_->ReadFile(Path("f"), 5), "12345");
  const auto contents = files_->ReadFile(Path("f"), 4);
  EXPECT_TRUE(absl::IsResourceExhausted(contents.status()));
  EXPECT_THAT(std::string(contents.status().message()), HasSubstr(Path("f")));
}

TEST_P(FileSystemTest, ErrorsNameThePathAndTheReason) {
  const absl::Status missing = files_->ReadFile(Path("none")).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_EQ(missing.message(),
            "cannot read '" + Path("none") + "': No such file or directory");
  EXPECT_TRUE(absl::IsNotFound(files_->MapFile(Path("none")).status()));
  EXPECT_TRUE(absl::IsNotFound(files_->ListDirectory(Path("none")).status()));
  EXPECT_TRUE(absl::IsNotFound(files_->RemoveFile(Path("none"))));
  EXPECT_TRUE(absl::IsNotFound(files_->Rename(Path("none"), Path("x"))));
  EXPECT_TRUE(absl::IsNotFound(files_->WriteFile(Path("none/f"), "x")));
  EXPECT_TRUE(absl::IsNotFound(files_->AppendFile(Path("none/f"), "x")));
  EXPECT_TRUE(absl::IsNotFound(files_->WriteFile("", "x")));
  EXPECT_TRUE(absl::IsNotFound(files_->ReadFile("").status()));
  const absl::Status folder = files_->ReadFile(root_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(folder));
  EXPECT_THAT(std::string(folder.message()), HasSubstr("Is a directory"));
  EXPECT_TRUE(absl::IsInvalidArgument(files_->WriteFile(root_, "x")));
}

TEST_P(FileSystemTest, AFileIsNoFolder) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "x").ok());
  EXPECT_TRUE(
      absl::IsInvalidArgument(files_->CreateDirectories(Path("f/sub"))));
  EXPECT_TRUE(absl::IsInvalidArgument(files_->CreateDirectories(Path("f"))));
  EXPECT_TRUE(
      absl::IsInvalidArgument(files_->ListDirectory(Path("f")).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(files_->WriteFile(Path("f/g"), "x")));
}

TEST_P(FileSystemTest, AppendingMakesAndExtends) {
  ASSERT_TRUE(files_->AppendFile(Path("f"), "one").ok());
  ASSERT_TRUE(files_->AppendFile(Path("f"), "two").ok());
  EXPECT_EQ(Read("f"), "onetwo");
}

TEST_P(FileSystemTest, FoldersAreMadeWithTheirParentsAndListedSorted) {
  ASSERT_TRUE(files_->CreateDirectories(Path("a/b//c/")).ok());
  ASSERT_TRUE(files_->CreateDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(files_->WriteFile(Path("a/z"), "").ok());
  ASSERT_TRUE(files_->WriteFile(Path("a/B"), "").ok());
  ASSERT_TRUE(files_->WriteFile(Path("a/b/hidden"), "").ok());
  EXPECT_THAT(*files_->ListDirectory(Path("a")), ElementsAre("B", "b", "z"));
  EXPECT_THAT(*files_->ListDirectory(Path("a/b/c")), IsEmpty());
}

TEST_P(FileSystemTest, StatTellsWhatIsThere) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "12345").ok());
  const auto file = files_->Stat(Path("f"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->exists);
  EXPECT_FALSE(file->is_directory);
  EXPECT_EQ(file->size, 5);
  EXPECT_GT(file->mtime, absl::UnixEpoch());
  const auto folder = files_->Stat(root_);
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(folder->exists && folder->is_directory);
  EXPECT_FALSE(files_->Stat(Path("none"))->exists);
  EXPECT_FALSE(files_->Stat(Path("f/below"))->exists);
  EXPECT_TRUE(files_->Exists(Path("f")));
  EXPECT_FALSE(files_->Exists(Path("g")));
  EXPECT_TRUE(files_->IsDirectory(root_));
  EXPECT_FALSE(files_->IsDirectory(Path("f")));
}

TEST_P(FileSystemTest, RenameMovesFilesAndFolders) {
  ASSERT_TRUE(files_->CreateDirectories(Path("a")).ok());
  ASSERT_TRUE(files_->WriteFile(Path("a/f"), "1").ok());
  ASSERT_TRUE(files_->WriteFile(Path("g"), "2").ok());
  ASSERT_TRUE(files_->Rename(Path("a"), Path("b")).ok());
  EXPECT_FALSE(files_->Exists(Path("a")));
  EXPECT_EQ(Read("b/f"), "1");
  ASSERT_TRUE(files_->Rename(Path("g"), Path("b/f")).ok());
  EXPECT_EQ(Read("b/f"), "2");
  EXPECT_FALSE(files_->Exists(Path("g")));
}

TEST_P(FileSystemTest, ImpossibleRenamesAreErrors) {
  ASSERT_TRUE(files_->CreateDirectories(Path("a/b")).ok());
  ASSERT_TRUE(files_->WriteFile(Path("f"), "1").ok());
  EXPECT_FALSE(files_->Rename(Path("a"), Path("a/b/c")).ok());
  EXPECT_FALSE(files_->Rename(Path("f"), Path("a")).ok());
  EXPECT_FALSE(files_->Rename(Path("a"), Path("f")).ok());
  EXPECT_EQ(Read("f"), "1");
  EXPECT_TRUE(files_->IsDirectory(Path("a/b")));
}

TEST_P(FileSystemTest, RemovingTakesFilesOnly) {
  ASSERT_TRUE(files_->WriteFile(Path("f"), "").ok());
  EXPECT_TRUE(files_->RemoveFile(Path("f")).ok());
  EXPECT_FALSE(files_->Exists(Path("f")));
  EXPECT_FALSE(files_->RemoveFile(root_).ok());
}

TEST_P(FileSystemTest, ThreadsMayWriteTheSameFile) {
  const auto write = [&](char c) {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(files_->WriteFile(Path("f"), std::string(5000, c)).ok());
    }
  };
  std::thread other(write, 'b');
  write('a');
  other.join();
  const std::string contents = Read("f");
  EXPECT_EQ(contents, std::string(5000, contents[0]));
  EXPECT_THAT(*files_->ListDirectory(root_), ElementsAre("f"));
}

class DiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::Create();
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = std::move(*folder);
  }
  std::string Path(absl::string_view name) {
    return JoinPath(folder_->path(), name);
  }
  std::unique_ptr<TemporaryDirectory> folder_;
  FileSystem* disk_ = DiskFileSystem();
};

TEST_F(DiskTest, AFailedWriteLeavesNothing) {
  ASSERT_TRUE(disk_->WriteFile(Path("f"), "old").ok());
  rlimit old_limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small = {1000, old_limit.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string large(5000, 'x');
  const absl::Status status = disk_->WriteFile(Path("f"), large);
  const absl::Status fresh = disk_->WriteFile(Path("g"), large);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(status.message(), "cannot write '" + Path("f") +
                                  "': File too large");
  EXPECT_TRUE(absl::IsUnavailable(fresh)) << fresh;
  EXPECT_EQ(*disk_->ReadFile(Path("f")), "old");
  EXPECT_THAT(*disk_->ListDirectory(folder_->path()), ElementsAre("f"));
}

TEST_F(DiskTest, NamesOfFullLengthCanBeWritten) {
  const std::string longest = Path(std::string(255, 'n'));
  EXPECT_TRUE(disk_->WriteFile(longest, "x").ok());
  const absl::Status too_long = disk_->WriteFile(longest + "n", "x");
  EXPECT_TRUE(absl::IsInvalidArgument(too_long)) << too_long;
  EXPECT_EQ(disk_->ListDirectory(folder_->path())->size(), 1u);
}

TEST_F(DiskTest, AFullDeviceIsAnError) {
  if (!disk_->Exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const absl::Status full = disk_->WriteFile("/dev/full", "x");
  EXPECT_TRUE(absl::IsUnavailable(full)) << full;
  EXPECT_EQ(full.message(),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(DiskTest, DevicesAreWrittenDirectly) {
  EXPECT_TRUE(disk_->WriteFile("/dev/null", "x").ok());
  struct stat info;
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(DiskTest, EndlessFilesMeetTheLimit) {
  EXPECT_TRUE(absl::IsResourceExhausted(
      disk_->ReadFile("/dev/zero", 1000000).status()));
}

TEST_F(DiskTest, LinksAreReplacedNotFollowed) {
  ASSERT_TRUE(disk_->CreateDirectories(Path("sub")).ok());
  ASSERT_TRUE(disk_->WriteFile(Path("sub/target"), "kept").ok());
  for (const char* target : {"sub/target", "sub/missing", "link"}) {
    ASSERT_EQ(::symlink(target, Path("link").c_str()), 0);
    EXPECT_FALSE(disk_->AppendFile(Path("link"), "new").ok()) << target;
    ASSERT_TRUE(disk_->WriteFile(Path("link"), "new").ok()) << target;
    struct stat info;
    ASSERT_EQ(::lstat(Path("link").c_str(), &info), 0);
    EXPECT_TRUE(S_ISREG(info.st_mode)) << target;
    ASSERT_TRUE(disk_->RemoveFile(Path("link")).ok());
  }
  EXPECT_EQ(*disk_->ReadFile(Path("sub/target")), "kept");
  EXPECT_THAT(*disk_->ListDirectory(Path("sub")), ElementsAre("target"));
  ASSERT_EQ(::symlink("sub", Path("folder").c_str()), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(disk_->WriteFile(Path("folder"), "x")));
}

TEST_F(DiskTest, LinksToDevicesAreFollowed) {
  ASSERT_EQ(::symlink("/dev/null", Path("link").c_str()), 0);
  EXPECT_TRUE(disk_->WriteFile(Path("link"), "x").ok());
  EXPECT_TRUE(disk_->AppendFile(Path("link"), "x").ok());
  struct stat info;
  ASSERT_EQ(::lstat(Path("link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(DiskTest, TheNextRunSweepsWhatAKilledRunLeft) {
  // Another name for the folder, as each is swept once a process.
  ASSERT_TRUE(disk_->WriteFile(Path(".hlokit-1-0.tmp"), "abandoned").ok());
  ASSERT_TRUE(disk_->WriteFile(Path(".hlokit-1-1.tmp"), "being written").ok());
  const int fd = ::open(Path(".hlokit-1-1.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  ASSERT_TRUE(disk_->WriteFile(Path("./f"), "x").ok());
  EXPECT_THAT(*disk_->ListDirectory(folder_->path()),
              ElementsAre(".hlokit-1-1.tmp", "f"));
  ::close(fd);
}

TEST_F(DiskTest, StatTellsWhetherOthersCanWrite) {
  ASSERT_TRUE(disk_->WriteFile(Path("f"), "x").ok());
  for (const auto& [mode, is_private] :
       {std::pair(0600, true), {0644, true}, {0664, false}, {0646, false}}) {
    ASSERT_EQ(::chmod(Path("f").c_str(), mode), 0);
    EXPECT_EQ(disk_->Stat(Path("f"))->is_private, is_private) << mode;
  }
}

TEST_F(DiskTest, RewritingKeepsPermissions) {
  ASSERT_TRUE(disk_->WriteFile(Path("f"), "1").ok());
  ASSERT_EQ(::chmod(Path("f").c_str(), 0750), 0);
  ASSERT_TRUE(disk_->WriteFile(Path("f"), "2").ok());
  struct stat info;
  ASSERT_EQ(::stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0750u);
}

TEST(TemporaryDirectoryTest, GoesWithEverythingInIt) {
  std::string path;
  {
    const auto folder = TemporaryDirectory::Create();
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = (*folder)->path();
    ASSERT_TRUE(DiskFileSystem()->CreateDirectories(path + "/a/b").ok());
    ASSERT_TRUE(DiskFileSystem()->WriteFile(path + "/a/b/f", "").ok());
  }
  EXPECT_FALSE(DiskFileSystem()->Exists(path));
}

TEST(MemoryFileSystemTest, WritesFailWhenTold) {
  MemoryFileSystem files({{"f", "old"}});
  files.FailWritesAfter(1);
  EXPECT_TRUE(files.WriteFile("g", "1").ok());
  const absl::Status status = files.WriteFile("f", "new");
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(status.message(), "cannot write 'f': No space left on device");
  EXPECT_FALSE(files.AppendFile("f", "more").ok());
  EXPECT_EQ(*files.ReadFile("f"), "old");
  files.FailWritesAfter(-1);
  EXPECT_TRUE(files.WriteFile("f", "new").ok());
  EXPECT_THAT(files.Files(), ElementsAre(::testing::Pair("f", "new"),
                                         ::testing::Pair("g", "1")));
}

TEST(MemoryFileSystemTest, OnePathHasManySpellings) {
  MemoryFileSystem files({{"/a/b/f", "1"}, {"c/f", "2"}});
  EXPECT_EQ(*files.ReadFile("/a//b/./f"), "1");
  EXPECT_EQ(*files.ReadFile("/../a/x/../b/f"), "1");
  EXPECT_EQ(*files.ReadFile("./c/f"), "2");
  EXPECT_THAT(*files.ListDirectory("/"), ElementsAre("a"));
  EXPECT_THAT(*files.ListDirectory("."), ElementsAre("c"));
}

TEST(MemoryFileSystemTest, EachChangeIsLater) {
  MemoryFileSystem files;
  ASSERT_TRUE(files.WriteFile("a", "").ok());
  ASSERT_TRUE(files.WriteFile("b", "").ok());
  EXPECT_LT(files.Stat("a")->mtime, files.Stat("b")->mtime);
}

TEST(PathTest, PartsAreFound) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", ""), "a");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
  EXPECT_EQ(BaseName("a/b.txt"), "b.txt");
  EXPECT_EQ(BaseName("b"), "b");
  EXPECT_EQ(BaseName("a/"), "");
  EXPECT_EQ(DirName("a/b/c"), "a/b");
  EXPECT_EQ(DirName("/b"), "/");
  EXPECT_EQ(DirName("b"), "");
  EXPECT_EQ(Extension("a.b/c.d.gz"), ".gz");
  EXPECT_EQ(Extension("a.b/c"), "");
}

TEST(TryWritePiecesTest, AnErrorWhileReadingLeavesTheOldFile) {
  auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder.ok());
  MemoryFileSystem memory;
  FileSystem* const disk = DiskFileSystem();
  const std::string on_disk = (*folder)->path() + "/f";
  const std::pair<FileSystem*, std::string> cases[] = {{disk, on_disk},
                                                       {&memory, "f"}};
  for (const auto& [files, path] : cases) {
    ASSERT_TRUE(files->WriteFile(path, "old").ok());
    const absl::Status status =
        files->TryWritePieces(path, [](FileSystem::EmitPiece emit) {
          emit(std::string(200'000, 'x'));
          return absl::DataLossError("cut off");
        });
    EXPECT_EQ(status.message(), "cut off");
    EXPECT_EQ(*files->ReadFile(path), "old");
    EXPECT_TRUE(files->TryWritePieces(path, [](FileSystem::EmitPiece emit) {
                       emit("new");
                       return absl::OkStatus();
                     }).ok());
    EXPECT_EQ(*files->ReadFile(path), "new");
  }
  EXPECT_EQ(disk->ListDirectory((*folder)->path())->size(), 1u);
}

}  // namespace
}  // namespace hlokit
