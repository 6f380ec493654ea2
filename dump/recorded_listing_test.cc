// The folders that XLA's CPU compiler wrote for real programs: with the same
// flags, the same files.
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "dump/dump_names.h"
#include "dump/dumper.h"
#include "dump/test_compiler.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::UnorderedElementsAreArray;

// IR and objects are the compiler's own: it dumps what the recorded one did.
void CompileAs(const Module& module, const std::set<std::string>& recorded,
               int snapshots, Dumper* dumper) {
  const char* form = dumper->options().proto ? "pb" : "textproto";
  dumper->DumpCompileInput(module, "module.mlir", "module {}\n");
  dumper->DumpCompileInput(module, absl::StrCat("compile_options.", form), "o");
  dumper->DumpCompileInput(module, absl::StrCat("topology.", form), "t");
  dumper->DumpModule(module, "before_optimizations");
  std::set<std::string> artifacts;
  for (const std::string& path : recorded) {
    absl::string_view name = BaseName(path);
    if (!absl::EndsWith(name, ".ll") && !absl::EndsWith(name, ".o")) continue;
    name.remove_prefix(name.find(module.name()) + module.name().size() + 1);
    dumper->DumpArtifact(module, name, "x", absl::EndsWith(name, ".o"));
  }
  const xla::BufferAssignmentProto assignment = TestAssignment();
  BufferReports reports;
  reports.assignment = &assignment;
  reports.values = reports.live_range = "x";
  dumper->DumpModule(module, "cpu_after_optimizations", &reports);
  dumper->DumpFusionVisualization(module);
  for (int k = 0; k < snapshots; ++k) {
    dumper->DumpUnoptimizedSnapshot(module, {{}});
  }
}

TEST(RecordedListingTest, TheSameFlagsGiveTheSameFiles) {
  const std::string root = Corpora() + "jax_dumps/";
  const auto rows = CorpusTable(root + "DUMP_FOLDERS.tsv");
  if (rows.empty()) GTEST_SKIP() << "no corpora";
  int compared = 0;
  for (const CorpusRow& row : rows) {
    const std::string folder = row.at("folder");
    const std::string program = row.at("program");
    std::string flags =
        row.at("flags beside --xla_dump_to and --xla_dump_hlo_module_re");
    // Names between passes depend on the passes: dump_listing_test.
    if (absl::StrContains(flags, "pass_re")) continue;
    SCOPED_TRACE(absl::StrCat(folder, " ", program, " ", flags));
    if (flags == "(none)") flags.clear();
    std::set<std::string> recorded;
    for (const CorpusRow& file : CorpusTable(root + folder +
                                             "/ALL_NAMES.tsv")) {
      const std::string& name = file.at("name in the dump folder");
      if (absl::StrContains(name, program)) recorded.insert(name);
    }
    if (recorded.empty()) continue;
    int snapshots = 0;
    for (const std::string& name : recorded) {
      snapshots += absl::StrContains(name, "unoptimized_snapshot");
    }
    MemoryIo memory;
    auto& [files, out, err, io] = memory;
    xla::DebugOptions debug = DefaultDebugOptions();
    ASSERT_TRUE(ParseXlaFlags(absl::StrCat("--xla_dump_to=D ", flags), nullptr,
                              &debug)
                    .accept);
    std::vector<std::string> warnings;
    Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io, warnings);
    const auto module = MakeTestModule("jit_" + program);
    CompileAs(*module, recorded, snapshots, &dumper);
    EXPECT_EQ(err.str(), "");
    std::vector<std::string> written;
    for (const auto& [path, contents] : files.Files()) {
      written.emplace_back(absl::StripPrefix(path, "D/"));
    }
    // For the recorded host and process our own. XLA leaves the inputs of the
    // compilation outside of the sub-folder (docs/dump.md).
    const std::string subfolder =
        debug.xla_dump_hlo_to_subfolder()
            ? absl::StrCat(module->name(), "/", HostAndPid(), "/")
            : "";
    std::set<std::string> expected;
    for (const std::string& name : recorded) {
      const size_t at = name.find("/vm_");
      const size_t rest =
          at == std::string::npos ? 0 : name.find('/', at + 1) + 1;
      expected.insert(absl::StrCat(subfolder, name.substr(rest)));
    }
    EXPECT_THAT(written, UnorderedElementsAreArray(expected));
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace hlokit
