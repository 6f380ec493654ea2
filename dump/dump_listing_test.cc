// Which files come of which flags: each dump flag alone and their combinations,
// compared with the listings that XLA's CPU compiler gave.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "dump/dump_names.h"
#include "dump/dumper.h"
#include "dump/test_compiler.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

class FakeRenderer : public GraphRenderer {
 public:
  absl::StatusOr<std::string> Render(const Request& request) override {
    return absl::StrCat("graph of ", request.label);
  }
};

// Of a machine without the libraries that a format needs.
class BrokenRenderer : public GraphRenderer {
 public:
  absl::StatusOr<std::string> Render(const Request&) override {
    return absl::UnavailableError("no library");
  }
};

struct Outcome {
  std::vector<std::string> files;  // without the folder
  std::string out, err;
};

class ListingTest : public ::testing::Test {
 protected:
  // Compiles modules of these names with the flags; the folder is "D".
  Outcome Compile(const std::string& flags,
                  const std::vector<std::string>& names = {"jit_my_fn"},
                  int executions = 0) {
    MemoryIo memory;
    auto& [files, out, err, io] = memory;
    xla::DebugOptions debug = DefaultDebugOptions();
    const XlaFlagsReport report = ParseXlaFlags(flags, nullptr, &debug);
    EXPECT_TRUE(report.accept) << report.ErrorText();
    std::vector<std::string> warnings;
    DumpOptions options = MakeDumpOptions(debug, nullptr, &warnings);
    Dumper dumper(options, io, warnings);
    dumper.set_graph_renderer(renderer_);
    std::vector<std::unique_ptr<Module>> modules;
    for (const std::string& name : names) {
      modules.push_back(MakeTestModule(name));
      const std::string before = ToString(*modules.back());
      CompileWithDumps(*modules.back(), &dumper, executions);
      EXPECT_EQ(ToString(*modules.back()), before);
    }
    Outcome outcome{{}, out.str(), err.str()};
    for (const auto& [path, contents] : files.Files()) {
      EXPECT_TRUE(absl::StartsWith(path, "D/")) << path;
      outcome.files.push_back(path.substr(2));
    }
    return outcome;
  }

  static std::vector<std::string> Prefixed(
      const std::string& prefix, const std::vector<std::string>& suffixes) {
    std::vector<std::string> names;
    for (const std::string& suffix : suffixes) names.push_back(prefix + suffix);
    return names;
  }

  FakeRenderer fake_renderer_;
  GraphRenderer* renderer_ = &fake_renderer_;
};

const char kPrefix[] = "module_0000.jit_my_fn";

// What the folder alone gives (the recorded listing).
const std::vector<std::string>& Plain() {
  static const auto* plain = new std::vector<std::string>{
      ".before_optimizations.txt",
      ".broadcast_add_fusion_kernel_module.ir-no-opt.ll",
      ".broadcast_add_fusion_kernel_module.ir-with-opt.ll",
      ".cpu_after_optimizations-buffer-assignment-values.txt",
      ".cpu_after_optimizations-buffer-assignment.txt",
      ".cpu_after_optimizations-live-range.txt",
      ".cpu_after_optimizations-memory-usage-report.txt",
      ".cpu_after_optimizations.txt",
      ".debug_options",
      ".obj-file.broadcast_add_fusion_kernel_module.o",
      "/compile_options.textproto",
      "/module.mlir",
      "/topology.textproto"};
  return *plain;
}

std::vector<std::string> Without(std::vector<std::string> names,
                                 const std::string& part) {
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](const std::string& name) {
                               return absl::StrContains(name, part);
                             }),
              names.end());
  return names;
}

