// For tests: a module without parameters, run.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_TEST_UTIL_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_TEST_UTIL_H_

#include <memory>
#include <string>

#include "backends/backend.h"
#include "hlo/parse/parser.h"

namespace hlokit::custom_call {

// The result as text without type, or the error.
inline std::string ResultOf(const std::string& backend,
                            const std::string& text, int times = 1) {
  auto module = ParseModule(text);
  if (!module.ok()) return module.status().ToString();
  const auto found = BackendByName(backend);
  if (!found.ok()) return found.status().ToString();
  auto executable = (*found)->Compile(*std::move(module), {});
  if (!executable.ok()) return executable.status().ToString();
  std::string last;
  for (int k = 0; k < times; ++k) {
    const auto result = (*executable)->Execute({}, {});
    last = result.ok() ? result->value.ToString() : result.status().ToString();
  }
  return last;
}

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_TEST_UTIL_H_
