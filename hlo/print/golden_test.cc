// Text that XLA itself printed, from the optional corpora in ../shared: parsing a
// file and printing it must give the same bytes.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "re2/re2.h"

namespace hlokit {
namespace {

struct Row {
  std::string path;
  int64_t part = 0;
  int64_t parts = 1;
  std::string golden_text;
  std::string golden_full;
};

// Text modules that the reference accepted.
std::vector<Row> ManifestRows() {
  std::vector<Row> rows;
  for (CorpusRow& cells :
       CorpusTable(Corpora() + "upstream_hlo_golden/MANIFEST.tsv")) {
    if (cells["status"] != "OK" ||
        !absl::StartsWith(cells["kind"], "hlo_text")) {
      continue;
    }
    Row row;
    row.path = cells["upstream_path"];
    row.golden_text = cells["golden_text"];
    row.golden_full = cells["golden_full_text"];
    (void)absl::SimpleAtoi(cells["part"], &row.part);
    (void)absl::SimpleAtoi(cells["parts"], &row.parts);
    rows.push_back(row);
  }
  return rows;
}

std::string ModuleTextOf(const Row& row) {
  const std::string text = ReadCorpusFile(Corpora() + "upstream_hlo/" + row.path);
  if (row.parts == 1) return text;
  std::vector<std::string> pieces(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line == "// -----") {
      pieces.emplace_back();
    } else {
      absl::StrAppend(&pieces.back(), line, "\n");
    }
  }
  return row.part < static_cast<int64_t>(pieces.size()) ? pieces[row.part] : "";
}

// Lines in which the lossless reading keeps what XLA's reader loses (README.md
// says why): -0 loses its sign there, and a complex number whose real part is NaN
// its imaginary part.
bool KeepsMore(absl::string_view want, absl::string_view got) {
  return (absl::EndsWith(want, " constant(0)") &&
          absl::EndsWith(got, " constant(-0)")) ||
         (absl::EndsWith(want, " constant((nan, nan))") &&
          absl::EndsWith(got, " constant((nan, 0))"));
}

bool SameButForLosses(const std::string& want, const std::string& got) {
  const std::vector<absl::string_view> x = absl::StrSplit(want, '\n');
  const std::vector<absl::string_view> y = absl::StrSplit(got, '\n');
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != y[i] && !KeepsMore(x[i], y[i])) return false;
  }
  return true;
}

// Null after a failure of the test.
std::unique_ptr<Module> ParseRow(const Row& row, bool quirks) {
  ParseOptions options;
  options.xla_literal_quirks = quirks;
  const std::string text = ModuleTextOf(row);
  Diagnostics diagnostics(row.path, text);
  auto module = ParseModule(text, &diagnostics, options);
  if (module == nullptr) {
    ADD_FAILURE() << row.path << " part " << row.part << " does not parse: "
                  << diagnostics.ToString();
  }
  return module;
}

TEST(GoldenTest, EveryUpstreamModulePrintsTheSameBytes) {
  const std::vector<Row> rows = ManifestRows();
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t equal = 0;
  for (const Row& row : rows) {
    const auto module = ParseRow(row, /*quirks=*/true);
    if (module == nullptr) continue;
    const std::string want =
        ReadCorpusFile(Corpora() + "upstream_hlo_golden/" + row.golden_text);
    const std::string got = ToString(*module);
    equal += want == got;
    EXPECT_TRUE(want == got) << row.path << " part " << row.part << " "
                             << FirstDifference(want, got);
    if (row.golden_full.empty()) continue;
    PrintOptions full;
    full.print_large_constants = true;
    const std::string want_full =
        ReadCorpusFile(Corpora() + "upstream_hlo_golden/" + row.golden_full);
    const std::string got_full = ToString(*module, full);
    EXPECT_TRUE(want_full == got_full)
        << row.path << " with large constants "
        << FirstDifference(want_full, got_full);
  }
  std::cout << equal << " of " << rows.size() << " modules are equal\n";
  EXPECT_EQ(equal, static_cast<int64_t>(rows.size()));
}

TEST(GoldenTest, TheLosslessReadingDiffersInTwoModulesOnly) {
  const std::vector<Row> rows = ManifestRows();
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  std::vector<std::string> other;
  for (const Row& row : rows) {
    const auto module = ParseRow(row, /*quirks=*/false);
    if (module == nullptr) continue;
    const std::string want =
        ReadCorpusFile(Corpora() + "upstream_hlo_golden/" + row.golden_text);
    const std::string got = ToString(*module);
    if (want == got) continue;
    EXPECT_TRUE(SameButForLosses(want, got))
        << row.path << " " << FirstDifference(want, got);
    other.push_back(row.path.substr(row.path.rfind('/') + 1));
  }
  EXPECT_THAT(other, testing::UnorderedElementsAre(
                         "hlo_torax_iterhybrid_predictor_corrector_f64.hlo",
                         "nv_maxtext_deepseek_1n4g_jit_train_step_before_"
                         "optimization.hlo"));
}

