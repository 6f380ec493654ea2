#include "base/test_corpora.h"
#include "flags/debug_options.h"

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Flags {
 public:
  // Sets one flag; the status' text or "ok".
  std::string Set(absl::string_view name, absl::string_view value) {
    const DebugFlag* flag = FindDebugFlag(name);
    if (flag == nullptr) return absl::StrCat("no flag ", name);
    absl::Status status = SetDebugFlag(*flag, value, &options, &effects);
    return status.ok() ? "ok" : std::string(status.message());
  }
  std::string Value(absl::string_view name) const {
    return DebugFlagValue(*FindDebugFlag(name), options);
  }
  xla::DebugOptions options = DefaultDebugOptions();
  FlagEffects effects;
};

TEST(DebugFlagTable, IsSortedByNameAndUnique) {
  absl::Span<const DebugFlag> flags = DebugFlags();
  ASSERT_GT(flags.size(), 300u);
  for (size_t i = 1; i < flags.size(); ++i) {
    EXPECT_LT(flags[i - 1].name, flags[i].name);
  }
  for (const DebugFlag& flag : flags) {
    EXPECT_EQ(FindDebugFlag(flag.name), &flag);
  }
}

TEST(DebugFlagTable, HasARowForEveryFieldOfTheMessage) {
  std::set<int> numbers;
  for (const DebugFlag& flag : DebugFlags()) numbers.insert(flag.field_number);
  const auto* message = xla::DebugOptions::descriptor();
  for (int i = 0; i < message->field_count(); ++i) {
    EXPECT_EQ(numbers.count(message->field(i)->number()), 1u)
        << message->field(i)->name();
  }
}

TEST(DebugFlagTable, NamesFieldsAsTheirFlagsButForKnownExceptions) {
  std::set<std::string> differ;
  for (const DebugFlag& flag : DebugFlags()) {
    if (flag.field_number == 0) continue;
    const auto* field = xla::DebugOptions::descriptor()->FindFieldByNumber(
        flag.field_number);
    ASSERT_NE(field, nullptr) << flag.name;
    if (field->name() != flag.name) differ.emplace(flag.name);
  }
  EXPECT_THAT(
      differ,
      ElementsAre(
          "xla_cpu_collective_call_warn_stuck_timeout_seconds",
          "xla_gpu_executable_terminate_timeout",
          "xla_gpu_executable_warn_stuck_timeout",
          "xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_"
          "annotation_re",
          "xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges"));
}

TEST(DebugFlagTable, KindsFitTheTypesOfTheirFields) {
  for (const DebugFlag& flag : DebugFlags()) {
    if (flag.field_number == 0) continue;
    const auto* field = xla::DebugOptions::descriptor()->FindFieldByNumber(
        flag.field_number);
    bool is_bool = field->type() == field->TYPE_BOOL;
    if (flag.kind != DebugFlagKind::kFieldOnly) {
      EXPECT_EQ(is_bool, flag.is_bool()) << flag.name;
    }
    EXPECT_EQ(flag.kind == DebugFlagKind::kFloat,
              field->type() == field->TYPE_FLOAT)
        << flag.name;
    if (flag.adds_up()) {
      EXPECT_TRUE(field->is_repeated() || field->message_type() != nullptr)
          << flag.name;
    }
  }
}

TEST(DebugFlagTable, HelpIsOneSentenceWithoutFullStop) {
  for (const DebugFlag& flag : DebugFlags()) {
    ASSERT_FALSE(flag.help.empty()) << flag.name;
    EXPECT_TRUE(absl::ascii_isupper(flag.help[0])) << flag.name;
    EXPECT_FALSE(absl::EndsWith(flag.help, ".")) << flag.name;
    EXPECT_LE(flag.help.size(), 76u) << flag.name;
    EXPECT_FALSE(DebugFlagGroupName(flag.group).empty()) << flag.name;
  }
}

