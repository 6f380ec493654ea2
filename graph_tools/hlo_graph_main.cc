#include <string>
#include <vector>

#include "base/io.h"
#include "graph_tools/hlo_graph.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunHloGraph(arguments, hlokit::StandardIo());
}
