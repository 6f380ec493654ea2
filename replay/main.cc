#include <string>
#include <vector>

#include "base/io.h"
#include "replay/run_hlo_module.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunRunHloModule(arguments, hlokit::StandardIo());
}
