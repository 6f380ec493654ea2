// CUB's radix sort and the solvers of cuBLAS and cuSOLVER that XLA:GPU calls in
// place of cholesky and triangular-solve.
#include "base/status.h"
#include "passes/library_calls/lowering.h"

namespace hlokit {

// (keys[, values]) -> the same, sorted along the last dimension. Equal keys
// keep their order; floats are in their total order.
void LowerRadixSort(Lowering& l, LibraryConfig& config) {
  const bool descending = config.Bool("descending");
  config.Ignore("batch_size");
  config.Ignore("operation_queue_id");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(1, 2);
  if (!l.ok()) return;
  Values arrays;
  for (int64_t i = 0; i < l.count(); ++i) arrays.push_back(l.operand(i));
  for (Instruction* sorted :
       l.Sort(arrays, arrays[0]->shape().rank() - 1, descending)) {
    l.AddResult(sorted);
  }
}

// a -> (factor, scratch, info), the matrix in its last two dimensions. The
// other triangle is not defined; info is 0.
void LowerCholesky(Lowering& l, LibraryConfig& config) {
  const bool lower = config.Bool("lower");
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(1, 1);
  AttributeSet attrs;
  if (lower) attrs.Set(AttrId::kLower, true);
  l.AddResult(l.Op(Opcode::kCholesky, {l.operand(0)}, std::move(attrs)));
  // Scratch may be of the matrix' type.
  for (int64_t i = 1; i < l.result_count(); ++i) {
    const Shape shape = l.ResultShape(i);
    if (!l.ok()) return;
    l.AddResult(l.emitter().Full(shape.element_type(), shape.dimensions(), 0));
  }
}

// (a, b) -> (x, scratch)
void LowerTriangularSolve(Lowering& l, LibraryConfig& config) {
  constexpr absl::string_view kTransposes[] = {
      "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  AttributeSet attrs;
  if (config.Bool("left_side")) attrs.Set(AttrId::kLeftSide, true);
  if (config.Bool("lower")) attrs.Set(AttrId::kLower, true);
  if (config.Bool("unit_diagonal")) attrs.Set(AttrId::kUnitDiagonal, true);
  const int64_t transpose = config.Enum("transpose_a", kTransposes);
  attrs.Set(AttrId::kTransposeA, transpose == 0 ? int64_t{1} : transpose);
  l.Fail(config.status());
  l.Fail(config.CheckAllKnown());
  l.TakesArrays(2, 2);
  l.AddResult(l.Op(Opcode::kTriangularSolve, {l.operand(0), l.operand(1)},
                   std::move(attrs)));
}

}  // namespace hlokit
