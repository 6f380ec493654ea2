#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/custom_call.h"
#include "backends/interpreter/custom_call_config.h"
#include "backends/interpreter/lapack.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

using Operands = absl::Span<const Literal* const>;

// A call whose operand 0 is a batch of matrices [batch..., m, n].
class MatrixCall : public CallShapes {
 public:
  MatrixCall(const Instruction& instruction, Operands operands, int64_t count)
      : CallShapes(instruction, operands), operands_(operands) {
    absl::StatusOr<CustomCallConfig> config =
        CustomCallConfig::Of(instruction);
    if (!config.ok()) {
      Fail(config.status());
      return;
    }
    this->config = *std::move(config);
    if (!TakesArrays(count)) return;
    Rank(0, 2);
    if (!ok()) return;
    const Shape& shape = operands[0]->shape();
    type = shape.element_type();
    real = ComponentType(type);
    const auto sizes = shape.dimensions();
    batch.assign(sizes.begin(), sizes.end() - 2);
    for (int64_t size : batch) matrices *= size;
    Expect(sizes[sizes.size() - 2] <= kLargest &&
               sizes[sizes.size() - 1] <= kLargest,
           "matrix is too large for LAPACK");
    if (!ok()) return;
    m = static_cast<int>(sizes[sizes.size() - 2]);
    n = static_cast<int>(sizes[sizes.size() - 1]);
    k = std::min(m, n);
    Expect(IsFloatType(type) || IsComplexType(type), "takes floats");
    Expect(DispatchLapackType(type, [](auto) {}),
           "takes f32, f64, c64 or c128");
  }

  void Square() { Expect(m == n, "takes square matrices"); }
  // Result i with these sizes behind those of the batch.
  Literal BatchResult(int64_t i, int64_t count, PrimitiveType of,
                      std::initializer_list<int64_t> sizes) {
    return Result(i, count, of, Sizes(batch, sizes));
  }
  // The same with the elements of operand `from`, which has its shape.
  Literal CopyResult(int64_t i, int64_t count, int64_t from) {
    const auto sizes = operands_[from]->shape().dimensions();
    Literal result = Result(i, count, operands_[from]->element_type(),
                            DimensionVector(sizes.begin(), sizes.end()));
    if (!ok()) return result;
    std::memcpy(result.mutable_untyped_data(), operands_[from]->untyped_data(),
                result.size_bytes());
    return result;
  }
  // "lower" of XLA's own and of GPU calls, else the letter.
  char Uplo() const {
    if (config.Has("lower")) return config.Bool("lower") ? 'L' : 'U';
    return config.Letter("uplo", 'L');
  }

  CustomCallConfig config;
  PrimitiveType type = kInvalid;
  PrimitiveType real = kInvalid;
  DimensionVector batch;
  int64_t matrices = 1;
  int m = 0, n = 0, k = 0;

 private:
  static constexpr int64_t kLargest = 1 << 20;
  absl::Span<const Literal* const> operands_;
};

// fn(Lapack<T>, i) for each matrix of the batch.
template <typename Fn>
void ForEachMatrix(const MatrixCall& call, const Fn& fn) {
  DispatchLapackType(call.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < call.matrices; ++i) fn(Lapack<T>(), T(), i);
  });
}

// Element i * size on of a literal's data.
template <typename T>
T* At(Literal& array, int64_t i, int64_t size) {
  return array.mutable_data<T>().data() + i * size;
}
template <typename T>
const T* At(const Literal* array, int64_t i, int64_t size) {
  return array->data<T>().data() + i * size;
}

// a -> lu, ipiv from 1, info
absl::StatusOr<Literal> Getrf(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  if (!call.ok()) return call.status();
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 3, 0));
  out.push_back(call.BatchResult(1, 3, kS32, {call.k}));
  out.push_back(call.BatchResult(2, 3, kS32, {}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    *At<int32_t>(out[2], i, 1) =
        lapack.Getrf(call.m, call.n, At<T>(out[0], i, int64_t{call.m} * call.n),
                     At<int32_t>(out[1], i, call.k));
  });
  return call.Finish(std::move(out));
}

