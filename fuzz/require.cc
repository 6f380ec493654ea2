#include <cstdio>
#include <cstdlib>

#include "fuzz/target.h"

namespace hlokit::fuzz {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace hlokit::fuzz
