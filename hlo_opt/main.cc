#include <string>
#include <vector>

#include "base/io.h"
#include "hlo_opt/hlo_opt.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunHloOpt(arguments, hlokit::StandardIo());
}
