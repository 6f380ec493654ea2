#include "passes/expand/linear_algebra.h"

namespace hlokit {

bool HasExpandableRows(const Instruction& i) {
  const Shape& matrix = i.operand(0)->shape();
  return matrix.dimension(matrix.rank() - 1) <= kMaxExpandedRows;
}

PrimitiveType WorkType(PrimitiveType type) {
  return BitWidth(type) < 32 ? kF32 : type;
}

Instruction* AsStack(Instruction* x, Emitter& e) {
  const Shape& shape = x->shape();
  const int64_t rank = shape.rank();
  int64_t batch = 1;
  for (int64_t d = 0; d < rank - 2; ++d) batch *= shape.dimension(d);
  return e.Convert(e.Reshape(x, {batch, shape.dimension(rank - 2),
                                 shape.dimension(rank - 1)}),
                   WorkType(shape.element_type()));
}

Instruction* FromStack(Instruction* stack, const Shape& shape, Emitter& e) {
  return e.Reshape(e.Convert(stack, shape.element_type()),
                   shape.dimensions());
}

Instruction* TriangleMask(const Instruction* stack,
                          ComparisonDirection direction, Emitter& e) {
  const std::vector<int64_t> dims = DimsOf(stack);
  return e.Compare(direction, e.Iota(kS32, dims, 1), e.Iota(kS32, dims, 2));
}

Instruction* Triangle(Instruction* stack, ComparisonDirection direction,
                      Emitter& e) {
  return e.Select(TriangleMask(stack, direction, e), stack,
                  e.Scalar(stack->shape().element_type(), 0));
}

Instruction* Identity(PrimitiveType type, int64_t batch, int64_t n,
                      Emitter& e) {
  const std::vector<int64_t> dims = {batch, n, n};
  return e.Convert(e.Compare(ComparisonDirection::kEq, e.Iota(kS32, dims, 1),
                             e.Iota(kS32, dims, 2)),
                   type);
}

Instruction* Diagonal(Instruction* stack, Emitter& e) {
  return e.Reduce(Triangle(stack, ComparisonDirection::kEq, e), 0, {2},
                  Opcode::kAdd);
}

}  // namespace hlokit
