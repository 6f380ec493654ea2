// Every module of the optional corpora as dot, read back by Graphviz.
#include <graphviz/cgraph.h>

#include "graph_render/dot_writer.h"
#include "graph_render/graph.h"
#include "graph_render/test_modules.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

int CountEdges(Agraph_t* graph) {
  int edges = 0;
  for (Agnode_t* n = agfstnode(graph); n != nullptr; n = agnxtnode(graph, n)) {
    for (Agedge_t* e = agfstout(graph, n); e != nullptr;
         e = agnxtout(graph, e)) {
      ++edges;
    }
  }
  return edges;
}

// Graphviz takes long for graphs of this size; a few are enough.
constexpr size_t kLarge = 2500;
constexpr int kLargeOnes = 3;

TEST(DotCorpusTest, GraphvizReadsEveryModuleWithAllNodesAndEdges) {
  int64_t nodes = 0;
  int large = 0;
  const int modules = ForEachCorpusModule([&](const std::string& file,
                                              const Module& module) {
    const Graph graph = BuildGraph(NodeFilter(module.entry()));
    if (graph.nodes.size() > kLarge && ++large > kLargeOnes) return;
    const auto dot = DotText(graph);
    ASSERT_TRUE(dot.ok()) << file << ": " << dot.status();
    agseterr(AGMAX);  // warnings count
    agreseterrors();
    Agraph_t* read = agmemread(dot->c_str());
    ASSERT_NE(read, nullptr) << file;
    EXPECT_EQ(agerrors(), 0) << file << ": " << aglasterr();
    EXPECT_EQ(agnnodes(read), static_cast<int>(graph.nodes.size())) << file;
    EXPECT_EQ(CountEdges(read), static_cast<int>(graph.edges.size())) << file;
    agclose(read);
    nodes += graph.nodes.size();
  });
  if (modules == 0) GTEST_SKIP() << "no corpora";
  RecordProperty("modules", modules);
  RecordProperty("nodes", static_cast<int>(nodes));
  EXPECT_GT(nodes, 10 * modules);
}

}  // namespace
}  // namespace hlokit
