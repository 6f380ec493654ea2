#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph_render/graph.h"
#include "graph_render/node_label.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Text(const LabelLine& line) {
  return absl::StrCat(line.before, line.bold.empty() ? "" : "*", line.bold,
                      line.bold.empty() ? "" : "*", line.plain);
}

std::vector<std::string> Lines(const Label& label) {
  std::vector<std::string> lines;
  for (const LabelLine& line : label) lines.push_back(Text(line));
  return lines;
}

const GraphNode* NodeOf(const Graph& graph, const std::string& name) {
  for (const GraphNode& node : graph.nodes) {
    if (node.instruction != nullptr && node.instruction->name() == name) {
      return &node;
    }
  }
  return nullptr;
}

std::string EdgeText(const Graph& graph, const GraphEdge& edge) {
  auto name = [&](int n) {
    const Instruction* i = graph.nodes[n].instruction;
    return i == nullptr ? std::string("ROOT") : std::string(i->name());
  };
  return absl::StrCat(name(edge.from), ">", name(edge.to),
                      edge.kind == GraphEdge::kControl  ? " control"
                      : edge.kind == GraphEdge::kCalled ? " called"
                                                        : "",
                      edge.operand >= 0 ? absl::StrCat(" ", edge.operand) : "",
                      edge.large ? " large" : "");
}

std::vector<std::string> Edges(const Graph& graph) {
  std::vector<std::string> edges;
  for (const GraphEdge& edge : graph.edges) {
    edges.push_back(EdgeText(graph, edge));
  }
  return edges;
}

class GraphBuilderTest : public ::testing::Test {
 protected:
  Graph Build(const GraphOptions& options = {}) {
    return BuildGraph(NodeFilter(module_->entry()), options);
  }
  std::unique_ptr<Module> module_ = MustParse(kSampleModule);
};

// The edges that XLA draws for the same module.
TEST_F(GraphBuilderTest, EdgesGoThroughFusionsAndTupleElements) {
  EXPECT_THAT(
      Edges(Build()),
      ::testing::UnorderedElementsAre(
          "a>p0 large", "bb>p1 large", "p0>mm 0 large", "mm>aa 0 large",
          "p1>aa 1 large", "i0>init 0", "aa>init 1 large", "r>w called",
          "t>i2 0", "t>v2 0 large", "t>v2 1 large", "i2>r 0", "v2>r 1 large",
          "lt>w called", "tc>lt 0", "init>w large", "w>red 0 large",
          "aa>red control large", "w>cc large", "cc>out 0 large", "red>out 1",
          "out>ROOT"));
}

TEST_F(GraphBuilderTest, LabelsSayWhatXlaSays) {
  const Graph graph = Build();
  EXPECT_THAT(Lines(NodeOf(graph, "a")->label),
              ElementsAre("*Parameter 0*", "sharding={replicated}",
                          "f32[64,64]{1,0}"));
  EXPECT_THAT(Lines(NodeOf(graph, "mm")->label),
              ElementsAre("*mm*", "multiply", "f32[64,64]{1,0}",
                          "*operand 1* = f32[64,64] 2"));
  EXPECT_THAT(
      Lines(NodeOf(graph, "red")->label),
      ElementsAre("*red*", "reduce", "Subcomputation: *add*",
                  "dimensions={0,1}", "control-predecessors={%f}", "f32[]",
                  "*operand 0* = tuple-element 1 of w f32[64,64]{1,0}",
                  "*operand 1* = f32[] 0"));
  EXPECT_THAT(Lines(NodeOf(graph, "i2")->label),
              ElementsAre("*i2*", "add", "s32[]",
                          "*operand 0* = tuple-element 0 of t s32[]",
                          "*operand 1* = s32[] 1"));
  EXPECT_THAT(Lines(NodeOf(graph, "v2")->label),
              ElementsAre("*v2*", "dot",
                          "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                          "f32[64,64]{1,0}",
                          "*operand 0* = tuple-element 1 of t f32[64,64]{1,0}",
                          "*operand 1* = tuple-element 1 of t f32[64,64]{1,0}"));
  EXPECT_THAT(Lines(NodeOf(graph, "t")->label),
              ElementsAre("*Parameter 0*", "from init in the ENTRY computation",
                          "(s32[], f32[64,64]{1,0})"));
  EXPECT_THAT(Lines(NodeOf(graph, "init")->label),
              ElementsAre("*init*", "tuple", "(s32[], f32[64,64])"));
  EXPECT_EQ(NodeOf(graph, "b"), nullptr);
  EXPECT_EQ(NodeOf(graph, "f"), nullptr);  // a frame
  EXPECT_EQ(NodeOf(graph, "w")->form, NodeForm::kEllipse);
  EXPECT_EQ(NodeOf(graph, "w")->fill, Fill::kDarkGreen);
  EXPECT_EQ(NodeOf(graph, "v2")->fill, Fill::kDarkBlue);
  EXPECT_EQ(NodeOf(graph, "i0")->fill, Fill::kOrange);
  EXPECT_EQ(NodeOf(graph, "a")->fill, Fill::kDarkOrange);
}

