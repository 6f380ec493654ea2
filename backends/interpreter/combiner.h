// Recognises computations on two scalars that have a loop of their own: the sum
// of a reduce, the overwriting of a scatter, the comparison of a sort.
#ifndef HLOKIT_BACKENDS_INTERPRETER_COMBINER_H_
#define HLOKIT_BACKENDS_INTERPRETER_COMBINER_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/scalar_function.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// A computation of two scalars of one type to a scalar of that type.
struct Combiner {
  enum Kind {
    kGeneral,  // anything else
    kFirst,    // the first parameter
    kSecond,   // the second one: overwrite
    kBinary,   // `opcode` of both; add, multiply, maximum, minimum, and, or, xor
  };
  Kind kind = kGeneral;
  Opcode opcode = Opcode::kAdd;
  PrimitiveType type = kInvalid;  // unless general
};
Combiner RecognizeCombiner(const Computation& computation);

// root = compare(first parameter, second parameter) of equal types, or the
// other way round.
struct Comparison {
  ComparisonDirection direction;
  ComparisonType type;
  PrimitiveType element;
};
std::optional<Comparison> RecognizeComparison(const Computation& computation,
                                              int64_t first, int64_t second);

// Makes the function of `computation`, which must take scalars of `parameters`
// and give `results` (as one scalar, or a tuple of several).
absl::StatusOr<std::unique_ptr<ScalarFunction>> MakeScalarFunction(
    Context& context, const Computation& computation,
    absl::Span<const PrimitiveType> parameters,
    absl::Span<const PrimitiveType> results);

// Element types of the parameters, and of the root or of its parts. Parts that
// are no arrays are kInvalid or another type that holds no data.
absl::InlinedVector<PrimitiveType, 4> ParameterTypes(
    const Computation& computation);
absl::InlinedVector<PrimitiveType, 4> ResultTypes(
    const Computation& computation);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_COMBINER_H_
