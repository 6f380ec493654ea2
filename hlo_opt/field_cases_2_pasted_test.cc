// Modules in text as people copy it, and files that are something else: rows of
// ../shared/corpora/field_cases_2, and what hlo-opt does with their neighbours.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::set<std::string>& PastedCases() {
  static const auto* const cases = new std::set<std::string>{
      "log_lines_after_module", "markdown_fence_closing",
      "torch_xla_tensors_file", "log_header_behind_words",
      "log_prefix_kubernetes",  "text_utf8_bom_crlf",
      "text_no_break_spaces",   "text_ansi_colours",
      "text_html_entities",     "python_repr_of_as_text",
      "pbtxt_goo_gle_header"};
  return *cases;
}

std::string PastedFolder() { return Corpora() + "field_cases_2/"; }

ToolRun RunPasted(const std::vector<std::string>& arguments,
                  const std::string& input = "") {
  return RunToolWith(RunHloOpt, arguments, DiskFileSystem(), {}, input);
}

std::string WithoutHeader(const std::string& text) {
  return text.substr(std::min(text.find('\n'), text.size()));
}

TEST(PastedTextTest, CasesOfTheFieldAreRead) {
  size_t seen = 0;
  for (CorpusRow& row : CorpusTable(PastedFolder() + "CASES.tsv")) {
    if (PastedCases().count(row["case"]) == 0) continue;
    ++seen;
    const ToolRun first = RunPasted({PastedFolder() + row["input"]});
    ASSERT_EQ(first.exit_code, 0) << row["case"] << ": " << first.err;
    const ToolRun again = RunPasted({"-"}, first.out);
    EXPECT_EQ(again.out, first.out) << row["case"];
    EXPECT_EQ(again.err, "") << row["case"];
    const ToolRun proto = RunPasted({"-", "--emit=pb"}, first.out);
    // Protos do not hold all of the header.
    const ToolRun back = RunPasted({"-"}, proto.out);
    EXPECT_EQ(WithoutHeader(back.out), WithoutHeader(first.out)) << row["case"];
  }
  if (seen == 0) GTEST_SKIP() << "../shared/corpora is not there";
  EXPECT_EQ(seen, PastedCases().size());
}

TEST(PastedTextTest, GraphsOfATensorsFileAreSplitOrChosen) {
  const std::string file = PastedFolder() + "ptxla_tensors.txt";
  if (!DiskFileSystem()->Exists(file)) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  const ToolRun both = RunPasted({file, "--split-input-file"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("HloModule IrToHlo.8"));
  EXPECT_THAT(both.out, HasSubstr("HloModule IrToHlo.5"));
  const ToolRun one = RunPasted({file, "--module=IrToHlo.5"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("HloModule IrToHlo.5"));
  EXPECT_THAT(one.out, Not(HasSubstr("HloModule IrToHlo.8")));
  const ToolRun plain = RunPasted({file});
  EXPECT_EQ(plain.exit_code, 3);
  EXPECT_THAT(plain.err, HasSubstr("--module=NAME"));
}

TEST(PastedTextTest, Utf16OfTheFieldIsRead) {
  const std::string file = PastedFolder() + "utf16.hlo";
  if (!DiskFileSystem()->Exists(file)) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  const ToolRun run = RunPasted({file});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("decoded UTF-16"));
}

TEST(PastedTextTest, ReportsOfTheFieldAreNamed) {
  const std::string file = PastedFolder() + "buffer_assignment_report.txt";
  if (!DiskFileSystem()->Exists(file)) {
    GTEST_SKIP() << "../shared/corpora is not there";
  }
  const ToolRun run = RunPasted({file});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("is a buffer assignment report, not HLO"));
}

constexpr absl::string_view kSine =
    "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n\n"
    "ENTRY %main (a: f32[8]) -> f32[8] {\n"
    "  %a = f32[8]{0} parameter(0)\n"
    "  ROOT %s = f32[8]{0} sine(%a), metadata={op_name=\"x -&gt; \\\"y\\\"\"}\n"
    "}\n\n";

std::string Sine() { return std::string(kSine); }

// UTF-16 with CRLF of a log with stamps.
TEST(PastedTextTest, SeveralEncodingsAtOnceAreUndone) {
  std::string wide = "\xff\xfe";
  for (const char c : absl::StrCat(
           "I0102 03:04:05.1 9 f.cc:1] ",
           absl::StrReplaceAll(kSine,
                               {{"\n", "\r\nI0102 03:04:05.2 9 f.cc:1] "}}),
           "\r\n")) {
    wide += c;
    wide += '\0';
  }
  const ToolRun run = RunPasted({"-"}, wide);
  EXPECT_EQ(run.out, Sine()) << run.err;
  EXPECT_THAT(run.err, HasSubstr("<stdin>: note: decoded UTF-16"));
  EXPECT_THAT(run.err, HasSubstr("removed the prefix 'I0102 03:04:05.1 9 "
                                 "f.cc:1] ' from 8 lines"));
}

