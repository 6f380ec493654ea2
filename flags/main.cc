#include "base/tool_main.h"
#include "flags/hlo_flags.h"

int main(int argc, char** argv) {
  return hlokit::ToolMain("hlo-flags", argc, argv, hlokit::RunHloFlags);
}
