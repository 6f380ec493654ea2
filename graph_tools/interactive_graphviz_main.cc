#include "base/tool_main.h"
#include "graph_tools/interactive_graphviz.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("interactive_graphviz", argc, argv, hlokit::RunInteractiveGraphviz);
}
