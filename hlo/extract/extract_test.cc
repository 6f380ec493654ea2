#include "hlo/extract/extract.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kModule =
    "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n"
    "\n"
    "ENTRY main.4 {\n"
    "  a = f32[8]{0} parameter(0)\n"
    "  ROOT s = f32[8]{0} sine(a), metadata={op_name=\"jit(f)/sin\"}\n"
    "}\n";

std::vector<std::string> Lines() {
  std::vector<std::string> lines = absl::StrSplit(kModule, '\n');
  lines.pop_back();
  return lines;
}

// The text of the only module, without blanks at both ends.
std::string Only(absl::string_view file, std::string* note = nullptr) {
  const Extraction found = ExtractModules(file);
  if (note != nullptr) *note = absl::StrJoin(found.notes, "; ");
  if (found.modules.size() != 1) {
    return absl::StrCat(found.modules.size(), " modules");
  }
  return std::string(absl::StripAsciiWhitespace(found.modules[0].text));
}

std::string Wanted() {
  return std::string(absl::StripAsciiWhitespace(kModule));
}

struct PrefixForm {
  absl::string_view name;
  std::string (*line)(int number, const std::string& text);
};

const PrefixForm kPrefixForms[] = {
    {"glog",
     [](int n, const std::string& t) {
       return absl::StrCat("I0102 03:04:0", n, ".12", n, "678   123 f.cc:9] ",
                           t);
     }},
    {"ray",
     [](int, const std::string& t) {
       return "(train pid=12, ip=10.0.0.2) " + t;
     }},
    {"Kubernetes",
     [](int n, const std::string& t) {
       return absl::StrCat("2026-03-08T22:20:0", n, ".5Z stdout F ", t);
     }},
    {"compose", [](int, const std::string& t) { return "job-1  | " + t; }},
    {"MPI", [](int, const std::string& t) { return "[1,0]<stdout>:" + t; }},
    {"rank", [](int, const std::string& t) { return "[rank0]: " + t; }},
    {"Slurm", [](int, const std::string& t) { return "0: " + t; }},
    {"cat -n",
     [](int n, const std::string& t) {
       return absl::StrCat(n < 4 ? "     " : "    1", n, "\t", t);
     }},
    {"grep -n",
     [](int n, const std::string& t) {
       return absl::StrCat("f.txt:", n + 8, ":", t);
     }},
    {"grep -A",
     [](int n, const std::string& t) {
       return absl::StrCat(n + 8, n == 0 ? ":" : "-", t);
     }},
    {"quote", [](int, const std::string& t) { return "> > " + t; }},
    {"diff", [](int, const std::string& t) { return "+" + t; }},
    {"bullet", [](int, const std::string& t) { return "- " + t; }},
    {"Python logging",
     [](int n, const std::string& t) {
       return absl::StrCat("2024-01-02 03:04:05,00", n, " - m - INFO - ", t);
     }},
    {"unheard of",
     [](int n, const std::string& t) {
       return absl::StrCat("<<", n, "@node-7/x>> ~ ", t);
     }},
};

TEST(ExtractTest, PrefixesOfAnyFormAreRemoved) {
  for (const PrefixForm& form : kPrefixForms) {
    std::string file = "something before\n";
    int number = 0;
    for (const std::string& line : Lines()) {
      absl::StrAppend(&file, form.line(number++, line), "\n");
    }
    absl::StrAppend(&file, form.line(number, "done"), "\n");
    std::string note;
    EXPECT_EQ(Only(file, &note), Wanted()) << form.name;
    EXPECT_THAT(note, HasSubstr("left out 1 line before the module, 1 line "
                                "after the module"))
        << form.name;
    EXPECT_THAT(note, HasSubstr("removed the prefix '")) << form.name;
  }
}

TEST(ExtractTest, TrimmedPrefixesOfEmptyLinesMatch) {
  std::string file;
  for (const std::string& line : Lines()) {
    absl::StrAppend(&file, line.empty() ? ">" : "> " + line, "\n");
  }
  EXPECT_EQ(Only(file), Wanted());
}

TEST(ExtractTest, PartsOfLinesThatKubernetesCutAreJoined) {
  std::string file;
  for (const std::string& line : Lines()) {
    const std::string stamp = "2026-03-08T22:20:42.7Z stderr ";
    absl::StrAppend(&file, stamp, "P ", line.substr(0, 30), "\n");
    absl::StrAppend(&file, stamp, "F ",
                    line.size() > 30 ? line.substr(30) : "", "\n");
  }
  EXPECT_EQ(Only(file), Wanted());
}

