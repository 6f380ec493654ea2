#include "dump/hlo_dumps.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "dump/dump_index.h"
#include "dump/test_compiler.h"
#include "dump/timeline.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace {

using ::google::protobuf::Struct;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HloDumpsTest : public ToolTest {
 protected:
  HloDumpsTest() : ToolTest(RunHloDumps) {}

  // Fills the folder d by compiling modules of these names with the flags.
  void Dump(const std::string& flags, const std::vector<std::string>& names,
            const std::string& folder = "d") {
    std::ostringstream out, err;
    ToolIo io;
    io.out = &out;
    io.err = &err;
    io.files = &memory_;
    xla::DebugOptions debug = DefaultDebugOptions();
    ASSERT_TRUE(
        ParseXlaFlags(absl::StrCat("--xla_dump_to=", folder, " ", flags),
                      nullptr, &debug)
            .accept);
    std::vector<std::string> warnings;
    Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io);
    for (const std::string& name : names) {
      auto module = MakeTestModule(name);
      CompileWithDumps(*module, &dumper);
      dumper.Forget(*module);
    }
  }
  Struct Json() {
    Struct value;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(out_.str(), &value)
                    .ok())
        << out_.str();
    return value;
  }
};

TEST_F(HloDumpsTest, ListsModulesWithTheirStages) {
  Dump("--xla_dump_hlo_pass_re=.*", {"jit_f", "jit_g"});
  ASSERT_EQ(RunTool({"ls", "d"}), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("jit_f"), HasSubstr("jit_g"),
                    HasSubstr("before_optimizations, 9 around passes, "
                              "cpu_after_optimizations")));
  ASSERT_EQ(RunTool({"ls", "--all", "d"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("0003 simplification: after algsimp"),
                                HasSubstr("compile input"),
                                HasSubstr("llvm ir")));
  ASSERT_EQ(RunTool({"ls", "--json", "d"}), 0);
  const Struct json = Json();
  EXPECT_EQ(json.fields().at("modules").list_value().values_size(), 2);
  EXPECT_EQ(RunTool({"ls", "nowhere"}), 3);
}

TEST_F(HloDumpsTest, NamesOfTheCorpusGiveItsAnswer) {
  const std::string folder = Corpora() + "field_cases/";
  const std::string expected =
      ReadCorpusFile(folder + "dump_names.expect.json");
  if (expected.empty()) GTEST_SKIP() << "no corpora";
  files_ = DiskFileSystem();
  ASSERT_EQ(RunTool({"ls", "--json", "--names=" + folder +
                                         "dump_names.names.txt"}),
            0);
  Struct wanted;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(expected, &wanted).ok());
  const Struct answer = Json();
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(answer, wanted))
      << answer.DebugString();
}

