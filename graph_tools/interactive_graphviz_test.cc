#include "graph_tools/interactive_graphviz.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "graph_tools/graph_session.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kModule[] = R"(HloModule m

FileNames
1 "train.py"

FunctionNames
1 "main"
2 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=40 end_line=40 column=2 end_column=4}
2 {file_name_id=1 function_name_id=2 line=7 end_line=7 column=2 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}

%fused (p: f32[8]) -> f32[8] {
  %p = f32[8] parameter(0)
  ROOT %q = f32[8] negate(%p)
}

%twin (x: f32[8]) -> f32[8] {
  ROOT %x = f32[8] parameter(0)
}

ENTRY %main (a: f32[8]) -> f32[8] {
  %a = f32[8] parameter(0), metadata={op_type="Arg" op_name="args[0]"}
  %twin = f32[8] call(%a), to_apply=%twin
  %b = f32[8] fusion(%twin), kind=kLoop, calls=%fused, backend_config={"k":1}, metadata={op_type="neg" op_name="jit(f)/neg" stack_frame_id=2}
  ROOT %c.1 = f32[8] multiply(%b, %a)
}
)";

class InteractiveTest : public ToolTest {
 protected:
  InteractiveTest() : ToolTest(RunInteractiveGraphviz) {
    EXPECT_TRUE(memory_.WriteFile("m.hlo", kModule).ok());
    EXPECT_TRUE(memory_.CreateDirectories("/tmp").ok());
  }

  // What one command prints.
  std::string Ask(const std::string& commands) {
    EXPECT_EQ(RunTool({"--hlo_text=m.hlo"}, commands), 0) << err_.str();
    return out_.str();
  }
};

TEST_F(InteractiveTest, AnInstructionShowsItsNeighbourhood) {
  EXPECT_EQ(Ask("b 1"), "c.1 = multiply f32[8]\n"
                        "|- * b = fusion f32[8] fused  train.py:7\n"
                        "|  `- twin = call f32[8] twin\n"
                        "|     `- ...\n"
                        "`- ...\n");
  EXPECT_EQ(Ask("%B 0"), "* b = fusion f32[8] fused  train.py:7\n`- ...\n");
  EXPECT_EQ(Ask("b 9 / twin\n"), Ask("B 9 / %twin\n"));
  EXPECT_EQ(Ask("c.1 9 / b a"), "* c.1 = multiply f32[8]\n"
                                "|- b = fusion f32[8] fused  train.py:7\n"
                                "|  `- ...\n"
                                "`- a = parameter f32[8]\n");
}

TEST_F(InteractiveTest, AComputationWinsOverAnInstructionOfItsName) {
  EXPECT_EQ(Ask("twin"), "x = parameter f32[8]\n");
  EXPECT_THAT(Ask("info twin"), HasSubstr("parameter      x : f32[8]"));
  Ask("twin 2");
  EXPECT_THAT(err_.str(), HasSubstr("twin is a computation"));
}

TEST_F(InteractiveTest, AllPathsGoBothWaysWithALimit) {
  EXPECT_THAT(Ask("allpaths a c.1"), HasSubstr("twin = call"));
  EXPECT_EQ(Ask("allpaths a c.1"), Ask("allpaths c.1 a"));
  EXPECT_THAT(Ask("allpaths a c.1 2"), Not(HasSubstr("twin")));
  EXPECT_THAT(err_.str(), HasSubstr("4 instructions lie on paths; the 2"));
}

TEST_F(InteractiveTest, WhatIsMissingIsToldAndNothingEnds) {
  const std::string out = Ask(
      "allpaths a\nextract\ninfo\nstacktrace\nlist\nnosuch\nb x\n\nallpaths a "
      "q\nmetadata maybe\n> f\nb >\nlist op_name neg\n");
  EXPECT_THAT(out, HasSubstr("jit(f)/neg"));
  for (const char* text :
       {"usage: allpaths", "usage: extract", "usage: info", "usage: stacktrace",
        "usage: list", "called 'nosuch'", "the width is a number",
        "an empty line", "q in fused", "usage: metadata [on|off]",
        "usage: COMMAND > FILE"}) {
    EXPECT_THAT(err_.str(), HasSubstr(text));
  }
}