TEST(ExtractTest, LinesOfSeveralProcessesAreToldApart) {
  std::string file;
  const std::vector<std::string> lines = Lines();
  // Rank 1 is two lines behind rank 0.
  for (size_t i = 0; i < lines.size() + 2; ++i) {
    if (i < lines.size()) absl::StrAppend(&file, "[rank0]: ", lines[i], "\n");
    if (i >= 2) {
      absl::StrAppend(&file, "[rank1]: ",
                      absl::StrReplaceAll(lines[i - 2], {{"sine", "cosine"}}),
                      "\n");
    }
  }
  const Extraction found = ExtractModules(file);
  ASSERT_EQ(found.modules.size(), 2u);
  EXPECT_EQ(absl::StripAsciiWhitespace(found.modules[0].text), Wanted());
  EXPECT_THAT(found.modules[1].text, HasSubstr(" cosine(a)"));
}

TEST(ExtractTest, FencesAndProseAreLeftOut) {
  for (const char* fence : {"```\n", "```hlo\n", "~~~\n"}) {
    const std::string file = absl::StrCat("The HloModule is:\n\n", fence,
                                          kModule, fence, "\nthanks {\n");
    const Extraction found = ExtractModules(file);
    ASSERT_EQ(found.modules.size(), 1u) << fence;
    EXPECT_EQ(found.modules[0].text, kModule);
    // Nothing was copied.
    EXPECT_EQ(found.modules[0].owned, nullptr);
    EXPECT_EQ(found.modules[0].first_line, 4);
    EXPECT_TRUE(found.only_left_out);
  }
}

TEST(ExtractTest, HeaderBehindWordsBeginsTheModule) {
  const std::string file =
      absl::StrCat("I0000 00:00:17.7 579 c.cc:99] Before optimization: ",
                   kModule, "I0000 00:00:17.8 579 x.cc:1] done\n");
  EXPECT_EQ(Only(file), Wanted());
}

TEST(ExtractTest, LogLinesWithinAModuleAreLeftOut) {
  std::string file;
  for (const std::string& line : Lines()) {
    absl::StrAppend(&file, line, "\n2024-01-02 03:04:05.1: W x.cc:1] slow\n");
  }
  EXPECT_EQ(Only(file), Wanted());
}

// What looks like a part of the module must not get lost in silence.
TEST(ExtractTest, HloBehindTheEndStaysForTheParser) {
  const std::string file =
      absl::StrCat(kModule, "words\n  ROOT b = f32[8] add(a, a)\n}\n");
  EXPECT_THAT(Only(file), HasSubstr("ROOT b = f32[8] add(a, a)\n}"));
}

TEST(ExtractTest, OtherLanguagesBehindAModuleAreLeftOut) {
  const std::string llvm =
      "; ModuleID = 'x'\ndefine void @f(ptr %a) {\nentry:\n"
      "  %0 = load float, ptr %a\n  ret void\n}\n";
  const std::string buffers =
      "BufferAssignment:\nallocation 0: size 4, parameter 2, shape |f32[]|:\n"
      " value: <4 x @0> (size=4,offset=0): f32[]\n";
  const Extraction found = ExtractModules(
      absl::StrCat(llvm, kModule, llvm, buffers, kModule, buffers));
  ASSERT_EQ(found.modules.size(), 2u);
  for (const ModuleText& module : found.modules) {
    EXPECT_EQ(absl::StripAsciiWhitespace(module.text), Wanted());
  }
}

TEST(ExtractTest, BannersNameTheModules) {
  const Extraction found = ExtractModules(
      "step 1\n"
      "*** Begin m.before.txt ***\nHloModule a\n\nENTRY e {\n}\n\n"
      "*** End m.before.txt ***\n"
      "*** Begin m.ll ***\ndefine void @f() {\n}\n*** End m.ll ***\n"
      "*** Begin m.cut.txt ***\nHloModule b\nENTRY e {\nkilled\n");
  ASSERT_EQ(found.modules.size(), 2u);
  EXPECT_EQ(found.modules[0].banner, "m.before.txt");
  EXPECT_EQ(found.modules[0].name, "a");
  EXPECT_EQ(found.modules[0].first_line, 3);
  EXPECT_FALSE(found.modules[0].cut);
  EXPECT_EQ(found.modules[1].banner, "m.cut.txt");
  EXPECT_TRUE(found.modules[1].cut);
}