TEST(DebugFlagTable, SetsADefaultOfEveryFlagToItself) {
  for (const DebugFlag& flag : DebugFlags()) {
    if (!flag.is_flag() || flag.field_number == 0) continue;
    std::string value = DebugFlagValue(flag, DefaultDebugOptions());
    if (value.empty() && flag.kind != DebugFlagKind::kString) continue;
    xla::DebugOptions options = DefaultDebugOptions();
    options.GetReflection()->ClearField(
        &options, xla::DebugOptions::descriptor()->FindFieldByNumber(
                      flag.field_number));
    ASSERT_TRUE(SetDebugFlag(flag, value, &options).ok()) << flag.name;
    EXPECT_EQ(DebugFlagValue(flag, options), value) << flag.name;
  }
}

TEST(DebugFlagTable, RefusesNonsenseInEveryFlagThatIsNotText) {
  for (const DebugFlag& flag : DebugFlags()) {
    if (!flag.is_flag() || DebugFlagAccepts(flag) == "a text") continue;
    switch (flag.kind) {
      case DebugFlagKind::kCommaList:
      case DebugFlagKind::kBlankList:
      case DebugFlagKind::kMap:
      case DebugFlagKind::kRegexList:
        continue;
      default:
        break;
    }
    xla::DebugOptions options = DefaultDebugOptions();
    absl::Status status = SetDebugFlag(flag, "@nonsense", &options);
    EXPECT_FALSE(status.ok()) << flag.name;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(std::string(flag.name)),
                      HasSubstr("@nonsense")));
    EXPECT_EQ(options.SerializeAsString().size(),
              DefaultDebugOptions().SerializeAsString().size());
  }
}

// A row of the table of flags that was taken from XLA itself.
TEST(DebugFlagTable, AgreesWithTheListTakenFromXla) {
  std::ifstream file(Corpora() + "../facts/debug_options.tsv");
  if (!file) GTEST_SKIP() << "no list";
  std::string line;
  std::getline(file, line);
  size_t rows = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> cells = absl::StrSplit(line, '\t');
    const DebugFlag* flag = FindDebugFlag(cells[0]);
    ASSERT_NE(flag, nullptr) << cells[0];
    ++rows;
    EXPECT_EQ(flag->is_flag(), cells[1] != "-") << cells[0];
    int number;
    if (absl::SimpleAtoi(cells[3], &number) && flag->field_number != 0) {
      EXPECT_EQ(flag->field_number, number) << cells[0];
    }
    std::string wanted = cells[2];
    if (wanted.size() >= 2 && wanted[0] == '"') {
      wanted = wanted.substr(1, wanted.size() - 2);
    }
    if (wanted == "(empty)" || wanted == "{}") wanted = "";
    if (absl::StartsWith(wanted, "build-dependent")) wanted = "false";
    EXPECT_EQ(flag->default_text, wanted) << cells[0];
    EXPECT_EQ(flag->status == DebugFlagStatus::kStable, cells[11] == "stable")
        << cells[0];
  }
  EXPECT_EQ(rows, DebugFlags().size());
}

TEST(DefaultDebugOptions, HasTheDefaultsOfXla) {
  const xla::DebugOptions& options = DefaultDebugOptions();
  EXPECT_TRUE(options.xla_cpu_enable_fast_min_max());
  EXPECT_TRUE(options.xla_dump_hlo_as_long_text());
  EXPECT_TRUE(options.xla_enable_dumping());
  EXPECT_EQ(options.xla_backend_optimization_level(), 3);
  EXPECT_EQ(options.xla_dump_max_hlo_modules(), -1);
  EXPECT_EQ(options.xla_gpu_collective_permute_decomposer_threshold(),
            9223372036854775807);
  EXPECT_FLOAT_EQ(options.xla_gpu_autotune_gemm_rtol(), 0.1f);
  EXPECT_EQ(options.xla_gpu_cuda_data_dir(), "./cuda_sdk_lib");
  EXPECT_EQ(options.xla_gpu_execution_terminate_timeout(), "inf");
  EXPECT_EQ(options.xla_gpu_shape_checks(), xla::DebugOptions::RUNTIME);
  EXPECT_EQ(options.xla_gpu_enable_command_buffer_size(), 7);
  EXPECT_EQ(options.xla_gpu_experimental_autotune_backends_size(), 12);
  EXPECT_EQ(options.xla_enable_nccl_symmetric_buffers_for_collectives_size(),
            3);
  EXPECT_EQ(options.xla_gpu_analytical_latency_estimator_options_size(), 6);
  EXPECT_EQ(options.xla_gpu_libnvjitlink_mode(),
            xla::DebugOptions::LIB_NV_JIT_LINK_MODE_AUTO);
  EXPECT_EQ(options.xla_gpu_executable_warn_stuck_timeout_seconds(), 10);
  EXPECT_EQ(options.xla_disable_hlo_passes_size(), 0);
}

