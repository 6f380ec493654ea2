// Operations on elements, made ready for their types: what the elementwise
// kernels and scalar functions have in common.
//
// Small floats are computed in float and rounded once an operation; the loops
// exist for pred, all integers, f32, f64, c64 and c128 only.
#ifndef HLOKIT_BACKENDS_INTERPRETER_ELEMENTWISE_H_
#define HLOKIT_BACKENDS_INTERPRETER_ELEMENTWISE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// `count` elements of each input (contiguous, as a Literal stores them) to as
// many of the output, which may be one of the inputs.
struct ElementFunction {
  using Loop = void (*)(const char* const* inputs, char* output,
                        int64_t count);
  Loop loop = nullptr;  // null: the operation is not defined on the type
  int arity = 1;
  bool takes_pred = false;  // input 0 is pred, whatever the type
  PrimitiveType result_type = kInvalid;
  // The small float types that inputs are decoded from and the output is
  // encoded to; kInvalid for types that `loop` takes as they are.
  PrimitiveType decode = kInvalid;
  PrimitiveType encode = kInvalid;

  explicit operator bool() const { return loop != nullptr; }
  void operator()(const char* const* inputs, char* output,
                  int64_t count) const {
    if (decode == kInvalid) return loop(inputs, output, count);
    RunDecoded(inputs, output, count);
  }

 private:
  void RunDecoded(const char* const* inputs, char* output,
                  int64_t count) const;
};

// By opcode and element type of the operands (of `clamp` all three, of `select`
// the last two).
ElementFunction UnaryFunction(Opcode opcode, PrimitiveType type);
ElementFunction BinaryFunction(Opcode opcode, PrimitiveType type);
ElementFunction CompareFunction(ComparisonDirection direction,
                                ComparisonType comparison, PrimitiveType type);
ElementFunction ClampFunction(PrimitiveType type);
ElementFunction SelectFunction(PrimitiveType type);

// Applies HLO's convert to `count` elements; the buffers do not overlap. The
// thread's mode decides about denormals between f64 and types with f32's range;
// between other floating-point types they are kept (docs/numerics.md).
void ConvertElements(PrimitiveType from, const char* source, PrimitiveType to,
                     char* target, int64_t count);
// The same with a literal of `shape`, which has the operand's dimensions.
absl::StatusOr<Literal> ConvertTo(const Literal& operand, const Shape& shape);

// The loop of a small float's compute type for `type`: kF32 for small floats,
// else the type itself.
PrimitiveType LoopType(PrimitiveType type);
// A function whose loop was found for LoopType(type).
ElementFunction MakeElementFunction(ElementFunction::Loop loop, int arity,
                                    PrimitiveType type,
                                    PrimitiveType result_type);

// Applies `function` to operands of the instruction's dimensions. Operands of
// another element type than `type` are converted first, and so is the result if
// the instruction wants another type.
absl::StatusOr<Literal> MapElements(const ElementFunction& function,
                                    PrimitiveType type,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands);

// The element type that an operation on these operands is computed in.
PrimitiveType CommonType(absl::Span<const Literal* const> operands);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_ELEMENTWISE_H_