TEST_F(InteractiveTest, SwitchesShowAndChange) {
  EXPECT_EQ(Ask("backend_config\nbackend_config on\nbackend_config"),
            "backend_config is off\nbackend_config is on\n"
            "backend_config is on\n");
  EXPECT_EQ(Ask("show_fusion_subcomputations\nmetadata"),
            "show_fusion_subcomputations is on\nmetadata is on\n");
}

TEST_F(InteractiveTest, SwitchesCount) {
  Ask("backend_config on\nb > on.dot\nbackend_config off\nb > off.dot\n"
      "show_fusion_subcomputations off\nb > closed.dot\n");
  EXPECT_THAT(*memory_.ReadFile("on.dot"), HasSubstr("{&quot;k&quot;:1}"));
  EXPECT_THAT(*memory_.ReadFile("off.dot"), Not(HasSubstr("{&quot;k&quot;")));
  EXPECT_THAT(*memory_.ReadFile("off.dot"), HasSubstr("Fused expression"));
  EXPECT_THAT(*memory_.ReadFile("closed.dot"),
              Not(HasSubstr("Fused expression")));
}

TEST_F(InteractiveTest, ListsSearchTheirField) {
  EXPECT_EQ(Ask("list c."), "name  op_name  op_type\nc.1\n");
  EXPECT_THAT(Ask("list op_type neg"), HasSubstr("b     jit(f)/neg  neg"));
  EXPECT_THAT(Ask("list name C."), IsEmpty());  // case counts here
  const std::string computations = Ask("list computations");
  EXPECT_LT(computations.find("main"), computations.find("fused"));
}

TEST_F(InteractiveTest, InfoTellsAll) {
  const std::string info = Ask("info b");
  for (const char* text :
       {"computation    main", "opcode         fusion", "shape          f32[8]",
        "op_name        jit(f)/neg", "kind=kLoop", "backend config {\"k\":1}",
        "fused", "operand        twin : f32[8]", "user           c.1 : f32[8]"}) {
    EXPECT_THAT(info, HasSubstr(text));
  }
  EXPECT_THAT(Ask("info c.1"), HasSubstr("root of        main"));
  EXPECT_THAT(Ask("info main"), HasSubstr("embedded       fused"));
}

TEST_F(InteractiveTest, StackTracesGoOutwards) {
  const std::string trace = Ask("stacktrace b");
  EXPECT_THAT(trace, HasSubstr("frame          train.py:7 step"));
  EXPECT_LT(trace.find("train.py:7"), trace.find("train.py:40 main"));
}