TEST(DefaultDebugOptions, SetsEverySingularScalar) {
  const auto* message = xla::DebugOptions::descriptor();
  for (int i = 0; i < message->field_count(); ++i) {
    const auto* field = message->field(i);
    if (field->is_repeated() || field->message_type() != nullptr) continue;
    EXPECT_TRUE(DefaultDebugOptions().GetReflection()->HasField(
        DefaultDebugOptions(), field))
        << field->name();
  }
}

TEST(SetDebugFlag, ReadsBoolsInAnyCaseAndAsDigits) {
  Flags flags;
  for (const char* text : {"true", "TRUE", "True", "1"}) {
    EXPECT_EQ(flags.Set("xla_dump_hlo_as_text", text), "ok");
    EXPECT_TRUE(flags.options.xla_dump_hlo_as_text()) << text;
    EXPECT_EQ(flags.Set("xla_dump_hlo_as_text", "fAlse"), "ok");
    EXPECT_FALSE(flags.options.xla_dump_hlo_as_text());
  }
  for (const char* text : {"", "yes", "t", "01", "on", " true"}) {
    EXPECT_THAT(flags.Set("xla_dump_hlo_as_text", text),
                HasSubstr("is not true, false, 1 or 0"))
        << text;
  }
}

TEST(SetDebugFlag, ReadsDecimalIntegersOnly) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_backend_optimization_level", " 2 "), "ok");
  EXPECT_EQ(flags.options.xla_backend_optimization_level(), 2);
  EXPECT_EQ(flags.Set("xla_backend_optimization_level", "+007"), "ok");
  EXPECT_EQ(flags.options.xla_backend_optimization_level(), 7);
  for (const char* text :
       {"", "0x2", "1e1", "2.0", "1_0", "ten", "2147483648"}) {
    EXPECT_NE(flags.Set("xla_backend_optimization_level", text), "ok") << text;
  }
  EXPECT_EQ(flags.options.xla_backend_optimization_level(), 7);
  EXPECT_EQ(
      flags.Set("xla_gpu_blas_max_algorithms", "-9223372036854775808"), "ok");
  EXPECT_NE(
      flags.Set("xla_gpu_blas_max_algorithms", "9223372036854775808"), "ok");
  EXPECT_NE(flags.Set("xla_gpu_experimental_max_unroll_factor", "0"), "ok");
  EXPECT_EQ(flags.Set("xla_gpu_experimental_max_unroll_factor", "1"), "ok");
}

TEST(SetDebugFlag, ReadsFloatsWithHexadecimalAndOverflow) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_gpu_autotune_gemm_rtol", "0x1p-3"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_autotune_gemm_rtol(), 0.125f);
  EXPECT_EQ(flags.Set("xla_gpu_autotune_gemm_rtol", "+.5"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_autotune_gemm_rtol(), 0.5f);
  EXPECT_EQ(flags.Set("xla_gpu_autotune_gemm_rtol", "1e99"), "ok");
  EXPECT_EQ(flags.Value("xla_gpu_autotune_gemm_rtol"), "inf");
  EXPECT_EQ(flags.Set("xla_gpu_autotune_gemm_rtol", "nan"), "ok");
  for (const char* text : {"", "1f", "0x", "0x1g", "x"}) {
    EXPECT_NE(flags.Set("xla_gpu_autotune_gemm_rtol", text), "ok") << text;
  }
}