// XLA's own: a -> lu, pivots from 0, permutation
absl::StatusOr<Literal> LuDecomposition(Context& context,
                                        const Instruction& instruction,
                                        Operands operands) {
  MatrixCall call(instruction, operands, 1);
  if (!call.ok()) return call.status();
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 3, 0));
  out.push_back(call.BatchResult(1, 3, kS32, {call.k}));
  out.push_back(call.BatchResult(2, 3, kS32, {call.m}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    int32_t* pivots = At<int32_t>(out[1], i, call.k);
    int32_t* permutation = At<int32_t>(out[2], i, call.m);
    lapack.Getrf(call.m, call.n, At<T>(out[0], i, int64_t{call.m} * call.n),
                 pivots);
    std::iota(permutation, permutation + call.m, 0);
    for (int j = 0; j < call.k; ++j) {
      --pivots[j];
      std::swap(permutation[j], permutation[pivots[j]]);
    }
  });
  return call.Finish(std::move(out));
}

// a -> a, tau
absl::StatusOr<Literal> Geqrf(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  if (!call.ok()) return call.status();
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 2, 0));
  out.push_back(call.BatchResult(1, 2, call.type, {call.k}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    lapack.Geqrf(call.m, call.n, At<T>(out[0], i, int64_t{call.m} * call.n),
                 At<T>(out[1], i, call.k));
  });
  return call.Finish(std::move(out));
}

// a, jpvt -> a, jpvt, tau
absl::StatusOr<Literal> Geqp3(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 2);
  if (!call.ok()) return call.status();
  call.Operand(1, kS32, Sizes(call.batch, {call.n}));
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 3, 0));
  out.push_back(call.CopyResult(1, 3, 1));
  out.push_back(call.BatchResult(2, 3, call.type, {call.k}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    lapack.Geqp3(call.m, call.n, At<T>(out[0], i, int64_t{call.m} * call.n),
                 At<int32_t>(out[1], i, call.n), At<T>(out[2], i, call.k));
  });
  return call.Finish(std::move(out));
}

// The number of reflectors, from operand 1.
int Reflectors(MatrixCall* call, Operands operands) {
  call->Rank(1, 1);
  if (!call->ok()) return 0;
  const Shape& tau = operands[1]->shape();
  const int64_t count = tau.dimension(tau.rank() - 1);
  call->Operand(1, call->type, Sizes(call->batch, {count}));
  call->Expect(count <= call->k, "has more reflectors than columns");
  return call->ok() ? static_cast<int>(count) : 0;
}

// a, tau -> q
absl::StatusOr<Literal> Orgqr(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 2);
  if (!call.ok()) return call.status();
  const int reflectors = Reflectors(&call, operands);
  call.Expect(call.n <= call.m, "takes no matrices wider than high");
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 1, 0));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    lapack.Orgqr(call.m, call.n, reflectors,
                 At<T>(out[0], i, int64_t{call.m} * call.n),
                 At<T>(operands[1], i, reflectors));
  });
  return call.Finish(std::move(out));
}

// a, tau, c -> c
absl::StatusOr<Literal> Ormqr(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 3);
  call.Rank(2, 2);
  if (!call.ok()) return call.status();
  const bool left = call.config.Bool("left", true);
  const bool transpose = call.config.Bool("transpose");
  const Shape& c = operands[2]->shape();
  const int64_t rows = c.dimension(c.rank() - 2);
  const int64_t columns = c.dimension(c.rank() - 1);
  const int reflectors = Reflectors(&call, operands);
  call.Operand(2, call.type, Sizes(call.batch, {rows, columns}));
  call.Expect((left ? rows : columns) == call.m && reflectors == call.n &&
                  rows <= (1 << 20) && columns <= (1 << 20),
              "operands do not fit each other");
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 1, 2));
  if (!call.ok()) return call.status();
  const char trans =
      !transpose ? 'N' : IsComplexType(call.type) ? 'C' : 'T';
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    lapack.Ormqr(left ? 'L' : 'R', trans, static_cast<int>(rows),
                 static_cast<int>(columns), reflectors,
                 At<T>(operands[0], i, int64_t{call.m} * call.n),
                 At<T>(operands[1], i, reflectors),
                 At<T>(out[0], i, rows * columns));
  });
  return call.Finish(std::move(out));
}

