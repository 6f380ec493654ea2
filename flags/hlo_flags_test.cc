#include "flags/hlo_flags.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "flags/environment.h"
#include "flags/provenance.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HloFlagsTest : public ToolTest {
 protected:
  HloFlagsTest() : ToolTest(RunHloFlags) {}

  Struct Json() {
    Struct value;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(out_.str(), &value)
                    .ok())
        << out_.str();
    return value;
  }
};

TEST_F(HloFlagsTest, CheckReadsTheVariableWithoutAString) {
  environment_["XLA_FLAGS"] = "--xla_dump_to=/x";
  EXPECT_EQ(RunTool({"check"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("xla_dump_to"));
  environment_.clear();
  EXPECT_EQ(RunTool({"check"}), 0);
  EXPECT_EQ(out_.str(), "No flag is set.\n");
}

TEST_F(HloFlagsTest, CheckTakesStringsThatLookLikeOptions) {
  EXPECT_EQ(RunTool({"check", "--json",
                     "--xla_dump_to=/x --xla_dump_hlo_as_text"}),
            0);
  EXPECT_EQ(out_.str(),
            "{\n \"accept\": true,\n \"set\": {\n  \"xla_dump_to\": \"/x\",\n"
            "  \"xla_dump_hlo_as_text\": true\n }\n}\n");
  EXPECT_EQ(RunTool({"check", "--xla_dump_to=/x", "--xla_dump_hlo_as_proto"}),
            0);
  EXPECT_THAT(out_.str(), HasSubstr("xla_dump_hlo_as_proto"));
}

TEST_F(HloFlagsTest, CheckPointsAtWhatIsWrong) {
  EXPECT_EQ(RunTool({"check", "--xla_dump_to=/x --xla_dump_hlo_as_txt"}), 1);
  EXPECT_THAT(out_.str(),
              AllOf(StartsWith("Unknown flag in XLA_FLAGS: "
                               "--xla_dump_hlo_as_txt\n"),
                    HasSubstr("did you mean '--xla_dump_hlo_as_text'"),
                    HasSubstr("XLA_FLAGS:1:18: error")));
}

TEST_F(HloFlagsTest, JsonValuesHaveTheTypesOfTheFlags) {
  EXPECT_EQ(RunTool({"check", "--json",
                     "--xla_gpu_autotune_gemm_rtol=0.25 --xla_gpu_ptx_file=a,b "
                     "--xla_gpu_ptx_file=c --xla_backend_extra_options=k=v,w "
                     "--xla_backend_optimization_level=1 "
                     "--xla_gpu_detect_nan=fail --xla_fuel=dce=3"}),
            0);
  const Struct json = Json();
  const auto& set = json.fields().at("set").struct_value().fields();
  EXPECT_EQ(set.at("xla_gpu_autotune_gemm_rtol").number_value(), 0.25);
  EXPECT_EQ(set.at("xla_gpu_ptx_file").list_value().values(0).string_value(),
            "a,b");
  EXPECT_EQ(set.at("xla_gpu_ptx_file").list_value().values_size(), 2);
  EXPECT_EQ(set.at("xla_backend_extra_options")
                .struct_value()
                .fields()
                .at("k")
                .string_value(),
            "v");
  EXPECT_EQ(set.at("xla_backend_optimization_level").number_value(), 1);
  EXPECT_EQ(set.at("xla_gpu_detect_nan").string_value(), "fail");
  EXPECT_EQ(set.at("xla_fuel").list_value().values(0).string_value(), "dce=3");
}

TEST_F(HloFlagsTest, FlagsOfLibtpuAreSentToTheirVariable) {
  EXPECT_EQ(RunTool({"check", "--xla_mosaic_dump_to=/m"}), 1);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("LIBTPU_INIT_ARGS"),
                                Not(HasSubstr("did you mean"))));
  EXPECT_EQ(RunTool({"check", "--variable=LIBTPU_INIT_ARGS",
                     "--xla_mosaic_dump_to=/m --xla_tpu_some_thing=1"}),
            0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("each Pallas kernel"),
                                HasSubstr("left to libtpu")));
  EXPECT_EQ(RunTool({"check", "--variable=LIBTPU_INIT_ARGS",
                     "--xla_dump_to=/m"}),
            1);
  EXPECT_THAT(out_.str(), HasSubstr("belongs into XLA_FLAGS"));
}

