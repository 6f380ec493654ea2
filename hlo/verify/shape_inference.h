// The type an operation's result must have, from its operands and attributes.
//
// Specification: the operation semantics of XLA and StableHLO; one file a
// family. Errors say what was expected and what was found.
#ifndef HLOKIT_HLO_VERIFY_SHAPE_INFERENCE_H_
#define HLOKIT_HLO_VERIFY_SHAPE_INFERENCE_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"

namespace hlokit {

// What inference looks at: an instruction that need not exist yet.
struct InferenceInput {
  Opcode opcode;
  absl::Span<const Shape* const> operands;
  const AttributeSet* attrs = nullptr;
  absl::Span<Computation* const> called;
  int64_t number = 0;                  // tuple index of get-tuple-element
  const Shape* explicit_shape = nullptr;  // the declared type, if any
};

// For opcodes whose type follows from the input alone (opcodes.def's infer
// column says which may be left out in text). Layout: of the operand where the
// text format takes it from there, else descending. Unimplemented for opcodes
// that need their type declared (parameter, constant, custom-call, ...).
absl::StatusOr<Shape> InferShape(const InferenceInput& input);

// Inference for an existing instruction.
absl::StatusOr<Shape> InferShape(const Instruction& instruction);

// The output type of a window over `base` (convolution, reduce-window).
absl::StatusOr<Shape> InferWindowOutputShape(const Shape& base,
                                             const Window& window,
                                             PrimitiveType element_type);

}  // namespace hlokit

#endif  // HLOKIT_HLO_VERIFY_SHAPE_INFERENCE_H_
