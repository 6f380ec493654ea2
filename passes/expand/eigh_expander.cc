#include "passes/expand/eigh_expander.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "passes/expand/linear_algebra.h"

namespace hlokit {
namespace {

constexpr auto kEqual = ComparisonDirection::kEq;

struct Config {
  bool lower = true;
  bool sort = true;
  int64_t sweeps = 100;
  double tolerance = 1e-6;
};

Config ConfigOf(const Instruction& i) {
  Config config;
  const std::vector<std::string> parts =
      absl::StrSplit(i.backend_config(), ',');
  if (parts.size() != 4) return config;
  config.lower = parts[0] != "0";
  config.sort = parts[1] != "0";
  int64_t sweeps = 0;
  double tolerance = 0;
  if (absl::SimpleAtoi(parts[2], &sweeps) && sweeps > 0) {
    config.sweeps = sweeps;
  }
  if (absl::SimpleAtod(parts[3], &tolerance) && tolerance > 0) {
    config.tolerance = tolerance;
  }
  return config;
}

// The matrix as upper left, upper right, lower left, lower right; then the
// vectors found so far in the same form.
constexpr int kUl = 0, kUr = 1, kLl = 2, kLr = 3, kVectors = 4;

// c and s with [c s; -conj(s) c] making the off-diagonal element q of
// [p q; conj(q) r] zero.
struct Rotation {
  Instruction* c;  // real [batch, half]
  Instruction* s;  // [batch, half]
};

Rotation MakeRotation(Instruction* p, Instruction* q, Instruction* r,
                      Emitter& e) {
  const PrimitiveType type = q->shape().element_type();
  p = e.RealPart(p);
  r = e.RealPart(r);
  const PrimitiveType real = p->shape().element_type();
  Instruction* zero = e.Scalar(real, 0);
  Instruction* one = e.Scalar(real, 1);
  Instruction* size = e.Unary(Opcode::kAbs, q);
  Instruction* done = e.Compare(kEqual, size, zero);
  Instruction* safe = e.Select(done, one, size);
  // tan of the angle: the smaller root of t^2 + 2 theta t - 1.
  Instruction* theta = e.Divide(e.Subtract(r, p), e.Multiply(safe, 2));
  Instruction* root = e.Unary(Opcode::kSqrt,
                              e.Add(e.Multiply(theta, theta), 1));
  Instruction* t = e.Divide(one, e.Add(e.Unary(Opcode::kAbs, theta), root));
  t = e.Select(e.Compare(ComparisonDirection::kLt, theta, zero),
               e.Unary(Opcode::kNegate, t), t);
  Instruction* c = e.Unary(Opcode::kRsqrt, e.Add(e.Multiply(t, t), 1));
  Instruction* s = e.Multiply(t, c);
  Instruction* phase = e.Divide(q, e.Convert(safe, type));
  return {e.Select(done, one, c),
          e.Select(done, e.Scalar(type, 0),
                   e.Multiply(e.Convert(s, type), phase))};
}

// (c x - s y, conj(s) x + c y) along the rows (dimension 1) or columns (2).
void Rotate(Instruction** x, Instruction** y, Instruction* c, Instruction* s,
            int64_t dimension, Emitter& e) {
  const std::vector<int64_t> dims = DimsOf(*x);
  Instruction* c_wide = e.Broadcast(c, {0, dimension}, dims);
  Instruction* s_wide = e.Broadcast(s, {0, dimension}, dims);
  Instruction* conjugate = e.Broadcast(e.Conjugate(s), {0, dimension}, dims);
  Instruction* old_x = *x;
  *x = e.Subtract(e.Multiply(c_wide, old_x), e.Multiply(s_wide, *y));
  *y = e.Add(e.Multiply(conjugate, old_x), e.Multiply(c_wide, *y));
}

// Round robin: the first of the first half stays, the others go round through
// both halves.
void MoveRound(Instruction** first, Instruction** second, int64_t dimension,
               Emitter& e) {
  const int64_t n = (*first)->shape().dimension(dimension);
  if (n == 1) return;
  Instruction* a = *first;
  Instruction* b = *second;
  const auto part = [&](Instruction* x, int64_t from, int64_t to) {
    return e.SliceInDim(x, dimension, from, to);
  };
  Values turned = {part(a, 0, 1), part(b, 0, 1)};
  if (n > 2) turned.push_back(part(a, 1, n - 1));
  *first = e.Concatenate(turned, dimension);
  *second = e.Concatenate({part(b, 1, n), part(a, n - 1, n)}, dimension);
}

Values JacobiStep(const Values& state, Emitter& e) {
  Values s = state;
  const PrimitiveType type = s[0]->shape().element_type();
  const Rotation rotation = MakeRotation(
      Diagonal(s[kUl], e), Diagonal(s[kUr], e), Diagonal(s[kLr], e), e);
  Instruction* c = e.Convert(rotation.c, type);
  // Columns from the right, rows by the conjugates from the left.
  Instruction* conjugate = e.Conjugate(rotation.s);
  Rotate(&s[kUl], &s[kUr], c, conjugate, 2, e);
  Rotate(&s[kLl], &s[kLr], c, conjugate, 2, e);
  Rotate(&s[kUl], &s[kLl], c, rotation.s, 1, e);
  Rotate(&s[kUr], &s[kLr], c, rotation.s, 1, e);
  Rotate(&s[kVectors], &s[kVectors + 1], c, conjugate, 2, e);
  MoveRound(&s[kUl], &s[kUr], 2, e);
  MoveRound(&s[kLl], &s[kLr], 2, e);
  MoveRound(&s[kUl], &s[kLl], 1, e);
  MoveRound(&s[kUr], &s[kLr], 1, e);
  MoveRound(&s[kVectors], &s[kVectors + 1], 2, e);
  return s;
}

Instruction* SquaredSum(Instruction* x, Emitter& e) {
  Instruction* size = e.Unary(Opcode::kAbs, x);
  return e.Reduce(e.Multiply(size, size), 0, {1, 2}, Opcode::kAdd);
}

// Whether any matrix has too much off its diagonal: a scalar.
Instruction* IsUnfinished(const Values& s, double tolerance, Emitter& e) {
  const auto off = [&](Instruction* x) {
    return SquaredSum(Triangle(x, ComparisonDirection::kNe, e), e);
  };
  Instruction* others = e.Add(
      e.Add(off(s[kUl]), off(s[kLr])),
      e.Add(SquaredSum(s[kUr], e), SquaredSum(s[kLl], e)));
  Instruction* diagonal = e.Add(SquaredSum(Triangle(s[kUl], kEqual, e), e),
                                SquaredSum(Triangle(s[kLr], kEqual, e), e));
  Instruction* limit = e.Multiply(e.Add(others, diagonal),
                                  tolerance * tolerance);
  return e.Reduce(e.Compare(ComparisonDirection::kGt, others, limit), 0, {0},
                  Opcode::kOr);
}

// Both triangles from one, the diagonal real.
Instruction* Symmetrized(Instruction* a, bool lower, Emitter& e) {
  Instruction* strict = Triangle(
      a, lower ? ComparisonDirection::kGt : ComparisonDirection::kLt, e);
  Instruction* diagonal =
      e.Convert(e.RealPart(Triangle(a, kEqual, e)), a->shape().element_type());
  return e.Add(e.Add(strict, e.Adjoint(strict)), diagonal);
}

// An eigenvalue, and the vectors as columns.
struct Eigen {
  Instruction* values;   // real [batch, n]
  Instruction* vectors;  // [batch, n, n]
};

Eigen Solve(Instruction* a, const Config& config, Emitter& e) {
  const PrimitiveType type = a->shape().element_type();
  const int64_t batch = a->shape().dimension(0), n = a->shape().dimension(1);
  const int64_t half = (n + 1) / 2, even = 2 * half;
  // A further eigenvalue 0 of a vector of its own: never rotated.
  if (even > n) a = e.PadHigh(a, e.Scalar(type, 0), {0, 1, 1});
  const auto quarter = [&](int64_t row, int64_t column) {
    return e.SliceInDim(
        e.SliceInDim(a, 1, row * half, (row + 1) * half), 2, column * half,
        (column + 1) * half);
  };
  Instruction* identity = Identity(type, batch, even, e);
  Values state = {e.ScalarInt(kS32, 0), quarter(0, 0), quarter(0, 1),
                  quarter(1, 0), quarter(1, 1),
                  e.SliceInDim(identity, 2, 0, half),
                  e.SliceInDim(identity, 2, half, even)};
  const auto matrices = [](const Values& s) {
    return Values(s.begin() + 1, s.end());
  };
  state = e.While(
      "jacobi_sweeps", state,
      [&](Emitter& b, const Values& s) {
        return b.And(b.Compare(ComparisonDirection::kLt, s[0],
                               b.ScalarInt(kS32, config.sweeps)),
                     IsUnfinished(matrices(s), config.tolerance, b));
      },
      [&](Emitter& b, const Values& s) {
        Values next = b.For("jacobi_sweep", even - 1, matrices(s),
                            [](Emitter& c, Instruction*, const Values& m) {
                              return JacobiStep(m, c);
                            });
        next.insert(next.begin(), b.Add(s[0], b.ScalarInt(kS32, 1)));
        return next;
      });
  // After whole sweeps every row is where it was.
  state = matrices(state);
  Instruction* values =
      e.Concatenate({Diagonal(state[kUl], e), Diagonal(state[kLr], e)}, 1);
  Instruction* vectors =
      e.Concatenate({state[kVectors], state[kVectors + 1]}, 2);
  vectors = e.SliceInDim(e.SliceInDim(vectors, 1, 0, n), 2, 0, n);
  return {e.RealPart(e.SliceInDim(values, 1, 0, n)), vectors};
}

// Ascending, the vectors with them: rows of the pairs (value, element) are
// sorted alike.
Eigen Sorted(const Eigen& eigen, Emitter& e) {
  const Shape value = Shape::Scalar(eigen.values->shape().element_type());
  const Shape element = Shape::Scalar(eigen.vectors->shape().element_type());
  Computation* less = e.Subcomputation(
      "eigenvalue_less", {value, value, element, element},
      [](Emitter& c, const Values& p) {
        return c.Compare(ComparisonDirection::kLt, p[0], p[1]);
      });
  AttributeSet attrs;
  SetList(AttrId::kDimensions, {2}, &attrs);
  attrs.Set(AttrId::kIsStable, true);
  const std::vector<int64_t> dims = DimsOf(eigen.vectors);
  Instruction* sort =
      e.Op(Opcode::kSort,
           {e.Broadcast(eigen.values, {0, 2}, dims), eigen.vectors},
           std::move(attrs), {less});
  Instruction* first = e.SliceInDim(e.Element(sort, 0), 1, 0, 1);
  return {e.Reshape(first, eigen.values->shape().dimensions()),
          e.Element(sort, 1)};
}

}  // namespace

bool EighExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kCustomCall || i.custom_call_target() != "Eigh" ||
      i.operand_count() != 1 || !IsStatic(i) || !i.shape().IsTuple() ||
      i.shape().tuple_shapes().size() != 2) {
    return false;
  }
  const Shape& a = i.operand(0)->shape();
  return a.IsArray() && a.rank() >= 2 &&
         a.dimension(a.rank() - 1) == a.dimension(a.rank() - 2) &&
         (IsFloatType(a.element_type()) || IsComplexType(a.element_type()));
}

absl::StatusOr<Instruction*> EighExpander::Expand(Instruction* i, Emitter& e) {
  const Shape& vectors = i->shape().tuple_shape(0);
  const Shape& values = i->shape().tuple_shape(1);
  if (ElementsIn(vectors) == 0) {
    return e.Tuple({i->operand(0), e.Full(values.element_type(),
                                          values.dimensions(), 0)});
  }
  const Config config = ConfigOf(*i);
  Instruction* a =
      Symmetrized(AsStack(i->operand(0), e), config.lower, e);
  Eigen eigen = Solve(a, config, e);
  if (config.sort) eigen = Sorted(eigen, e);
  return e.Tuple({FromStack(eigen.vectors, vectors, e),
                  FromStack(eigen.values, values, e)});
}

}  // namespace hlokit
