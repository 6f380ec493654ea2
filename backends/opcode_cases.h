// What every opcode computes, written down by hand: small programs with their
// results, one or more an opcode, for every kind of element type. Tests hold
// each backend against them.
#ifndef HLOKIT_BACKENDS_OPCODE_CASES_H_
#define HLOKIT_BACKENDS_OPCODE_CASES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit {

struct OpcodeCase {
  Opcode opcode;
  // Element types that it holds for, separated by spaces: names ("f32"), or the
  // letters of kinds: p (pred), s and u (integers), f (floats), c (complex), and
  // t (no element type: the case runs once).
  absl::string_view types;
  // Shapes of the parameters, one after another; they are named a, b, c, ...
  // Here and in `body` $T stands for the element type, $R for that of a real
  // part, $0 and $1 for its zero and one as a constant.
  absl::string_view parameters;
  // Either what follows "ROOT r =", or several lines, the last with ROOT. The
  // computations of kRegions may be called by their names.
  absl::string_view body;
  // Elements of the parameters in row-major order. For pred everything but zero
  // is true, also in `expected`.
  std::vector<std::vector<double>> arguments;
  // Elements of the result's leaves, one leaf after another; of complex numbers
  // the real parts, the imaginary parts are zero.
  std::vector<double> expected;
};

// Every opcode has cases. An opcode is defined on the kinds that one of its
// cases names, and on no others.
absl::Span<const OpcodeCase> OpcodeCases();

// Types of a kind's letter, narrow ones included. Empty for t.
std::vector<PrimitiveType> TypesOfKind(char kind);
inline constexpr absl::string_view kElementKinds = "psufc";

// The element types that `types` names; one kInvalid for "t".
std::vector<PrimitiveType> CaseTypes(const OpcodeCase& c);
// The program for one element type, and its arguments.
std::string CaseText(const OpcodeCase& c, PrimitiveType type);

// Runs the case on `backend` and compares: exact for integers and pred, within
// the precision of the type for floats. Values that infeed and recv take are
// the arguments. FailedPrecondition for another result; other errors are those
// of parser and backend.
absl::Status RunCase(const OpcodeCase& c, PrimitiveType type,
                     Backend& backend);

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_OPCODE_CASES_H_
