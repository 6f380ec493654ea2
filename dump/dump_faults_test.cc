// What goes wrong around a dump: full and read-only disks, crashes between
// writes, other processes in the same folder. Nothing may be lost or broken but
// the file in question, and the compilation never notices.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_system.h"
#include "dump/dump_names.h"
#include "dump/dumper.h"
#include "dump/folder_claim.h"
#include "dump/test_compiler.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file system that does what it is told to do wrong. Files are written in two
// steps, a temporary one and a rename, as on a disk.
class FaultyFileSystem : public FileSystem {
 public:
  enum Fault { kNone, kFull, kReadOnly, kCrash };

  // The fault begins after so many steps.
  void FailAfter(int64_t steps, Fault fault) {
    steps_left_ = steps;
    fault_ = fault;
  }
  const MemoryFileSystem& disk() const { return disk_; }
  bool failing() const { return fault_ != kNone && steps_left_ < 0; }

  absl::StatusOr<std::string> ReadFile(absl::string_view path,
                                       int64_t max_bytes) const override {
    return disk_.ReadFile(path, max_bytes);
  }
  absl::StatusOr<std::unique_ptr<MappedFile>> MapFile(
      absl::string_view path) const override {
    return disk_.MapFile(path);
  }
  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override {
    const std::string temporary = absl::StrCat(path, ".tmp");
    const absl::Status first = Step();
    if (!first.ok()) {
      // What fitted is there until it is cleaned up; after a crash it stays.
      if (fault_ == kCrash) {
        disk_.WriteFile(temporary, contents.substr(0, contents.size() / 2))
            .IgnoreError();
      }
      return first;
    }
    if (absl::Status second = Step(); !second.ok()) {
      if (fault_ == kCrash) disk_.WriteFile(temporary, contents).IgnoreError();
      return second;
    }
    return disk_.WriteFile(path, contents);
  }
  absl::Status AppendFile(absl::string_view path,
                          absl::string_view contents) override {
    return disk_.AppendFile(path, contents);
  }
  absl::Status CreateDirectories(absl::string_view path) override {
    if (absl::Status status = Step(); !status.ok()) return status;
    return disk_.CreateDirectories(path);
  }
  absl::StatusOr<std::vector<std::string>> ListDirectory(
      absl::string_view path) const override {
    return disk_.ListDirectory(path);
  }
  absl::StatusOr<FileInfo> Stat(absl::string_view path) const override {
    return disk_.Stat(path);
  }
  absl::Status RemoveFile(absl::string_view path) override {
    return disk_.RemoveFile(path);
  }
  absl::Status Rename(absl::string_view from, absl::string_view to) override {
    return disk_.Rename(from, to);
  }

 private:
  absl::Status Step() {
    if (fault_ == kNone || steps_left_-- > 0) return absl::OkStatus();
    if (fault_ == kReadOnly) {
      return absl::PermissionDeniedError("Read-only file system");
    }
    return absl::UnavailableError("No space left on device");
  }

  MemoryFileSystem disk_;
  int64_t steps_left_ = 0;
  Fault fault_ = kNone;
};

struct FaultOutcome {
  std::map<std::string, std::string> files;
  std::string err;
};

FaultOutcome CompileOn(FaultyFileSystem* files, const std::string& flags) {
  std::ostringstream out, err;
  ToolIo io;
  io.out = &out;
  io.err = &err;
  io.files = files;
  xla::DebugOptions debug = DefaultDebugOptions();
  EXPECT_TRUE(ParseXlaFlags(flags, nullptr, &debug).accept);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io, warnings);
  auto module = MakeTestModule("jit_f");
  CompileWithDumps(*module, &dumper, 2);
  EXPECT_EQ(out.str(), "");
  return {files->disk().Files(), err.str()};
}

constexpr char kEverything[] =
    "--xla_dump_to=D --xla_dump_hlo_as_text --xla_dump_hlo_as_proto "
    "--xla_dump_hlo_pass_re=. --xla_dump_hlo_snapshots "
    "--xla_dump_hlo_unoptimized_snapshots --xla_dump_module_metadata";

// Some files hold the times of passes.
bool HoldsTimes(const std::string& path) {
  return absl::EndsWith(path, "metadata.textproto");
}