// One file holds many modules, each behind "@@@ PATH PART BYTES".
void CheckVariant(const std::string& name, const std::string& options_text) {
  const std::string text =
      ReadCorpusFile(Corpora() + "upstream_hlo_golden/print_variants/" + name + ".txt");
  if (text.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  auto options = ParsePrintOptions(options_text);
  ASSERT_TRUE(options.ok()) << options.status();
  std::map<std::pair<std::string, int64_t>, Row> rows;
  for (const Row& row : ManifestRows()) rows[{row.path, row.part}] = row;
  int64_t equal = 0, total = 0;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    const std::vector<std::string> head =
        absl::StrSplit(text.substr(at, end - at), ' ');
    ASSERT_EQ(head.size(), 4u);
    int64_t part = 0, bytes = 0;
    ASSERT_TRUE(absl::SimpleAtoi(head[2], &part));
    ASSERT_TRUE(absl::SimpleAtoi(head[3], &bytes));
    const std::string want = text.substr(end + 1, bytes);
    at = end + 1 + bytes;
    while (at < text.size() && text[at] == '\n') ++at;
    auto it = rows.find({head[1], part});
    if (it == rows.end()) continue;
    ++total;
    const auto module = ParseRow(it->second, /*quirks=*/true);
    if (module == nullptr) continue;
    const std::string got = ToString(*module, *options);
    if (want == got) {
      ++equal;
    } else {
      ADD_FAILURE() << name << " " << head[1] << " part " << part << " "
                    << FirstDifference(want, got);
    }
  }
  std::cout << name << ": " << equal << " of " << total << " are equal\n";
  EXPECT_GT(equal, 700);
}

TEST(GoldenTest, ShortParsable) {
  CheckVariant("short_parsable", "short_parsable");
}
TEST(GoldenTest, Canonical) { CheckVariant("canonical", "canonical"); }
TEST(GoldenTest, Fingerprint) { CheckVariant("fingerprint", "fingerprint"); }
TEST(GoldenTest, OperandShapesNoPercent) {
  CheckVariant("operand_shapes_no_percent",
               "print_operand_shape=true,print_percent=false");
}
TEST(GoldenTest, Plain) {
  CheckVariant("plain",
               "print_metadata=false,print_backend_config=false,"
               "print_program_shape=false,include_layout_in_shapes=false");
}
TEST(GoldenTest, IdsNoNames) {
  CheckVariant("ids_no_names",
               "print_ids=true,print_operand_names=false,"
               "print_extra_attributes=false");
}

// The text without metadata and the tables that metadata refers to.
std::string WithoutMetadata(std::string text) {
  static const auto* metadata = new RE2(
      R"re(, metadata=\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})re");
  static const auto* tables =
      new RE2(R"(\n\nFileNames\n(?:.*\n)*?StackFrames\n(?:\d.*\n)*)");
  RE2::GlobalReplace(&text, *metadata, "");
  RE2::GlobalReplace(&text, *tables, "");
  return text;
}

// Computations in byte order.
std::string Sorted(const std::string& text) {
  std::vector<std::string> blocks = absl::StrSplit(text, "\n\n");
  std::sort(blocks.begin(), blocks.end());
  return absl::StrJoin(blocks, "\n\n");
}

// Reading deals stack frames new numbers, and puts computations that a module
// had in another order into the order of the text, as XLA does; both are left
// aside here.
TEST(GoldenTest, DumpFilesPrintTheSameComputations) {
  const std::string folder = Corpora() + "jax_dumps/";
  auto programs = DiskFileSystem()->ListDirectory(folder);
  if (!programs.ok()) GTEST_SKIP() << "../shared/corpora is not there";
  int64_t equal = 0, total = 0;
  for (const std::string& program : *programs) {
    for (const char* name :
         {"/before_optimizations.txt", "/cpu_after_optimizations.txt"}) {
      const std::string file = ReadCorpusFile(folder + program + name);
      if (file.empty()) continue;
      ++total;
      auto module = ParseModule(file, program + name);
      if (!module.ok()) {
        ADD_FAILURE() << program << name << " does not parse: "
                      << module.status().message();
        continue;
      }
      PrintOptions options = PrintOptions::Dump();
      options.print_metadata = false;
      const std::string want = Sorted(WithoutMetadata(file));
      const std::string got = Sorted(ToString(**module, options));
      if (want == got) {
        ++equal;
      } else {
        ADD_FAILURE() << program << name << " " << FirstDifference(want, got);
      }
    }
  }
  std::cout << equal << " of " << total << " dump files are equal\n";
}

}  // namespace
}  // namespace hlokit
