#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/test_corpora.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Applied {
  absl::Status status;
  xla::DebugOptions options = DefaultDebugOptions();
  std::vector<std::string> warnings;
};

Applied Apply(absl::string_view text) {
  Applied applied;
  applied.status = ApplyDebugOptionsText(text, "f.debug_options",
                                         &applied.options, &applied.warnings);
  return applied;
}

void Set(absl::string_view name, absl::string_view value,
         xla::DebugOptions* options) {
  ASSERT_TRUE(SetDebugFlag(*FindDebugFlag(name), value, options).ok());
}

TEST(DebugOptionsText, IsEmptyForTheDefaults) {
  EXPECT_EQ(DebugOptionsText(DefaultDebugOptions()), "");
}

// The text that XLA 0.10.2 wrote for these flags.
TEST(DebugOptionsText, HasTheFormAndOrderOfXla) {
  xla::DebugOptions options = DefaultDebugOptions();
  Set("xla_dump_to", "/tmp/d", &options);
  Set("xla_cpu_enable_fast_min_max", "false", &options);
  Set("xla_step_marker_location", "STEP_MARK_NONE", &options);
  Set("xla_gpu_autotune_gemm_rtol", "0.25", &options);
  Set("xla_gpu_ptx_compiler_extra_flags", "-a -b", &options);
  Set("xla_gpu_experimental_thunk_buffer_debug_filter_by_thunk_id_ranges",
      "1,2:5", &options);
  EXPECT_EQ(DebugOptionsText(options),
            "xla_cpu_enable_fast_min_max: false\n"
            "xla_gpu_experimental_thunk_buffer_debug_filter: {\n"
            "thunk_id_ranges {\n"
            "  first: 1\n"
            "  last: 1\n"
            "}\n"
            "thunk_id_ranges {\n"
            "  first: 2\n"
            "  last: 5\n"
            "}\n"
            "}\n"
            "xla_gpu_autotune_gemm_rtol: 0.250000\n"
            "xla_gpu_ptx_compiler_extra_flags: \"-a\"\n"
            "xla_gpu_ptx_compiler_extra_flags: \"-b\"\n"
            "xla_step_marker_location: STEP_MARK_NONE\n"
            "xla_dump_to: \"/tmp/d\"\n");
}

TEST(DebugOptionsText, WritesMapsAsEntriesSortedByKey) {
  xla::DebugOptions options = DefaultDebugOptions();
  Set("xla_backend_extra_options", "b=2,a=1", &options);
  EXPECT_EQ(DebugOptionsText(options),
            "xla_backend_extra_options: {\n"
            "  key: \"a\"\n"
            "  value: \"1\"\n"
            "}\n"
            "xla_backend_extra_options: {\n"
            "  key: \"b\"\n"
            "  value: \"2\"\n"
            "}\n");
}

TEST(DebugOptionsText, ReadsBackWhateverIsInIt) {
  xla::DebugOptions options = DefaultDebugOptions();
  Set("xla_dump_to", "a \"b\" \\ c\n\t\x01 \xc3\xa4 \xff'", &options);
  Set("xla_dump_hlo_module_re", "^jit_\\d+$", &options);
  Set("xla_disable_hlo_passes", "z,a,,m", &options);
  Set("xla_backend_extra_options", "k=\"v\",=", &options);
  Set("xla_gpu_autotune_gemm_rtol", "1e-9", &options);
  Set("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", "inf", &options);
  Set("xla_gpu_enable_command_buffer", "", &options);
  Set("xla_enable_nccl_symmetric_buffers_for_collectives", "all:5:f32",
      &options);
  Set("xla_gpu_experimental_thunk_buffer_debug_filter_by_profile_annotation_re",
      "a\\d", &options);
  Set("xla_gpu_experimental_autotune_backends", "triton,cudnn", &options);
  Applied back = Apply(DebugOptionsText(options));
  ASSERT_TRUE(back.status.ok()) << back.status;
  EXPECT_THAT(back.warnings, IsEmpty());
  EXPECT_TRUE(MessageDifferencer::Equals(back.options, options))
      << DebugOptionsText(back.options);
}

TEST(DebugOptionsText, ReadsBackEveryFlagOnItsOwn) {
  for (const DebugFlag& flag : DebugFlags()) {
    if (!flag.is_flag()) continue;
    xla::DebugOptions options = DefaultDebugOptions();
    std::vector<std::string> words = DebugFlagWords(flag);
    std::string value = words.empty() ? "7" : words.back();
    if (flag.is_bool()) {
      value = DebugFlagValue(flag, options) == "true" ? "false" : "true";
    }
    if (flag.kind == DebugFlagKind::kDuration) value = "7s";
    if (flag.kind == DebugFlagKind::kFuel) value = "a=7";
    ASSERT_TRUE(SetDebugFlag(flag, value, &options).ok()) << flag.name;
    Applied back = Apply(DebugOptionsText(options));
    ASSERT_TRUE(back.status.ok()) << flag.name << back.status;
    EXPECT_TRUE(MessageDifferencer::Equals(back.options, options))
        << flag.name;
  }
}

