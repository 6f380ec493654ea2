#include "dump/dump_options.h"

#include <cstring>
#include <string>
#include <vector>

#include "flags/debug_options.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

DumpOptions Make(const xla::DebugOptions& debug) {
  std::vector<std::string> warnings;
  return MakeDumpOptions(debug, nullptr, &warnings);
}

TEST(DumpOptionsTest, AFolderAloneMeansText) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("d");
  EXPECT_TRUE(Make(debug).text);
}

TEST(DumpOptionsTest, ThingsThatAreNoFormatsStillMeanText) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("d");
  debug.set_xla_dump_large_constants(true);
  debug.set_xla_dump_fusion_visualization(true);
  EXPECT_TRUE(Make(debug).text);
}

TEST(DumpOptionsTest, AFormatReplacesText) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("d");
  debug.set_xla_dump_hlo_as_proto(true);
  const DumpOptions options = Make(debug);
  EXPECT_FALSE(options.text);
  EXPECT_TRUE(options.proto);
}

TEST(DumpOptionsTest, AFormatWithoutFolderGoesToStdout) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_hlo_as_text(true);
  EXPECT_TRUE(Make(debug).to_stdout());
}

TEST(DumpOptionsTest, TheMasterSwitchTurnsEverythingOff) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_hlo_as_text(true);
  debug.set_xla_enable_dumping(false);
  EXPECT_FALSE(Make(debug).enabled());
}

TEST(DumpOptionsTest, SpongeIsTheFolderThatTheEnvironmentNames) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("Sponge");
  std::vector<std::string> warnings;
  EXPECT_FALSE(MakeDumpOptions(debug, nullptr, &warnings).enabled());
  EXPECT_EQ(warnings.size(), 1u);
  warnings.clear();
  const DumpOptions options = MakeDumpOptions(
      debug,
      [](const char* name) {
        return std::strcmp(name, "TEST_UNDECLARED_OUTPUTS_DIR") == 0 ? "out"
                                                                      : nullptr;
      },
      &warnings);
  EXPECT_EQ(options.folder, "out");
  EXPECT_TRUE(warnings.empty());
}

TEST(DumpOptionsTest, ShortTextKeepsMetadataAndElidesConstants) {
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_hlo_as_long_text(false);
  const PrintOptions print = DumpPrintOptions(debug);
  EXPECT_FALSE(print.print_percent);
  EXPECT_TRUE(print.print_metadata);
  EXPECT_FALSE(print.print_large_constants);
  EXPECT_TRUE(print.compact_gte);
}

}  // namespace
}  // namespace hlokit