TEST_F(HloFlagsTest, CheckExplainsTheOtherVariablesThatAreSet) {
  environment_["JAX_DUMP_IR_TO"] = "sponge";
  environment_["JAX_DUMP_IR_MODES"] = "stablehlo,jaxprr";
  environment_["JAX_COMPILER_DETAILED_LOGGING_MIN_OPS"] = "0";
  environment_["LIBTPU_INIT_ARGS"] = "--xla_jf_dump_to=/j";
  EXPECT_EQ(RunTool({"check"}), 0);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("TEST_UNDECLARED_OUTPUTS_DIR, which is not set"),
                    HasSubstr("did you mean 'jaxpr'"),
                    HasSubstr("It does not choose which modules are dumped"),
                    HasSubstr("--xla_jf_dump_to: Write LLO")));
}

TEST_F(HloFlagsTest, EveryVariableCanBeExplained) {
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    EXPECT_EQ(RunTool({"explain", std::string(variable.name)}), 0);
    EXPECT_THAT(out_.str(), StartsWith(std::string(variable.name)));
  }
  for (const LibtpuFlag& flag : LibtpuFlags()) {
    EXPECT_EQ(RunTool({"explain", absl::StrCat("--", flag.name)}), 0);
    EXPECT_THAT(out_.str(), HasSubstr("libtpu"));
  }
  EXPECT_EQ(RunTool({"explain", "jax_dump_ir_to"}), 0);
}