std::vector<std::string> With(std::vector<std::string> names,
                              const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// The listing when formats other than text are chosen.
std::vector<std::string> Formats(const std::vector<std::string>& more,
                                 bool binary_inputs = false) {
  std::vector<std::string> names = Without(Plain(), ".txt");
  if (binary_inputs) {
    names = With(Without(names, "textproto"),
                 {"/compile_options.pb", "/topology.pb"});
  }
  return With(names, more);
}

const std::vector<std::string> kProtos = {
    ".before_optimizations.hlo.pb", ".cpu_after_optimizations.hlo.pb",
    ".cpu_after_optimizations-memory-usage-report.pb"};

std::vector<std::string> Endings(std::vector<std::string> names,
                                 const std::string& ending) {
  for (std::string& name : names) name += ending;
  return names;
}

struct ListingCase {
  const char* flags;
  std::vector<std::string> expected;
};

TEST_F(ListingTest, EveryFlagGivesTheRecordedListing) {
  const std::vector<std::string> none;
  const std::vector<std::string> proto = Formats(kProtos, true);
  const std::vector<ListingCase> cases = {
      {"--xla_dump_to=D", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_as_text", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_as_proto", proto},
      {"--xla_dump_to=D --xla_dump_hlo_as_riegeli", proto},
      {"--xla_dump_to=D --xla_dump_hlo_as_proto --xla_dump_compress_protos",
       Formats(Endings(kProtos, ".gz"), true)},
      {"--xla_dump_to=D --xla_dump_hlo_as_proto "
       "--xla_backend_extra_options=xla_hlokit_dump_compression=zstd",
       Formats(Endings(kProtos, ".zst"), true)},
      {"--xla_dump_to=D --xla_dump_hlo_as_text --xla_dump_hlo_as_proto",
       With(With(Without(Plain(), "textproto"),
                 {"/compile_options.pb", "/topology.pb"}),
            kProtos)},
      {"--xla_dump_to=D --xla_dump_hlo_as_dot",
       Formats({".before_optimizations.dot", ".cpu_after_optimizations.dot"})},
      {"--xla_dump_to=D --xla_dump_hlo_as_html",
       Formats({".before_optimizations.html", ".cpu_after_optimizations.html",
                ".cpu_after_optimizations.top_level.html"})},
      {"--xla_dump_to=D --xla_dump_hlo_as_url",
       Formats({".before_optimizations.url", ".cpu_after_optimizations.url"})},
      {"--xla_dump_to=D --xla_gpu_experimental_dump_fdo_profiles",
       With(Plain(), {".before_optimizations.fdo_profile",
                      ".cpu_after_optimizations.fdo_profile"})},
      {"--xla_dump_to=D --xla_dump_buffer_assignment_analysis=false",
       Without(Without(Plain(), "-values"), "-live-range")},
      {"--xla_dump_to=D --xla_dump_emitter_re=.*",
       With(Plain(),
            {".broadcast_add_fusion_kernel_module-pre-optimization.mlir"})},
      {"--xla_dump_to=D --xla_dump_emitter_re=llvm", Plain()},
      {"--xla_dump_to=D --xla_dump_fusion_visualization",
       With(Plain(), {"=main.1.module_0000.jit_my_fn._fusion.html"})},
      {"--xla_dump_to=D --xla_dump_module_metadata",
       With(Plain(), {"=module_0000.metadata.textproto"})},
      // Of other compilers and backends: nothing more on CPU.
      {"--xla_dump_to=D --xla_gpu_experimental_dump_gpu_executable", Plain()},
      {"--xla_dump_to=D --xla_gpu_dump_llvmir", Plain()},
      {"--xla_dump_to=D --xla_gpu_dump_autotuned_gemm_fusions", Plain()},
      {"--xla_dump_to=D --xla_gpu_dump_autotuned_instructions", Plain()},
      {"--xla_dump_to=D --xla_gpu_dump_autotune_results_to=r", Plain()},
      {"--xla_dump_to=D --xla_gpu_dump_autotune_logs_to=l", Plain()},
      // How things look, not which there are.
      {"--xla_dump_to=D --xla_hlo_graph_addresses", Plain()},
      {"--xla_dump_to=D --xla_hlo_graph_sharding_color", Plain()},
      {"--xla_dump_to=D --xla_hlo_print_inline_stack_frames", Plain()},
      {"--xla_dump_to=D --xla_dump_latency_hiding_schedule", Plain()},
      {"--xla_dump_to=D --xla_dump_full_hlo_config", Plain()},
      {"--xla_dump_to=D --xla_dump_disable_metadata", Plain()},
      {"--xla_dump_to=D --xla_dump_large_constants", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_as_long_text=false", Plain()},
      {"--xla_dump_to=D --xla_syntax_sugar_async_ops", Plain()},
      {"--xla_dump_to=D --xla_dump_compact_gte=false", Plain()},
      {"--xla_dump_to=D --xla_dump_compress_protos", Plain()},
      {"--xla_dump_to=D --xla_dump_enable_mlir_pretty_form=false", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_pipeline_re=.*", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_module_re=my_fn$", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_module_re=^my_fn", none},
      {"--xla_dump_to=D --xla_dump_hlo_module_re=(", none},
      {"--xla_dump_to=D --xla_dump_hlo_pass_re=(", Plain()},
      {"--xla_dump_to=D --xla_dump_max_hlo_modules=1", Plain()},
      {"--xla_dump_to=D --xla_dump_max_hlo_modules=0", Plain()},
      {"--xla_dump_to=D --xla_dump_max_hlo_modules=-1", Plain()},
      {"--xla_dump_to=D --xla_dump_hlo_snapshots", Formats({})},
      {"--xla_dump_to=D --xla_dump_hlo_unoptimized_snapshots",
       {"/compile_options.textproto", "/module.mlir", "/topology.textproto"}},
      {"", none},
      {"--xla_dump_to=", none},
      {"--xla_dump_hlo_as_proto", none},
      {"--xla_dump_large_constants", none},
  };
  std::set<std::string> driven;
  for (const ListingCase& one : cases) {
    SCOPED_TRACE(one.flags);
    const Outcome outcome = Compile(one.flags);
    // A `=` in front of whole names.
    std::vector<std::string> expected;
    for (const std::string& suffix : one.expected) {
      expected.push_back(suffix[0] == '=' ? suffix.substr(1)
                                          : kPrefix + suffix);
    }
    EXPECT_THAT(outcome.files, UnorderedElementsAreArray(expected));
    for (absl::string_view token : absl::StrSplit(one.flags, ' ')) {
      token = token.substr(0, token.find('='));
      absl::ConsumePrefix(&token, "--");
      driven.emplace(token);
    }
  }
  // These change names with time and process: the tests TimestampsStand... and
  // SubfoldersAre... below drive them.
  driven.insert("xla_dump_hlo_to_subfolder");
  driven.insert("xla_dump_include_timestamp");
  int dump_flags = 0;
  for (const DebugFlag& flag : DebugFlags()) {
    const bool about_dumps = absl::StrContains(flag.name, "dump") ||
                             absl::StartsWith(flag.name, "xla_hlo_graph_") ||
                             absl::StartsWith(flag.name, "xla_hlo_print_");
    if (!about_dumps || !flag.is_flag() ||
        flag.status == DebugFlagStatus::kRemoved) {
      continue;
    }
    ++dump_flags;
    EXPECT_EQ(driven.count(std::string(flag.name)), 1u) << flag.name;
  }
  EXPECT_GE(dump_flags, 36);
}

TEST_F(ListingTest, TimestampsStandInFrontOfHloDumpsOnly) {
  const Outcome outcome =
      Compile("--xla_dump_to=D --xla_dump_include_timestamp", {"jit_f"}, 1);
  int stamped = 0;
  for (const std::string& file : outcome.files) {
    const bool is_hlo = absl::EndsWith(file, ".txt");
    EXPECT_EQ(!absl::StartsWith(file, "module_"), is_hlo) << file;
    stamped += is_hlo;
  }
  EXPECT_EQ(stamped, 6);
}

TEST_F(ListingTest, SubfoldersAreNamedByModuleHostAndProcess) {
  const Outcome outcome = Compile(
      "--xla_dump_to=D --xla_dump_hlo_to_subfolder", {"jit_f", "jit_g"});
  for (const std::string& file : outcome.files) {
    const bool f = absl::StartsWith(file, absl::StrCat("jit_f/", HostAndPid(),
                                                       "/module_0000.jit_f"));
    const bool g = absl::StartsWith(file, absl::StrCat("jit_g/", HostAndPid(),
                                                       "/module_0001.jit_g"));
    EXPECT_TRUE(f || g) << file;
  }
  EXPECT_EQ(outcome.files.size(), 2 * Plain().size());
}

TEST_F(ListingTest, TheLimitAdmitsWholeModulesWithTimestampsToo) {
  for (const char* more : {"", " --xla_dump_include_timestamp"}) {
    const Outcome outcome = Compile(
        absl::StrCat("--xla_dump_to=D --xla_dump_max_hlo_modules=2", more),
        {"a", "b", "c", "d"});
    EXPECT_EQ(outcome.files.size(), 2 * Plain().size());
    EXPECT_THAT(outcome.err, HasSubstr("module_0002.c"));
  }
}

TEST_F(ListingTest, AModuleRegexChoosesAmongModules) {
  const Outcome outcome = Compile(
      "--xla_dump_to=D --xla_dump_hlo_module_re=jit_g", {"jit_f", "jit_g"});
  EXPECT_THAT(outcome.files, UnorderedElementsAreArray(Prefixed(
                                 "module_0001.jit_g", Plain())));
}

std::vector<std::string> PassDumps(const Outcome& outcome) {
  std::vector<std::string> names;
  for (const std::string& file : outcome.files) {
    const auto name = ParseDumpName(file);
    if (!name.has_value() || !name->is_pass_dump()) continue;
    names.push_back(file.substr(sizeof kPrefix));
  }
  return names;
}

TEST_F(ListingTest, APassRegexDumpsBeforeAndAfterThePass) {
  EXPECT_THAT(
      PassDumps(Compile("--xla_dump_to=D --xla_dump_hlo_pass_re=^algsimp$")),
      ElementsAre(
          "0000.simplification.after_pipeline-start.before_algsimp.txt",
          "0001.simplification.after_algsimp.before_simplify-sorts.txt",
          "0002.post_scatter_expansion_simplification.after_pipeline-start."
          "before_algsimp.txt",
          "0003.post_scatter_expansion_simplification.after_algsimp."
          "before_simplify-sorts.txt",
          "0004.simplification_after_layout_assignment.after_pipeline-start."
          "before_algsimp.txt",
          "0005.simplification_after_layout_assignment.after_algsimp.before_"
          "dce.txt"));
}

TEST_F(ListingTest, DotStarLeavesOutPassesThatChangedNothing) {
  auto count = [&](const std::string& regex) {
    return PassDumps(Compile("--xla_dump_to=D --xla_dump_hlo_pass_re=" + regex))
        .size();
  };
  // The last step and the dump within copy-insertion count, too.
  const size_t all = TestSteps().size() + 2;
  size_t changed = 2;
  for (const TestStep& step : TestSteps()) changed += step.changed;
  EXPECT_EQ(count(".*"), changed);
  EXPECT_EQ(count("."), all);
  EXPECT_EQ(count("(.*)"), all);
  EXPECT_EQ(count(".+"), all);
  EXPECT_EQ(count("pipeline-start"), 6u);
}

TEST_F(ListingTest, DumpsWithinAPassAreNumberedAmongTheOthers) {
  EXPECT_THAT(
      PassDumps(
          Compile("--xla_dump_to=D --xla_dump_hlo_pass_re=copy-insertion")),
      ElementsAre("0000.HLO_passes_after_scheduling.after_pipeline-start."
                  "before_copy-insertion.txt",
                  "0001.copy-insertion.after_adding_copies_to_resolve_"
                  "interference.txt",
                  "0002.HLO_passes_after_scheduling.after_copy-insertion."
                  "before_pipeline-end.txt"));
}

TEST_F(ListingTest, APipelineRegexSeesBlanksAndNarrows) {
  const auto dumps = PassDumps(
      Compile("--xla_dump_to=D --xla_dump_hlo_pass_re=. "
              "--xla_dump_hlo_pipeline_re=\"^HLO passes\""));
  EXPECT_EQ(dumps.size(), 5u);
  EXPECT_THAT(
      PassDumps(Compile("--xla_dump_to=D --xla_dump_hlo_pass_re=algsimp "
                        "--xla_dump_hlo_pipeline_re=simplif")),
      ::testing::SizeIs(6));
}

TEST_F(ListingTest, NegativeRegexesLeaveOutWhatThePassesDid) {
  for (const char* regex : {"!^(algsimp|dce)$", "^(?!(algsimp|dce)$)",
                            "(?!(?:algsimp|dce)$).*"}) {
    SCOPED_TRACE(regex);
    const Outcome outcome = Compile(
        absl::StrCat("--xla_dump_to=D --xla_dump_hlo_pass_re='", regex, "'"));
    EXPECT_EQ(outcome.err, "");
    const auto dumps = PassDumps(outcome);
    EXPECT_EQ(dumps.size(), TestSteps().size() + 2 - 5);
    for (const std::string& name : dumps) {
      EXPECT_THAT(name, Not(HasSubstr("after_algsimp")));
      EXPECT_THAT(name, Not(HasSubstr("after_dce")));
    }
  }
  EXPECT_THAT(
      Compile("--xla_dump_to=D --xla_dump_hlo_module_re=!^jit_f", {"jit_f"})
          .files,
      IsEmpty());
}

TEST_F(ListingTest, SnapshotsAreNamedByRunAndExecution) {
  EXPECT_THAT(
      Compile("--xla_dump_to=D --xla_dump_hlo_snapshots", {"jit_my_fn"}, 2)
          .files,
      UnorderedElementsAreArray(Prefixed(
          kPrefix, Formats({".snapshot.0.pb", ".snapshot.1.pb"}))));
  EXPECT_THAT(
      Compile("--xla_dump_to=D --xla_dump_hlo_unoptimized_snapshots",
              {"jit_my_fn"}, 2)
          .files,
      UnorderedElementsAreArray(Prefixed(
          kPrefix,
          {"/compile_options.textproto", "/module.mlir", "/topology.textproto",
           ".execution_0000.hlo_unoptimized_snapshot.pb",
           ".execution_0001.hlo_unoptimized_snapshot.pb"})));
}

// XLA drops the text then; here one does not push out the other.
TEST_F(ListingTest, SnapshotsAndTextGoTogether) {
  EXPECT_THAT(
      Compile("--xla_dump_to=D --xla_dump_hlo_unoptimized_snapshots "
              "--xla_dump_hlo_as_text",
              {"jit_my_fn"}, 1)
          .files,
      UnorderedElementsAreArray(Prefixed(
          kPrefix,
          With(Plain(), {".execution_0000.hlo_unoptimized_snapshot.txt"}))));
}

std::vector<std::string> Banners(const std::string& out) {
  std::vector<std::string> names;
  for (absl::string_view line : absl::StrSplit(out, '\n')) {
    if (absl::ConsumePrefix(&line, "*** Begin ") &&
        absl::ConsumeSuffix(&line, " ***")) {
      names.emplace_back(line);
    }
  }
  return names;
}

TEST_F(ListingTest, StdoutGetsBlocksInTheRecordedOrder) {
  for (const char* flags : {"--xla_dump_to=-", "--xla_dump_hlo_as_text"}) {
    const Outcome outcome = Compile(flags);
    EXPECT_THAT(outcome.files, IsEmpty());
    std::vector<std::string> banners = Banners(outcome.out);
    // IR comes while code is made, here before the last dump.
    std::stable_partition(banners.begin(), banners.end(),
                          [](const std::string& name) {
                            return !absl::EndsWith(name, ".ll");
                          });
    EXPECT_THAT(
        banners,
        ElementsAreArray(Prefixed(
            kPrefix,
            {".before_optimizations.txt", ".cpu_after_optimizations.txt",
             ".cpu_after_optimizations-buffer-assignment.txt",
             ".cpu_after_optimizations-buffer-assignment-values.txt",
             ".cpu_after_optimizations-live-range.txt",
             ".cpu_after_optimizations-memory-usage-report.txt",
             ".broadcast_add_fusion_kernel_module.ir-no-opt.ll",
             ".broadcast_add_fusion_kernel_module.ir-with-opt.ll"})));
  }
  EXPECT_THAT(
      Banners(Compile("--xla_dump_to=- --xla_dump_hlo_pass_re=^dce$").out),
      ::testing::Contains("module_0000.jit_my_fn.0000.simplification."
                          "after_simplify-sorts.before_dce.txt"));
}

TEST_F(ListingTest, AUrlAloneIsALineAndNoDump) {
  const Outcome outcome = Compile("--xla_dump_hlo_as_url");
  EXPECT_THAT(outcome.files, IsEmpty());
  EXPECT_THAT(outcome.out,
              HasSubstr("module_0000.jit_my_fn.before_optimizations --> graph "
                        "of module_0000.jit_my_fn.before_optimizations\n"));
}

TEST_F(ListingTest, AFormatThatCannotBeMadeIsOneWarningAndNoFile) {
  BrokenRenderer broken;
  renderer_ = &broken;
  const Outcome outcome =
      Compile("--xla_dump_to=D --xla_dump_hlo_as_url --xla_dump_hlo_as_dot");
  EXPECT_THAT(outcome.files,
              UnorderedElementsAreArray(Prefixed(kPrefix, Formats({}))));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2);
  EXPECT_THAT(outcome.err, HasSubstr("no url dumps are written"));
}

// Names as XLA dealt them in a whole run, from its own list.
TEST_F(ListingTest, PassDumpsOfARealRunGetTheirRealNames) {
  const std::string folder = Corpora() + "jax_dumps/full_pass_dump/";
  std::vector<std::string> names;
  for (const CorpusRow& row : CorpusTable(folder + "ALL_NAMES.tsv")) {
    names.push_back(row.at("name in the dump folder"));
  }
  if (names.empty()) GTEST_SKIP() << "no corpora";
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("D");
  debug.set_xla_dump_hlo_pass_re(".*");
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io);
  auto module = MakeTestModule("jit_mlp_adam_f32");
  std::set<std::string> expected;
  for (const std::string& file : names) {
    const auto name = ParseDumpName(file);
    if (!name.has_value() || !name->is_pass_dump()) continue;
    expected.insert("D/" + file);
    // Between them, what `.*` leaves out.
    dumper.DumpPass(*module, "p", "nothing", "changed", false);
    if (name->pass.empty()) {
      dumper.DumpPass(*module, name->pipeline, name->after, name->before, true);
    } else {
      dumper.DumpWithinPass(*module, name->pass, name->label);
    }
  }
  EXPECT_EQ(expected.size(), 44u);
  std::set<std::string> got;
  for (const auto& [path, contents] : files.Files()) got.insert(path);
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace hlokit