TEST_F(GraphBuilderTest, FramesTellWhatTheyAre) {
  const Graph graph = Build();
  ASSERT_EQ(graph.clusters.size(), 3u);
  EXPECT_THAT(Lines(graph.clusters[0].label),
              ElementsAre("Fused expression for *f*", "loop fusion",
                          "kind=kLoop"));
  EXPECT_THAT(Lines(graph.clusters[1].label),
              ElementsAre("Subcomputation for *w*", "body"));
  EXPECT_THAT(Lines(graph.title),
              ElementsAre("*Computation main*", "*ENTRY computation*"));
}

TEST_F(GraphBuilderTest, ClosedFusionsAreNodes) {
  GraphOptions options;
  options.fusion_subcomputations = false;
  options.while_subcomputations = false;
  const Graph graph = Build(options);
  EXPECT_THAT(graph.clusters, IsEmpty());
  EXPECT_THAT(Lines(NodeOf(graph, "f")->label), Contains("calls=fused"));
  EXPECT_THAT(Edges(graph), Contains("a>f 0 large"));
  EXPECT_EQ(NodeOf(graph, "f")->tooltip, "jit(f)/layer/add\nsource: x.py:3");
}

TEST_F(GraphBuilderTest, OptionsAddLines) {
  GraphOptions options;
  options.inline_constants = false;
  options.operand_names = true;
  options.metadata = true;
  options.fusion_subcomputations = false;
  options.marks[Named(*module_, "cc")] = {"#123456", "3 ms"};
  const Graph graph = Build(options);
  EXPECT_THAT(Lines(NodeOf(graph, "z")->label),
              ElementsAre("*z*", "constant", "f32[] 0", "f32[]"));
  EXPECT_THAT(Lines(NodeOf(graph, "f")->label),
              Contains("jit(f)/layer/add"));
  EXPECT_THAT(Lines(NodeOf(graph, "out")->label),
              Contains("*operand 1* = red"));
  EXPECT_EQ(NodeOf(graph, "cc")->fill_color, "#123456");
  EXPECT_EQ(Lines(NodeOf(graph, "cc")->label).back(), "3 ms");
}

TEST_F(GraphBuilderTest, AConstantThatIsTheCentreIsANode) {
  const Graph graph = BuildGraph(Neighbourhood(*Named(*module_, "z"), 1));
  ASSERT_NE(NodeOf(graph, "z"), nullptr);
  EXPECT_TRUE(NodeOf(graph, "z")->highlighted);
  // Users of constants are not followed.
  EXPECT_EQ(NodeOf(graph, "red"), nullptr);
}

