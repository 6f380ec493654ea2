// Folders as people have them: half-written, compressed, of several hosts, with
// links, pipes and archives.
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "dump/dump_archive.h"
#include "dump/hlo_dumps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] =
    "HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"
    "ENTRY %main (p: f32[4]) -> f32[4] {\n"
    "  %p = f32[4]{0} parameter(0)\n"
    "  ROOT %sine.1 = f32[4]{0} sine(%p)\n"
    "}\n";
constexpr char kName[] = "module_0001.jit_f.before_optimizations.txt";

std::string Proto() {
  xla::HloProto proto;
  *proto.mutable_hlo_module() = ModuleToProto(**ParseModule(kText));
  return proto.SerializeAsString();
}

struct Entry {
  std::string name, contents;
  char kind = '0';
  std::string link;
};

// A tar archive in POSIX form, written without the code under test.
std::string Tar(const std::vector<Entry>& entries) {
  std::string tar;
  for (const Entry& entry : entries) {
    std::string block(512, '\0');
    auto put = [&](size_t at, const std::string& text) {
      block.replace(at, text.size(), text);
    };
    put(0, entry.name.substr(0, 100));
    char size[16];
    snprintf(size, sizeof size, "%011zo", entry.contents.size());
    put(124, size);
    put(148, std::string(8, ' '));
    block[156] = entry.kind;
    put(157, entry.link);
    put(257, std::string("ustar\0" "00", 8));
    unsigned sum = 0;
    for (unsigned char c : block) sum += c;
    char text[16];
    snprintf(text, sizeof text, "%06o", sum);
    put(148, std::string(text, 7));
    tar += block + entry.contents;
    tar.resize((tar.size() + 511) / 512 * 512);
  }
  return tar + std::string(1024, '\0');
}

class DumpFolderTest : public ToolTest {
 protected:
  DumpFolderTest() : ToolTest(RunHloDumps) {}

  void Put(const std::string& path, const std::string& contents) {
    ASSERT_TRUE(memory_.CreateDirectories(DirName(path)).ok());
    ASSERT_TRUE(memory_.WriteFile(path, contents).ok());
  }
  // A real folder, which the tool reads from then on.
  std::string OnDisk() {
    folder_ = *TemporaryDirectory::Create();
    files_ = DiskFileSystem();
    return folder_->path();
  }
  void PutOnDisk(const std::string& path, const std::string& contents) {
    ASSERT_TRUE(files_->CreateDirectories(DirName(path)).ok());
    ASSERT_TRUE(files_->WriteFile(path, contents).ok());
  }
  int Occurrences(const std::string& word) const {
    const std::string out = out_.str();
    int count = 0;
    for (size_t at = out.find(word); at != out.npos;
         at = out.find(word, at + 1)) {
      ++count;
    }
    return count;
  }

  std::unique_ptr<TemporaryDirectory> folder_;
};