TEST(DumpFaultsTest, AtWhateverStepTheDiskFailsFilesAreWholeOrMissing) {
  FaultyFileSystem healthy;
  const FaultOutcome all = CompileOn(&healthy, kEverything);
  EXPECT_EQ(all.err, "");
  ASSERT_GT(all.files.size(), 40u);
  int64_t steps = 0;
  for (const auto fault : {FaultyFileSystem::kFull, FaultyFileSystem::kReadOnly,
                           FaultyFileSystem::kCrash}) {
    for (steps = 0; steps < 1000; ++steps) {
      FaultyFileSystem files;
      files.FailAfter(steps, fault);
      const FaultOutcome outcome = CompileOn(&files, kEverything);
      for (const auto& [path, contents] : outcome.files) {
        if (absl::EndsWith(path, ".tmp")) {
          EXPECT_EQ(fault, FaultyFileSystem::kCrash);
          EXPECT_FALSE(ParseDumpName(BaseName(path)).has_value()) << path;
          continue;
        }
        ASSERT_EQ(all.files.count(path), 1u) << path;
        if (HoldsTimes(path)) continue;
        // The snapshot written before the run is whole, too.
        if (absl::StrContains(path, ".snapshot.")) continue;
        ASSERT_EQ(contents, all.files.at(path)) << path;
      }
      if (!files.failing()) break;
      EXPECT_NE(outcome.err, "");
    }
    EXPECT_GT(steps, 80);
    EXPECT_LT(steps, 1000);
  }
}

TEST(DumpFaultsTest, AFaultIsOneWarningHoweverManyFilesItTakes) {
  FaultyFileSystem files;
  files.FailAfter(0, FaultyFileSystem::kReadOnly);
  const FaultOutcome outcome = CompileOn(&files, kEverything);
  EXPECT_THAT(outcome.files, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

// ---- on a real disk, with real processes ----

class DiskDumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::Create();
    ASSERT_TRUE(folder.ok());
    folder_ = *std::move(folder);
    root_ = folder_->path();
  }

  std::unique_ptr<Dumper> MakeDumper(const std::string& folder,
                                     const std::string& more = "") {
    io_.out = &out_;
    io_.err = &err_;
    io_.files = DiskFileSystem();
    xla::DebugOptions debug = DefaultDebugOptions();
    EXPECT_TRUE(
        ParseXlaFlags(absl::StrCat("--xla_dump_to=", folder, " ", more),
                      nullptr, &debug)
            .accept);
    std::vector<std::string> warnings;
    DumpOptions options = MakeDumpOptions(debug, nullptr, &warnings);
    return std::make_unique<Dumper>(std::move(options), io_, warnings);
  }

  std::vector<std::string> Names(const std::string& folder) {
    auto names = DiskFileSystem()->ListDirectory(folder);
    EXPECT_TRUE(names.ok()) << names.status();
    return *names;
  }

  std::unique_ptr<TemporaryDirectory> folder_;
  std::string root_;
  std::ostringstream out_, err_;
  ToolIo io_;
};

TEST_F(DiskDumpTest, AKilledProcessLeavesOnlyWholeFiles) {
  auto module = MakeTestModule("jit_f");
  std::string whole;
  {
    auto dumper = MakeDumper(root_ + "/whole");
    dumper->DumpModule(*module, "x");
    auto text =
        DiskFileSystem()->ReadFile(root_ + "/whole/module_0000.jit_f.x.txt");
    ASSERT_TRUE(text.ok());
    whole = *text;
  }
  int files = 0;
  for (int round = 0; round < 10; ++round) {
    const std::string folder = absl::StrCat(root_, "/", round);
    const pid_t child = ::fork();
    if (child == 0) {
      auto dumper = MakeDumper(folder);
      for (int i = 0;; ++i) dumper->DumpModule(*module, absl::StrCat("s", i));
    }
    ::usleep(3000 + 1500 * round);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (!DiskFileSystem()->IsDirectory(folder)) continue;
    for (const std::string& name : Names(folder)) {
      if (!absl::EndsWith(name, ".txt")) continue;
      auto text = DiskFileSystem()->ReadFile(folder + "/" + name);
      ASSERT_TRUE(text.ok());
      ASSERT_EQ(*text, whole) << name;
      ++files;
    }
    // The lock went with its process.
    auto dumper = MakeDumper(folder);
    dumper->DumpModule(*module, "later");
    EXPECT_TRUE(DiskFileSystem()->Exists(absl::StrCat(
        folder, "/module_0000.jit_f.later.txt")));
  }
  EXPECT_GT(files, 10);
}

