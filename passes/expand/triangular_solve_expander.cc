#include "passes/expand/triangular_solve_expander.h"

#include <algorithm>
#include <limits>

#include "passes/expand/linear_algebra.h"

namespace hlokit {
namespace {

constexpr int64_t kSolveBlock = 64;

// The inverses of a stack of lower triangular matrices, row by row:
// row i is (row i of the identity - l[i, :i] times the rows above) / l[i, i].
Instruction* InvertLower(Instruction* l, Emitter& e) {
  const PrimitiveType type = l->shape().element_type();
  const int64_t batch = l->shape().dimension(0), n = l->shape().dimension(1);
  constexpr auto kEq = ComparisonDirection::kEq;
  // A zero pivot makes its row NaN.
  Instruction* zero_pivot =
      e.Compare(kEq, Diagonal(l, e), e.Scalar(type, 0));
  Instruction* pivots = e.Select(
      zero_pivot, e.Scalar(type, std::numeric_limits<double>::quiet_NaN()),
      Diagonal(l, e));
  Instruction* below = Triangle(l, ComparisonDirection::kGt, e);
  Instruction* identity = Identity(type, batch, n, e);
  return e.For("invert_triangle", n,
               {below, e.Reshape(pivots, {batch, n, 1}), identity},
               [&](Emitter& b, Instruction* i, const Values& s) -> Values {
                 Instruction* factors = b.DynamicSliceAlong(s[0], 1, i, 1);
                 Instruction* pivot = b.Reshape(
                     b.DynamicSliceAlong(s[1], 1, i, 1), {batch});
                 Instruction* row = b.DynamicSliceAlong(s[2], 1, i, 1);
                 // Rows from i on are still those of the identity; their
                 // factors are zero.
                 row = b.Subtract(row, b.MatMul(factors, s[2]));
                 row = b.Divide(row, b.Broadcast(pivot, {0}, {batch, 1, n}));
                 return {s[0], s[1], b.DynamicUpdateAlong(s[2], row, 1, i)};
               })[2];
}

// l x = b for stacks; l lower with its whole diagonal.
Instruction* SolveLower(Instruction* l, Instruction* b, Emitter& e) {
  const PrimitiveType type = l->shape().element_type();
  const int64_t batch = l->shape().dimension(0), n = l->shape().dimension(1);
  const int64_t size = std::min(n, kSolveBlock);
  const int64_t blocks = (n + size - 1) / size;
  const int64_t padding = blocks * size - n;
  // Further unknowns, each equal to 0.
  if (padding > 0) {
    Instruction* zero = e.Scalar(type, 0);
    l = e.PadHigh(l, zero, {0, padding, padding});
    b = e.PadHigh(b, zero, {0, padding, 0});
    const std::vector<int64_t> dims = DimsOf(l);
    Instruction* row = e.Iota(kS32, dims, 1);
    Instruction* added = e.And(
        e.Compare(ComparisonDirection::kGe, row, e.ScalarInt(kS32, n)),
        TriangleMask(l, ComparisonDirection::kEq, e));
    l = e.Select(added, e.Scalar(type, 1), l);
  }
  Values diagonal, solved;
  for (int64_t k = 0; k < blocks; ++k) {
    Instruction* rows = e.SliceInDim(l, 1, k * size, (k + 1) * size);
    diagonal.push_back(e.SliceInDim(rows, 2, k * size, (k + 1) * size));
  }
  Instruction* inverses = InvertLower(e.Concatenate(diagonal, 0), e);
  for (int64_t k = 0; k < blocks; ++k) {
    Instruction* right = e.SliceInDim(b, 1, k * size, (k + 1) * size);
    if (k > 0) {
      Instruction* rows = e.SliceInDim(l, 1, k * size, (k + 1) * size);
      right = e.Subtract(right, e.MatMul(e.SliceInDim(rows, 2, 0, k * size),
                                         e.Concatenate(solved, 1)));
    }
    solved.push_back(e.MatMul(
        e.SliceInDim(inverses, 0, k * batch, (k + 1) * batch), right));
  }
  return e.SliceInDim(e.Concatenate(solved, 1), 1, 0, n);
}

}  // namespace

bool TriangularSolveExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kTriangularSolve && IsStatic(i) &&
         HasExpandableRows(i);
}

absl::StatusOr<Instruction*> TriangularSolveExpander::Expand(Instruction* i,
                                                             Emitter& e) {
  const AttributeSet& attrs = i->attrs();
  const bool left = attrs.GetBool(AttrId::kLeftSide);
  bool lower = attrs.GetBool(AttrId::kLower);
  const auto transpose = static_cast<TransposeA>(
      attrs.GetInt(AttrId::kTransposeA,
                   static_cast<int64_t>(TransposeA::kNoTranspose)));
  if (ElementsIn(i->shape()) == 0) return i->operand(1);
  Instruction* a = AsStack(i->operand(0), e);
  Instruction* b = AsStack(i->operand(1), e);
  const PrimitiveType type = a->shape().element_type();
  a = Triangle(a, lower ? ComparisonDirection::kGe : ComparisonDirection::kLe,
               e);
  if (attrs.GetBool(AttrId::kUnitDiagonal)) {
    a = e.Select(TriangleMask(a, ComparisonDirection::kEq, e),
                 e.Scalar(type, 1), a);
  }
  if (transpose == TransposeA::kAdjoint) a = e.Conjugate(a);
  bool turned = transpose == TransposeA::kTranspose ||
                transpose == TransposeA::kAdjoint;
  // x op(a) = b is op(a)^T x^T = b^T.
  if (!left) {
    turned = !turned;
    b = e.TransposeMatrix(b);
  }
  if (turned) {
    a = e.TransposeMatrix(a);
    lower = !lower;
  }
  if (!lower) {
    a = e.Reverse(a, {1, 2});
    b = e.Reverse(b, {1});
  }
  Instruction* x = SolveLower(a, b, e);
  if (!lower) x = e.Reverse(x, {1});
  if (!left) x = e.TransposeMatrix(x);
  return FromStack(x, i->shape(), e);
}

}  // namespace hlokit
