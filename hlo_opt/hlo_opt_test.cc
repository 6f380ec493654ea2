#include "hlo_opt/hlo_opt.h"

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/compression.h"
#include "base/file_system.h"
#include "base/test_tool.h"
#include "dump/large_snapshot.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "hlo_opt/loader.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAdd[] = R"(HloModule add

ENTRY main {
  p = f32[4] parameter(0)
  t = (f32[4]) tuple(p)
  g = f32[4] get-tuple-element(t), index=0
  ROOT sum = f32[4] add(g, p)
})";

class HloOptTest : public ToolTest {
 protected:
  HloOptTest() : ToolTest(RunHloOpt) {
    EXPECT_TRUE(memory_.WriteFile("add.hlo", kAdd).ok());
  }
  std::string File(const std::string& path) { return memory_.Files()[path]; }
};

TEST_F(HloOptTest, PrintsTextWithTheOptionsAskedFor) {
  ASSERT_EQ(RunTool({"add.hlo", "--print_options=default"}), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              HasSubstr("  ROOT %sum = f32[4]{0} add(%g, %p)\n"));
  ASSERT_EQ(RunTool({"add.hlo", "--print_options=short_parsable"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("  ROOT sum = f32[4]{0} add(g, p)\n"));
}

TEST_F(HloOptTest, ReadsStandardInput) {
  ASSERT_EQ(RunTool({"-"}, kAdd), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("HloModule add"));
}

TEST(LoadModules, ReadsUnoptimizedSnapshotsInTheLargeForm) {
  auto module = ParseModule(kAdd);
  ASSERT_TRUE(module.ok()) << module.status();
  const Literal argument = Literal::Array<float>({4}, {1, 2, 3, 4});
  const std::string bytes =
      LargeSnapshotMessage(**module, /*module_id=*/0, {{argument}}).Join();
  const auto loaded = LoadModules(bytes, "large.pb");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->modules.size(), 1u);
  EXPECT_EQ(loaded->modules[0].module->instruction_count(), 4);
  ASSERT_EQ(loaded->modules[0].arguments.size(), 1u);
  EXPECT_EQ(loaded->modules[0].arguments[0], std::vector<Literal>{argument});
}

TEST_F(HloOptTest, ConvertsBetweenEveryPairOfForms) {
  ASSERT_EQ(RunTool({"add.hlo"}), 0) << err_.str();
  const std::string text = out_.str();
  for (const char* emit : {"pb", "pbtxt", "json", "snapshot"}) {
    for (const char* message :
         {"HloProto", "HloModuleProto", "HloSnapshot", "HloUnoptimizedSnapshot",
          "HloModuleProtoWithConfig"}) {
      ASSERT_EQ(RunTool({"add.hlo", std::string("--emit=") + emit,
                     std::string("--message=") + message, "--o=out.bin"}),
                0)
          << emit << " " << message << ": " << err_.str();
      ASSERT_EQ(RunTool({"out.bin"}), 0)
          << emit << " " << message << ": " << err_.str();
      EXPECT_EQ(out_.str(), text) << emit << " " << message;
    }
  }
}

TEST_F(HloOptTest, ReadsCompressedInput) {
  ASSERT_TRUE(memory_.WriteFile("add.gz", Gzip(kAdd)).ok());
  ASSERT_TRUE(memory_.WriteFile("add.zst", Zstd(kAdd)).ok());
  EXPECT_EQ(RunTool({"add.gz"}), 0) << err_.str();
  EXPECT_EQ(RunTool({"add.zst"}), 0) << err_.str();
}

TEST_F(HloOptTest, RunsPassesInOrder) {
  ASSERT_EQ(RunTool({"add.hlo", "--passes=tuple-simplifier,dce"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("tuple")));
  EXPECT_THAT(out_.str(), HasSubstr("add(%p, %p)"));
}

TEST_F(HloOptTest, AnUnknownPassNamesTheNearest) {
  EXPECT_EQ(RunTool({"add.hlo", "--passes=dec"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'dce'"));
}

TEST_F(HloOptTest, AnUnknownFlagNamesTheNearest) {
  EXPECT_EQ(RunTool({"add.hlo", "--pases=dce"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--passes"));
}

TEST_F(HloOptTest, DumpsEachPassAsXlaFlagsSay) {
  environment_["XLA_FLAGS"] = "--xla_dump_to=d --xla_dump_hlo_pass_re=.*";
  ASSERT_EQ(RunTool({"add.hlo", "--passes=tuple-simplifier,dce"}), 0)
      << err_.str();
  EXPECT_TRUE(memory_.Exists("d/module_0000.add.before_optimization.txt"));
  EXPECT_TRUE(memory_.Exists("d/module_0000.add.after_optimization.txt"));
  EXPECT_TRUE(memory_.Exists(
      "d/module_0000.add.0001.transforms_pipeline.after_tuple-simplifier."
      "before_dce.txt"));
  EXPECT_TRUE(memory_.Exists("d/module_0000.add.debug_options"));
}

TEST_F(HloOptTest, SkipsDisabledPasses) {
  ASSERT_EQ(RunTool({"add.hlo", "--passes=tuple-simplifier",
                 "--xla_disable_hlo_passes=tuple-simplifier"}),
            0);
  EXPECT_THAT(out_.str(), HasSubstr("tuple("));
}

TEST_F(HloOptTest, ListsPasses) {
  ASSERT_EQ(RunTool({"--list-passes"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("tuple-simplifier"));
  ASSERT_EQ(RunTool({"--list-passes", "--json"}), 0);
  EXPECT_TRUE(absl::StartsWith(out_.str(), "[{\"name\":\"A"));
  EXPECT_THAT(out_.str(), HasSubstr("{\"name\":\"cse\""));
}

TEST_F(HloOptTest, ABrokenModuleGivesPlaceLineAndCaret) {
  ASSERT_TRUE(memory_.WriteFile("bad.hlo", R"(HloModule bad
ENTRY main {
  p = f32[4] parameter(0)
  ROOT r = f32[4] ad(p, p)
}
)").ok());
  EXPECT_EQ(RunTool({"bad.hlo"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("bad.hlo:4:19: error: "));
  EXPECT_THAT(err_.str(), HasSubstr("  ROOT r = f32[4] ad(p, p)\n"));
  EXPECT_THAT(err_.str(), HasSubstr("'add'"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(HloOptTest, WritesNothingWhenItFails) {
  EXPECT_EQ(RunTool({"add.hlo", "--passes=nonsense", "--o=result.hlo"}), 3);
  EXPECT_FALSE(memory_.Exists("result.hlo"));
}

TEST_F(HloOptTest, AWrongTypeIsAnErrorUnlessAskedOtherwise) {
  ASSERT_TRUE(memory_.WriteFile("lie.hlo", R"(ENTRY main {
  p = f32[4] parameter(0)
  ROOT r = f32[5] add(p, p)
})").ok());
  EXPECT_EQ(RunTool({"lie.hlo"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("f32[4]"));
  EXPECT_EQ(RunTool({"lie.hlo", "--verify=off"}), 0) << err_.str();
  EXPECT_EQ(RunTool({"lie.hlo", "--verify=warn"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("f32[4]"));
}

TEST_F(HloOptTest, SplitsFilesAtSeparators) {
  ASSERT_TRUE(memory_.WriteFile("two.hlo", std::string(kAdd) + "\n// -----\n" +
                                              kAdd).ok());
  ASSERT_EQ(RunTool({"two.hlo", "--split-input-file"}), 0) << err_.str();
  const std::string text = out_.str();
  EXPECT_NE(text.find("HloModule", text.find("HloModule") + 1),
            std::string::npos);
}

TEST_F(HloOptTest, SplitsFilesOfTextProtos) {
  ASSERT_TRUE(memory_.WriteFile("a.hlo", kAdd).ok());
  ASSERT_EQ(RunTool({"a.hlo", "--emit=pbtxt"}), 0) << err_.str();
  const std::string proto = out_.str();
  ASSERT_TRUE(memory_.WriteFile(
      "two.pbtxt", proto + "\n// -----\n" + proto).ok());
  ASSERT_EQ(RunTool({"two.pbtxt", "--split-input-file"}), 0) << err_.str();
  const std::string text = out_.str();
  EXPECT_NE(text.find("HloModule", text.find("HloModule") + 1),
            std::string::npos);
  const std::string broken = "\n\n// -----\nhlo_module { nothing: 1 }\n";
  ASSERT_TRUE(memory_.WriteFile("two.pbtxt", proto + broken).ok());
  EXPECT_EQ(RunTool({"two.pbtxt", "--split-input-file"}), 3);
  const int64_t line =
      4 + std::count(proto.begin(), proto.end(), '\n');
  EXPECT_THAT(err_.str(), HasSubstr(absl::StrCat("two.pbtxt:", line, ":")));
}

TEST_F(HloOptTest, ReportsFaultsOfAllPieces) {
  ASSERT_TRUE(memory_.WriteFile("two.hlo", "HloModule a\nENTRY e { ROOT r = "
                                          "f32[] nothing() }\n// -----\n"
                                          "HloModule b\nENTRY e { ROOT r = "
                                          "f32[] nobody() }\n").ok());
  EXPECT_EQ(RunTool({"two.hlo", "--split-input-file"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("two.hlo:2:"));
  EXPECT_THAT(err_.str(), HasSubstr("two.hlo:5:"));
}

// Fails an internal check where a dump of the module "bad" is written.
class CheckingFileSystem : public MemoryFileSystem {
 public:
  absl::Status WriteFile(absl::string_view path,
                         absl::string_view contents) override {
    if (absl::StrContains(path, ".bad.")) throw std::logic_error("x > 0");
    return MemoryFileSystem::WriteFile(path, contents);
  }
};

TEST_F(HloOptTest, OtherModulesOfTheBatchGoOnAfterAnInternalError) {
  CheckingFileSystem files;
  files_ = &files;
  const std::string first = "HloModule bad\nENTRY e { ROOT p = f32[] "
                            "parameter(0) }\n";
  ASSERT_TRUE(files.WriteFile("two.hlo", absl::StrCat(first, "// -----\n",
                                                      kAdd)).ok());
  EXPECT_EQ(RunTool({"two.hlo", "--split-input-file", "--passes=dce",
                     "--xla_dump_to=/dumps"}),
            kDifferent);
  EXPECT_THAT(err_.str(), HasSubstr("module bad: internal error: x > 0"));
  EXPECT_THAT(out_.str(), HasSubstr("HloModule add"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("HloModule bad")));
  ASSERT_TRUE(files.WriteFile("one.hlo", first).ok());
  EXPECT_EQ(RunTool({"one.hlo", "--passes=dce", "--xla_dump_to=/dumps"}),
            kDifferent);
  EXPECT_THAT(err_.str(), HasSubstr("internal error: x > 0"));
}

TEST_F(HloOptTest, MissingFilesAndEmptyFilesAreToldApart) {
  EXPECT_EQ(RunTool({"none.hlo"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("none.hlo"));
  ASSERT_TRUE(memory_.WriteFile("empty.hlo", "").ok());
  EXPECT_EQ(RunTool({"empty.hlo"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("empty"));
}

constexpr char kLong[] = R"(HloModule long

f { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }
ENTRY main {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  b = f32[4] broadcast(z), dimensions={}
  s = f32[4] add(p, b)
  ROOT c = f32[4] call(s), to_apply=f
})";

TEST_F(HloOptTest, RunsTheCpuPipeline) {
  ASSERT_TRUE(memory_.WriteFile("long.hlo", kLong).ok());
  ASSERT_EQ(RunTool({"long.hlo", "--platform=cpu", "--verify-each",
                 "--check-values=2", "--time-passes"}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("call(")));
  EXPECT_THAT(out_.str(), Not(HasSubstr("add(")));
  EXPECT_THAT(err_.str(), HasSubstr("algsimp"));
}

TEST_F(HloOptTest, ASelectionAppliesToNestedPipelines) {
  ASSERT_TRUE(memory_.WriteFile("long.hlo", kLong).ok());
  ASSERT_EQ(RunTool({"long.hlo", "--platform=cpu",
                 "--xla_disable_hlo_passes=algsimp"}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("call(")));
  EXPECT_THAT(out_.str(), HasSubstr("add("));
}

TEST_F(HloOptTest, ExactArithmeticLeavesInexactRewritesOut) {
  ASSERT_TRUE(memory_.WriteFile("inexact.hlo", R"(HloModule inexact
s { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[64] parameter(0)
  c = f32[] constant(3)
  cb = f32[64] broadcast(c), dimensions={}
  q = f32[64] divide(x, cb)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(q, z), dimensions={0}, to_apply=s
})").ok());
  ASSERT_EQ(RunTool({"inexact.hlo", "--platform=cpu"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("divide(")));
  EXPECT_THAT(out_.str(), HasSubstr("reduce-window("));
  ASSERT_EQ(RunTool({"inexact.hlo", "--platform=cpu", "--exact_arithmetic"}),
            0);
  EXPECT_THAT(out_.str(), HasSubstr("divide("));
  EXPECT_THAT(out_.str(), Not(HasSubstr("reduce-window(")));
  ASSERT_EQ(RunTool({"inexact.hlo", "--passes=tree_reduction_rewriter,algsimp",
                     "--exact_arithmetic"}),
            0);
  EXPECT_THAT(out_.str(), HasSubstr("divide("));
  EXPECT_THAT(out_.str(), Not(HasSubstr("reduce-window(")));
  const char* const kIr = "--stage=llvm-before-optimizations";
  ASSERT_EQ(RunTool({"inexact.hlo", "--platform=cpu", kIr}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("fadd reassoc"));
  ASSERT_EQ(RunTool({"inexact.hlo", "--platform=cpu", kIr,
                     "--exact_arithmetic", "--xla_cpu_enable_fast_math=true"}),
            0);
  EXPECT_THAT(out_.str(), HasSubstr("fadd "));
  EXPECT_THAT(out_.str(), Not(HasSubstr("reassoc")));
}

TEST_F(HloOptTest, ListsThePlacesOfThePipeline) {
  ASSERT_EQ(RunTool({"--platform=cpu", "--list-passes"}), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              HasSubstr("HLO passes through layout assignment/simplification"));
  EXPECT_THAT(out_.str(), HasSubstr("dot-library-rewriter"));
  EXPECT_THAT(out_.str(), HasSubstr("(one of XLA's, left out here)"));
  ASSERT_EQ(RunTool({"--list-passes", "--json"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("\"call-inliner\""));
}

TEST_F(HloOptTest, TellsOfNamesThatNothingHas) {
  ASSERT_TRUE(memory_.WriteFile("long.hlo", kLong).ok());
  ASSERT_EQ(RunTool({"long.hlo", "--platform=cpu",
                 "--xla_disable_hlo_passes=algsmp,simplification,"
                 "spmd-partitioning"}),
            0);
  EXPECT_EQ(err_.str(),
            "hlo-opt: warning: --xla_disable_hlo_passes: no pass or pipeline is "
            "called 'algsmp'; did you mean 'algsimp'?\n");
  ASSERT_EQ(RunTool({"long.hlo", "--passes=dce",
                 "--xla_enable_hlo_passes_only=dec"}),
            0);
  EXPECT_THAT(err_.str(), HasSubstr("--xla_enable_hlo_passes_only: no pass or "
                                    "pipeline is called 'dec'"));
}

TEST_F(HloOptTest, RunsPassesWithThePipelinesOptions) {
  ASSERT_TRUE(memory_.WriteFile("t.hlo", R"(HloModule t
f { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=f
  ROOT b = f32[2] call(a), to_apply=f
})").ok());
  ASSERT_EQ(RunTool({"t.hlo", "--passes=call-inliner"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr(" call(")));
  ASSERT_EQ(RunTool({"t.hlo", "--passes=call-inliner:single"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr(" call("));
  EXPECT_EQ(RunTool({"t.hlo", "--passes=call-inliner:singel"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'call-inliner:single'"));
  EXPECT_EQ(RunTool({"t.hlo", "--passes=spmd-partitioning"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("one of XLA's that hlokit does not have"));
}

TEST_F(HloOptTest, PrintsWhatChangedAndNothingElse) {
  ASSERT_TRUE(memory_.WriteFile("long.hlo", kLong).ok());
  ASSERT_EQ(RunTool({"long.hlo", "--passes=dce,call-inliner,dce",
                 "--print-changed"}),
            0);
  EXPECT_THAT(err_.str(),
              HasSubstr("// *** after call-inliner (transforms_pipeline)\n"));
  EXPECT_THAT(err_.str(), Not(HasSubstr("after dce")));
}

TEST_F(HloOptTest, CountsWhatAModuleHolds) {
  ASSERT_TRUE(memory_.WriteFile("long.hlo", kLong).ok());
  ASSERT_EQ(RunTool({"long.hlo", "--passes=call-inliner",
                 "--stats=ops,cost,memory"}),
            0);
  EXPECT_THAT(err_.str(), HasSubstr("op call"));
  EXPECT_THAT(err_.str(), HasSubstr("flops"));
  EXPECT_THAT(err_.str(), HasSubstr("peak bytes"));
  EXPECT_EQ(RunTool({"long.hlo", "--stats=opps"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'ops'"));
}

TEST_F(HloOptTest, StagesCanBePictures) {
  ASSERT_EQ(RunTool({"add.hlo", "--stage=html", "--o=add.html"}), 0)
      << err_.str();
  EXPECT_THAT(File("add.html"), ::testing::StartsWith("<!DOCTYPE html>"));
  ASSERT_EQ(RunTool({"add.hlo", "--stage=dot"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), ::testing::StartsWith("digraph G {"));
  ASSERT_EQ(RunTool({"add.hlo", "--stage=url"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), ::testing::StartsWith("https://"));
}

TEST_F(HloOptTest, PassesRefuseABrokenModuleThatMayBeLoaded) {
  ASSERT_TRUE(memory_.WriteFile("wrong.hlo", R"(HloModule wrong
ENTRY main {
  p = f32[4] parameter(0)
  ROOT r = f32[5] add(p, p)
})").ok());
  EXPECT_EQ(RunTool({"wrong.hlo", "--verify=off"}), 0) << err_.str();
  EXPECT_EQ(RunTool({"wrong.hlo", "--verify=off", "--passes=dce"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("passes need a sound module"));
}

TEST_F(HloOptTest, AnUnknownPassIsToldWithItsNearestNames) {
  EXPECT_EQ(RunTool({"add.hlo", "--passes=algsim"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("algsimp"));
}

}  // namespace
}  // namespace hlokit