TEST(ApplyDebugOptionsText, OverwritesOnlyWhatOccurs) {
  xla::DebugOptions options = DefaultDebugOptions();
  Set("xla_disable_hlo_passes", "a,b", &options);
  Set("xla_dump_to", "keep", &options);
  std::vector<std::string> warnings;
  ASSERT_TRUE(ApplyDebugOptionsText("# a comment\n"
                                    "xla_disable_hlo_passes: \"c\"\n"
                                    "xla_dump_hlo_as_text: true "
                                    "xla_dump_max_hlo_modules: 3\n",
                                    "f", &options, &warnings)
                  .ok());
  EXPECT_THAT(options.xla_disable_hlo_passes(), ElementsAre("c"));
  EXPECT_EQ(options.xla_dump_to(), "keep");
  EXPECT_TRUE(options.xla_dump_hlo_as_text());
  EXPECT_EQ(options.xla_dump_max_hlo_modules(), 3);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ApplyDebugOptionsText, TakesFalseAndZeroAsValues) {
  Applied applied = Apply("xla_cpu_ftz: false\nxla_gpu_autotune_level: 0\n");
  ASSERT_TRUE(applied.status.ok());
  EXPECT_FALSE(applied.options.xla_cpu_ftz());
  EXPECT_EQ(applied.options.xla_gpu_autotune_level(), 0);
}

TEST(ApplyDebugOptionsText, WarnsOfUnknownFieldsAndValues) {
  Applied applied = Apply(
      "xla_dump_to: \"d\"\n"
      "xla_future_flag: 3\n"
      "xla_gpu_command_buffer_update_mode: NEVER_UPDATE\n"
      "xla_gpu_use_random_streams: true\n"
      "xla_dump_hlo_as_text: true\n");
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_EQ(applied.options.xla_dump_to(), "d");
  EXPECT_TRUE(applied.options.xla_dump_hlo_as_text());
  EXPECT_EQ(applied.options.xla_gpu_command_buffer_update_mode(),
            xla::DebugOptions::ALWAYS_UPDATE);
  ASSERT_EQ(applied.warnings.size(), 3u);
  std::string all = applied.warnings[0] + applied.warnings[1] +
                    applied.warnings[2];
  EXPECT_THAT(all, HasSubstr("f.debug_options:2"));
  EXPECT_THAT(all, HasSubstr("xla_future_flag"));
  EXPECT_THAT(all, HasSubstr("f.debug_options:3: 'NEVER_UPDATE'"));
  EXPECT_THAT(all,
              HasSubstr("f.debug_options:4: 'xla_gpu_use_random_streams'"));
}

TEST(ApplyDebugOptionsText, UnderstandsFieldsThatBecameAliases) {
  Applied applied = Apply("xla_gpu_enable_pipelined_all_reduce: true\n");
  ASSERT_TRUE(applied.status.ok());
  EXPECT_THAT(applied.warnings, IsEmpty());
  EXPECT_EQ(applied.options.xla_gpu_pipeline_all_reduce(),
            xla::DebugOptions::COLLECTIVE_PIPELINING_MODE_ON);
}

TEST(ApplyDebugOptionsText, UnderstandsStringsThatXlaDidNotEscape) {
  Applied applied = Apply(
      "xla_dump_to: \"/tmp/d\"\n"
      "xla_gpu_ptx_file: \"a\"b\"\n"
      "xla_dump_hlo_module_re: \"^jit_\\d+\\.x$\"\n");
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_THAT(applied.options.xla_gpu_ptx_file(), ElementsAre("a\"b"));
  EXPECT_EQ(applied.options.xla_dump_hlo_module_re(), "^jit_\\d+\\.x$");
}

TEST(ApplyDebugOptionsText, GivesThePlaceOfAFaultAndChangesNothing) {
  Applied applied = Apply("xla_dump_to: \"d\"\nxla_dump_hlo_as_text: maybe\n");
  EXPECT_FALSE(applied.status.ok());
  EXPECT_THAT(std::string(applied.status.message()),
              HasSubstr("f.debug_options:2:23: error: "));
  EXPECT_EQ(applied.options.xla_dump_to(), "");
  EXPECT_FALSE(Apply("{{{").status.ok());
  EXPECT_FALSE(Apply(std::string("\0\1\2", 3)).status.ok());
}

TEST(ApplyDebugOptionsText, RefusesDeepNestingInsteadOfOverflowing) {
  std::string text = "xla_future: ";
  for (int i = 0; i < 1000000; ++i) text += "{ a: ";
  EXPECT_THAT(std::string(Apply(text).status.message()), HasSubstr("too deep"));
}

TEST(ApplyDebugOptionsText, ReadsTheFilesOfRealDumps) {
  std::filesystem::path folder =
      Corpora() + "jax_dumps";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpora";
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".debug_options") continue;
    ++files;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    Applied applied = Apply(text.str());
    ASSERT_TRUE(applied.status.ok()) << entry.path() << applied.status;
    EXPECT_THAT(applied.warnings, IsEmpty());
    EXPECT_EQ(DebugOptionsText(applied.options), text.str()) << entry.path();
  }
  EXPECT_GT(files, 10);
}

}  // namespace
}  // namespace hlokit
