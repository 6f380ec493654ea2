#include "passes/expand/cholesky_expander.h"

#include <algorithm>
#include <limits>

#include "passes/expand/linear_algebra.h"

namespace hlokit {
namespace {

constexpr int64_t kBlock = 64;
constexpr auto kGe = ComparisonDirection::kGe;
constexpr auto kEq = ComparisonDirection::kEq;

// A stack of small matrices, column by column: column j of a - l l^H, from the
// diagonal on, over the root of its first element.
Instruction* DecomposeBlock(Instruction* a, Emitter& e) {
  const PrimitiveType type = a->shape().element_type();
  const int64_t batch = a->shape().dimension(0), n = a->shape().dimension(1);
  const std::vector<int64_t> column_dims = {batch, n, 1};
  return e.For(
      "cholesky", n, {a, e.Full(type, {batch, n, n}, 0)},
      [&](Emitter& b, Instruction* j, const Values& s) -> Values {
        Instruction* row = b.DynamicSliceAlong(s[1], 1, j, 1);
        Instruction* column =
            b.Subtract(b.DynamicSliceAlong(s[0], 2, j, 1),
                       b.MatMul(s[1], b.Adjoint(row)));
        Instruction* square = b.RealPart(b.DynamicSliceAlong(column, 1, j, 1));
        Instruction* root = b.Convert(b.Unary(Opcode::kSqrt, square), type);
        Instruction* spread = b.Broadcast(b.Reshape(root, {batch}), {0},
                                          column_dims);
        Instruction* place = b.Iota(kS32, column_dims, 1);
        Instruction* below =
            b.Select(b.Compare(ComparisonDirection::kGt, place, j),
                     b.Divide(column, spread), b.Scalar(type, 0));
        Instruction* made =
            b.Select(b.Compare(kEq, place, j), spread, below);
        return {s[0], b.DynamicUpdateAlong(s[1], made, 2, j)};
      })[1];
}

// x l^H = b.
Instruction* SolveRight(Instruction* l, Instruction* b, Emitter& e) {
  AttributeSet attrs;
  attrs.Set(AttrId::kLower, true);
  attrs.Set(AttrId::kTransposeA, static_cast<int64_t>(TransposeA::kAdjoint));
  return e.Op(Opcode::kTriangularSolve, {l, b}, std::move(attrs));
}

Instruction* DecomposeLower(Instruction* a, Emitter& e) {
  const PrimitiveType type = a->shape().element_type();
  const int64_t n = a->shape().dimension(1);
  Values panels;
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t size = std::min(kBlock, n - k);
    Instruction* panel =
        e.SliceInDim(e.SliceInDim(a, 2, k, k + size), 1, k, n);
    if (k > 0) {
      Instruction* left =
          e.SliceInDim(e.Concatenate(panels, 2), 1, k, n);
      panel = e.Subtract(
          panel, e.MatMul(left, e.Adjoint(e.SliceInDim(left, 1, 0, size))));
    }
    Instruction* block = DecomposeBlock(e.SliceInDim(panel, 1, 0, size), e);
    Values parts = {block};
    if (k + size < n) {
      parts.push_back(
          SolveRight(block, e.SliceInDim(panel, 1, size, n - k), e));
    }
    PaddingConfig above;
    above.dimensions = {{0, 0, 0}, {k, 0, 0}, {0, 0, 0}};
    panels.push_back(e.Pad(e.Concatenate(parts, 1), e.Scalar(type, 0), above));
  }
  return e.Concatenate(panels, 2);
}

// NaN where a matrix was not positive definite: some pivot is zero, infinite or
// NaN then.
Instruction* Checked(Instruction* l, Emitter& e) {
  const PrimitiveType type = l->shape().element_type();
  Instruction* pivots = e.RealPart(Diagonal(l, e));
  const PrimitiveType real = pivots->shape().element_type();
  Instruction* good = e.And(
      e.Compare(ComparisonDirection::kGt, pivots, e.Scalar(real, 0)),
      e.Unary(Opcode::kIsFinite, pivots));
  good = e.Reduce(good, 1, {1}, Opcode::kAnd);
  return e.Select(
      e.Broadcast(good, {0}, l->shape().dimensions()), l,
      e.Scalar(type, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

bool CholeskyExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kCholesky && IsStatic(i) &&
         HasExpandableRows(i);
}

absl::StatusOr<Instruction*> CholeskyExpander::Expand(Instruction* i,
                                                      Emitter& e) {
  if (ElementsIn(i->shape()) == 0) return i->operand(0);
  const bool lower = i->attrs().GetBool(AttrId::kLower);
  Instruction* a = AsStack(i->operand(0), e);
  if (!lower) a = e.Adjoint(a);
  Instruction* l =
      Checked(Triangle(DecomposeLower(Triangle(a, kGe, e), e), kGe, e), e);
  if (!lower) l = e.Adjoint(l);
  return FromStack(l, i->shape(), e);
}

}  // namespace hlokit
