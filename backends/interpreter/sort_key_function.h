// Comparators of the form compare(f(a), f(b)), as JAX writes them for floats: f
// is computed once an element rather than twice a comparison.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SORT_KEY_FUNCTION_H_
#define HLOKIT_BACKENDS_INTERPRETER_SORT_KEY_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "backends/interpreter/combiner.h"
#include "hlo/ir/computation.h"

namespace hlokit::interpreter {

class SortKeyFunction {
 public:
  // Null unless the root compares f(parameter `first`) with f(parameter
  // `second`), in this order, f being elementwise.
  static std::unique_ptr<SortKeyFunction> Recognize(
      Context& context, const Computation& comparator, int64_t first,
      int64_t second, std::optional<Comparison>* comparison);
  ~SortKeyFunction();

  // f of `count` elements, one after another.
  absl::Status Run(PrimitiveType type, const char* elements, int64_t count,
                   std::vector<char>* keys);

 private:
  SortKeyFunction() = default;
  struct Step;
  std::vector<Step> steps_;
  std::vector<std::vector<char>> values_;  // of the steps
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SORT_KEY_FUNCTION_H_