TEST_F(HloDumpsTest, FindsInTextAndInProtosWithoutText) {
  Dump("--xla_dump_hlo_as_proto", {"jit_f"});
  Dump("", {"jit_g"}, "t");
  ASSERT_EQ(RunTool({"find", "sine", "d", "t"}), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("jit_f.before_optimizations.hlo.pb"),
                    HasSubstr("jit_g.before_optimizations.txt"),
                    HasSubstr("main.1/sine.1: ")));
  ASSERT_EQ(RunTool({"find", "--op=dot", "--json", "t"}), 0);
  const Struct json = Json();
  const auto& match =
      json.fields().at("matches").list_value().values(0).struct_value();
  EXPECT_EQ(match.fields().at("instruction").string_value(), "dot.1");
  EXPECT_EQ(match.fields().at("module").string_value(), "jit_g");
  EXPECT_EQ(RunTool({"find", "nothing of that", "d"}), 1);
  EXPECT_EQ(RunTool({"find", "x"}), 2);
  EXPECT_EQ(RunTool({"find", "[", "d"}), 3);
  EXPECT_EQ(RunTool({"find", "--count", "--op=sine", "t"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("1  t/module_0000.jit_g"));
}

TEST_F(HloDumpsTest, PassesShowsWhatChanged) {
  const char before[] =
      "HloModule m\n\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  a = f32[] add(p, p)\n  ROOT b = f32[] add(a, p)\n}\n";
  const char after[] =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  ROOT f = f32[] fusion(p), kind=kLoop, calls=c\n}\n";
  const std::string prefix = "d/module_0001.m.";
  ASSERT_TRUE(memory_.CreateDirectories("d").ok());
  auto write = [&](const std::string& suffix, const char* text) {
    ASSERT_TRUE(memory_.WriteFile(prefix + suffix, text).ok());
  };
  write("before_optimizations.txt", before);
  write("0000.p.after_pipeline-start.before_x.txt", before);
  write("0001.p.after_fusion.before_y.txt", after);
  write("0002.p.after_y.before_pipeline-end.txt", after);
  write("cpu_after_optimizations.txt", after);
  ASSERT_EQ(RunTool({"passes", "d", "m"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("module_0001.m"),
                                HasSubstr("+1 fusion, -2 add"),
                                HasSubstr("2 steps without change")));
  ASSERT_EQ(RunTool({"passes", "--json", "d"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("\"add\": [\n      2,\n      0\n"));
  EXPECT_EQ(RunTool({"passes", "d", "other"}), 3);
}

TEST_F(HloDumpsTest, ANumberThatChangedIsFollowed) {
  ASSERT_TRUE(memory_.CreateDirectories("d").ok());
  const std::string text = ToString(*MakeTestModule("jit_f"));
  for (const char* name : {"module_0021.jit_f.before_optimizations.txt",
                           "module_0023.jit_f.cpu_after_optimizations.txt"}) {
    ASSERT_TRUE(memory_.WriteFile(absl::StrCat("d/", name), text).ok());
  }
  ASSERT_EQ(RunTool({"ls", "d"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("(goes on as 23)"));
  ASSERT_EQ(RunTool({"passes", "d"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("module_0021.jit_f"),
                                HasSubstr("cpu_after_optimizations")));
}

TEST_F(HloDumpsTest, ModulesOfTwoFoldersArePairedByWhatTheyHold) {
  Dump("", {"jit_a", "jit_b", "jit_c"}, "x");
  ASSERT_TRUE(memory_.CreateDirectories("y").ok());
  auto put = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(memory_.WriteFile("y/" + name, text).ok());
  };
  const std::string same = ToString(*MakeTestModule("jit_b"));
  std::string renamed = same;
  for (size_t at; (at = renamed.find("sine.1")) != std::string::npos;) {
    renamed.replace(at, 6, "sinus");
  }
  put("module_0007.jit_b.before_optimizations.txt", renamed);
  put("module_0009.jit_a.before_optimizations.txt",
      "HloModule jit_a\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  EXPECT_EQ(RunTool({"pair", "x", "y"}), 1);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("same HLO"), HasSubstr("same name"),
                                HasSubstr("module_0002.jit_c  -")));
  EXPECT_THAT(out_.str(),
              ::testing::ContainsRegex("module_0001.jit_b +module_0007.jit_b"));
}

TEST_F(HloDumpsTest, WhyEmptyNamesTheCauseAndTheFlag) {
  auto why = [&](const std::string& flags,
                 std::vector<std::string> more = {}) {
    environment_["XLA_FLAGS"] = flags;
    more.insert(more.begin(), "why-empty");
    RunTool(more);
    return out_.str();
  };
  EXPECT_THAT(why(""), AllOf(HasSubstr("no flag asks for dumps"),
                             HasSubstr("--xla_dump_to=FOLDER")));
  EXPECT_THAT(why("--xla_dump_to=gone"), HasSubstr("'gone' is not there"));
  EXPECT_THAT(why("--xla_dump_hlo_pass_re=cse"),
              HasSubstr("XLA itself dumps nothing for a regex alone"));
  EXPECT_THAT(why("--xla_dump_to=d stray --xla_dump_hlo_as_text"),
              HasSubstr("does not read this part"));
  EXPECT_THAT(why("--xla_dump_too=d"), HasSubstr("refuses"));
  EXPECT_THAT(why("--xla_dump_to=d --xla_dump_hlo_module_re=["),
              HasSubstr("cannot use the regular expression"));
  Dump("", {"jit_f"});
  EXPECT_THAT(why("--xla_dump_to=d --xla_dump_hlo_pass_re=nosuchpass"),
              HasSubstr("no pass of a dumped module matched"));
  EXPECT_THAT(why("--xla_dump_to=d --xla_dump_hlo_module_re=jit_g"),
              AllOf(HasSubstr("none of 1 modules matches"),
                    HasSubstr("called 'jit_f'")));
  EXPECT_EQ(RunTool({"why-empty", "d", "--flags=--xla_dump_to=d"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("HLO protos"),
                                HasSubstr("--xla_dump_hlo_pass_re"),
                                Not(HasSubstr("HLO text"))));
  Dump("--xla_dump_hlo_unoptimized_snapshots", {"jit_f"}, "s");
  EXPECT_THAT(why("--xla_dump_to=s --xla_dump_hlo_unoptimized_snapshots"),
              AllOf(HasSubstr("turns off all other HLO dumps"),
                    HasSubstr("only inputs of compilations")));
}

TEST_F(HloDumpsTest, PacksAndUnpacks) {
  Dump("--xla_dump_hlo_pass_re=.", {"jit_f", "jit_g"});
  ASSERT_EQ(RunTool({"pack", "d", "d.tar.zst"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("duplicates"));
  ASSERT_EQ(RunTool({"unpack", "d.tar.zst", "e"}), 0) << err_.str();
  const auto files = memory_.Files();
  for (const auto& [path, contents] : files) {
    if (!absl::StartsWith(path, "d/")) continue;
    const auto it = files.find("e" + path.substr(1));
    ASSERT_NE(it, files.end()) << path;
    EXPECT_EQ(it->second, contents);
  }
  EXPECT_EQ(RunTool({"unpack", "d/module_0000.jit_f.debug_options", "g"}), 3);
}

TEST_F(HloDumpsTest, WrongUseIsExitTwo) {
  EXPECT_EQ(RunTool({}), 2);
  EXPECT_EQ(RunTool({"lst"}), 2);
  EXPECT_EQ(RunTool({"pack", "d"}), 2);
  EXPECT_EQ(RunTool({"ls"}), 2);
  EXPECT_EQ(RunTool({"--help"}), 0);
}

TEST(TimelineTest, ARealFolderHasOneLineOfSteps) {
  const std::string folder = Corpora() + "jax_dumps/full_pass_dump";
  if (!DiskFileSystem()->Exists(folder)) GTEST_SKIP() << "no corpora";
  auto index = ReadDumpFolder(*DiskFileSystem(), folder);
  ASSERT_TRUE(index.ok());
  ASSERT_EQ(index->modules.size(), 1u);
  ThreadPool pool(2);
  auto steps = ReadTimeline(*DiskFileSystem(), *index, 0, &pool);
  ASSERT_TRUE(steps.ok()) << steps.status();
  EXPECT_EQ(steps->size(), 46u);
  EXPECT_EQ(index->files[steps->front().file].name->stage,
            "before_optimizations");
  EXPECT_EQ(index->files[steps->back().file].name->stage,
            "cpu_after_optimizations");
  int changed = 0;
  for (const TimelineStep& step : *steps) {
    EXPECT_GT(step.summary.instructions, 0);
    changed += step.changed;
  }
  EXPECT_GT(changed, 15);
}

TEST(FingerprintTest, NamesAndMetadataDoNotCount) {
  const char one[] =
      "HloModule a\nENTRY e { p = f32[] parameter(0)\n"
      " ROOT n = f32[] negate(p), metadata={op_name=\"x\"} }";
  const char other[] =
      "HloModule b\nENTRY m { q = f32[] parameter(0)\n"
      " ROOT r = f32[] negate(q) }";
  const char third[] =
      "HloModule b\nENTRY m { q = f32[] parameter(0)\n"
      " ROOT r = f32[] abs(q) }";
  EXPECT_EQ(HloFingerprint(one), HloFingerprint(other));
  EXPECT_NE(HloFingerprint(one), HloFingerprint(third));
}

}  // namespace
}  // namespace hlokit