TEST_F(DumpFolderTest, BrokenDumpsAreNamedAndAreNotSteps) {
  const std::string text(kText), proto = Proto();
  Put("d/module_0001.jit_f.before_optimizations.txt", text);
  Put("d/module_0001.jit_f.0001.p.after_dce.before_cse.txt",
      text.substr(0, text.size() - 3));
  Put("d/module_0001.jit_f.0002.p.after_cse.before_x.txt", "");
  Put("d/module_0001.jit_f.0003.p.after_x.before_y.txt.gz",
      Gzip(text).substr(0, 60));
  Put("d/module_0001.jit_f.0004.p.after_y.before_z.txt.zst",
      Zstd(text).substr(0, 60));
  Put("d/module_0001.jit_f.0005.p.after_z.before_w.hlo.pb",
      proto.substr(0, proto.size() - 5));
  Put("d/module_0001.jit_f.0006.p.after_w.before_v.txt",
      text.substr(0, text.find("ENTRY")) + "%c (p: f32[]) -> f32[] {\n}\n");
  Put("d/module_0001.jit_f.0007.p.after_v.before_u.txt",
      text + std::string(4096, '\0'));
  Put("d/module_0001.jit_f.cpu_after_optimizations.hlo.pb", proto);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"ls", "d"},
                                             {"passes", "--all", "d"},
                                             {"find", "sine", "d"},
                                             {"pair", "d", "d"},
                                             {"pack", "d", "d.pack"}}) {
    SCOPED_TRACE(command[0]);
    EXPECT_EQ(RunTool(command), 0) << err_.str();
    for (int i = 1; i <= 7; ++i) {
      EXPECT_THAT(err_.str(), HasSubstr(absl::StrCat("jit_f.000", i)));
      EXPECT_THAT(out_.str(), Not(HasSubstr(absl::StrCat("jit_f.000", i))));
      EXPECT_THAT(out_.str(), Not(HasSubstr(absl::StrCat("\n000", i, " "))));
    }
  }
  RunTool({"why-empty", "d"});
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("jit_f.0001.p.after_dce"),
                                HasSubstr("dumps around passes")));
  // A pack keeps what it is given.
  EXPECT_EQ(RunTool({"ls", "d.pack"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("around passes")));
  EXPECT_THAT(err_.str(), HasSubstr("jit_f.0001.p.after_dce"));
}

TEST_F(DumpFolderTest, CompressedTextIsText) {
  for (const bool gzip : {true, false}) {
    const std::string folder = gzip ? "g" : "z";
    Put(folder + "/" + kName + (gzip ? ".gz" : ".zst"),
        gzip ? Gzip(kText) : Zstd(kText));
    ASSERT_EQ(RunTool({"ls", folder}), 0);
    EXPECT_THAT(out_.str(), HasSubstr("before_optimizations"));
    EXPECT_EQ(RunTool({"find", "--op=sine", folder}), 0);
    EXPECT_EQ(RunTool({"passes", folder}), 0);
    RunTool({"why-empty", folder});
    EXPECT_THAT(out_.str(), Not(HasSubstr("there is no dump")));
    EXPECT_THAT(out_.str(), Not(HasSubstr("HLO text ")));
  }
}