TEST(ExtractTest, SeparatorsEndModules) {
  const Extraction found = ExtractModules(
      absl::StrCat("> ", absl::StrReplaceAll(kModule, {{"\n", "\n> "}}),
                   "// -----\n> ENTRY e {\n> }\n"),
      {"// -----", false});
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(absl::StripAsciiWhitespace(found.modules[0].text), Wanted());
}

TEST(ExtractTest, StringLiteralsAreUndone) {
  const std::string escaped = absl::StrReplaceAll(kModule, {{"\n", "\\n"}});
  const std::string twice = absl::StrReplaceAll(
      escaped, {{"\\", "\\\\"}, {"\"", "\\\""}});
  const std::string in_quotes =
      absl::StrReplaceAll(kModule, {{"\n", "\\n"}, {"\"", "\\\""}});
  for (const std::string& file : {
           absl::StrCat("'", escaped, "'\n"),
           absl::StrCat("b'", escaped, "'"),
           absl::StrCat("text = '", escaped, "'\nprint(text)\n"),
           absl::StrCat("\"", in_quotes, "\""),
           absl::StrCat("{\"a\": \"b\", \"hlo\": \"", in_quotes,
                        "\", \"c\": 1}\n"),
           absl::StrCat("{\n  \"hlo\": \"", in_quotes, "\",\n  \"c\": 1\n}\n"),
           absl::StrCat("['", absl::StrJoin(Lines(), "', '"), "']"),
           absl::StrCat("('", absl::StrJoin(Lines(), "\\n'\n '"), "\\n')\n"),
           absl::StrCat("x = '''", kModule, "'''\n"),
       }) {
    EXPECT_EQ(Only(file), Wanted()) << file;
  }
}

TEST(ExtractTest, JsonLogsAreUndone) {
  std::string docker, other;
  for (const std::string& line : Lines()) {
    const std::string text = absl::StrReplaceAll(line, {{"\"", "\\\""}});
    absl::StrAppend(&docker, "{\"log\":\"", text,
                    "\\n\",\"stream\":\"stdout\"}\n");
    absl::StrAppend(&other, "{\"level\":\"info\", \"msg\": \"I0102 03:04:05.1 9 "
                            "f.cc:1] ",
                    text, "\"}\n");
  }
  std::string note;
  EXPECT_EQ(Only(docker, &note), Wanted());
  EXPECT_EQ(note, "took the text out of 6 lines of JSON");
  EXPECT_EQ(Only(other), Wanted());
}

TEST(ExtractTest, HtmlIsUndone) {
  const std::string encoded =
      absl::StrReplaceAll(kModule, {{">", "&gt;"}, {"\"", "&quot;"}});
  const std::string twice = absl::StrReplaceAll(encoded, {{"&", "&amp;"}});
  const std::string breaks = absl::StrReplaceAll(
      encoded, {{"\n", "<br/>"}, {" ", "&nbsp;"}, {"=", "&#61;"}});
  for (const std::string& file :
       {encoded, twice, absl::StrCat("<p>", breaks, "</p>\n"),
        absl::StrCat("<html><body>\n<pre><code class=\"x\">", encoded,
                     "</code></pre>\n</body></html>\n"),
        absl::StrCat("<p>see</p>\n```\n", encoded, "```\n")}) {
    EXPECT_EQ(Only(file), Wanted()) << file;
  }
}

// Such things belong to the strings of a plain module.
TEST(ExtractTest, StringsOfAPlainModuleStay) {
  const std::string module = absl::StrReplaceAll(
      kModule, {{"jit(f)/sin", "a -&gt; <b> \\n > x &amp; \u201cq\u201d"}});
  EXPECT_EQ(Only(absl::StrCat("```\n", module, "```\n")),
            absl::StripAsciiWhitespace(module));
}

TEST(ExtractTest, TerminalsAndEditorsLeaveNoTrace) {
  const std::string bold = absl::StrReplaceAll(
      kModule, {{"HloModule", "\x1b[1;31mHloModule\x1b[0m"},
                {"ROOT", "\x1b[35m\x1b[KROOT\x1b[m"}});
  const std::string shown =
      absl::StrReplaceAll(kModule, {{"ENTRY", "^[[35mENTRY^[[0m"}});
  const std::string lost =
      absl::StrReplaceAll(kModule, {{"ENTRY", "[01;35mENTRY[0m"}});
  const std::string blanks =
      absl::StrReplaceAll(kModule, {{"  ", "\u00a0 "}, {", e", ",\u200b e"}});
  const std::string curly = absl::StrReplaceAll(
      kModule, {{"=\"", "=\u201c"}, {"\"}", "\u201d}"}, {"->", "\u2192"}});
  const std::string returns = absl::StrReplaceAll(kModule, {{"\n", "\r"}});
  std::string frame = "\u256d\u2500\u2500\u256e\n";
  std::string ends;
  for (const std::string& line : Lines()) {
    absl::StrAppend(&frame, "\u2502 ", line, "   \u2502\n");
    absl::StrAppend(&ends, line, "$\n");
  }
  for (const std::string& file :
       {bold, shown, lost, blanks, curly, returns, frame, ends}) {
    EXPECT_EQ(Only(file), Wanted()) << file;
  }
}