TEST_F(GraphBuilderTest, TupleParametersOfManyElementsAreSpread) {
  const auto module = MustParse(R"(
HloModule m
ENTRY main {
  p = (f32[], f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1
  z = f32[] get-tuple-element(p), index=2
  s = f32[] add(x, y)
  ROOT t = f32[] add(s, z)
})");
  const Graph graph = BuildGraph(NodeFilter(module->entry()));
  EXPECT_EQ(NodeOf(graph, "p"), nullptr);
  EXPECT_THAT(Lines(NodeOf(graph, "s")->label),
              Contains("*operand 0* = tuple-element 0 of p f32[]"));
  EXPECT_EQ(NodeOf(graph, "s")->fill, Fill::kOrange);
}

TEST_F(GraphBuilderTest, ShardingsGetColoursInTurn) {
  const auto module = MustParse(R"(
HloModule m
ENTRY main {
  a = f32[2] parameter(0), sharding={replicated}
  b = f32[2] parameter(1), sharding={devices=[2]0,1}
  c = f32[2] add(a, b), sharding={replicated}
  ROOT d = f32[2] negate(c)
})");
  GraphOptions options;
  options.sharding_color = true;
  const Graph graph = BuildGraph(NodeFilter(module->entry()), options);
  EXPECT_EQ(NodeOf(graph, "a")->fill, NodeOf(graph, "c")->fill);
  EXPECT_NE(NodeOf(graph, "a")->fill, NodeOf(graph, "b")->fill);
  EXPECT_EQ(NodeOf(graph, "d")->fill, Fill::kWhite);
}

TEST_F(GraphBuilderTest, SideBySideColoursWhatDiffers) {
  const auto before = MustParse(kBeforeStep);
  const auto after = MustParse(kAfterStep);
  const Graph graph = BuildSideBySide(NodeFilter(before->entry()),
                                      NodeFilter(after->entry()));
  EXPECT_EQ(NodeOf(graph, "gone")->fill, Fill::kRed);
  EXPECT_EQ(NodeOf(graph, "fresh")->fill, Fill::kFresh);
  EXPECT_EQ(NodeOf(graph, "c")->fill, Fill::kAmber);
  EXPECT_EQ(NodeOf(graph, "a")->fill, Fill::kWhite);
  EXPECT_EQ(graph.clusters.size(), 2u);
}

TEST_F(GraphBuilderTest, DeepNestsStayClosedFromTheLimitOn) {
  std::string text = "HloModule m\n%c0 {\n  ROOT p0 = f32[] parameter(0)\n}\n";
  for (int i = 1; i < 100; ++i) {
    absl::StrAppend(&text, "%c", i, " {\n  p", i,
                    " = f32[] parameter(0)\n  ROOT k", i, " = f32[] call(p", i,
                    "), to_apply=%c", i - 1, "\n}\n");
  }
  text += "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT k = f32[] call(p), "
          "to_apply=%c99\n}";
  const auto module = MustParse(text);
  GraphOptions options;
  options.max_nesting = 10;
  EXPECT_EQ(BuildGraph(NodeFilter(module->entry()), options).clusters.size(),
            10u);
}

TEST_F(GraphBuilderTest, FramesBeyondTheLimitStayClosed) {
  GraphOptions options;
  options.max_clusters = 1;
  const Graph graph = Build(options);
  EXPECT_EQ(graph.clusters.size(), 1u);
  EXPECT_EQ(Lines(graph.title).back(), "2 more computations are not drawn");
  EXPECT_THAT(Edges(graph), Contains("init>w large"));
}

TEST(NodeLabelTest, TrivialReducersHaveNames) {
  const auto module = MustParse(kSampleModule);
  EXPECT_EQ(TrivialReducer(*module->FindComputation("addc")), "add");
  EXPECT_EQ(TrivialReducer(*module->FindComputation("cond")), "");
}

TEST(NodeLabelTest, LongShapesAreCut) {
  std::vector<Shape> parts(30, Shape::Scalar(kF32));
  EXPECT_EQ(ShapeLabel(Shape::Tuple(parts)).size(), 64u + 3);
  EXPECT_EQ(ShapeLabel(Shape::Tuple(std::vector<Shape>(
                70000, Shape::Scalar(kF32)))),
            "(70000 elements)");
  EXPECT_EQ(ShapeLabel(Shape::ArrayWithDescendingLayout(kF32, {7})), "f32[7]");
}

}  // namespace
}  // namespace hlokit
