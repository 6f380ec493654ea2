// A computation on scalars made ready to be called millions of times: the
// combiner of a reduce, the comparator of a sort, the function of a map.
//
//   HLOKIT_ASSIGN_OR_RETURN(auto add, ScalarFunction::Create(context, *to_apply));
//   ScalarValue args[2] = {...}, result;
//   HLOKIT_RETURN_IF_ERROR(add->Call(args, absl::MakeSpan(&result, 1)));
//
// When every instruction of the computation is an elementwise operation (or
// constant, tuple, convert, select, compare, call, fusion, ...) on scalars, it
// becomes a list of typed steps; else each call runs the interpreter.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SCALAR_FUNCTION_H_
#define HLOKIT_BACKENDS_INTERPRETER_SCALAR_FUNCTION_H_

#include <cstring>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"

namespace hlokit::interpreter {

// One element of any type, in the bytes that a Literal stores.
struct alignas(16) ScalarValue {
  char bytes[16] = {};
  template <typename T>
  T get() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  template <typename T>
  void set(T value) {
    std::memcpy(bytes, &value, sizeof(T));
  }
  // Element `linear` of an array literal.
  void Load(const char* data, int64_t element_bytes, int64_t linear) {
    std::memcpy(bytes, data + linear * element_bytes, element_bytes);
  }
  void Store(char* data, int64_t element_bytes, int64_t linear) const {
    std::memcpy(data + linear * element_bytes, bytes, element_bytes);
  }
};

class ScalarFunction {
 public:
  virtual ~ScalarFunction() = default;
  // All parameters must be scalars and the root a scalar or a tuple of scalars.
  static absl::StatusOr<std::unique_ptr<ScalarFunction>> Create(
      Context& context, const Computation& computation);
  // `arguments` by parameter number; `results` one, or one a tuple element.
  virtual absl::Status Call(absl::Span<const ScalarValue> arguments,
                            absl::Span<ScalarValue> results) = 0;
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SCALAR_FUNCTION_H_
