#include "dump/dumper.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/compression.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DumperTest : public ::testing::Test {
 protected:
  DumperTest() {
    io_.out = &out_;
    io_.err = &err_;
    io_.files = &files_;
    debug_ = DefaultDebugOptions();
  }

  std::unique_ptr<Module> MakeModule(const std::string& name) {
    auto module = ParseModule("HloModule " + name + R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p)
})");
    EXPECT_TRUE(module.ok()) << module.status();
    return *std::move(module);
  }

  std::unique_ptr<Dumper> MakeDumper() {
    std::vector<std::string> warnings;
    DumpOptions options = MakeDumpOptions(debug_, nullptr, &warnings);
    return std::make_unique<Dumper>(std::move(options), io_, warnings);
  }

  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, contents] : files_.Files()) paths.push_back(path);
    return paths;
  }

  MemoryFileSystem files_;
  std::ostringstream out_, err_;
  ToolIo io_;
  xla::DebugOptions debug_;
};

TEST_F(DumperTest, WritesTextAndOptionsIntoTheFolder) {
  debug_.set_xla_dump_to("d/sub");
  auto module = MakeModule("m");
  MakeDumper()->DumpModule(*module, "before_optimizations");
  EXPECT_THAT(Paths(),
              ElementsAre("d/sub/module_0000.m.before_optimizations.txt",
                          "d/sub/module_0000.m.debug_options"));
  EXPECT_THAT(files_.Files()["d/sub/module_0000.m.before_optimizations.txt"],
              HasSubstr("negate("));
  EXPECT_THAT(files_.Files()["d/sub/module_0000.m.debug_options"],
              HasSubstr("xla_dump_to: \"d/sub\""));
  EXPECT_EQ(err_.str(), "");
}

TEST_F(DumperTest, NumbersModulesInTheOrderTheyAreSeen) {
  debug_.set_xla_dump_to("d");
  auto first = MakeModule("a"), second = MakeModule("b");
  auto dumper = MakeDumper();
  EXPECT_EQ(dumper->Prefix(*first), "module_0000.a");
  EXPECT_EQ(dumper->Prefix(*second), "module_0001.b");
  EXPECT_EQ(dumper->Prefix(*first), "module_0000.a");
}

TEST_F(DumperTest, WritesProtosThatReadBack) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_as_proto(true);
  debug_.set_xla_dump_compress_protos(true);
  auto module = MakeModule("m");
  MakeDumper()->DumpModule(*module, "x");
  auto bytes = Decompress(files_.Files()["d/module_0000.m.x.hlo.pb.gz"]);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  xla::HloProto proto;
  ASSERT_TRUE(proto.ParseFromString(*bytes));
  EXPECT_EQ(proto.hlo_module().name(), "m");
  EXPECT_FALSE(files_.Exists("d/module_0000.m.x.txt"));
}

TEST_F(DumperTest, StdoutGetsTextBetweenBanners) {
  debug_.set_xla_dump_to("-");
  auto module = MakeModule("m");
  MakeDumper()->DumpModule(*module, "x");
  EXPECT_TRUE(absl::StartsWith(out_.str(),
                               "*** Begin module_0000.m.x.txt ***\n"));
  EXPECT_TRUE(absl::EndsWith(out_.str(),
                             "\n*** End module_0000.m.x.txt ***\n"));
  EXPECT_THAT(Paths(), IsEmpty());
}

TEST_F(DumperTest, ProtosAreRefusedOnStdoutWithOneWarning) {
  debug_.set_xla_dump_hlo_as_proto(true);
  auto module = MakeModule("m");
  auto dumper = MakeDumper();
  dumper->DumpModule(*module, "x");
  dumper->DumpModule(*module, "x");
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), HasSubstr("pass --xla_dump_to=FOLDER"));
  EXPECT_EQ(err_.str().find("warning", 1), std::string::npos);
}

TEST_F(DumperTest, AModuleRegexAloneDumpsToStdout) {
  debug_.set_xla_dump_hlo_module_re("^a");
  auto a = MakeModule("abc"), b = MakeModule("b");
  auto dumper = MakeDumper();
  dumper->DumpModule(*a, "x");
  dumper->DumpModule(*b, "x");
  EXPECT_THAT(out_.str(), HasSubstr("module_0000.abc.x.txt"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("module_0001")));
}

TEST_F(DumperTest, ABrokenRegexIsReportedOnceAndMatchesNothing) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_module_re("[");
  auto module = MakeModule("m");
  auto dumper = MakeDumper();
  dumper->DumpModule(*module, "x");
  EXPECT_THAT(err_.str(), HasSubstr("xla_dump_hlo_module_re"));
  EXPECT_THAT(Paths(), IsEmpty());
}

TEST_F(DumperTest, TheLimitCountsModulesNotFiles) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_max_hlo_modules(1);
  auto a = MakeModule("a"), b = MakeModule("b");
  auto dumper = MakeDumper();
  dumper->DumpModule(*a, "x");
  dumper->DumpModule(*b, "x");
  dumper->DumpModule(*a, "y");
  EXPECT_THAT(Paths(), ElementsAre("d/module_0000.a.debug_options",
                                   "d/module_0000.a.x.txt",
                                   "d/module_0000.a.y.txt"));
}

