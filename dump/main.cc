#include <string>
#include <vector>

#include "base/io.h"
#include "dump/hlo_dumps.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunHloDumps(arguments, hlokit::StandardIo());
}