TEST_F(DiskDumpTest, AFullDiskLeavesNoHalfFile) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {300, 300};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto module = MakeTestModule("jit_f");
    auto dumper = MakeDumper(root_ + "/d");
    CompileWithDumps(*module, dumper.get());
    ::_exit(absl::StrContains(err_.str(), "a dump is lost") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const auto names = Names(root_ + "/d");
  // Small ones fitted; the HLO text did not.
  EXPECT_THAT(names, ::testing::Contains("module_0000.jit_f.debug_options"));
  for (const std::string& name : names) {
    EXPECT_FALSE(absl::EndsWith(name, "optimizations.txt")) << name;
    EXPECT_FALSE(absl::EndsWith(name, ".tmp")) << name;
  }
}

TEST_F(DiskDumpTest, TwoProcessesInOneFolderKeepTheirFiles) {
  const std::string folder = root_ + "/shared";
  auto module = MakeTestModule("jit_f");
  auto ours = MakeDumper(folder);
  ours->DumpModule(*module, "x");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto other = MakeTestModule("jit_f");
    other->entry()->root()->set_shape(other->entry()->root()->shape());
    auto theirs = MakeDumper(folder);
    theirs->DumpModule(*other, "x");
    const bool told = absl::StrContains(err_.str(), "another process dumps");
    ::_exit(told ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ours->DumpModule(*module, "y");
  std::set<std::string> subfolders;
  for (const std::string& name : Names(folder)) {
    if (DiskFileSystem()->IsDirectory(folder + "/" + name)) {
      subfolders.insert(name);
      EXPECT_THAT(name, ::testing::EndsWith(absl::StrCat("_", child)));
    }
  }
  EXPECT_EQ(subfolders.size(), 1u);
  EXPECT_TRUE(DiskFileSystem()->Exists(folder + "/module_0000.jit_f.x.txt"));
  EXPECT_TRUE(DiskFileSystem()->Exists(folder + "/module_0000.jit_f.y.txt"));
}

TEST_F(DiskDumpTest, DumpersOfOneProcessShareTheNumbers) {
  const std::string folder = root_ + "/d";
  auto a = MakeTestModule("a"), b = MakeTestModule("b");
  MakeDumper(folder)->DumpModule(*a, "x");
  MakeDumper(folder)->DumpModule(*b, "x");
  EXPECT_THAT(Names(folder),
              ::testing::UnorderedElementsAre(
                  "module_0000.a.debug_options", "module_0000.a.x.txt",
                  "module_0001.b.debug_options", "module_0001.b.x.txt"));
}

TEST_F(DiskDumpTest, ThreadsDumpTheirOwnModules) {
  const std::string folder = root_ + "/d";
  auto dumper = MakeDumper(folder, "--xla_dump_hlo_pass_re=.");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      auto module = MakeTestModule(absl::StrCat("m", i));
      CompileWithDumps(*module, dumper.get());
      dumper->Forget(*module);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(err_.str(), "");
  std::set<int64_t> ids;
  std::map<std::string, int> files;
  for (const std::string& name : Names(folder)) {
    const auto parsed = ParseDumpName(name);
    if (!parsed.has_value()) continue;
    ids.insert(parsed->id);
    if (absl::EndsWith(name, ".txt")) ++files[parsed->module];
  }
  EXPECT_EQ(ids.size(), 8u);
  for (const auto& [module, count] : files) EXPECT_EQ(count, 22) << module;
}

TEST_F(DiskDumpTest, AnUnwritableFolderIsOneWarning) {
  const std::string file = root_ + "/plain";
  ASSERT_TRUE(DiskFileSystem()->WriteFile(file, "mine").ok());
  auto module = MakeTestModule("m");
  for (const std::string& folder : {file, file + "/below"}) {
    err_.str("");
    auto dumper = MakeDumper(folder);
    CompileWithDumps(*module, dumper.get());
    EXPECT_EQ(err_.str().find("warning", 1), std::string::npos) << err_.str();
    EXPECT_THAT(err_.str(), HasSubstr("plain"));
  }
  EXPECT_EQ(*DiskFileSystem()->ReadFile(file), "mine");
}

}  // namespace
}  // namespace hlokit