TEST(PastedTextTest, ACleanModuleIsReadWithoutAWord) {
  for (const std::string& text :
       {Sine(), "\xef\xbb\xbf" + Sine(), "// note\n" + Sine(),
        absl::StrReplaceAll(Sine(), {{"\n", "\r\n"}})}) {
    const ToolRun run = RunPasted({"-"}, text);
    EXPECT_EQ(run.out, Sine());
    EXPECT_EQ(run.err, "");
  }
}

TEST(PastedTextTest, ErrorsNameTheLinesOfTheLog) {
  const ToolRun run =
      RunPasted({"-"}, "noise\n[rank0]: HloModule m\nnoise\n"
                       "[rank0]: ENTRY e {\n[rank0]:   a = f32[8] ad(a)\n"
                       "[rank0]: }\n");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("<stdin>:5:23: error: no opcode is called"));
}

// A broken module must not become a shorter one that is right.
TEST(PastedTextTest, ABrokenModuleStaysAnError) {
  for (const char* text :
       {"HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n}\n"
        "  ROOT b = f32[] add(a, a)\n}\n",
        "HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n  oops\n}\n",
        "HloModule m\n\n%f (p: f32[]) > f32[] {\n"
        "  p = f32[] parameter(0)\n}\n\nENTRY e {\n"
        "  a = f32[] parameter(0)\n}\n",
        "HloModule m, repl,ca_count=2\n"
        "ENTRY e { ROOT p = f32[4]{0} parameter(0) }\n",
        "HloModule m x\nENTRY e { ROOT p = f32[4]{0} parameter(0) }\n",
        "%a = f32[8] parameter(0)\n%b = f32[8 add(%a, %a)\n"}) {
    EXPECT_EQ(RunPasted({"-"}, text).exit_code, 3) << text;
  }
}

TEST(PastedTextTest, LinesThatWereWrappedAreJoined) {
  std::string wrapped;
  for (size_t at = 0; at < kSine.size();) {
    const size_t end = std::min(kSine.find('\n', at), at + 50);
    absl::StrAppend(&wrapped, kSine.substr(at, end - at), "\n");
    at = kSine[std::min(end, kSine.size() - 1)] == '\n' ? end + 1 : end;
  }
  const ToolRun run = RunPasted({"-"}, wrapped);
  EXPECT_EQ(run.out, Sine()) << run.err;
}

TEST(PastedTextTest, InstructionsOfMessagesAreRead) {
  const ToolRun run = RunPasted(
      {"-"}, "RESOURCE_EXHAUSTED: Out of memory\n  1. Size: 4.00G\n"
             "     Operator: op_name=\"f\", HLO: %add.3 = f32[8]{0} add("
             "f32[8]{0} %a, f32[8]{0} %b)\n     ====\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("ROOT %add.3 = f32[8]{0} add(%a, %b)"));
  EXPECT_THAT(run.err, HasSubstr("took 1 instruction out of the text; left "
                                 "out 3 lines"));
}

TEST(PastedTextTest, CommentsBeforeATextProtoAreSkipped) {
  const std::string pbtxt = RunPasted({"-", "--emit=pbtxt"}, Sine()).out;
  const std::string module =
      RunPasted({"-", "--emit=pbtxt", "--message=HloModuleProto"}, Sine()).out;
  for (const std::string& text :
       {"goo.gle/debugonly  \n" + pbtxt, "goo.gle/debugstr " + module,
        "# proto-file: xla/service/hlo.proto\n"
        "# proto-message: xla.HloProto\n\n" + pbtxt,
        "\n# a\n  # b\ngoo.gle/debugproto\n# c\n" + module,
        "\xef\xbb\xbf# proto-message: HloModuleProto\r\n" + module}) {
    const ToolRun run = RunPasted({"-"}, text);
    EXPECT_EQ(run.out, Sine()) << run.err << text;
  }
  // The comment says what the fields cannot.
  EXPECT_THAT(RunPasted({"-"}, "# proto-message: xla.HloSnapshot\n" + pbtxt).err,
              HasSubstr("HloSnapshot"));
}

TEST(PastedTextTest, Base64OfAProtoIsRead) {
  const std::string proto = RunPasted({"-", "--emit=pb"}, Sine()).out;
  const ToolRun run = RunPasted({"-"}, absl::Base64Escape(proto) + "\n");
  EXPECT_EQ(run.out, Sine()) << run.err;
  EXPECT_EQ(run.err, "<stdin>: note: decoded base64\n");
}

TEST(PastedTextTest, JsonOfAnotherKindIsSearched) {
  const std::string json = absl::StrCat(
      "{\"name\": \"x\", \"hlo\": \"",
      absl::StrReplaceAll(kSine,
                          {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}),
      "\"}\n");
  EXPECT_EQ(RunPasted({"-"}, json).out, Sine());
}

TEST(PastedTextTest, AProtoHasOneModule) {
  const std::string proto = RunPasted({"-", "--emit=pb"}, Sine()).out;
  EXPECT_EQ(RunPasted({"-", "--module=m"}, proto).exit_code, 0);
  const ToolRun run = RunPasted({"-", "--module=n"}, proto);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("no module is called 'n'"));
}

}  // namespace
}  // namespace hlokit
