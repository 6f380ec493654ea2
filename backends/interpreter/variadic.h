// Folding of several arrays at once with any computation: the general case of
// reduce and reduce-window.
#ifndef HLOKIT_BACKENDS_INTERPRETER_VARIADIC_H_
#define HLOKIT_BACKENDS_INTERPRETER_VARIADIC_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/scalar_function.h"
#include "hlo/ir/literal.h"

namespace hlokit::interpreter {

// k arrays and k initial values with the element types of the combiner's
// parameters: accumulators first, then elements.
struct VariadicOperands {
  std::vector<Literal> elements;
  std::vector<Literal> inits;
};
absl::StatusOr<VariadicOperands> ConvertForReducer(
    const Computation& combiner, absl::Span<const Literal* const> operands);

// f(f(init, x0), x1) ... on k values at once.
class VariadicFold {
 public:
  // `elements` must outlive the fold.
  static absl::StatusOr<VariadicFold> Create(Context& context,
                                             const Computation& combiner,
                                             absl::Span<const Literal> elements);

  // One array for each result; `shape` is an array shape or a tuple of them.
  // Element types are the accumulators'.
  std::vector<Literal> MakeResults(const Shape& shape) const;
  void Start(absl::Span<const Literal> inits);
  // The elements at this row-major position join.
  absl::Status Add(int64_t linear);
  void Store(int64_t linear, std::vector<Literal>* results) const;
  // The results as a value of `shape`.
  absl::StatusOr<Literal> Finish(std::vector<Literal> results,
                                 const Shape& shape) const;

 private:
  struct Value {
    const char* data;
    int64_t bytes;        // of an element
    PrimitiveType type;   // of the accumulator
    int64_t accumulator_bytes;
  };
  VariadicFold() = default;

  std::unique_ptr<ScalarFunction> function_;
  absl::InlinedVector<Value, 4> values_;
  std::vector<ScalarValue> arguments_;  // accumulators, elements
  std::vector<ScalarValue> results_;
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_VARIADIC_H_