TEST(SetDebugFlag, AppendsToListsInTheWayOfEach) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_disable_hlo_passes", "algsimp, dce"), "ok");
  EXPECT_EQ(flags.Set("xla_disable_hlo_passes", ""), "ok");
  EXPECT_THAT(flags.options.xla_disable_hlo_passes(),
              ElementsAre("algsimp", " dce", ""));
  EXPECT_EQ(flags.Set("xla_gpu_ptx_file", "a,b"), "ok");
  EXPECT_EQ(flags.Set("xla_gpu_ptx_file", "c"), "ok");
  EXPECT_THAT(flags.options.xla_gpu_ptx_file(), ElementsAre("a,b", "c"));
  EXPECT_EQ(flags.Set("xla_gpu_ptx_compiler_extra_flags", "-a  -b"), "ok");
  EXPECT_EQ(flags.Set("xla_gpu_ptx_compiler_extra_flags", "-c"), "ok");
  EXPECT_THAT(flags.options.xla_gpu_ptx_compiler_extra_flags(),
              ElementsAre("-a", "-b", "-c"));
}

TEST(SetDebugFlag, MergesMapsAndSplitsAtTheFirstEquals) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_backend_extra_options", "a=b=c,d"), "ok");
  EXPECT_EQ(flags.Set("xla_backend_extra_options", "a=2"), "ok");
  EXPECT_EQ(flags.Value("xla_backend_extra_options"), "a=2,d=");
  EXPECT_EQ(flags.Set("xla_backend_extra_options", ""), "ok");
  EXPECT_EQ(flags.options.xla_backend_extra_options().count(""), 1u);
  EXPECT_EQ(flags.Set("xla_gpu_analytical_latency_estimator_options",
                      "rtt_us=5"),
            "ok");
  EXPECT_EQ(flags.options.xla_gpu_analytical_latency_estimator_options().at(
                "rtt_us"),
            "5");
  EXPECT_EQ(flags.options.xla_gpu_analytical_latency_estimator_options_size(),
            6);
}

TEST(SetDebugFlag, ReplacesEditsAndClearsEnumLists) {
  Flags flags;
  const char* name = "xla_gpu_enable_command_buffer";
  EXPECT_EQ(flags.Set(name, "+while, -fusion"), "ok");
  EXPECT_EQ(flags.Value(name),
            "CONDITIONAL,CUBLAS,CUBLASLT,CUDNN,CUSTOM_CALL,"
            "DYNAMIC_SLICE_FUSION,WHILE");
  EXPECT_EQ(flags.Set(name, "+while"), "ok");  // not twice
  EXPECT_EQ(flags.options.xla_gpu_enable_command_buffer_size(), 7);
  EXPECT_EQ(flags.Set(name, " cudnn ,,Fusion,cudnn"), "ok");
  EXPECT_EQ(flags.Value(name), "CUDNN,FUSION");
  EXPECT_THAT(flags.Set(name, "+while,cublas"), HasSubstr("mixes"));
  EXPECT_THAT(flags.Set(name, "+while,"), HasSubstr("mixes"));
  EXPECT_THAT(flags.Set(name, "fusio"), HasSubstr("did you mean 'FUSION'?"));
  EXPECT_EQ(flags.Set(name, " , "), "ok");
  EXPECT_EQ(flags.Value(name), "CUDNN,FUSION");
  EXPECT_EQ(flags.Set(name, ""), "ok");
  EXPECT_EQ(flags.Value(name), "");
}

TEST(SetDebugFlag, AddsTheMissingPrefixOfEnumLists) {
  Flags flags;
  const char* name = "xla_cpu_experimental_xnn_fusion_type";
  EXPECT_EQ(flags.Set(name, "dot,library_fusion_type_reduce"), "ok");
  EXPECT_EQ(flags.Value(name),
            "LIBRARY_FUSION_TYPE_DOT,LIBRARY_FUSION_TYPE_REDUCE");
  EXPECT_EQ(
      flags.Set("xla_gpu_experimental_use_collective_kernels", "+all_gather"),
      "ok");
  EXPECT_EQ(flags.Value("xla_gpu_experimental_use_collective_kernels"),
            "COLLECTIVE_KERNEL_ALL_REDUCE,COLLECTIVE_KERNEL_ALL_GATHER");
}

