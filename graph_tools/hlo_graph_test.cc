#include "graph_tools/hlo_graph.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kModule[] = R"(HloModule m

addc {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] negate(a), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=7}
  c = f32[8] multiply(b, a)
  z = f32[] constant(0)
  ROOT d = f32[] reduce(c, z), dimensions={0}, to_apply=addc
}
)";

class HloGraphTest : public ToolTest {
 protected:
  HloGraphTest() : ToolTest(RunHloGraph) { Write("m.hlo", kModule); }

  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(memory_.WriteFile(path, text).ok());
  }
  std::string Read(const std::string& path) {
    const auto text = memory_.ReadFile(path);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() ? *text : "";
  }
};

TEST_F(HloGraphTest, TextIsATreeOfOperands) {
  ASSERT_EQ(RunTool({"m.hlo"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "d = reduce f32[] add\n"
            "|- c = multiply f32[8]\n"
            "|  |- b = negate f32[8]  f.py:7\n"
            "|  |  `- a = parameter f32[8]\n"
            "|  `- a = parameter f32[8]\n"
            "`- z = constant f32[] 0\n");
}

TEST_F(HloGraphTest, TheEndingOfTheFileChoosesTheFormat) {
  ASSERT_EQ(RunTool({"m.hlo", "--to=m.html"}), 0) << err_.str();
  EXPECT_THAT(Read("m.html"), StartsWith("<!DOCTYPE html>"));
  ASSERT_EQ(RunTool({"m.hlo", "--to=m.dot"}), 0) << err_.str();
  EXPECT_THAT(Read("m.dot"), StartsWith("digraph G {"));
  ASSERT_EQ(RunTool({"m.hlo", "--to=m.url"}), 0) << err_.str();
  EXPECT_THAT(Read("m.url"), StartsWith("https://"));
  ASSERT_EQ(RunTool({"m.hlo", "--to=m.out", "--format=txt"}), 0) << err_.str();
  EXPECT_THAT(Read("m.out"), StartsWith("d = reduce"));
  EXPECT_EQ(RunTool({"m.hlo", "--to=m.jpg"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("endings: .txt, .dot"));
}

TEST_F(HloGraphTest, StandardInputAndOutputWork) {
  ASSERT_EQ(RunTool({"-", "--format=dot"}, kModule), 0) << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("digraph G {"));
}

TEST_F(HloGraphTest, NeighbourhoodsPathsAndTreesAreParts) {
  ASSERT_EQ(RunTool({"m.hlo", "--around=B", "--radius=1"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "c = multiply f32[8]\n"
                        "|- * b = negate f32[8]  f.py:7\n"
                        "|  `- a = parameter f32[8]\n"
                        "`- a = parameter f32[8]\n");
  ASSERT_EQ(RunTool({"m.hlo", "--paths=d,b"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "* d = reduce f32[] add\n"
                        "|- c = multiply f32[8]\n"
                        "|  |- * b = negate f32[8]  f.py:7\n"
                        "|  |  `- ...\n"
                        "|  `- ...\n"
                        "`- ...\n");
  ASSERT_EQ(RunTool({"m.hlo", "--above=c", "--height=1"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("* c = multiply"));
  ASSERT_EQ(RunTool({"m.hlo", "--filter=op=negate"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "* b = negate f32[8]  f.py:7\n`- ...\n");
  ASSERT_EQ(RunTool({"m.hlo", "--computation=addc"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("s = add f32[]"));
}

TEST_F(HloGraphTest, APartAsHloIsAModuleThatReads) {
  ASSERT_EQ(RunTool({"m.hlo", "--paths=b,d", "--to=part.hlo"}), 0)
      << err_.str();
  const auto part = ParseModule(Read("part.hlo"));
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ((*part)->entry()->root()->name(), "d");
  EXPECT_EQ((*part)->entry()->parameter_count(), 2);  // a and z
  EXPECT_NE((*part)->FindComputation("addc"), nullptr);
}

TEST_F(HloGraphTest, WrongNamesGetASuggestion) {
  EXPECT_EQ(RunTool({"m.hlo", "--around=bb"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("no instruction is called 'bb'"));
  EXPECT_EQ(RunTool({"m.hlo", "--paths=a"}), 2);
  EXPECT_EQ(RunTool({"m.hlo", "--around=a", "--above=b"}), 2);
  EXPECT_EQ(RunTool({"none.hlo"}), 3);
  EXPECT_EQ(RunTool({"m.hlo", "--filter=op=nothing"}), 3);
}

TEST_F(HloGraphTest, OverlaysOfEveryFormColour) {
  Write("t.csv", "instruction,time (us)\n%c,12.5\nd,1\n");
  Write("t.json", R"({"title": "time", "unit": "us", "values": {"c": 12.5,
                      "d": 1}})");
  for (const char* file : {"t.csv", "t.json"}) {
    ASSERT_EQ(RunTool({"m.hlo", absl::StrCat("--overlay=", file)}), 0)
        << err_.str();
    EXPECT_THAT(out_.str(), HasSubstr("c = multiply f32[8]  [time: 12.5 us]"));
    ASSERT_EQ(RunTool({"m.hlo", absl::StrCat("--overlay=", file),
                       "--format=dot"}),
              0);
    EXPECT_THAT(out_.str(), HasSubstr("time: 12.5 us"));
    EXPECT_THAT(out_.str(), HasSubstr("fillcolor=\"#8a0812\""));
  }
  Write("bad.csv", "c,12\nd,x\n");
  EXPECT_EQ(RunTool({"m.hlo", "--overlay=bad.csv"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("bad.csv:2: expected NAME,NUMBER"));
  Write("other.csv", "q,12\n");
  EXPECT_EQ(RunTool({"m.hlo", "--overlay=other.csv"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("none of its 1 names"));
}

TEST_F(HloGraphTest, TwoFilesAreDrawnBesideEachOther) {
  std::string after = kModule;
  after.replace(after.find("negate"), 6, "abs");
  Write("after.hlo", after);
  ASSERT_EQ(RunTool({"m.hlo", "after.hlo", "--format=dot"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("<b>before</b>"));
  EXPECT_THAT(out_.str(), HasSubstr("fillcolor=\"#ffe57f\""));
  ASSERT_EQ(RunTool({"m.hlo", "after.hlo", "--format=html"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("id=\"stage1\""));
}

TEST_F(HloGraphTest, TwoFilesAsTextComeOneAfterTheOther) {
  Write("other.hlo",
        "HloModule other\nENTRY e {\n  ROOT q = f32[] parameter(0)\n}\n");
  ASSERT_EQ(RunTool({"m.hlo", "other.hlo", "--computation="}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("== m.hlo (module m)\nd = reduce"));
  EXPECT_THAT(out_.str(), HasSubstr("\n\n== other.hlo (module other)\n"
                                    "q = parameter f32[]\n"));
  // What only one of them has: the message says which one lacks it.
  EXPECT_EQ(RunTool({"m.hlo", "other.hlo", "--around=b"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("other.hlo: no instruction is called"));
}

TEST_F(HloGraphTest, TwoFilesAsHloAreAnErrorThatSaysWhatToDo) {
  Write("other.hlo", kModule);
  EXPECT_EQ(RunTool({"m.hlo", "other.hlo", "--to=both.hlo"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("give one file, or write txt, html"));
}

TEST_F(HloGraphTest, AFolderAndAFileAreBothShown) {
  ASSERT_TRUE(memory_.CreateDirectories("d").ok());
  std::string last = kModule;
  last.replace(last.find("negate"), 6, "abs");
  Write("d/module_0000.m.before_optimizations.txt", kModule);
  Write("d/module_0000.m.cpu_after_optimizations.txt", last);
  ASSERT_EQ(RunTool({"d", "m.hlo"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("b = abs"));
  EXPECT_THAT(out_.str(), HasSubstr("b = negate"));
  ASSERT_EQ(RunTool({"d", "m.hlo", "--format=dot"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("<b>before</b>"));
  ASSERT_EQ(RunTool({"d", "m.hlo", "--step=before", "--format=html"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("id=\"stage1\""));
  EXPECT_THAT(out_.str(), Not(HasSubstr("id=\"stage2\"")));
  // Two steps of one folder: the last one.
  ASSERT_EQ(RunTool({"d", "--format=dot"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("<b>before</b>")));
}

TEST_F(HloGraphTest, JsonHoldsThePartThatIsAskedFor) {
  ASSERT_EQ(RunTool({"m.hlo", "--to=m.json"}), 0) << err_.str();
  EXPECT_THAT(Read("m.json"),
              StartsWith("{\"format\":\"hlokit-graph\",\"version\":1,"));
  EXPECT_THAT(Read("m.json"), HasSubstr("\"name\":\"addc\""));
  ASSERT_EQ(RunTool({"m.hlo", "--around=b", "--radius=1", "--format=json"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("\"highlighted\":true"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("reduce")));
  Write("other.hlo", kModule);
  ASSERT_EQ(RunTool({"m.hlo", "other.hlo", "--format=json"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("\"graphs\":[{\"label\":\"m.hlo\""));
}

TEST_F(HloGraphTest, BrokenDumpsOfAFolderAreLeftOut) {
  ASSERT_TRUE(memory_.CreateDirectories("d/host0").ok());
  ASSERT_TRUE(memory_.CreateDirectories("d/host1").ok());
  const std::string text(kModule);
  for (const char* host : {"host0", "host1"}) {
    const std::string start = absl::StrCat("d/", host, "/module_0001.m.");
    Write(start + "before_optimizations.txt", text);
    Write(start + "0001.p.after_x.before_y.txt",
          text.substr(0, text.size() - 4));
    // Whole, but not HLO.
    Write(start + "0002.p.after_y.before_z.txt",
          absl::StrCat(text.substr(0, text.find("  ROOT d")),
                       "  ROOT d = f32[8] negate(c c)\n}\n"));
  }
  EXPECT_EQ(RunTool({"d", "--to=p.html"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("host0/module_0001.m, host1/module_0001"));
  ASSERT_EQ(RunTool({"d", "--module=host1/m", "--to=p.html"}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("host1/module_0001.m.0001.p.after_x.before_"
                                    "y.txt is cut off"));
  EXPECT_THAT(err_.str(), HasSubstr("before_z.txt is left out"));
  EXPECT_THAT(Read("p.html"), StartsWith("<!DOCTYPE html>"));
}

TEST_F(HloGraphTest, ADumpFolderBecomesAPageWithSteps) {
  ASSERT_TRUE(memory_.CreateDirectories("d").ok());
  Write("d/module_0000.m.before_optimizations.txt", kModule);
  std::string after = kModule;
  after.replace(after.find("negate"), 6, "abs");
  Write("d/module_0000.m.0000.simplification.after_pipeline-start.before_"
        "algsimp.txt",
        kModule);
  Write("d/module_0000.m.0001.simplification.after_algsimp.before_dce.txt",
        after);
  Write("d/module_0000.m.cpu_after_optimizations.txt", after);
  ASSERT_EQ(RunTool({"d", "--to=d.html"}), 0) << err_.str();
  const std::string page = Read("d.html");
  EXPECT_THAT(page, HasSubstr("id=\"stage1\""));
  EXPECT_THAT(page, Not(HasSubstr("id=\"stage2\"")));  // changed nothing
  ASSERT_EQ(RunTool({"d", "--to=d.html", "--all-steps"}), 0) << err_.str();
  EXPECT_THAT(Read("d.html"), HasSubstr("id=\"stage3\""));
  ASSERT_EQ(RunTool({"d"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("b = abs"));
  ASSERT_EQ(RunTool({"d", "--step=before"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("b = negate"));
}

TEST_F(HloGraphTest, OneOfSeveralModulesMustBeChosen) {
  std::string two = kModule;
  two += "\nHloModule other\nENTRY e {\n  ROOT q = f32[] parameter(0)\n}\n";
  Write("two.hlo", two);
  EXPECT_EQ(RunTool({"two.hlo"}), 3);
  EXPECT_THAT(err_.str(), HasSubstr("choose one by --module: m, other"));
  ASSERT_EQ(RunTool({"two.hlo", "--module=other"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), "q = parameter f32[]\n");
}

TEST_F(HloGraphTest, FieldCasesKeepTheirPromises) {
  const std::string chain =
      ReadCorpusFile(Corpora() + "field_cases/render_chain_1500.hlo");
  if (chain.empty()) GTEST_SKIP() << "no corpora";
  Write("chain.hlo", chain);
  ASSERT_EQ(RunTool({"chain.hlo", "--format=dot"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr(" nodes, "));
  const auto module = ParseModule(chain);
  ASSERT_TRUE(module.ok());
  const std::string middle((*module)->entry()->PostOrder()[700]->name());
  ASSERT_EQ(RunTool({"chain.hlo", "--around=" + middle, "--radius=2",
                     "--format=dot"}),
            0)
      << err_.str();
  EXPECT_LT(out_.str().size(), 10000u);
  for (const char* name : {"small.hlo", "small2.hlo"}) {
    Write(name, ReadCorpusFile(Corpora() + "field_cases_2/" + name));
  }
  ASSERT_EQ(RunTool({"small.hlo", "small2.hlo"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), StartsWith("== small.hlo (module "));
  EXPECT_THAT(out_.str(), HasSubstr("\n== small2.hlo (module "));
  // No program is needed for the page.
  ASSERT_EQ(RunTool({"chain.hlo", "--format=html"}), 0) << err_.str();
}

}  // namespace
}  // namespace hlokit
