#include "base/tool_main.h"
#include "graph_tools/hlo_graph.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("hlo-graph", argc, argv, hlokit::RunHloGraph);
}
