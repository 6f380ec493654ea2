// The frame of kernels whose operation shape inference can check: they get
// operands that fit the instruction and whose elements are all live.
#ifndef HLOKIT_BACKENDS_INTERPRETER_LIVE_OPERANDS_H_
#define HLOKIT_BACKENDS_INTERPRETER_LIVE_OPERANDS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hlokit::interpreter {

// Computes a value of `shape` (the instruction's shape, or that of the live
// part of it). Attributes, operands and shape agree as shape inference wants
// it; element types may differ where it allows mixed precision.
using LiveKernel = absl::StatusOr<Literal> (*)(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands, const Shape& shape);

// Checks the instruction against its operands' values, cuts dead elements of
// dynamic dimensions off, runs `kernel`, and puts the result into the
// instruction's shape.
absl::StatusOr<Literal> EvalLive(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 LiveKernel kernel);

// `array` with elements of `type`; itself if it has them.
absl::StatusOr<Literal> WithElements(const Literal& array, PrimitiveType type);
// The same with result shape `shape`, which has the dimensions of `array`.
absl::StatusOr<Literal> AsShape(Literal array, const Shape& shape);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_LIVE_OPERANDS_H_