TEST_F(DumpFolderTest, ModulesOfSeveralHostsAreToldApart) {
  Put(absl::StrCat("d/host0/", kName), kText);
  Put(absl::StrCat("d/host1/", kName), kText);
  Put(absl::StrCat("d/run/host1/", kName), kText);
  ASSERT_EQ(RunTool({"ls", "d"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("folder"), HasSubstr("host0"),
                                HasSubstr("run/host1")));
  ASSERT_EQ(RunTool({"passes", "d", "host0/jit_f"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("host0/module_0001.jit_f"),
                                Not(HasSubstr("host1"))));
  ASSERT_EQ(RunTool({"passes", "d", "run/host1/1"}), 0);
  EXPECT_EQ(Occurrences("module_0001.jit_f"), 1);
  EXPECT_EQ(RunTool({"passes", "d", "host7/jit_f"}), 3);
  ASSERT_EQ(RunTool({"ls", "d/host0"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("folder")));
  ASSERT_EQ(RunTool({"ls", "d/host0", "d/host1"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("d/host1"));
}

TEST_F(DumpFolderTest, EachRealFolderIsReadOnceWhateverLinksLeadToIt) {
  const std::string root = OnDisk();
  PutOnDisk(root + "/run_3/" + kName, kText);
  ASSERT_EQ(::symlink("run_3", (root + "/latest").c_str()), 0);
  ASSERT_EQ(::symlink(".", (root + "/loop").c_str()), 0);
  ASSERT_EQ(::symlink("..", (root + "/run_3/up").c_str()), 0);
  ASSERT_EQ(::symlink(kName, (root + "/run_3/" + kName + ".lnk.txt").c_str()),
            0);
  ASSERT_EQ(RunTool({"ls", root}), 0) << err_.str();
  EXPECT_EQ(Occurrences("jit_f"), 1) << out_.str();
  EXPECT_EQ(err_.str(), "");
  ASSERT_EQ(RunTool({"ls", "--json", root}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("run_3/module_0001"));
  ASSERT_EQ(RunTool({"ls", root + "/latest"}), 0);
  EXPECT_EQ(Occurrences("jit_f"), 1);
}

TEST_F(DumpFolderTest, NothingThatMayBlockIsOpened) {
  const std::string root = OnDisk();
  const std::string pipe =
      root + "/module_0002.jit_g.before_optimizations.txt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(::symlink("gone", (root + "/dangling").c_str()), 0);
  ASSERT_EQ(::symlink("self", (root + "/self").c_str()), 0);
  ASSERT_EQ(::symlink("/dev/zero", (root + "/module_0003.z.txt").c_str()), 0);
  PutOnDisk(root + "/" + kName, kText);
  for (const char* command : {"ls", "passes"}) {
    ASSERT_EQ(RunTool({command, root}), 0) << err_.str();
    EXPECT_THAT(out_.str(), AllOf(HasSubstr("jit_f"), Not(HasSubstr("jit_g"))));
    EXPECT_THAT(err_.str(), AllOf(HasSubstr("pipe"), HasSubstr("dangling"),
                                  HasSubstr("self"), HasSubstr("0003")));
  }
  EXPECT_EQ(RunTool({"find", "--all", "sine", root}), 0);
  EXPECT_EQ(RunTool({"pack", root, root + ".pack"}), 0);
  ASSERT_TRUE(files_->RemoveFile(root + ".pack").ok());
  EXPECT_EQ(RunTool({"ls", pipe}), 3);
}

TEST_F(DumpFolderTest, ArchivesAreReadInPlace) {
  const std::string name = kName;
  const std::string tar = Tar({{"./d/", "", '5'}, {"./d/" + name, kText}});
  Put("a.tar", tar);
  Put("a.tgz", Gzip(tar));
  Put("a.tar.zst", Zstd(tar));
  Put("cut.tar", tar.substr(0, 512 + 512 + 100));
  Put("d/" + name, kText);
  ASSERT_EQ(RunTool({"pack", "d", "own"}), 0);
  for (const char* archive : {"a.tar", "a.tgz", "a.tar.zst", "own"}) {
    SCOPED_TRACE(archive);
    ASSERT_EQ(RunTool({"ls", archive}), 0) << err_.str();
    EXPECT_THAT(out_.str(), HasSubstr("jit_f"));
    EXPECT_EQ(RunTool({"find", "--op=sine", archive}), 0);
    EXPECT_EQ(RunTool({"passes", archive, "jit_f"}), 0);
    EXPECT_EQ(RunTool({"pair", archive, "d"}), 0);
    RunTool({"why-empty", archive});
    EXPECT_THAT(out_.str(), Not(HasSubstr("cause")));
    EXPECT_EQ(RunTool({"pack", archive, "again"}), 0);
    EXPECT_EQ(RunTool({"ls", "again"}), 0);
    EXPECT_EQ(RunTool({"unpack", archive, absl::StrCat("u/", archive)}), 0);
    EXPECT_EQ(RunTool({"find", "sine", absl::StrCat("u/", archive)}), 0);
  }
  EXPECT_EQ(RunTool({"ls", "cut.tar"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("is cut off"));
  Put("bad.tgz", Gzip(tar).substr(0, 50));
  EXPECT_EQ(RunTool({"ls", "bad.tgz"}), 3);
}

TEST_F(DumpFolderTest, ZipArchivesAreReadInPlace) {
  const std::string root = OnDisk();
  const std::string path = root + "/d.zip";
  int error = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &error);
  ASSERT_NE(zip, nullptr);
  for (const char* name : {"host0/module_0001.jit_f.before_optimizations.txt",
                           "../module_0002.out.before_optimizations.txt"}) {
    zip_source_t* source =
        zip_source_buffer(zip, kText, sizeof(kText) - 1, 0);
    ASSERT_GE(zip_file_add(zip, name, source, 0), 0);
  }
  ASSERT_EQ(zip_close(zip), 0);
  ASSERT_EQ(RunTool({"ls", path}), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("jit_f"), Not(HasSubstr("out"))));
  EXPECT_THAT(err_.str(), HasSubstr("../module_0002"));
  EXPECT_EQ(RunTool({"find", "sine", path}), 0);
}

TEST_F(DumpFolderTest, ArchivesDoNotLeadOutside) {
  const std::string name = kName;
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "a/";
  const std::string pax = "34 path=p/module_0007.pax.hlo.txt\n";
  Put("a.tar", Tar({{"../" + name, kText},
                    {"/etc/" + name, kText},
                    {"x/../../" + name, kText},
                    {"link", "", '2', "/etc"},
                    {"module_0004.hard.before_optimizations.txt", "", '1',
                     "../../etc/passwd"},
                    {"fifo", "", '6'},
                    {"././@LongLink", deep + name, 'L'},
                    {"short", kText},
                    {"pax", pax, 'x'},
                    {"short", kText},
                    {"ok/" + name, kText},
                    {"ok/module_0009.copy.before_optimizations.txt", "", '1',
                     "./ok/" + name}}));
  ASSERT_EQ(RunTool({"ls", "a.tar"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("copy"), HasSubstr("pax"),
                                Not(HasSubstr("hard"))));
  EXPECT_EQ(Occurrences("jit_f"), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("'../module"), HasSubstr("/etc/"),
                                HasSubstr("symbolic link"), HasSubstr("hard"),
                                HasSubstr("'fifo'"), HasSubstr("a/a/a")));
}

TEST(ArchiveFileSystemTest, KeepsItsLimits) {
  MemoryFileSystem files;
  const std::string zeros(1 << 20, '\0');
  ASSERT_TRUE(files.WriteFile("bomb.tgz", Gzip(Tar({{"a", zeros}}))).ok());
  ASSERT_TRUE(files.WriteFile("many.tar", Tar({{"a", ""}, {"b", ""}})).ok());
  ArchiveFileSystem small(files, {.bytes = 1 << 18, .files = 1});
  EXPECT_TRUE(
      absl::IsResourceExhausted(small.OpenIfArchive("bomb.tgz").status()));
  EXPECT_TRUE(
      absl::IsResourceExhausted(small.OpenIfArchive("many.tar").status()));
  ArchiveFileSystem large(files);
  EXPECT_TRUE(*large.OpenIfArchive("bomb.tgz"));
  EXPECT_EQ(large.ReadFile("bomb.tgz/a")->size(), zeros.size());
  EXPECT_TRUE(large.IsDirectory("bomb.tgz"));
  EXPECT_FALSE(large.Exists("bomb.tgz/b"));
  EXPECT_FALSE(large.WriteFile("bomb.tgz/b", "").ok());
}

TEST_F(DumpFolderTest, ProfilesAreListedAndExplained) {
  const std::string run = "d/plugins/profile/2026_01_01_00_00_00/";
  Put(run + "jit_step(123456).hlo_proto.pb", Proto());
  Put(run + "jit_big(18446744073709551615).hlo_proto.pb", Proto());
  Put(run + "vm.xplane.pb", "x");
  ASSERT_EQ(RunTool({"ls", "d"}), 0);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("123456  jit_step"), HasSubstr("profile"),
                    HasSubstr("jit_big(18446744073709551615)")));
  EXPECT_THAT(err_.str(), HasSubstr("xprof"));
  EXPECT_EQ(RunTool({"find", "--op=sine", "d"}), 0);
}

TEST_F(DumpFolderTest, ChangelistsAreNoPartOfNames) {
  for (const char* stage :
       {"before_optimizations", "after_optimizations_before_buffer_assignment",
        "after_optimizations_after_buffer_assignment", "after_optimizations",
        "after_codegen"}) {
    Put(absl::StrCat("d/module_0965.jit_f.cl_878201828.", stage, ".txt"),
        kText);
  }
  Put("d/module_0965.jit_f.cl_878201828.0001.p.after_a.before_b.txt", kText);
  Put("d/module_0965.jit_f.cl_878201828.debug_options", "");
  ASSERT_EQ(RunTool({"ls", "--all", "d"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("cl_878")));
  EXPECT_EQ(Occurrences("jit_f"), 7) << out_.str();
  ASSERT_EQ(RunTool({"passes", "--all", "d"}), 0);
  EXPECT_THAT(out_.str(), ::testing::ContainsRegex(
                              "before_opt(.|\n)*before_buffer_assignment(.|\n)*"
                              "after_buffer_assignment(.|\n)*after_codegen"));
}

TEST_F(DumpFolderTest, AFileThatIsNotADumpIsNamed) {
  Put("small.hlo", kText);
  for (const char* command : {"ls", "passes"}) {
    EXPECT_EQ(RunTool({command, "small.hlo"}), 3);
    EXPECT_THAT(err_.str(), HasSubstr("small.hlo' is a file"));
  }
  EXPECT_EQ(RunTool({"find", "x", "small.hlo"}), 3);
  Put(kName, kText);
  EXPECT_EQ(RunTool({"ls", kName}), 0);
}

TEST_F(DumpFolderTest, LargeAndDeepFoldersTakeLinearTime) {
  std::vector<Entry> entries;
  for (int i = 0; i < 10000; ++i) {
    entries.push_back({absl::StrCat("h", i % 100, "/module_", 10000 + i,
                                    ".jit_f.before_optimizations.txt"),
                       kText});
  }
  Put("many.tar", Tar(entries));
  ASSERT_EQ(RunTool({"ls", "many.tar"}), 0);
  EXPECT_EQ(Occurrences("jit_f"), 10000);
  std::string deep = "deep";
  for (int i = 0; i < 500; ++i) deep += "/a";
  Put(deep + "/" + kName, kText);
  EXPECT_EQ(RunTool({"ls", "deep"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("nested too deeply"));
}

// ---- the rows of the corpus ----

class DumpFieldCases2 : public DumpFolderTest {
 protected:
  std::string Case(const std::string& name) {
    files_ = DiskFileSystem();
    const std::string path = Corpora() + "field_cases_2/" + name;
    return files_->Exists(path) ? path : "";
  }
};

TEST_F(DumpFieldCases2, EveryFolderIsListed) {
  struct Row {
    const char* folder;
    int modules;
    const char* name;
  };
  for (const Row& row : {Row{"half_written", 1, "jit_small"},
                         Row{"txt_gz", 1, "jit_small"},
                         Row{"two_hosts", 2, "jit_small"},
                         Row{"tpu_cl_infix", 1, "jit_small"},
                         Row{"xprof", 1, "jit_train_step"}}) {
    SCOPED_TRACE(row.folder);
    const std::string folder = Case(absl::StrCat("folders/", row.folder));
    if (folder.empty()) GTEST_SKIP() << "no corpora";
    EXPECT_EQ(RunTool({"ls", folder}), 0) << err_.str();
    EXPECT_EQ(Occurrences(row.name), row.modules) << out_.str();
  }
  RunTool({"passes", "--all", Case("folders/half_written")});
  EXPECT_THAT(err_.str(), HasSubstr("after_cse.before_algsimp.txt is cut off"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("0002")));
  // Stored without its link: "latest" is a file of five bytes there.
  ASSERT_EQ(RunTool({"ls", Case("folders/latest_link")}), 0);
  EXPECT_EQ(Occurrences("jit_small"), 1);
  EXPECT_EQ(RunTool({"ls", Case("small.hlo")}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("small.hlo' is a file"));
}

}  // namespace
}  // namespace hlokit