// a -> a with the triangle replaced, info
absl::StatusOr<Literal> Potrf(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 2, 0));
  out.push_back(call.BatchResult(1, 2, kS32, {}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    *At<int32_t>(out[1], i, 1) =
        lapack.Potrf(call.Uplo(), call.n,
                     At<T>(out[0], i, int64_t{call.n} * call.n));
  });
  return call.Finish(std::move(out));
}

// a -> a, s, u, vt, info
template <bool divide_and_conquer>
absl::StatusOr<Literal> Svd(Context& context, const Instruction& instruction,
                            Operands operands) {
  MatrixCall call(instruction, operands, 1);
  if (!call.ok()) return call.status();
  const char job = call.config.Letter("mode", 'S');
  if (job != 'A' && job != 'S' && job != 'N') {
    return Unimplemented("%s with mode '%c'", instruction.custom_call_target(),
                         job);
  }
  // Results that nobody wants have a shape, too; in mode N either of two.
  const Shape& whole = instruction.shape();
  const bool full =
      job == 'A' ||
      (job == 'N' && whole.IsTuple() && whole.tuple_shapes().size() == 5 &&
       whole.tuple_shape(2).IsArray() && whole.tuple_shape(2).rank() >= 2 &&
       whole.tuple_shape(2).dimensions().back() == call.m);
  const int columns = full ? call.m : call.k, rows = full ? call.n : call.k;
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 5, 0));
  out.push_back(call.BatchResult(1, 5, call.real, {call.k}));
  out.push_back(call.BatchResult(2, 5, call.type, {call.m, columns}));
  out.push_back(call.BatchResult(3, 5, call.type, {rows, call.n}));
  out.push_back(call.BatchResult(4, 5, kS32, {}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    using Real = typename decltype(lapack)::Real;
    const auto run = divide_and_conquer ? &decltype(lapack)::Gesdd
                                        : &decltype(lapack)::Gesvd;
    *At<int32_t>(out[4], i, 1) =
        run(job, call.m, call.n, At<T>(out[0], i, int64_t{call.m} * call.n),
            At<Real>(out[1], i, call.k),
            At<T>(out[2], i, int64_t{call.m} * columns),
            At<T>(out[3], i, int64_t{rows} * call.n));
  });
  return call.Finish(std::move(out));
}

// a -> vectors, w ascending, info
absl::StatusOr<Literal> Syevd(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  const char job = call.config.Letter("mode", 'V');
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 3, 0));
  out.push_back(call.BatchResult(1, 3, call.real, {call.n}));
  out.push_back(call.BatchResult(2, 3, kS32, {}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    using Real = typename decltype(lapack)::Real;
    *At<int32_t>(out[2], i, 1) = lapack.Syevd(
        job == 'N' ? 'N' : 'V', call.Uplo(), call.n,
        At<T>(out[0], i, int64_t{call.n} * call.n),
        At<Real>(out[1], i, call.n));
  });
  return call.Finish(std::move(out));
}

// XLA's own: a -> vectors, w. Its config is "lower,sort,iterations,tolerance".
absl::StatusOr<Literal> Eigh(Context& context, const Instruction& instruction,
                             Operands operands) {
  const absl::string_view config = instruction.backend_config();
  CallShapes shapes(instruction, operands);
  if (!shapes.TakesArrays(1)) return shapes.status();
  shapes.Rank(0, 2);
  if (!shapes.ok()) return shapes.status();
  const Shape& shape = operands[0]->shape();
  const auto sizes = shape.dimensions();
  const int64_t n = sizes.back();
  const absl::Span<const int64_t> batch = sizes.first(sizes.size() - 2);
  shapes.Expect(sizes[sizes.size() - 2] == n && n <= (1 << 20),
                "takes square matrices");
  std::vector<Literal> out;
  out.push_back(
      shapes.Result(0, 2, shape.element_type(), Sizes(batch, {n, n})));
  out.push_back(shapes.Result(1, 2, ComponentType(shape.element_type()),
                              Sizes(batch, {n})));
  if (!shapes.ok()) return shapes.status();
  std::memcpy(out[0].mutable_untyped_data(), operands[0]->untyped_data(),
              out[0].size_bytes());
  const char uplo = !config.empty() && config[0] == '0' ? 'U' : 'L';
  const bool known = DispatchLapackType(shape.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = typename Lapack<T>::Real;
    const int64_t matrices = n == 0 ? 0 : out[1].element_count() / n;
    for (int64_t i = 0; i < matrices; ++i) {
      Lapack<T>::Syevd('V', uplo, static_cast<int>(n),
                       At<T>(out[0], i, n * n), At<Real>(out[1], i, n));
    }
  });
  shapes.Expect(known, "takes f32, f64, c64 or c128");
  return shapes.Finish(std::move(out));
}

