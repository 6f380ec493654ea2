// The second round of inputs like those that people report trouble with, from the
// optional corpora in ../shared: texts of other times and versions, and parts of
// programs.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "gtest/gtest.h"
#include "hlo_opt/hlo_opt.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

std::string SecondFolder() { return Corpora() + "field_cases_2/"; }

// Rows that other tests hold: the extraction of modules from logs and from other
// encodings, and bytes in metadata.
const std::set<std::string>& RowsOfOtherTests() {
  static const auto* const rows = new std::set<std::string>{
      "log_lines_after_module", "markdown_fence_closing",
      "torch_xla_tensors_file", "log_header_behind_words",
      "log_prefix_kubernetes",  "text_utf8_bom_crlf",
      "text_no_break_spaces",   "text_ansi_colours",
      "text_html_entities",     "python_repr_of_as_text",
      "pbtxt_goo_gle_header",   "metadata_bytes_not_utf8"};
  return *rows;
}

std::vector<CorpusRow> SecondCases(const std::string& action) {
  std::vector<CorpusRow> rows;
  for (CorpusRow& row : CorpusTable(SecondFolder() + "CASES.tsv")) {
    if (row["action"] == action && !RowsOfOtherTests().contains(row["case"])) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

ToolRun RunOpt(const std::vector<std::string>& arguments,
               const std::string& input = "") {
  return RunToolWith(RunHloOpt, arguments, DiskFileSystem(), {}, input);
}

TEST(SecondFieldCasesTest, TextSurvivesTextAndProtos) {
  std::vector<CorpusRow> rows = SecondCases("parse-roundtrip");
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  const std::string options =
      "--print_options=default,print_large_constants=true";
  for (CorpusRow& row : rows) {
    const std::string name = row["case"];
    const ToolRun first = RunOpt({SecondFolder() + row["input"], options});
    ASSERT_EQ(first.exit_code, 0) << name << ": " << first.err;
    const ToolRun again = RunOpt({"-", options}, first.out);
    ASSERT_EQ(again.exit_code, 0) << name << ": " << again.err;
    EXPECT_EQ(first.out, again.out) << name;
    const ToolRun proto = RunOpt({"-", "--emit=pb"}, first.out);
    ASSERT_EQ(proto.exit_code, 0) << name << ": " << proto.err;
    const ToolRun back = RunOpt({"-", options}, proto.out);
    ASSERT_EQ(back.exit_code, 0) << name << ": " << back.err;
    EXPECT_EQ(first.out, back.out) << name;
  }
}

TEST(SecondFieldCasesTest, ProtosSurviveProtos) {
  std::vector<CorpusRow> rows = SecondCases("to-proto");
  if (rows.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  for (CorpusRow& row : rows) {
    const std::string path = SecondFolder() + row["input"];
    const ToolRun run =
        RunOpt({path, "--emit=pb", "--message=HloModuleProto"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    xla::HloModuleProto before, after;
    ASSERT_TRUE(before.ParseFromString(*DiskFileSystem()->ReadFile(path)));
    ASSERT_TRUE(after.ParseFromString(run.out));
    ASSERT_EQ(before.computations_size(), after.computations_size());
    for (int c = 0; c < before.computations_size(); ++c) {
      const auto& was = before.computations(c).instructions();
      const auto& is = after.computations(c).instructions();
      ASSERT_EQ(was.size(), is.size());
      for (int i = 0; i < was.size(); ++i) {
        EXPECT_EQ(was[i].name(), is[i].name());
        EXPECT_EQ(was[i].opcode(), is[i].opcode());
        EXPECT_EQ(was[i].custom_call_target(), is[i].custom_call_target());
        EXPECT_EQ(was[i].custom_call_api_version(),
                  is[i].custom_call_api_version());
      }
    }
    const ToolRun text = RunOpt({path});
    EXPECT_TRUE(absl::StrContains(text.out,
                                  "api_version=API_VERSION_UNSPECIFIED"));
  }
}

TEST(SecondFieldCasesTest, AnAttributeOfTheFutureIsReadWithAWarning) {
  if (SecondCases("manual").empty()) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  const ToolRun run = RunOpt({SecondFolder() + "future_attribute.hlo"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(absl::StrContains(run.out,
                                "negate(%p), future_hint={level=3,mode=\"x\"}, "
                                "metadata={op_name=\"a\"}"))
      << run.out;
}

TEST(SecondFieldCasesTest, ATrailingCommaIsAnErrorWhereItIs) {
  if (SecondCases("manual").empty()) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  const ToolRun run = RunOpt({SecondFolder() + "trailing_commas.hlo"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(
      run.err, ":3:66: error: an attribute is missing behind this comma"))
      << run.err;
}

}  // namespace
}  // namespace hlokit
