#include "flags/resolve.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<ResolvedDebugOptions> Resolve(
    std::vector<std::string> arguments, const char* xla_flags,
    const std::map<std::string, std::string>& contents = {}) {
  OptionSet set("tool", "", "Do something.");
  set.AcceptDebugOptions();
  CommandLine line = set.Parse(arguments);
  EXPECT_FALSE(line.exit_code.has_value()) << line.text;
  MemoryFileSystem files;
  for (const auto& [path, text] : contents) {
    EXPECT_TRUE(files.WriteFile(path, text).ok());
  }
  return ResolveDebugOptions(line, xla_flags, &files);
}

TEST(ResolveDebugOptions, GivesTheDefaultsWhenNothingIsSaid) {
  auto resolved = Resolve({}, nullptr);
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(DebugOptionsText(resolved->options), "");
  EXPECT_EQ(resolved->warnings, "");
  EXPECT_TRUE(resolved->fuel.empty());
}

TEST(ResolveDebugOptions, PrefersCommandLineToVariableToFileToDefaults) {
  const std::map<std::string, std::string> files = {
      {"o", "xla_dump_to: \"file\"\n"
            "xla_backend_optimization_level: 1\n"
            "xla_gpu_autotune_level: 1\n"
            "xla_disable_hlo_passes: \"a\"\n"}};
  auto resolved = Resolve(
      {"--xla_dump_to=line", "--debug_options_file=o",
       "--xla_disable_hlo_passes=c"},
      "--xla_dump_to=variable --xla_backend_optimization_level=2 "
      "--xla_disable_hlo_passes=b",
      files);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->options.xla_dump_to(), "line");
  EXPECT_EQ(resolved->options.xla_backend_optimization_level(), 2);
  EXPECT_EQ(resolved->options.xla_gpu_autotune_level(), 1);
  EXPECT_EQ(resolved->options.xla_dump_max_hlo_modules(), -1);
  EXPECT_THAT(resolved->options.xla_disable_hlo_passes(),
              ElementsAre("a", "b", "c"));
}

TEST(ResolveDebugOptions, TakesFuelFromTheCommandLineFirst) {
  auto resolved = Resolve({"--xla_fuel=dce=1"}, "--xla_fuel=dce=5,cse=6");
  ASSERT_TRUE(resolved.ok());
  EXPECT_THAT(resolved->fuel,
              ElementsAre(std::pair<std::string, int64_t>("dce", 1)));
  resolved = Resolve({}, "--xla_fuel=cse=6");
  EXPECT_THAT(resolved->fuel,
              ElementsAre(std::pair<std::string, int64_t>("cse", 6)));
}

TEST(ResolveDebugOptions, CollectsWarningsOfAllSources) {
  auto resolved = Resolve(
      {"--debug_options_file=o", "--xla_cpu_use_thunk_runtime=true"},
      "--xla_dump_to=a --xla_dump_to=b", {{"o", "xla_future: 1\n"}});
  ASSERT_TRUE(resolved.ok());
  EXPECT_THAT(resolved->warnings, HasSubstr("warning: o:1"));
  EXPECT_THAT(resolved->warnings, HasSubstr("set twice"));
  EXPECT_THAT(resolved->warnings,
              HasSubstr("warning: --xla_cpu_use_thunk_runtime has no effect"));
}

TEST(ResolveDebugOptions, FailsOnABadVariableOrFile) {
  EXPECT_THAT(std::string(Resolve({}, "--xla_bogus").status().message()),
              HasSubstr("Unknown flag in XLA_FLAGS: --xla_bogus"));
  EXPECT_THAT(std::string(
                  Resolve({"--debug_options_file=no"}, nullptr)
                      .status()
                      .message()),
              HasSubstr("no"));
  EXPECT_FALSE(
      Resolve({"--debug_options_file=o"}, nullptr, {{"o", "{"}}).ok());
}

TEST(ResolveDebugOptions, ReadsTheVariableOfTheToolsEnvironment) {
  MemoryFileSystem files;
  ToolIo io;
  io.files = &files;
  io.getenv = [](const char* name) -> const char* {
    return std::string(name) == "XLA_FLAGS" ? "--xla_dump_to=env" : nullptr;
  };
  auto resolved = ResolveDebugOptions(CommandLine(), io);
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->options.xla_dump_to(), "env");
}

}  // namespace
}  // namespace hlokit
