// The example of docs/dump.md, compiled and run. Keep both the same.
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_system.h"
#include "base/io.h"
#include "base/test_corpora.h"
#include "dump/dumper.h"
#include "flags/debug_options.h"
#include "flags/xla_flags.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

// docs/dump.md begins
// A compiler of one pass, which dumps as XLA's compilers do.
void CompileMyWay(hlokit::Module* module, hlokit::Dumper* dumper) {
  dumper->DumpModule(*module, "before_optimizations");
  dumper->DumpPass(*module, "my-pipeline", "pipeline-start", "my-pass",
                   /*changed=*/true);
  const bool changed = module->RemoveUnreachableComputations();
  dumper->DumpPass(*module, "my-pipeline", "my-pass", "pipeline-end", changed);
  dumper->DumpArtifact(*module, "ir-no-opt.ll", "define void @main()");
  dumper->DumpModule(*module, "my_after_optimizations");
  dumper->Forget(*module);
}

void CompileWithXlaFlags(hlokit::Module* module, const char* xla_flags,
                         const hlokit::ToolIo& io) {
  xla::DebugOptions options = hlokit::DefaultDebugOptions();
  const hlokit::XlaFlagsReport report =
      hlokit::ParseXlaFlags(xla_flags, io.files, &options);
  *io.err << report.WarningText() << report.ErrorText();
  std::vector<std::string> warnings;
  hlokit::DumpOptions dump =
      hlokit::MakeDumpOptions(options, std::getenv, &warnings);
  hlokit::Dumper dumper(std::move(dump), io, warnings);
  CompileMyWay(module, &dumper);
}
// docs/dump.md ends

namespace hlokit {
namespace {

TEST(ExampleTest, TheExampleOfTheGuideDumps) {
  auto module =
      ParseModule("HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }");
  ASSERT_TRUE(module.ok());
  MemoryFileSystem files;
  std::ostringstream out, err;
  ToolIo io;
  io.out = &out;
  io.err = &err;
  io.files = &files;
  CompileWithXlaFlags(module->get(),
                      "--xla_dump_to=D --xla_dump_hlo_pass_re=my-pass", io);
  std::vector<std::string> paths;
  for (const auto& [path, contents] : files.Files()) paths.push_back(path);
  EXPECT_THAT(
      paths,
      ::testing::ElementsAre(
          "D/module_0000.m.0000.my-pipeline.after_pipeline-start.before_my-"
          "pass.txt",
          "D/module_0000.m.0001.my-pipeline.after_my-pass.before_pipeline-end."
          "txt",
          "D/module_0000.m.before_optimizations.txt",
          "D/module_0000.m.debug_options", "D/module_0000.m.ir-no-opt.ll",
          "D/module_0000.m.my_after_optimizations.txt"));
  EXPECT_EQ(err.str(), "");
}

TEST(ExampleTest, TheGuideShowsThisExample) {
  auto source =
      DiskFileSystem()->ReadFile(SourceDir() + "/dump/example_test.cc");
  auto guide = DiskFileSystem()->ReadFile(SourceDir() + "/docs/dump.md");
  ASSERT_TRUE(source.ok() && guide.ok());
  const size_t begin = source->find("// A compiler of one pass");
  const size_t end = source->find("// docs/dump.md ends");
  EXPECT_THAT(*guide,
              ::testing::HasSubstr(source->substr(begin, end - begin)));
}

}  // namespace
}  // namespace hlokit