// Eigenvalues: of real types two arrays (real and imaginary parts), from `i` on.
// How many there are.
int AddEigenvalues(MatrixCall* call, int64_t i, int64_t count,
                   std::vector<Literal>* out) {
  const int arrays = IsComplexType(call->type) ? 1 : 2;
  for (int j = 0; j < arrays; ++j) {
    out->push_back(call->BatchResult(i + j, count, call->type, {call->n}));
  }
  return arrays;
}
template <typename T, typename Complex>
void StoreEigenvalues(const std::vector<Complex>& w, int64_t i, Literal* first) {
  const int64_t n = w.size();
  for (int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_same_v<T, Complex>) {
      At<T>(first[0], i, n)[j] = w[j];
    } else {
      At<T>(first[0], i, n)[j] = w[j].real();
      At<T>(first[1], i, n)[j] = w[j].imag();
    }
  }
}

// a -> (wr, wi | w), vl, vr, info
absl::StatusOr<Literal> Geev(Context& context, const Instruction& instruction,
                             Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  const bool complex = IsComplexType(call.type);
  const char left = call.config.Letter("compute_left", 'V');
  const char right = call.config.Letter("compute_right", 'V');
  const int64_t count = complex ? 4 : 5;
  const PrimitiveType vector_type =
      complex ? call.type : ComplexTypeOf(call.type);
  std::vector<Literal> out;
  const int at = AddEigenvalues(&call, 0, count, &out);
  for (int j = 0; j < 2; ++j) {
    out.push_back(
        call.BatchResult(at + j, count, vector_type, {call.n, call.n}));
  }
  out.push_back(call.BatchResult(at + 2, count, kS32, {}));
  if (!call.ok()) return call.status();
  const int64_t size = int64_t{call.n} * call.n;
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    using Complex = typename decltype(lapack)::Complex;
    const T* source = At<T>(operands[0], i, size);
    std::vector<T> a(source, source + size);
    std::vector<Complex> w(call.n);
    *At<int32_t>(out[at + 2], i, 1) = lapack.Geev(
        left == 'V' ? 'V' : 'N', right == 'V' ? 'V' : 'N', call.n, a.data(),
        w.data(), At<Complex>(out[at], i, size),
        At<Complex>(out[at + 1], i, size));
    StoreEigenvalues<T>(w, i, &out[0]);
  });
  return call.Finish(std::move(out));
}

// a -> t, vs, (wr, wi | w), sdim, info
absl::StatusOr<Literal> Gees(Context& context, const Instruction& instruction,
                             Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  if (call.config.Letter("sort", 'N') != 'N') {
    return Unimplemented("%s with sorted eigenvalues",
                         instruction.custom_call_target());
  }
  const char job = call.config.Letter("mode", 'V');
  const int64_t count = IsComplexType(call.type) ? 5 : 6;
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, count, 0));
  out.push_back(call.BatchResult(1, count, call.type, {call.n, call.n}));
  const int at = 2 + AddEigenvalues(&call, 2, count, &out);
  out.push_back(call.BatchResult(at, count, kS32, {}));
  out.push_back(call.BatchResult(at + 1, count, kS32, {}));
  if (!call.ok()) return call.status();
  const int64_t size = int64_t{call.n} * call.n;
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    std::vector<typename decltype(lapack)::Complex> w(call.n);
    *At<int32_t>(out[at + 1], i, 1) =
        lapack.Gees(job == 'V' ? 'V' : 'N', call.n, At<T>(out[0], i, size),
                    At<T>(out[1], i, size), w.data());
    StoreEigenvalues<T>(w, i, &out[2]);
  });
  return call.Finish(std::move(out));
}