TEST_F(HloFlagsTest, EveryFlagCanBeExplainedAndListed) {
  for (const DebugFlag& flag : DebugFlags()) {
    EXPECT_EQ(RunTool({"explain", std::string(flag.name)}), 0);
    EXPECT_THAT(out_.str(), HasSubstr(std::string(flag.help)));
    EXPECT_NE(DebugFlagTypeName(flag), "") << flag.name;
  }
  EXPECT_EQ(RunTool({"list"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr(absl::StrCat(
                              DebugFlags().size(), " of ", DebugFlags().size(),
                              " flags")));
}

TEST_F(HloFlagsTest, ExplainNamesTheNearestFlag) {
  EXPECT_EQ(RunTool({"explain", "xla_dump_too"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'xla_dump_to'"));
}

TEST_F(HloFlagsTest, ListFiltersByWordsAndGroup) {
  EXPECT_EQ(RunTool({"list", "dump", "pass_re"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("xla_dump_hlo_pass_re"));
  EXPECT_THAT(out_.str(), HasSubstr("\n1 of "));
  EXPECT_EQ(RunTool({"list", "--group=dumping", "--json"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("\"xla_dump_to\""),
                                Not(HasSubstr("\"xla_gpu_ftz\""))));
  EXPECT_EQ(RunTool({"list", "--group=nothing"}), 2);
}

TEST_F(HloFlagsTest, DiffComparesStringsAndFiles) {
  ASSERT_TRUE(memory_
                  .WriteFile("a.debug_options",
                             "xla_dump_to: \"/x\"\n"
                             "xla_backend_optimization_level: 1\n")
                  .ok());
  EXPECT_EQ(RunTool({"diff", "a.debug_options",
                     "--xla_backend_optimization_level=1 --xla_dump_to=/x"}),
            0);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(RunTool({"diff", "a.debug_options", "--xla_dump_to=/y", "--json"}),
            1);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("\"/y\""), HasSubstr("\"/x\""),
                                HasSubstr("optimization_level")));
  EXPECT_EQ(RunTool({"diff", "a.debug_options", "nothing"}), 3);
  EXPECT_EQ(RunTool({"diff", "a.debug_options", "--xla_dump=/y"}), 3);
  EXPECT_EQ(RunTool({"diff", "a.debug_options"}), 2);
}

TEST_F(HloFlagsTest, WhoNamesTheOriginOfEachValue) {
  ASSERT_TRUE(memory_.WriteFile("f", "xla_dump_to: \"/f\"\n"
                                    "xla_dump_hlo_as_text: true\n")
                  .ok());
  environment_["XLA_FLAGS"] =
      "--xla_dump_to=/e --xla_disable_hlo_passes=a";
  EXPECT_EQ(RunTool({"check", "--who", "--json", "--debug_options_file=f",
                     "--command_line=--xla_disable_hlo_passes=b"}),
            0);
  Value value;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(out_.str(), &value).ok());
  std::map<std::string, std::string> origins;
  for (const Value& one : value.list_value().values()) {
    const auto& fields = one.struct_value().fields();
    origins[fields.at("name").string_value()] =
        absl::StrCat(fields.at("value").string_value(), " ",
                     fields.at("origin").string_value());
  }
  EXPECT_EQ(origins["xla_dump_to"], "/e XLA_FLAGS:1:1");
  EXPECT_EQ(origins["xla_dump_hlo_as_text"], "true f:2:1");
  EXPECT_EQ(origins["xla_disable_hlo_passes"], "a,b command line:1:1");
  EXPECT_EQ(RunTool({"check", "--who"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("XLA_FLAGS:1:18"));
}

TEST_F(HloFlagsTest, WrongUseIsExitTwo) {
  EXPECT_EQ(RunTool({}), 2);
  EXPECT_EQ(RunTool({"chek"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'check'"));
  EXPECT_EQ(RunTool({"list", "--jsn"}), 2);
  EXPECT_EQ(RunTool({"--help"}), 0);
}

// Without the words that are ours to choose, the answer is the expected one.
TEST_F(HloFlagsTest, AnswersEveryFieldCaseAsItsExpectationSays) {
  int cases = 0;
  for (const char* name : {"field_cases/", "field_cases_2/"}) {
    const std::string folder = Corpora() + name;
    const auto rows = CorpusTable(folder + "CASES.tsv");
    if (rows.empty()) GTEST_SKIP() << "no corpora";
    for (const CorpusRow& row : rows) {
      const std::string input = row.at("input");
      if (row.at("action") != "flags" ||
          input.find(".flags") == std::string::npos) {
        continue;
      }
      SCOPED_TRACE(input);
      const std::string stem = input.substr(0, input.size() - 6);
      if (std::string text = ReadCorpusFile(folder + stem + ".txt");
          !text.empty()) {
        ASSERT_TRUE(memory_.WriteFile(stem + ".txt", text).ok());
      }
      Struct expected;
      ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                      ReadCorpusFile(folder + stem + ".expect.json"), &expected)
                      .ok());
      environment_["XLA_FLAGS"] = ReadCorpusFile(folder + input);
      const bool accept = expected.fields().at("accept").bool_value();
      EXPECT_EQ(RunTool({"check", "--json"}), accept ? 0 : 1);
      Struct answer = Json();
      for (Struct* one : {&answer, &expected}) {
        one->mutable_fields()->erase("reason");
        one->mutable_fields()->erase("messages");
      }
      if (expected.fields().count("did_you_mean") == 0) {
        answer.mutable_fields()->erase("did_you_mean");
      }
      EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(answer,
                                                                     expected))
          << answer.DebugString() << expected.DebugString();
      ++cases;
    }
  }
  EXPECT_EQ(cases, 20);
}

TEST_F(HloFlagsTest, ChecksTheFlagsOfTensorFlow) {
  auto check = [&](const std::string& value) {
    environment_["TF_XLA_FLAGS"] = value;
    return RunTool({"check", "--variable=TF_XLA_FLAGS"});
  };
  EXPECT_EQ(check("--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"), 0);
  EXPECT_EQ(check("--tf_xla_auto_jit=single-gpu(1)"), 0);
  EXPECT_EQ(check("--tf_xla_auto_jit"), 1);
  EXPECT_THAT(out_.str(), HasSubstr("--tf_xla_auto_jit=VALUE"));
  EXPECT_EQ(check("--tf_xla_cpu_global_jit=yes"), 1);
  EXPECT_EQ(check("--tf_xla_min_cluster_size=x"), 1);
  EXPECT_EQ(check("--xla_dump_to=/tmp/x"), 1);
  EXPECT_THAT(out_.str(), HasSubstr("belongs into XLA_FLAGS"));
  EXPECT_EQ(check("tf_xla_auto_jit=2"), 1);
  check("--tf_xla_auto_jitt=2");
  EXPECT_THAT(out_.str(), HasSubstr("did you mean 'tf_xla_auto_jit'"));
  EXPECT_EQ(RunTool({"explain", "tf_xla_auto_jit"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("TF_XLA_FLAGS"));
  EXPECT_EQ(RunTool({"explain", "TF_XLA_FLAGS"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--tf_xla_cpu_global_jit"));
  environment_["LIBTPU_INIT_ARGS"] = "--tf_xla_auto_jit=2";
  EXPECT_EQ(RunTool({"check", "--variable=LIBTPU_INIT_ARGS"}), 1);
}

TEST_F(HloFlagsTest, ExplainsDroppedFlags) {
  EXPECT_EQ(RunTool({"explain", "xla_gpu_enable_async_all_gather"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("ALLGATHER"));
}

TEST(OtherFlags, TablesAreSorted) {
  auto sorted = [](const auto& rows) {
    return std::is_sorted(rows.begin(), rows.end(),
                          [](const auto& a, const auto& b) {
                            return a.name < b.name;
                          });
  };
  EXPECT_TRUE(sorted(TfXlaFlags()));
  EXPECT_TRUE(sorted(LibtpuFlags()));
}

}  // namespace
}  // namespace hlokit