TEST(SetDebugFlag, ExpandsAllCollectives) {
  Flags flags;
  const char* name = "xla_gpu_disable_async_collectives";
  EXPECT_EQ(flags.Set(name, "allcollectives"), "ok");
  EXPECT_EQ(flags.Value(name),
            "ALLREDUCE,ALLGATHER,REDUCESCATTER,COLLECTIVEBROADCAST,ALLTOALL,"
            "COLLECTIVEPERMUTE,RAGGEDALLTOALL");
  EXPECT_EQ(flags.Set(name, "AllReduce"), "ok");
  EXPECT_EQ(flags.Value(name), "ALLREDUCE");
  EXPECT_NE(flags.Set(name, ""), "ok");
  EXPECT_NE(flags.Set(name, "allreduce,"), "ok");
  EXPECT_THAT(flags.effects.notes, IsEmpty());
  EXPECT_EQ(flags.Set(name, "allreduce, allgather"), "ok");
  EXPECT_THAT(flags.effects.notes, ElementsAre(HasSubstr("blanks")));
}

TEST(SetDebugFlag, ReadsSingleEnumsInTheWayOfEach) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_cpu_opt_preset", "fast_runtime"), "ok");
  EXPECT_EQ(flags.options.xla_cpu_opt_preset(),
            xla::DebugOptions::CPU_OPT_PRESET_FAST_RUNTIME);
  EXPECT_EQ(flags.Set("xla_gpu_enable_while_loop_unrolling",
                      "while_loop_unrolling_no_unroll"),
            "ok");
  EXPECT_EQ(flags.Set("xla_gpu_collective_permute_mode", "Symmetric"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_collective_permute_mode(),
            xla::DebugOptions::COLLECTIVES_SYMMETRIC_MEMORY);
  EXPECT_EQ(flags.Set("xla_gpu_pipeline_all_reduce", "EXPLICIT"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_pipeline_all_reduce(),
            xla::DebugOptions::COLLECTIVE_PIPELINING_MODE_EXPLICIT);
  EXPECT_EQ(flags.Set("xla_gpu_detect_nan", "dump"), "ok");
  EXPECT_EQ(flags.Value("xla_gpu_detect_nan"), "dump");
  EXPECT_EQ(flags.Set("xla_step_marker_location", "STEP_MARK_NONE"), "ok");
  EXPECT_NE(flags.Set("xla_gpu_shape_checks", "1"), "ok");
  EXPECT_THAT(flags.effects.notes, IsEmpty());
}

TEST(SetDebugFlag, TakesFriendlySpellingsWithANote) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_detect_unstable_reductions", "log"), "ok");
  EXPECT_EQ(flags.Value("xla_detect_unstable_reductions"), "warning");
  EXPECT_EQ(flags.Set("xla_detect_unstable_reductions", "crash"), "ok");
  EXPECT_EQ(flags.Value("xla_detect_unstable_reductions"), "fail");
  EXPECT_EQ(flags.Set("xla_gpu_detect_inf", "DETECTION_MODE_FAIL"), "ok");
  EXPECT_EQ(flags.Set("xla_gpu_shape_checks", "compile_time"), "ok");
  EXPECT_EQ(flags.Value("xla_gpu_shape_checks"), "COMPILE_TIME");
  EXPECT_EQ(flags.effects.notes.size(), 4u);
  EXPECT_THAT(flags.effects.notes[0], HasSubstr("XLA itself refuses"));
}

TEST(SetDebugFlag, ReadsCollectiveFilters) {
  Flags flags;
  const char* name = "xla_enable_nccl_symmetric_buffers_for_collectives";
  EXPECT_EQ(flags.Set(name, "all-to_all:1024:bf16,all"), "ok");
  EXPECT_EQ(flags.Value(name),
            "ALLREDUCE:8388608,ALLGATHER:8388608,REDUCESCATTER:8388608,"
            "ALLTOALL:1024:bf16,ALLCOLLECTIVES");
  for (const char* text : {"", "foo", "all:", "all:1:f99", "all:1:f32:2"}) {
    EXPECT_NE(flags.Set(name, text), "ok") << text;
  }
}

TEST(SetDebugFlag, ReadsThunkRangesAndRegexes) {
  Flags flags;
  const char* ranges =
      "xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges";
  EXPECT_EQ(flags.Set(ranges, "1,2:5,7:,:3"), "ok");
  EXPECT_EQ(flags.Set(ranges, "9"), "ok");
  EXPECT_EQ(flags.Value(ranges), "1,2:5,7:,:3,9");
  for (const char* text : {"", ":", "5:2", "a", "1:2:3"}) {
    EXPECT_NE(flags.Set(ranges, text), "ok") << text;
  }
  const char* regexes =
      "xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_re";
  EXPECT_EQ(flags.Set(regexes, "a.*,b"), "ok");
  EXPECT_EQ(flags.Value(regexes), "a.*,b");
  EXPECT_EQ(flags.Value(ranges), "1,2:5,7:,:3,9");
}