TEST_F(DumperTest, LeavesOutAModuleNameThatIsTooLong) {
  debug_.set_xla_dump_to("d");
  auto module = MakeModule(std::string(250, 'n'));
  MakeDumper()->DumpModule(*module, "before_optimizations");
  EXPECT_TRUE(files_.Exists("d/module_0000.before_optimizations.txt"));
}

TEST_F(DumperTest, AFolderThatIsAFileIsOneWarning) {
  ASSERT_TRUE(files_.WriteFile("afile", "x").ok());
  debug_.set_xla_dump_to("afile");
  auto module = MakeModule("m");
  auto dumper = MakeDumper();
  dumper->DumpModule(*module, "x");
  dumper->DumpModule(*module, "y");
  EXPECT_THAT(err_.str(), HasSubstr("afile"));
  EXPECT_EQ(err_.str().find("warning", 1), std::string::npos);
  EXPECT_EQ(files_.Files()["afile"], "x");
}

TEST_F(DumperTest, AFullDiskLosesOneDumpAndTellsIt) {
  debug_.set_xla_dump_to("d");
  auto module = MakeModule("m");
  files_.FailWritesAfter(0);
  MakeDumper()->DumpModule(*module, "x");
  EXPECT_THAT(err_.str(), HasSubstr("a dump is lost"));
  EXPECT_THAT(Paths(), IsEmpty());
}

int Count(absl::string_view text, absl::string_view part) {
  return std::vector<std::string>(absl::StrSplit(text, part)).size() - 1;
}

TEST_F(DumperTest, AFullDiskIsToldOnceForAllFiles) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_as_proto(true);
  auto module = MakeModule("m");
  files_.FailWritesAfter(1);
  {
    auto dumper = MakeDumper();
    for (int i = 0; i < 5; ++i) {
      dumper->DumpModule(*module, absl::StrCat("stage", i));
    }
  }
  EXPECT_EQ(Count(err_.str(), "a dump is lost"), 1);
  EXPECT_EQ(Count(err_.str(), "No space left"), 1);
  EXPECT_THAT(err_.str(), HasSubstr("dumps are lost in all"));
  EXPECT_EQ(Paths().size(), 1u);
}

TEST_F(DumperTest, NamesBecomeFilesOfTheFolder) {
  debug_.set_xla_dump_to("d");
  auto module = MakeModule("m");
  module->set_name("../../up\x1b[2J\n/x");
  auto dumper = MakeDumper();
  dumper->DumpModule(*module, "../before\r");
  for (const std::string& path : Paths()) {
    EXPECT_EQ(path.rfind("d/", 0), 0u) << path;
    EXPECT_EQ(path.find('/', 2), std::string::npos) << path;
    for (const char c : path) EXPECT_FALSE(absl::ascii_iscntrl(c)) << path;
  }
  EXPECT_FALSE(Paths().empty());
}

TEST_F(DumperTest, TypesThatProtosCannotHoldAreTold) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_as_proto(true);
  auto module = MakeModule("m");
  Shape shape = module->entry()->root()->shape();
  for (int i = 0; i < 300; ++i) shape = Shape::Tuple({shape});
  module->entry()->root()->set_shape(shape);
  MakeDumper()->DumpModule(*module, "x");
  EXPECT_THAT(err_.str(), HasSubstr("nested deeper"));
  for (const std::string& path : Paths()) {
    EXPECT_EQ(path.find(".hlo.pb"), std::string::npos) << path;
  }
}

TEST_F(DumperTest, BlanksInPipelineNamesBecomeUnderscores) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_pass_re(".");
  debug_.set_xla_dump_hlo_pipeline_re("^HLO passes");
  auto module = MakeModule("m");
  auto dumper = MakeDumper();
  dumper->DumpPass(*module, "HLO passes", "a", "b", true);
  dumper->DumpPass(*module, "other", "a", "b", true);
  EXPECT_THAT(Paths(),
              ElementsAre("d/module_0000.m.0000.HLO_passes.after_a.before_b."
                          "txt"));
}

TEST_F(DumperTest, SnapshotsHoldArgumentsAndResult) {
  debug_.set_xla_dump_to("d");
  debug_.set_xla_dump_hlo_snapshots(true);
  auto module = MakeModule("m");
  const Literal one = Literal::Scalar<float>(1),
                two = Literal::Scalar<float>(2);
  MakeDumper()->DumpSnapshot(*module, {one}, two, "cpu", 7);
  xla::HloSnapshot snapshot;
  ASSERT_TRUE(snapshot.ParseFromString(
      files_.Files()["d/module_0000.m.snapshot.7.pb"]));
  EXPECT_EQ(snapshot.arguments_size(), 1);
  EXPECT_EQ(snapshot.result().f32s(0), 2);
  EXPECT_EQ(snapshot.execution_platform(), "cpu");
}

TEST_F(DumperTest, NothingIsDumpedWithoutAFlag) {
  auto module = MakeModule("m");
  auto dumper = MakeDumper();
  dumper->DumpModule(*module, "x");
  dumper->DumpPass(*module, "p", "a", "b", true);
  EXPECT_EQ(out_.str() + err_.str(), "");
  EXPECT_THAT(Paths(), IsEmpty());
}

}  // namespace
}  // namespace hlokit
