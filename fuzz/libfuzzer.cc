// One target under libFuzzer: compiled with -DHLOKIT_FUZZ_FUNCTION=FuzzText.
// With -DHLOKIT_FUZZ_MODULES inputs are mutated as modules, now and then as
// bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "fuzz/module_mutator.h"
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hlokit::fuzz::HLOKIT_FUZZ_FUNCTION(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

#ifdef HLOKIT_FUZZ_MODULES
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = hlokit::fuzz::MutateModule(
      absl::string_view(reinterpret_cast<const char*>(data), size), seed);
  if (text.size() > max_size) return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
#endif