TEST(SetDebugFlag, ChecksDurationsAndCapitalisesInstructionSets) {
  Flags flags;
  const char* name = "xla_gpu_execution_terminate_timeout";
  for (const char* text : {"inf", "10s", "1h30m", "0"}) {
    EXPECT_EQ(flags.Set(name, text), "ok") << text;
  }
  EXPECT_NE(flags.Set(name, "10"), "ok");
  EXPECT_EQ(flags.Value(name), "0");
  EXPECT_EQ(flags.Set("xla_cpu_max_isa", "avx2"), "ok");
  EXPECT_EQ(flags.options.xla_cpu_max_isa(), "AVX2");
}

TEST(SetDebugFlag, WritesTheFieldsBehindAliases) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_gpu_graph_enable_concurrent_region", "true"), "ok");
  EXPECT_EQ(flags.Value("xla_gpu_command_buffer_scheduling_mode"),
            "CONCURRENT");
  EXPECT_EQ(flags.Value("xla_gpu_graph_enable_concurrent_region"), "true");
  EXPECT_EQ(flags.Set("xla_gpu_graph_enable_concurrent_region", "0"), "ok");
  EXPECT_EQ(flags.Value("xla_gpu_command_buffer_scheduling_mode"), "SERIALIZE");
  EXPECT_EQ(flags.Set("xla_cpu_enable_concurrency_optimized_scheduler", "1"),
            "ok");
  EXPECT_EQ(flags.Value("xla_cpu_scheduler_type"),
            "CPU_SCHEDULER_TYPE_CONCURRENCY_OPTIMIZED");
  EXPECT_EQ(flags.Set("xla_gpu_enable_libnvjitlink", "true"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_libnvjitlink_mode(),
            xla::DebugOptions::LIB_NV_JIT_LINK_MODE_ENABLED);
  EXPECT_EQ(flags.Set("xla_gpu_enable_pipelined_reduce_scatter", "false"),
            "ok");
  EXPECT_EQ(flags.Value("xla_gpu_pipeline_reduce_scatter"), "default");
  EXPECT_EQ(
      flags.Set("xla_gpu_unsupported_use_all_reduce_one_shot_kernel", "false"),
      "ok");
  EXPECT_EQ(flags.Value("xla_gpu_experimental_use_collective_kernels"), "");
  EXPECT_EQ(flags.Set("xla_gpu_executable_terminate_timeout", "7"), "ok");
  EXPECT_EQ(flags.options.xla_gpu_executable_terminate_timeout_seconds(), 7);
}

TEST(SetDebugFlag, KeepsFuelBesideTheOptions) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_fuel", "dce=2,cse=30"), "ok");
  EXPECT_EQ(flags.Set("xla_fuel", "algsimp=1"), "ok");
  ASSERT_TRUE(flags.effects.fuel.has_value());
  EXPECT_THAT(*flags.effects.fuel,
              ElementsAre(std::pair<std::string, int64_t>("algsimp", 1)));
  for (const char* text : {"", "dce", "dce=x", "dce=1,", "a=1=2"}) {
    EXPECT_THAT(flags.Set("xla_fuel", text), HasSubstr("PASS=NUMBER")) << text;
  }
}

TEST(SetDebugFlag, SwallowsFlagsWithoutEffectAndSaysSo) {
  Flags flags;
  EXPECT_EQ(flags.Set("xla_cpu_use_thunk_runtime", "false"), "ok");
  EXPECT_EQ(flags.Set("xla_cpu_use_fusion_emitters", "true"), "ok");
  EXPECT_NE(flags.Set("xla_gpu_enable_cudnn_fmha", "maybe"), "ok");
  EXPECT_THAT(flags.effects.notes,
              ElementsAre(HasSubstr("no effect any more"),
                          HasSubstr("older releases")));
  EXPECT_EQ(flags.options.SerializeAsString().size(),
            DefaultDebugOptions().SerializeAsString().size());
}

