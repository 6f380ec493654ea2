#include <string>
#include <vector>

#include "base/io.h"
#include "flags/hlo_flags.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return hlokit::RunHloFlags(arguments, hlokit::StandardIo());
}
