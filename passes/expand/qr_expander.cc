#include "passes/expand/qr_expander.h"

#include <algorithm>

#include "passes/expand/linear_algebra.h"

namespace hlokit {
namespace {

constexpr int64_t kPanel = 32;
constexpr auto kGt = ComparisonDirection::kGt;

bool IsQr(const Instruction& i) {
  return i.custom_call_target() == "Qr" && i.operand_count() == 1;
}
bool IsProduct(const Instruction& i) {
  return i.custom_call_target() ==
             "ProductOfElementaryHouseholderReflectors" &&
         i.operand_count() == 2;
}

// sum |x|^2 over [batch, rows, 1] -> [batch].
Instruction* SquaredNorm(Instruction* x, Emitter& e) {
  Instruction* re = e.RealPart(x);
  Instruction* square = e.Multiply(re, re);
  if (IsComplexType(x->shape().element_type())) {
    Instruction* im = e.Unary(Opcode::kImag, x);
    square = e.Add(square, e.Multiply(im, im));
  }
  return e.Reduce(square, 0, {1, 2}, Opcode::kAdd);
}

struct Reflector {
  Instruction* v;     // [batch, rows, 1], 1 at the diagonal, zeros above
  Instruction* tau;   // [batch]
  Instruction* beta;  // [batch], what the reflection leaves at the diagonal
};

// For column `column` [batch, rows, 1] and diagonal row j. With x below the
// diagonal element alpha: beta = -sign(re alpha) |column|, tau = (beta - alpha)
// / beta, v = x / (alpha - beta). The column is scaled first: squares of large
// or small numbers are no numbers.
Reflector MakeReflector(Instruction* column, Instruction* j, Emitter& e) {
  const PrimitiveType type = column->shape().element_type();
  const std::vector<int64_t> dims = DimsOf(column);
  const std::vector<int64_t> batch = {dims[0]};
  const auto spread = [&](Instruction* x) { return e.Broadcast(x, {0}, dims); };
  Instruction* zero = e.Scalar(type, 0);
  Instruction* place = e.Iota(kS32, dims, 1);
  Instruction* tail = e.Select(e.Compare(kGt, place, j), column, zero);
  Instruction* alpha = e.Reshape(e.DynamicSliceAlong(column, 1, j, 1), batch);
  Instruction* alpha_real = e.RealPart(alpha);
  const PrimitiveType real = alpha_real->shape().element_type();
  Instruction* real_zero = e.Scalar(real, 0);
  Instruction* scale = e.Binary(
      Opcode::kMaximum,
      e.Reduce(e.Unary(Opcode::kAbs, tail), 0, {1, 2}, Opcode::kMaximum),
      e.Unary(Opcode::kAbs, alpha));
  Instruction* no_scale = e.Compare(ComparisonDirection::kEq, scale, real_zero);
  scale = e.Select(no_scale, e.Scalar(real, 1), scale);
  Instruction* scale_typed = e.Convert(scale, type);
  Instruction* tail_norm =
      SquaredNorm(e.Divide(tail, spread(scale_typed)), e);
  Instruction* alpha_scaled = e.Divide(alpha, scale_typed);
  Instruction* whole_norm = e.Add(
      tail_norm, SquaredNorm(e.Reshape(alpha_scaled, {dims[0], 1, 1}), e));
  Instruction* norm = e.Multiply(scale, e.Unary(Opcode::kSqrt, whole_norm));
  Instruction* negative =
      e.Compare(ComparisonDirection::kLt, alpha_real, real_zero);
  Instruction* beta =
      e.Select(negative, norm, e.Unary(Opcode::kNegate, norm));
  // Nothing to reflect: zeros below and a real diagonal.
  Instruction* done = e.Compare(ComparisonDirection::kEq, tail_norm, real_zero);
  if (IsComplexType(type)) {
    done = e.And(done, e.Compare(ComparisonDirection::kEq,
                                 e.Unary(Opcode::kImag, alpha), real_zero));
  }
  Instruction* one = e.Scalar(type, 1);
  Instruction* beta_typed = e.Convert(beta, type);
  Instruction* divisor = e.Select(done, one, e.Subtract(alpha, beta_typed));
  Instruction* beta_divisor = e.Select(done, one, beta_typed);
  Reflector r;
  r.tau = e.Select(done, zero,
                   e.Divide(e.Subtract(beta_typed, alpha), beta_divisor));
  r.beta = e.Select(done, alpha, beta_typed);
  r.v = e.Select(e.Compare(ComparisonDirection::kEq, place, j), one,
                 e.Divide(tail, spread(divisor)));
  return r;
}

struct Packed {
  Instruction* a;     // R and the reflectors
  Instruction* taus;  // [batch, columns]
};

// The columns of a panel [batch, rows, columns], rows >= columns, one after
// another.
Packed DecomposePanel(Instruction* panel, int64_t columns, Emitter& e) {
  const PrimitiveType type = panel->shape().element_type();
  const int64_t batch = panel->shape().dimension(0);
  const Values result = e.For(
      "householder", columns, {panel, e.Full(type, {batch, columns}, 0)},
      [&](Emitter& b, Instruction* j, const Values& s) -> Values {
        Instruction* column = b.DynamicSliceAlong(s[0], 2, j, 1);
        const Reflector r = MakeReflector(column, j, b);
        // a - conj(tau) v (v^H a), to the right of column j.
        Instruction* product = b.MatMul(b.Adjoint(r.v), s[0]);
        const std::vector<int64_t> sizes = DimsOf(s[0]);
        Instruction* update =
            b.MatMul(r.v, b.Multiply(product,
                                     b.Broadcast(b.Conjugate(r.tau), {0},
                                                 product->shape()
                                                     .dimensions())));
        Instruction* right = b.Compare(kGt, b.Iota(kS32, sizes, 2), j);
        Instruction* a =
            b.Select(right, b.Subtract(s[0], update), s[0]);
        // The column: R above, beta on the diagonal, v below.
        const std::vector<int64_t> dims = DimsOf(column);
        Instruction* place = b.Iota(kS32, dims, 1);
        Instruction* made = b.Select(b.Compare(kGt, place, j), r.v, column);
        made = b.Select(b.Compare(ComparisonDirection::kEq, place, j),
                        b.Broadcast(r.beta, {0}, dims), made);
        return {b.DynamicUpdateAlong(a, made, 2, j),
                b.DynamicUpdateAlong(s[1], b.Reshape(r.tau, {batch, 1}), 1,
                                     j)};
      });
  return {result[0], result[1]};
}

// The reflectors of a panel: ones on the diagonal, zeros above.
Instruction* ReflectorsOf(Instruction* packed, Emitter& e) {
  Instruction* below = Triangle(packed, kGt, e);
  return e.Select(TriangleMask(packed, ComparisonDirection::kEq, e),
                  e.Scalar(packed->shape().element_type(), 1), below);
}

// T of H0 H1 ... = I - V T V^H, column by column:
// T[:j, j] = -tau[j] T[:j, :j] V[:, :j]^H v[j].
Instruction* TriangularFactor(Instruction* v, Instruction* taus, Emitter& e) {
  const PrimitiveType type = v->shape().element_type();
  const int64_t batch = v->shape().dimension(0), n = v->shape().dimension(2);
  Instruction* inner = Triangle(e.MatMul(e.Adjoint(v), v),
                                ComparisonDirection::kLt, e);
  const std::vector<int64_t> dims = {batch, n, 1};
  return e.For("triangular_factor", n,
               {inner, taus, e.Full(type, {batch, n, n}, 0)},
               [&](Emitter& b, Instruction* j, const Values& s) -> Values {
                 Instruction* tau = b.Broadcast(
                     b.Reshape(b.DynamicSliceAlong(s[1], 1, j, 1), {batch}),
                     {0}, dims);
                 Instruction* column = b.Multiply(
                     b.MatMul(s[2], b.DynamicSliceAlong(s[0], 2, j, 1)),
                     b.Unary(Opcode::kNegate, tau));
                 Instruction* made =
                     b.Select(b.Compare(ComparisonDirection::kEq,
                                        b.Iota(kS32, dims, 1), j),
                              tau, column);
                 return {s[0], s[1], b.DynamicUpdateAlong(s[2], made, 2, j)};
               })[2];
}

// a - v t v^H a.
Instruction* ApplyBlock(Instruction* v, Instruction* t, Instruction* a,
                        Emitter& e) {
  return e.Subtract(
      a, e.MatMul(v, e.MatMul(t, e.MatMul(e.Adjoint(v), a))));
}

Packed Decompose(Instruction* a, Emitter& e) {
  const int64_t m = a->shape().dimension(1), n = a->shape().dimension(2);
  const int64_t count = std::min(m, n);
  Values taus;
  Instruction* whole = a;
  for (int64_t k = 0; k < count; k += kPanel) {
    const int64_t size = std::min(kPanel, count - k);
    Instruction* rest = e.SliceInDim(whole, 1, k, m);
    const Packed panel =
        DecomposePanel(e.SliceInDim(rest, 2, k, k + size), size, e);
    Values columns;
    if (k > 0) columns.push_back(e.SliceInDim(rest, 2, 0, k));
    columns.push_back(panel.a);
    if (k + size < n) {
      Instruction* v = ReflectorsOf(panel.a, e);
      Instruction* t = TriangularFactor(v, panel.taus, e);
      columns.push_back(ApplyBlock(v, e.Adjoint(t),
                                   e.SliceInDim(rest, 2, k + size, n), e));
    }
    Instruction* made = e.Concatenate(columns, 2);
    whole = k == 0 ? made
                   : e.Concatenate({e.SliceInDim(whole, 1, 0, k), made}, 1);
    taus.push_back(panel.taus);
  }
  return {whole, e.Concatenate(taus, 1)};
}

// H0 H1 ... on the identity's columns, the last panel first.
Instruction* Product(Instruction* packed, Instruction* taus, Emitter& e) {
  const PrimitiveType type = packed->shape().element_type();
  const std::vector<int64_t> dims = DimsOf(packed);
  const int64_t m = dims[1], count = taus->shape().dimension(1);
  Instruction* q =
      e.Convert(TriangleMask(packed, ComparisonDirection::kEq, e), type);
  for (int64_t k = (count - 1) / kPanel * kPanel; count > 0 && k >= 0;
       k -= kPanel) {
    const int64_t size = std::min(kPanel, count - k);
    Instruction* panel =
        e.SliceInDim(e.SliceInDim(packed, 1, k, m), 2, k, k + size);
    Instruction* v = ReflectorsOf(panel, e);
    Instruction* t =
        TriangularFactor(v, e.SliceInDim(taus, 1, k, k + size), e);
    Instruction* made = ApplyBlock(v, t, e.SliceInDim(q, 1, k, m), e);
    q = k == 0 ? made : e.Concatenate({e.SliceInDim(q, 1, 0, k), made}, 1);
  }
  return q;
}

// x[..., n] as [batch, n].
Instruction* AsRows(Instruction* x, int64_t batch, Emitter& e) {
  return e.Convert(
      e.Reshape(x, {batch, x->shape().dimension(x->shape().rank() - 1)}),
      WorkType(x->shape().element_type()));
}

}  // namespace

bool QrExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kCustomCall || !IsStatic(i)) return false;
  if (!IsQr(i) && !IsProduct(i)) return false;
  const Shape& a = i.operand(0)->shape();
  if (!a.IsArray() || a.rank() < 2 ||
      !(IsFloatType(a.element_type()) || IsComplexType(a.element_type()))) {
    return false;
  }
  if (IsQr(i)) {
    return i.shape().IsTuple() && i.shape().tuple_shapes().size() == 2;
  }
  const Shape& taus = i.operand(1)->shape();
  return taus.IsArray() && taus.rank() == a.rank() - 1 &&
         taus.dimension(taus.rank() - 1) <=
             std::min(a.dimension(a.rank() - 1), a.dimension(a.rank() - 2));
}

absl::StatusOr<Instruction*> QrExpander::Expand(Instruction* i, Emitter& e) {
  Instruction* a = AsStack(i->operand(0), e);
  const int64_t batch = a->shape().dimension(0);
  if (IsProduct(*i)) {
    if (ElementsIn(i->shape()) == 0) return i->operand(0);
    return FromStack(Product(a, AsRows(i->operand(1), batch, e), e),
                     i->shape(), e);
  }
  const Shape& taus_shape = i->shape().tuple_shape(1);
  if (ElementsIn(a->shape()) == 0) {
    return e.Tuple({i->operand(0), e.Full(taus_shape.element_type(),
                                          taus_shape.dimensions(), 0)});
  }
  const Packed packed = Decompose(a, e);
  return e.Tuple({FromStack(packed.a, i->shape().tuple_shape(0), e),
                  FromStack(packed.taus, taus_shape, e)});
}

}  // namespace hlokit