// a -> a, d, e, tau, info
absl::StatusOr<Literal> Sytrd(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  const int beside = std::max(call.n - 1, 0);
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 5, 0));
  out.push_back(call.BatchResult(1, 5, call.real, {call.n}));
  out.push_back(call.BatchResult(2, 5, call.real, {beside}));
  out.push_back(call.BatchResult(3, 5, call.type, {beside}));
  out.push_back(call.BatchResult(4, 5, kS32, {}));
  if (!call.ok()) return call.status();
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    using Real = typename decltype(lapack)::Real;
    *At<int32_t>(out[4], i, 1) = lapack.Sytrd(
        call.Uplo(), call.n, At<T>(out[0], i, int64_t{call.n} * call.n),
        At<Real>(out[1], i, call.n), At<Real>(out[2], i, beside),
        At<T>(out[3], i, beside));
  });
  return call.Finish(std::move(out));
}

// a -> a, tau, info
absl::StatusOr<Literal> Gehrd(Context& context, const Instruction& instruction,
                              Operands operands) {
  MatrixCall call(instruction, operands, 1);
  call.Square();
  if (!call.ok()) return call.status();
  const int beside = std::max(call.n - 1, 0);
  const int64_t low = call.config.Int("low", 1);
  const int64_t high = call.config.Int("high", call.n);
  call.Expect(low >= 1 && low <= high && high <= std::max(call.n, 1),
              "low and high are out of range");
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 3, 0));
  out.push_back(call.BatchResult(1, 3, call.type, {beside}));
  out.push_back(call.BatchResult(2, 3, kS32, {}));
  if (!call.ok() || call.n == 0) return call.Finish(std::move(out));
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    *At<int32_t>(out[2], i, 1) =
        lapack.Gehrd(call.n, static_cast<int>(low), static_cast<int>(high),
                     At<T>(out[0], i, int64_t{call.n} * call.n),
                     At<T>(out[1], i, beside));
  });
  return call.Finish(std::move(out));
}

// a, b -> x
absl::StatusOr<Literal> Trsm(Context& context, const Instruction& instruction,
                             Operands operands) {
  MatrixCall call(instruction, operands, 2);
  call.Square();
  call.Rank(1, 2);
  if (!call.ok()) return call.status();
  const char side = call.config.Letter("side", 'L');
  const Shape& b = operands[1]->shape();
  const int64_t rows = b.dimension(b.rank() - 2);
  const int64_t columns = b.dimension(b.rank() - 1);
  call.Operand(1, call.type, Sizes(call.batch, {rows, columns}));
  call.Expect((side == 'R' ? columns : rows) == call.n &&
                  rows <= (1 << 20) && columns <= (1 << 20),
              "operands do not fit each other");
  std::vector<Literal> out;
  out.push_back(call.CopyResult(0, 1, 1));
  if (!call.ok() || out[0].element_count() == 0) {
    return call.Finish(std::move(out));
  }
  ForEachMatrix(call, [&](auto lapack, auto t, int64_t i) {
    using T = decltype(t);
    lapack.Trsm(side, call.config.Letter("uplo", 'L'),
                call.config.Letter("trans_x", 'N'),
                call.config.Letter("diag", 'N'), static_cast<int>(rows),
                static_cast<int>(columns),
                At<T>(operands[0], i, int64_t{call.n} * call.n),
                At<T>(out[0], i, rows * columns));
  });
  return call.Finish(std::move(out));
}

// --- Tridiagonal systems ---------------------------------------------------

// dl, d, du [batch..., n] and b [batch..., n, columns]; dl[0] and du[n-1] do
// not count.
struct Tridiagonal {
  DimensionVector batch;
  int64_t systems = 1;
  int n = 0;
  int columns = 0;
  PrimitiveType type = kInvalid;

