#include "base/tool_main.h"
#include "dump/hlo_dumps.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("hlo-dumps", argc, argv, hlokit::RunHloDumps);
}