TEST(SetDebugFlag, RefusesFieldsWithoutFlag) {
  Flags flags;
  EXPECT_THAT(flags.Set("xla_enable_dumping", "false"),
              HasSubstr("no flag sets"));
}

TEST(SetDebugField, SetsFieldsByTheirProtoName) {
  xla::DebugOptions options = DefaultDebugOptions();
  EXPECT_TRUE(SetDebugField("xla_enable_dumping", "False", &options).ok());
  EXPECT_FALSE(options.xla_enable_dumping());
  EXPECT_TRUE(SetDebugField("xla_gpu_shape_checks", "2", &options).ok());
  EXPECT_EQ(options.xla_gpu_shape_checks(), xla::DebugOptions::COMPILE_TIME);
  EXPECT_TRUE(SetDebugField("xla_gpu_shape_checks", "IGNORE", &options).ok());
  EXPECT_TRUE(SetDebugField("xla_disable_hlo_passes", "a,b", &options).ok());
  EXPECT_TRUE(SetDebugField("xla_disable_hlo_passes", "c", &options).ok());
  EXPECT_THAT(options.xla_disable_hlo_passes(), ElementsAre("c"));
  EXPECT_TRUE(
      SetDebugField("xla_gpu_enable_command_buffer", "", &options).ok());
  EXPECT_EQ(options.xla_gpu_enable_command_buffer_size(), 0);
}

TEST(SetDebugField, RefusesUnknownNamesWrongValuesAndMaps) {
  xla::DebugOptions options = DefaultDebugOptions();
  auto error = [&](absl::string_view name, absl::string_view value) {
    return std::string(SetDebugField(name, value, &options).message());
  };
  EXPECT_THAT(error("xla_fuel", "a=1"), HasSubstr("no such compile option"));
  EXPECT_THAT(error("xla_dump_max_hlo_modules", "ten"),
              HasSubstr("not a valid int32 value"));
  EXPECT_THAT(error("xla_gpu_shape_checks", "9"),
              HasSubstr("not a valid enum value"));
  EXPECT_THAT(error("xla_backend_extra_options", "a=b"),
              HasSubstr("not a valid message value"));
}

TEST(NearestDebugFlag, LooksThroughCommonMistakes) {
  EXPECT_EQ(NearestDebugFlag("xla_gpu_enable_triton_gem"),
            "xla_gpu_enable_triton_gemm");
  EXPECT_EQ(NearestDebugFlag("dump_hlo_as_text"), "xla_dump_hlo_as_text");
  EXPECT_EQ(NearestDebugFlag("--xla-dump-to"), "xla_dump_to");
  EXPECT_EQ(NearestDebugFlag("XLA_DUMP_TO"), "xla_dump_to");
  EXPECT_EQ(NearestDebugFlag("noxla_dump_hlo_as_text"), "xla_dump_hlo_as_text");
  EXPECT_EQ(NearestDebugFlag("no-xla_dump_hlo_as_text"),
            "xla_dump_hlo_as_text");
  EXPECT_EQ(NearestDebugFlag("autotune_level"), "xla_gpu_autotune_level");
  EXPECT_EQ(NearestDebugFlag("completely_different_thing_altogether"), "");
  EXPECT_EQ(NearestDebugFlag(""), "");
  EXPECT_EQ(NearestDebugFlag(std::string(100000, 'x')), "");
}

TEST(DebugFlagWords, ListsWhatCompletionOffers) {
  EXPECT_THAT(DebugFlagWords(*FindDebugFlag("xla_gpu_detect_nan")),
              ElementsAre("none", "warning", "fail", "dump"));
  EXPECT_THAT(DebugFlagWords(*FindDebugFlag("xla_gpu_all_gather_mode")),
              ElementsAre("private", "symmetric", "peer"));
  EXPECT_THAT(DebugFlagWords(*FindDebugFlag("xla_gpu_shape_checks")),
              ElementsAre("IGNORE", "RUNTIME", "COMPILE_TIME"));
  EXPECT_THAT(DebugFlagWords(*FindDebugFlag("xla_dump_to")), IsEmpty());
}

}  // namespace
}  // namespace hlokit
