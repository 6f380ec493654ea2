// Texts of dumps under the flags that shape them, compared with XLA's.
#include <memory>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "dump/dumper.h"
#include "flags/debug_options.h"
#include "flags/xla_flags.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

constexpr char kName[] = "module_0000.jit_constants_all_types.";

std::string CorpusText(const std::string& folder, const std::string& suffix) {
  return ReadCorpusFile(absl::StrCat(Corpora(), "jax_dumps/options/", folder,
                                     "/", kName, suffix));
}

// The proto carries less of the first line than the text, and the thread that
// wrote the texts took the smallest number for zero.
std::string Body(const std::string& text) {
  const size_t end = text.find('\n');
  return absl::StrReplaceAll(
      end == std::string::npos ? text : text.substr(end),
      {{" 1.4013e-45,", " 0,"}});
}

std::string Dumped(const std::string& stage, const std::string& flags) {
  xla::HloProto proto;
  EXPECT_TRUE(proto.ParseFromString(
      CorpusText("compressed_protos", stage + ".hlo.pb.gz")));
  auto module = ModuleFromProto(proto.hlo_module());
  if (!module.ok()) return std::string(module.status().message());
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  xla::DebugOptions debug = DefaultDebugOptions();
  // The release that wrote the texts does not leave out get-tuple-elements.
  EXPECT_TRUE(ParseXlaFlags(absl::StrCat("--xla_dump_to=D "
                                         "--xla_dump_compact_gte=false ",
                                         flags),
                            nullptr, &debug)
                  .accept);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io);
  dumper.DumpModule(**module, stage);
  return files.Files()[absl::StrCat("D/", kName, stage, ".txt")];
}

TEST(GoldenTextTest, TextIsAsXlaWritesItUnderEachFlag) {
  if (CorpusText("default", "debug_options").empty()) {
    GTEST_SKIP() << "no corpora";
  }
  const struct {
    const char* folder;
    const char* stage;
    const char* flags;
  } kCases[] = {
      {"default", "before_optimizations", ""},
      {"large_constants", "before_optimizations",
       "--xla_dump_large_constants"},
      {"no_metadata", "before_optimizations", "--xla_dump_disable_metadata"},
      // With metadata, call stacks are numbered anew in every run.
      {"no_metadata", "cpu_after_optimizations",
       "--xla_dump_disable_metadata"},
  };
  int compared = 0;
  for (const auto& one : kCases) {
    SCOPED_TRACE(absl::StrCat(one.folder, " ", one.stage));
    const std::string golden =
        CorpusText(one.folder, absl::StrCat(one.stage, ".txt"));
    ASSERT_NE(golden, "");
    EXPECT_TRUE(Body(Dumped(one.stage, one.flags)) == Body(golden));
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

TEST(GoldenTextTest, DebugOptionsAreAsXlaWritesThem) {
  const std::string golden = CorpusText("default", "debug_options");
  if (golden.empty()) GTEST_SKIP() << "no corpora";
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_cpu_enable_fast_min_max(false);
  debug.set_xla_dump_to("dump");
  debug.set_xla_dump_hlo_module_re("^jit_constants_all_types$");
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io);
  auto module = ParseModule(
      "HloModule jit_constants_all_types\nENTRY e { ROOT p = f32[] "
      "parameter(0) }");
  ASSERT_TRUE(module.ok());
  dumper.DumpModule(**module, "before_optimizations");
  EXPECT_EQ(files.Files()[absl::StrCat("dump/", kName, "debug_options")],
            golden);
}

}  // namespace
}  // namespace hlokit