  Tridiagonal(CallShapes* call, Operands operands) {
    if (!call->TakesArrays(4)) return;
    call->Rank(3, 2);
    if (!call->ok()) return;
    const Shape& b = operands[3]->shape();
    const auto sizes = b.dimensions();
    type = b.element_type();
    batch.assign(sizes.begin(), sizes.end() - 2);
    for (int64_t size : batch) systems *= size;
    const int64_t rows = sizes[sizes.size() - 2];
    call->Expect(rows < (1 << 30) && sizes.back() < (1 << 30),
                 "system is too large for LAPACK");
    for (int i = 0; i < 3; ++i) call->Operand(i, type, Sizes(batch, {rows}));
    call->Expect(DispatchLapackType(type, [](auto) {}),
                 "takes f32, f64, c64 or c128");
    if (!call->ok()) return;
    n = static_cast<int>(rows);
    columns = static_cast<int>(sizes.back());
  }
};

// The operands as they are after the elimination, then info; or b alone.
absl::StatusOr<Literal> Gtsv(Context& context, const Instruction& instruction,
                             Operands operands) {
  CallShapes call(instruction, operands);
  const Tridiagonal t(&call, operands);
  if (!call.ok()) return call.status();
  const bool whole = instruction.shape().IsTuple() &&
                     instruction.shape().tuple_shapes().size() == 5;
  std::vector<Literal> work;
  for (const Literal* operand : operands) work.push_back(*operand);
  Literal info;
  if (whole) {
    for (int i = 0; i < 4; ++i) {
      const auto sizes = operands[i]->shape().dimensions();
      call.Result(i, 5, t.type, DimensionVector(sizes.begin(), sizes.end()));
    }
    info = call.Result(4, 5, kS32, t.batch);
  } else {
    call.Result(0, 1, t.type, Sizes(t.batch, {t.n, t.columns}));
    info = Literal::Zeros(Shape::ArrayWithDescendingLayout(kS32, t.batch));
  }
  if (!call.ok()) return call.status();
  DispatchLapackType(t.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (t.n == 0) return;
    for (int64_t i = 0; i < t.systems; ++i) {
      *At<int32_t>(info, i, 1) = Lapack<T>::Gtsv(
          t.n, t.columns, At<T>(work[0], i, t.n) + 1, At<T>(work[1], i, t.n),
          At<T>(work[2], i, t.n),
          At<T>(work[3], i, int64_t{t.n} * t.columns));
    }
  });
  if (!whole) return call.Finish({std::move(work[3])});
  work.push_back(std::move(info));
  return call.Finish(std::move(work));
}

// Elimination with row exchanges; pivots that are tiny beside the largest
// element of the upper triangle are moved away from 0.
template <typename T>
void SolvePerturbed(int n, int columns, std::vector<T> dl, std::vector<T> d,
                    std::vector<T> du, T* b) {
  using Real = typename LapackReal<T>::type;
  std::vector<T> second(n);  // the second diagonal above
  std::vector<T> multiplier(n);
  std::vector<char> exchanged(n, 0);
  for (int i = 0; i + 1 < n; ++i) {
    if (std::abs(dl[i + 1]) > std::abs(d[i])) {
      exchanged[i] = 1;
      std::swap(d[i], dl[i + 1]);
      std::swap(du[i], d[i + 1]);
      if (i + 2 < n) std::swap(second[i], du[i + 1]);
    }
    multiplier[i] = d[i] == T(0) ? T(0) : dl[i + 1] / d[i];
    d[i + 1] -= multiplier[i] * du[i];
    if (i + 2 < n) du[i + 1] -= multiplier[i] * second[i];
  }
  Real largest = 0;
  for (int i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(d[i]));
    if (i + 1 < n) largest = std::max(largest, std::abs(du[i]));
    largest = std::max(largest, std::abs(second[i]));
  }
  Real tiny = std::numeric_limits<Real>::epsilon() * largest;
  if (tiny == 0) tiny = std::numeric_limits<Real>::epsilon();
  for (T& pivot : d) {
    const Real size = std::abs(pivot);
    if (size < tiny) pivot = size == 0 ? T(tiny) : pivot * (tiny / size);
  }
  for (int j = 0; j < columns; ++j) {
    const auto at = [&](int i) -> T& {
      return b[static_cast<int64_t>(i) * columns + j];
    };
    for (int i = 0; i + 1 < n; ++i) {
      if (exchanged[i]) std::swap(at(i), at(i + 1));
      at(i + 1) -= multiplier[i] * at(i);
    }
    for (int i = n; i-- > 0;) {
      T sum = at(i);
      if (i + 1 < n) sum -= du[i] * at(i + 1);
      if (i + 2 < n) sum -= second[i] * at(i + 2);
      at(i) = sum / d[i];
    }
  }
}

