// Pieces of the dense linear algebra expanders. Matrices come in stacks:
// [batch, rows, columns].
#ifndef HLOKIT_PASSES_EXPAND_LINEAR_ALGEBRA_H_
#define HLOKIT_PASSES_EXPAND_LINEAR_ALGEBRA_H_

#include "passes/expand/emitter.h"

namespace hlokit {

// The most rows of a matrix that the expanders take apart. Each block of rows
// refers to all blocks above it, so the module grows with the square of their
// number; larger matrices keep their instruction, for which both backends have
// a kernel.
inline constexpr int64_t kMaxExpandedRows = 16384;
// Whether the last dimension of operand 0 is within that limit.
bool HasExpandableRows(const Instruction& i);

// f32 for narrower floats, other types themselves.
PrimitiveType WorkType(PrimitiveType type);
// x[..., rows, columns] as one stack of the type to compute in, and back.
Instruction* AsStack(Instruction* x, Emitter& e);
Instruction* FromStack(Instruction* stack, const Shape& shape, Emitter& e);

// pred[rows, columns] spread over a stack: row - column `direction` 0.
Instruction* TriangleMask(const Instruction* stack,
                          ComparisonDirection direction, Emitter& e);
// The elements where TriangleMask is true, zero elsewhere.
Instruction* Triangle(Instruction* stack, ComparisonDirection direction,
                      Emitter& e);
// [batch, n, n] of ones on the diagonal.
Instruction* Identity(PrimitiveType type, int64_t batch, int64_t n,
                      Emitter& e);
// [batch, n, n] -> [batch, n]
Instruction* Diagonal(Instruction* stack, Emitter& e);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_LINEAR_ALGEBRA_H_
