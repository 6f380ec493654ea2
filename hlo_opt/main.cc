#include "base/tool_main.h"
#include "hlo_opt/hlo_opt.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("hlo-opt", argc, argv, hlokit::RunHloOpt);
}