// dl, d, du, b -> x
absl::StatusOr<Literal> TridiagonalPerturbed(Context& context,
                                             const Instruction& instruction,
                                             Operands operands) {
  CallShapes call(instruction, operands);
  const Tridiagonal t(&call, operands);
  if (!call.ok()) return call.status();
  call.Result(0, 1, t.type, Sizes(t.batch, {t.n, t.columns}));
  if (!call.ok()) return call.status();
  Literal result = *operands[3];
  DispatchLapackType(t.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < t.systems; ++i) {
      const auto vector = [&](int k) {
        const T* data = At<T>(operands[k], i, t.n);
        return std::vector<T>(data, data + t.n);
      };
      SolvePerturbed(t.n, t.columns, vector(0), vector(1), vector(2),
                     At<T>(result, i, int64_t{t.n} * t.columns));
    }
  });
  return call.Finish({std::move(result)});
}

struct Routine {
  absl::string_view real_name;
  absl::string_view complex_name;
  Kernel kernel;
};
constexpr Routine kRoutines[] = {
    {"geev", "geev", &Geev},     {"gees", "gees", &Gees},
    {"gehrd", "gehrd", &Gehrd},  {"geqp3", "geqp3", &Geqp3},
    {"geqrf", "geqrf", &Geqrf},  {"gesdd", "gesdd", &Svd<true>},
    {"gesvd", "gesvd", &Svd<false>}, {"getrf", "getrf", &Getrf},
    {"gtsv", "gtsv", &Gtsv},     {"orgqr", "ungqr", &Orgqr},
    {"ormqr", "unmqr", &Ormqr},  {"potrf", "potrf", &Potrf},
    {"syevd", "heevd", &Syevd},  {"sytrd", "hetrd", &Sytrd},
    {"trsm", "trsm", &Trsm},
};

constexpr CustomCallTarget kOthers[] = {
    {"Eigh", &Eigh},
    {"LuDecomposition", &LuDecomposition},
    {"ProductOfElementaryHouseholderReflectors", &Orgqr},
    {"Qr", &Geqrf},
    {"cu_tridiagonal_solve_perturbed", &TridiagonalPerturbed},
    {"cusolver_geqrf_ffi", &Geqrf},
    {"cusolver_getrf_ffi", &Getrf},
    {"cusolver_orgqr_ffi", &Orgqr},
    {"cusolver_ormqr_ffi", &Ormqr},
    {"cusolver_potrf_ffi", &Potrf},
    {"cusolver_syevd_ffi", &Syevd},
    {"cusolver_sytrd_ffi", &Sytrd},
    {"cusparse_gtsv2_ffi", &Gtsv},
    {"tridiagonal_solve_perturbed_ffi", &TridiagonalPerturbed},
};

std::vector<CustomCallTarget> MakeTargets() {
  std::vector<CustomCallTarget> targets(std::begin(kOthers),
                                        std::end(kOthers));
  for (const Routine& routine : kRoutines) {
    for (char letter : {'s', 'd', 'c', 'z'}) {
      const bool real = letter == 's' || letter == 'd';
      const auto* name = new std::string(absl::StrCat(
          "lapack_", std::string(1, letter),
          real ? routine.real_name : routine.complex_name, "_ffi"));
      targets.push_back({*name, routine.kernel});
    }
  }
  return targets;
}

}  // namespace

absl::Span<const CustomCallTarget> LapackTargets() {
  static const auto& targets =
      *new std::vector<CustomCallTarget>(MakeTargets());
  return targets;
}

}  // namespace hlokit::interpreter