TEST(ExtractTest, OneSideOfADiffIsTaken) {
  std::string note;
  EXPECT_EQ(Only("--- a/x\n+++ b/x\n@@ -1,6 +1,6 @@\n HloModule m\n \n"
                 " ENTRY e {\n-  a = f64[] parameter(0)\n"
                 "+  a = f32[] parameter(0)\n }\n",
                 &note),
            "HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n}");
  EXPECT_THAT(note,
              HasSubstr("took the new side of a diff (1 added, 1 removed"));
}

TEST(ExtractTest, WrappedLinesAreJoined) {
  std::string file;
  for (std::string line : Lines()) {
    for (; line.size() > 44; line = line.substr(44)) {
      absl::StrAppend(&file, line.substr(0, 44), "\n");
    }
    absl::StrAppend(&file, line, "\n");
  }
  const Extraction found = ExtractModules(file, {"", true});
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(absl::StripAsciiWhitespace(found.modules[0].text), Wanted());
}

TEST(ExtractTest, ComputationsWithoutHeaderAreFound) {
  const std::string module =
      "add {\n  a = f32[] parameter(0)\n  ROOT s = f32[] add(a, a)\n}\n\n"
      "ENTRY main {\n  ROOT x = f32[8] parameter(0)\n}";
  EXPECT_EQ(Only(absl::StrCat("words\n```\n", module, "\n```\n")), module);
}

TEST(ExtractTest, QuotedInstructionsAreTakenOut) {
  std::string note;
  EXPECT_EQ(
      Only("W x.cc:1] Operator: op_name=\"f\", HLO: %fusion.3 = f32[8]{0} "
           "fusion(f32[8]{0} %a), kind=kLoop, calls=%f.3. Out of memory\n"
           "more\n",
           &note),
      "%fusion.3 = f32[8]{0} fusion(f32[8]{0} %a), kind=kLoop, calls=%f.3");
  EXPECT_EQ(note, "took 1 instruction out of the text; left out 1 line");
  EXPECT_EQ(Only("Failed to compile instruction: `%dot = (f32[8], s8[4]) "
                 "custom-call(%a), custom_call_target=\"x. y\"` with\n"),
            "%dot = (f32[8], s8[4]) custom-call(%a), custom_call_target=\"x. "
            "y\"");
  // The type is in another line.
  EXPECT_EQ(Only("  1. Size: 4.00G\n     Shape: f32[32,8]{1,0:T(8,128)}\n"
                 "     XLA label: fusion.3 = fusion(copy.1), kind=kLoop, "
                 "calls=f.1\n     ======\n"),
            "fusion.3 = f32[32,8]{1,0:T(8,128)} fusion(copy.1), kind=kLoop, "
            "calls=f.1");
}

TEST(ExtractTest, PlacesAreThoseOfTheFile) {
  const Extraction found = ExtractModules(
      "noise\n[r0]: HloModule m\nnoise\n[r0]: ENTRY e {\n[r0]:   a\n"
      "[r0]: }\n");
  ASSERT_EQ(found.modules.size(), 1u);
  const ModuleText& module = found.modules[0];
  Diagnostics diagnostics("f", module.text, module.first_line);
  diagnostics.SetLines(module.lines);
  diagnostics.Error("x", module.text.find("a\n"));
  EXPECT_THAT(diagnostics.ToString(), HasSubstr("f:5:9: error: x"));
}

TEST(ExtractTest, NothingIsFoundWhereNothingIs) {
  for (const char* file : {"", "\n\n", "hello\n", "the HloModule below\n",
                           "x = foo(1)\n", "{\"a\": 1}\n", "'HloModule m\\n'"}) {
    EXPECT_THAT(ExtractModules(file).modules, IsEmpty()) << file;
  }
}

}  // namespace
}  // namespace hlokit
