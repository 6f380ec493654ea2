// One target under libFuzzer: compiled with -DHLOKIT_FUZZ_FUNCTION=FuzzText.
#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hlokit::fuzz::HLOKIT_FUZZ_FUNCTION(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
