#include "dump/dump_search.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dump/hlo_lines.h"
#include "dump/literal_search.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace hlokit {
namespace {

using ::testing::UnorderedElementsAre;

TEST(LiteralSearcherTest, FindsWhatAPlainSearchFindsEverywhere) {
  uint32_t state = 7;
  auto random = [&] {
    state = state * 1664525 + 1013904223;
    return state >> 16;
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = "abc\n"[random() % 4];
    std::string needle(random() % 6, ' ');
    for (char& c : needle) c = "abc\n"[random() % 4];
    const LiteralSearcher searcher(needle);
    const size_t from = random() % 320;
    const size_t expected =
        from > text.size() ? std::string::npos : text.find(needle, from);
    EXPECT_EQ(searcher.Find(text, from), expected) << text << "|" << needle;
  }
}

TEST(LiteralSearcherTest, NeverReadsBehindTheText) {
  // Found by the sanitizers where it does.
  for (size_t size = 0; size < 200; ++size) {
    const std::vector<char> exact(size, 'x');
    const absl::string_view text(exact.data(), exact.size());
    EXPECT_EQ(LiteralSearcher("xy").Find(text, 0), absl::string_view::npos);
  }
}

TEST(RequiredLiteralTest, TakesTheLongestTextThatMustBeThere) {
  auto required = [](absl::string_view expression) {
    bool whole;
    std::string text = RequiredLiteral(expression, &whole);
    return absl::StrCat(text, whole ? " (whole)" : "");
  };
  EXPECT_EQ(required("custom-call"), "custom-call (whole)");
  EXPECT_EQ(required("dot\\("), "dot( (whole)");
  EXPECT_EQ(required("fusion.*kind=kLoop"), "kind=kLoop");
  EXPECT_EQ(required("add\\.[0-9]+ = f32"), " = f32");
  EXPECT_EQ(required("abc?d"), "ab");
  EXPECT_EQ(required("^%main"), "%main");
  EXPECT_EQ(required("a|b"), "");
  EXPECT_EQ(required("(abcdef)?gh"), "gh");
  EXPECT_EQ(required("(?i)abc"), "");
  EXPECT_EQ(required("ab{0,3}c"), "a");
  EXPECT_EQ(required("[\\]]abc"), "");
  EXPECT_EQ(required("\\Qa.b\\E"), "");
  EXPECT_EQ(required(""), " (whole)");
}

TEST(RequiredLiteralTest, EveryMatchHoldsIt) {
  uint32_t state = 3;
  auto random = [&](int n) {
    state = state * 1664525 + 1013904223;
    return static_cast<int>((state >> 16) % n);
  };
  const char* pieces[] = {"a", "b", "c", ".", "*", "+", "?", "(", ")", "[ab]",
                          "|", "\\.", "^", "$", "{0,1}", "\\d", "[^a]", "\\b"};
  int tried = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string expression;
    for (int i = random(7); i >= 0; --i) expression += pieces[random(18)];
    const RE2 regex(expression, RE2::Quiet);
    if (!regex.ok()) continue;
    bool whole;
    const std::string literal = RequiredLiteral(expression, &whole);
    for (int i = 0; i < 10; ++i) {
      std::string text;
      for (int j = random(6); j > 0; --j) text += "abc.1"[random(5)];
      const bool matches = RE2::PartialMatch(text, regex);
      const bool holds = text.find(literal) != std::string::npos;
      if (matches) {
        EXPECT_TRUE(holds) << expression << " " << text;
      }
      if (whole) {
        EXPECT_EQ(matches, holds) << expression << " " << text;
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 20000);
}

TEST(HloLinesTest, InstructionsAreTakenApart) {
  InstructionLine line;
  ASSERT_TRUE(ParseInstructionLine(
      "  ROOT %add.3 = (f32[4]{0}, s32[]) custom-call(%a, f32[] %b)", &line));
  EXPECT_EQ(line.name, "add.3");
  EXPECT_EQ(line.shape, "(f32[4]{0}, s32[])");
  EXPECT_EQ(line.opcode, "custom-call");
  EXPECT_TRUE(line.is_root);
  for (const char* other :
       {"", "}", "ENTRY %main (p: f32[]) -> f32[] {", "HloModule m, x={a = b}",
        "1 {file_name_id=1 line=3}", "  p = f32[4]", " = f32[] add()"}) {
    EXPECT_FALSE(ParseInstructionLine(other, &line)) << other;
  }
}

TEST(HloLinesTest, ComputationsAreKnownByTheirFirstLine) {
  EXPECT_EQ(ComputationOfLine("%fused (p: f32[4]) -> f32[4] {"), "fused");
  EXPECT_EQ(ComputationOfLine("ENTRY main.1 {"), "main.1");
  EXPECT_EQ(ComputationOfLine("HloModule m {"), "");
  EXPECT_EQ(ComputationOfLine("  a = f32[] b() {"), "");
  EXPECT_EQ(ComputationOfLine("}"), "");
}

constexpr char kText[] = R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

FileNames
1 "/home/me/train.py"
2 "lib.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=12 column=1 end_column=2}
2 {file_name_id=2 function_name_id=1 line=5 end_line=5 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=2 parent_frame_id=1}


fused {
  p = f32[4]{0} parameter(0)
  ROOT n = f32[4]{0} negate(p), metadata={stack_frame_id=3}
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = bf32[4]{0} convert(x), metadata={stack_frame_id=2}
  c = f32[20]{0} constant({...})
  ROOT f = f32[4]{0} fusion(x), calls=fused, metadata={stack_frame_id=1}
}
)";

TEST(HloLinesTest, CallStacksLeadBackToSourceLines) {
  EXPECT_THAT(FramesThrough(kText, "train.py", 0), UnorderedElementsAre(1, 2));
  EXPECT_THAT(FramesThrough(kText, "train.py", 11), UnorderedElementsAre(1, 2));
  EXPECT_THAT(FramesThrough(kText, "train.py", 13), ::testing::IsEmpty());
  EXPECT_THAT(FramesThrough(kText, "lib.py", 5), UnorderedElementsAre(2, 3));
  EXPECT_THAT(FramesThrough(kText, "ain.py", 0), ::testing::IsEmpty());
}

TEST(HloLinesTest, ASummaryCountsOpcodes) {
  const HloSummary summary = Summarize(kText);
  EXPECT_EQ(summary.module, "m");
  EXPECT_EQ(summary.computations, 2);
  EXPECT_EQ(summary.instructions, 6);
  EXPECT_EQ(summary.opcodes.at("parameter"), 2);
  EXPECT_TRUE(summary.has_elided_constant);
  EXPECT_EQ(summary.entry_layout,
            "entry_computation_layout={(f32[4]{0})->f32[4]{0}}");
}

class SearchTest : public ::testing::Test {
 protected:
  std::vector<std::string> Found(const SearchQuery& query) {
    files_.CreateDirectories("d").IgnoreError();
    const char path[] = "d/module_0001.m.before_optimizations.txt";
    EXPECT_TRUE(files_.WriteFile(path, kText).ok());
    auto index = ReadDumpFolder(files_, "d");
    EXPECT_TRUE(index.ok());
    ThreadPool pool(2);
    auto result = SearchDumps(files_, *index, query, &pool);
    if (!result.ok()) return {std::string(result.status().message())};
    std::vector<std::string> found;
    for (const SearchMatch& match : result->matches) {
      found.push_back(absl::StrCat(match.line, " ", match.computation, "/",
                                   match.instruction));
    }
    return found;
  }
  MemoryFileSystem files_;
};

TEST_F(SearchTest, NamesLineComputationAndInstruction) {
  SearchQuery query;
  query.regex = "parameter\\(";
  EXPECT_THAT(Found(query),
              ::testing::ElementsAre("21 fused/p", "26 main/x"));
  query.regex = "^ENTRY";
  EXPECT_THAT(Found(query), ::testing::ElementsAre("25 main/"));
  query.regex = "NEGATE|FUSION";
  query.ignore_case = true;
  EXPECT_THAT(Found(query),
              ::testing::ElementsAre("22 fused/n", "29 main/f"));
  query.regex = "[";
  EXPECT_THAT(Found(query)[0], ::testing::HasSubstr("cannot use the regular expression"));
}

TEST_F(SearchTest, OpcodesAreWholeWordsAndNoNames) {
  SearchQuery query;
  query.opcode = "fusion";
  EXPECT_THAT(Found(query), ::testing::ElementsAre("29 main/f"));
  query.opcode = "fus";
  EXPECT_THAT(Found(query), ::testing::IsEmpty());
}

TEST_F(SearchTest, ShapesAreWhole) {
  SearchQuery query;
  query.shape = "f32[4]";
  query.opcode = "convert";
  EXPECT_THAT(Found(query), ::testing::IsEmpty());
  query.shape = "bf32[4]";
  EXPECT_THAT(Found(query), ::testing::ElementsAre("27 main/y"));
}

TEST_F(SearchTest, SourceLinesAreFoundThroughTheCallStack) {
  SearchQuery query;
  query.source = "train.py:12";
  EXPECT_THAT(Found(query),
              ::testing::ElementsAre("27 main/y", "29 main/f"));
  query.source = "lib.py";
  EXPECT_THAT(Found(query),
              ::testing::ElementsAre("22 fused/n", "27 main/y"));
  query.regex = "negate";
  EXPECT_THAT(Found(query), ::testing::ElementsAre("22 fused/n"));
}

// Large files are cut into pieces; none may lose a match.
TEST_F(SearchTest, NothingIsLostWhereFilesAreCut) {
  std::string text = "ENTRY main {\n";
  int64_t expected = 0;
  for (int i = 0; text.size() < (size_t{13} << 20); ++i) {
    const bool hit = i % 1000 == 0;
    absl::StrAppend(&text, "  a.", i, " = f32[4]{0} ",
                    hit ? "negate" : "add", "(a.", i, ")\n");
    expected += hit;
  }
  text += "}\n";
  files_.CreateDirectories("big").IgnoreError();
  ASSERT_TRUE(
      files_.WriteFile("big/module_0000.m.before_optimizations.txt", text)
          .ok());
  auto index = ReadDumpFolder(files_, "big");
  ThreadPool pool(3);
  SearchQuery query;
  query.opcode = "negate";
  auto result = SearchDumps(files_, *index, query, &pool);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(static_cast<int64_t>(result->matches.size()), expected);
  for (int64_t i = 0; i < expected; ++i) {
    EXPECT_EQ(result->matches[i].line, i * 1000 + 2);
    EXPECT_EQ(result->matches[i].instruction, absl::StrCat("a.", i * 1000));
  }
}

}  // namespace
}  // namespace hlokit
