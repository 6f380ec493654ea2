// Reads every module of the optional corpora beside the project.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "base/test_corpora.h"
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

namespace fs = std::filesystem;

std::string PathOf(absl::string_view name) {
  return absl::StrCat(Corpora(), name);
}

// Parses one text; what went wrong, or "".
std::string Fault(absl::string_view name, absl::string_view text,
                  int64_t first_line, std::unique_ptr<Module>* module) {
  Diagnostics diagnostics{std::string(name), text, first_line};
  *module = ParseModule(text, &diagnostics);
  return *module == nullptr ? diagnostics.ToString() : "";
}

// The parts of a file as the corpus counts them, empty ones too.
std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line == "// -----") {
      parts.emplace_back();
    } else {
      absl::StrAppend(&parts.back(), line, "\n");
    }
  }
  return parts;
}

TEST(CorpusTest, UpstreamModulesHaveAsManyInstructionsAsXlaFinds) {
  if (!fs::exists(PathOf("upstream_hlo_golden"))) GTEST_SKIP();
  std::string path;
  std::vector<std::string> parts;
  int64_t read = 0;
  for (auto& row : CorpusTable(PathOf("upstream_hlo_golden/MANIFEST.tsv"))) {
    const bool split = row["kind"] == "hlo_text_split";
    if (row["status"] != "OK" || (!split && row["kind"] != "hlo_text")) continue;
    if (row["upstream_path"] != path) {
      path = row["upstream_path"];
      const std::string text =
          ReadCorpusFile(PathOf(absl::StrCat("upstream_hlo/", path)));
      parts = split ? Parts(text) : std::vector<std::string>{text};
    }
    size_t part = 0;
    ASSERT_TRUE(absl::SimpleAtoi(row["part"], &part));
    ASSERT_LT(part, parts.size()) << path;
    std::unique_ptr<Module> module;
    EXPECT_EQ(Fault(path, parts[part], 1, &module), "");
    if (module == nullptr) continue;
    EXPECT_EQ(absl::StrCat(module->computation_count()), row["computations"])
        << path;
    EXPECT_EQ(absl::StrCat(module->instruction_count()), row["instructions"])
        << path;
    ++read;
  }
  EXPECT_GT(read, 700);
}

// The HLO texts below `folder` whose names pass `wanted`.
template <typename Wanted>
int64_t ParseAll(const std::string& folder, Wanted wanted) {
  int64_t read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || !wanted(path)) continue;
    std::unique_ptr<Module> module;
    EXPECT_EQ(Fault(path, ReadCorpusFile(path), 1, &module), "");
    ++read;
  }
  return read;
}

TEST(CorpusTest, HandWrittenModulesAreRead) {
  if (!fs::exists(PathOf("hlo_ops"))) GTEST_SKIP();
  EXPECT_GE(ParseAll(PathOf("hlo_ops"), [](const std::string& path) {
              return absl::EndsWith(path, ".hlo");
            }), 49);
}

TEST(CorpusTest, JaxDumpsAreRead) {
  if (!fs::exists(PathOf("jax_dumps"))) GTEST_SKIP();
  // Beside the modules there are reports about them.
  auto is_module = [](const std::string& path) {
    for (absl::string_view report :
         {"report", "live-range", "buffer-assignment", "debug_options",
          "textproto"}) {
      if (absl::StrContains(path, report)) return false;
    }
    return absl::EndsWith(path, ".txt") || absl::EndsWith(path, ".txt.zst");
  };
  EXPECT_GT(ParseAll(PathOf("jax_dumps"), is_module), 150);
}

TEST(CorpusTest, FieldCasesAreReadOrRefusedAsTheySay) {
  if (!fs::exists(PathOf("field_cases"))) GTEST_SKIP();
  // Words that the message must hold; cases without are the verifier's or a
  // tool's.
  const std::map<std::string, std::string> messages = {
      {"type_name_as_name", "'u8' is the name of a type"},
      {"sharding_count_mismatch", "5 devices for 4 tiles"},
      {"reshape_wrong_count", "42 elements to 41"},
      {"missing_called_computation", "'absent'"},
      {"empty_dimensions_list", "exactly one dimension"},
      {"window_lists_uneven", "rhs_reversal has 1 entry for 2"},
      {"mesh_groups_bad_axis", "no axis 'depth'"},
      {"literal_out_of_range", "200 does not fit s8"},
      {"literal_wrong_nesting", "2 elements, the type wants 3"},
      {"two_modules_one_file", "split"},
      {"truncated_dump", ":6:"},
      {"duplicate_names", "'b'"},
      {"unknown_opcode_and_attribute", "'sparkle'"},
      {"parameter_numbers_gap", "parameter 1"},
  };
  size_t refused = 0;
  for (auto& row : CorpusTable(PathOf("field_cases/CASES.tsv"))) {
    if (!absl::EndsWith(row["input"], ".hlo")) continue;
    const std::string text =
        ReadCorpusFile(PathOf(absl::StrCat("field_cases/", row["input"])));
    std::unique_ptr<Module> module;
    const std::string fault = Fault(row["input"], text, 1, &module);
    const auto message = messages.find(row["case"]);
    if (message == messages.end()) {
      EXPECT_EQ(fault, "");
    } else {
      EXPECT_EQ(row["action"], "reject");
      EXPECT_THAT(fault, ::testing::HasSubstr(message->second));
      ++refused;
    }
  }
  EXPECT_EQ(refused, messages.size());
}

TEST(CorpusTest, SecondModuleOfAFileHasItsLineNumbers) {
  if (!fs::exists(PathOf("field_cases"))) GTEST_SKIP();
  const std::string text =
      ReadCorpusFile(PathOf("field_cases/two_modules_one_file.hlo"));
  const auto modules = SplitModules(text);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[1].name, "second");
  for (const ModuleText& one : modules) {
    std::unique_ptr<Module> module;
    EXPECT_EQ(Fault("f", one.text, one.first_line, &module), "");
  }
}

}  // namespace
}  // namespace hlokit