TEST_F(InteractiveTest, ExtractWritesAModule) {
  EXPECT_EQ(Ask("extract b"), "/tmp/b-extracted.hlo\n");
  auto module = ParseModule(*memory_.ReadFile("/tmp/b-extracted.hlo"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->instruction_count(), 3);
  Ask("metadata off\nextract b 0 > b.hlo");
  module = ParseModule(*memory_.ReadFile("b.hlo"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->instruction_count(), 2);
  EXPECT_THAT(*memory_.ReadFile("b.hlo"), Not(HasSubstr("op_name")));
}

TEST_F(InteractiveTest, AnyCommandCanGoToAFile) {
  EXPECT_EQ(Ask("b > b.html\nlist computations > l.txt\ninfo b >i.txt\n"
                "main > m.hlo\nb 1 > near.hlo\n"),
            "");
  EXPECT_THAT(*memory_.ReadFile("b.html"), StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(*memory_.ReadFile("l.txt"), HasSubstr("main"));
  EXPECT_THAT(*memory_.ReadFile("i.txt"), HasSubstr("fusion"));
  EXPECT_THAT(*memory_.ReadFile("near.hlo"), StartsWith("HloModule m"));
}

TEST_F(InteractiveTest, QuitAndExitEnd) {
  EXPECT_EQ(Ask("quit\nlist c."), "");
  EXPECT_EQ(Ask("exit\nlist c."), "");
}

TEST_F(InteractiveTest, ABatchTellsEachFailureOnceAndItsPlace) {
  ASSERT_TRUE(
      memory_
          .WriteFile("c.txt", "# a comment\n\nb 0\nnosuch\nlist\nc.1 0\n")
          .ok());
  EXPECT_EQ(RunTool({"m.hlo", "--batch=c.txt"}), 3);
  EXPECT_THAT(out_.str(), HasSubstr("* b = fusion"));
  EXPECT_THAT(out_.str(), HasSubstr("* c.1 = multiply"));
  EXPECT_THAT(err_.str(), StartsWith("c.txt:4: no instruction"));
  EXPECT_THAT(err_.str(), HasSubstr("\nc.txt:5: usage: list"));
  const std::string err = err_.str();
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 2) << err;
  EXPECT_EQ(RunTool({"-", "--batch=c.txt"}, kModule), 3);
  EXPECT_EQ(RunTool({"m.hlo", "--batch=-"}, "b 0\n"), 0) << err_.str();
}

TEST_F(InteractiveTest, ExactlyOneInputIsTaken) {
  EXPECT_EQ(RunTool({}), 2);
  EXPECT_EQ(RunTool({"m.hlo", "--hlo_text=m.hlo"}), 2);
  EXPECT_EQ(RunTool({"-"}), 2);
}

TEST_F(InteractiveTest, APlatformRunsItsPasses) {
  EXPECT_EQ(RunTool({"m.hlo", "--platform=cpu"}, "list computations\n"), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("main"));
  EXPECT_EQ(err_.str(), "");
  // XLA's other platforms are known; the module stays as it is.
  for (const char* platform : {"CUDA", "gpu", "rocm", "tpu", "interpreter"}) {
    EXPECT_EQ(RunTool({"m.hlo", absl::StrCat("--platform=", platform)},
                      "b 0\n"),
              0);
    EXPECT_THAT(out_.str(), HasSubstr("* b = fusion"));
    EXPECT_THAT(err_.str(), HasSubstr("are not here"));
  }
  EXPECT_EQ(RunTool({"m.hlo", "--platform=cpuu"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean"));
}

TEST(GraphSessionTest, PagesOpenInTheBrowser) {
  const auto module = ParseModule(kModule);
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  ASSERT_TRUE(files.CreateDirectories("/t").ok());
  std::vector<std::string> opened;
  SessionOptions options;
  options.folder = "/t";
  options.browse = [&](const std::string& url) { opened.push_back(url); };
  GraphSession session(**module, options, io);
  ASSERT_TRUE(session.Execute("b").ok()) << err.str();
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(out.str(), opened[0] + "\n");
  EXPECT_THAT(opened[0], StartsWith("file:///t/interactive_graphviz."));
  EXPECT_THAT(*files.ReadFile(opened[0].substr(7)),
              StartsWith("<!DOCTYPE html>"));
}

TEST(GraphSessionTest, WordsAreCompleted) {
  const auto module = ParseModule(kModule);
  ToolIo io;
  GraphSession session(**module, {}, io);
  EXPECT_THAT(session.Completions("al", true), ElementsAre("allpaths"));
  EXPECT_THAT(session.Completions("b", true),
              ElementsAre("backend_config", "b"));
  EXPECT_THAT(session.Completions("%fus", false), ElementsAre("%fused"));
  EXPECT_THAT(session.Completions("o", false), Contains("op_name"));
}

}  // namespace
}  // namespace hlokit
