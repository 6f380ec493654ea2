#include <string>
#include <vector>

#include "base/io.h"
#include "graph_tools/interactive_graphviz.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunInteractiveGraphviz(arguments, hlokit::StandardIo());
}
