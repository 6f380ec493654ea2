// The rows of the field cases that are about dump files.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "dump/dumper.h"
#include "dump/test_compiler.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DumpFieldCaseTest : public ::testing::Test {
 protected:
  // Dumps the case's module before and after a compilation, and a second one.
  void Compile(const std::string& name, const std::string& flags) {
    const std::string text =
        ReadCorpusFile(Corpora() + "field_cases/" + name + ".hlo");
    if (text.empty()) GTEST_SKIP() << "no corpora";
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    second_ = MakeTestModule("second");
    ToolIo io;
    io.out = &out_;
    io.err = &err_;
    io.files = &files_;
    xla::DebugOptions debug = DefaultDebugOptions();
    ASSERT_TRUE(ParseXlaFlags(flags, nullptr, &debug).accept);
    std::vector<std::string> warnings;
    DumpOptions options = MakeDumpOptions(debug, nullptr, &warnings);
    Dumper dumper(std::move(options), io, warnings);
    for (const Module* one : {module_.get(), second_.get()}) {
      dumper.DumpModule(*one, "before_optimizations");
      dumper.DumpCompileInput(*one, "module.mlir", "module {}");
      dumper.DumpModule(*one, "cpu_after_optimizations");
    }
  }
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, contents] : files_.Files()) paths.push_back(path);
    return paths;
  }
  int Lines() const {
    const std::string err = err_.str();
    return std::count(err.begin(), err.end(), '\n');
  }

  MemoryFileSystem files_;
  std::unique_ptr<Module> module_, second_;
  std::ostringstream out_, err_;
};

TEST_F(DumpFieldCaseTest, LongModuleName) {
  Compile("dump_long_module_name", "--xla_dump_to=OUT");
  if (module_ == nullptr) return;
  EXPECT_TRUE(files_.Exists("OUT/module_0000.before_optimizations.txt"));
  EXPECT_TRUE(files_.Exists("OUT/module_0000.cpu_after_optimizations.txt"));
  EXPECT_THAT(files_.Files()["OUT/module_0000.before_optimizations.txt"],
              HasSubstr(absl::StrCat("HloModule ", module_->name())));
  for (const std::string& path : Paths()) {
    EXPECT_LE(BaseName(path).size(), 255u);
  }
  EXPECT_EQ(err_.str(), "");
}

TEST_F(DumpFieldCaseTest, FolderIsAFile) {
  ASSERT_TRUE(files_.WriteFile("OUT", "mine").ok());
  Compile("dump_to_a_file", "--xla_dump_to=OUT");
  if (module_ == nullptr) return;
  EXPECT_THAT(Paths(), ::testing::ElementsAre("OUT"));
  EXPECT_EQ(files_.Files()["OUT"], "mine");
  EXPECT_EQ(Lines(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("cannot make the dump folder"));
}

TEST_F(DumpFieldCaseTest, BrokenRegex) {
  Compile("dump_regex_broken", "--xla_dump_to=OUT --xla_dump_hlo_module_re=[");
  if (module_ == nullptr) return;
  EXPECT_THAT(Paths(), IsEmpty());
  EXPECT_EQ(Lines(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--xla_dump_hlo_module_re=["));
}

TEST_F(DumpFieldCaseTest, LimitOfOneModule) {
  Compile("dump_one_module_limit",
          "--xla_dump_to=OUT --xla_dump_max_hlo_modules=1");
  if (module_ == nullptr) return;
  for (const char* suffix :
       {"before_optimizations.txt", "cpu_after_optimizations.txt",
        "debug_options"}) {
    EXPECT_TRUE(files_.Exists(absl::StrCat("OUT/module_0000.", module_->name(),
                                           ".", suffix)));
  }
  for (const std::string& path : Paths()) {
    EXPECT_FALSE(absl::StrContains(path, "second")) << path;
  }
}

TEST_F(DumpFieldCaseTest, DashIsStdout) {
  Compile("dump_to_dash", "--xla_dump_to=-");
  if (module_ == nullptr) return;
  EXPECT_THAT(Paths(), IsEmpty());
  EXPECT_FALSE(files_.Exists("-"));
  EXPECT_THAT(out_.str(),
              HasSubstr(absl::StrCat("*** Begin module_0000.", module_->name(),
                                     ".before_optimizations.txt ***\n")));
  EXPECT_THAT(out_.str(),
              HasSubstr(absl::StrCat("*** End module_0000.", module_->name(),
                                     ".cpu_after_optimizations.txt ***\n")));
}

TEST_F(DumpFieldCaseTest, ProtoToStdout) {
  Compile("dump_proto_to_stdout", "--xla_dump_hlo_as_proto");
  if (module_ == nullptr) return;
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(Paths(), IsEmpty());
  EXPECT_EQ(Lines(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--xla_dump_to=FOLDER"));
}

class BrokenRenderer : public GraphRenderer {
 public:
  absl::StatusOr<std::string> Render(const Request&) override {
    return absl::UnavailableError("there is no renderer");
  }
};

TEST_F(DumpFieldCaseTest, NoRenderer) {
  BrokenRenderer broken;
  SetDefaultGraphRenderer(&broken);
  Compile("dump_html_no_renderer", "--xla_dump_to=OUT --xla_dump_hlo_as_url");
  SetDefaultGraphRenderer(nullptr);
  if (module_ == nullptr) return;
  EXPECT_EQ(Lines(), 1);
  for (const std::string& path : Paths()) {
    EXPECT_FALSE(absl::EndsWith(path, ".url")) << path;
  }
}

TEST_F(DumpFieldCaseTest, OwnRenderer) {
  Compile("dump_html_no_renderer",
          "--xla_dump_to=OUT --xla_dump_hlo_as_url --xla_dump_hlo_as_dot");
  if (module_ == nullptr) return;
  EXPECT_EQ(err_.str(), "");
  const std::string name =
      absl::StrCat("OUT/module_0000.", module_->name(), ".before_optimizations");
  EXPECT_THAT(*files_.ReadFile(name + ".url"), ::testing::StartsWith("https:"));
  EXPECT_THAT(*files_.ReadFile(name + ".dot"),
              ::testing::StartsWith("digraph G {"));
  EXPECT_THAT(out_.str(), HasSubstr(" --> https:"));
}

}  // namespace
}  // namespace hlokit
