#include "base/tool_main.h"
#include "replay/run_hlo_module.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("run_hlo_module", argc, argv, hlokit::RunRunHloModule);
}
