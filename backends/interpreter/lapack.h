// LAPACK and BLAS routines by element type, on row-major matrices.
//
// Each function is that of LAPACKE without its prefix letter; unitary and
// Hermitian routines carry the name of the real ones. LAPACKE's own search for
// NaN is off: NaN goes through, as where XLA calls LAPACK.
#ifndef HLOKIT_BACKENDS_INTERPRETER_LAPACK_H_
#define HLOKIT_BACKENDS_INTERPRETER_LAPACK_H_

#include <complex>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// Loads the libraries, once: most programs do not need them, and they are slow
// to start. Must be OK before anything else here is called.
absl::Status LoadLapack();

template <typename T>
struct LapackReal {
  using type = T;
};
template <typename T>
struct LapackReal<std::complex<T>> {
  using type = T;
};

// T is float, double or a std::complex of them. Every function returns info.
// Work space is theirs; leading dimensions are the numbers of columns.
template <typename T>
struct Lapack {
  using Real = typename LapackReal<T>::type;
  using Complex = std::complex<Real>;
  static constexpr bool kComplex = !std::is_same_v<T, Real>;

  // a[m,n], ipiv[min(m,n)] from 1
  static int Getrf(int m, int n, T* a, int* ipiv);
  // a[m,n], tau[min(m,n)]
  static int Geqrf(int m, int n, T* a, T* tau);
  // jpvt[n]
  static int Geqp3(int m, int n, T* a, int* jpvt, T* tau);
  // a[m,n], tau[k], k <= n <= m
  static int Orgqr(int m, int n, int k, T* a, const T* tau);
  // a[left ? m : n, k], c[m,n]
  static int Ormqr(char side, char trans, int m, int n, int k, const T* a,
                   const T* tau, T* c);
  static int Potrf(char uplo, int n, T* a);
  // job A: u[m,m], vt[n,n]; S: u[m,k], vt[k,n]; N: neither. k = min(m,n)
  static int Gesdd(char job, int m, int n, T* a, Real* s, T* u, T* vt);
  static int Gesvd(char job, int m, int n, T* a, Real* s, T* u, T* vt);
  static int Syevd(char job, char uplo, int n, T* a, Real* w);
  // w[n], vectors in the columns of vl and vr [n,n]
  static int Geev(char left, char right, int n, T* a, Complex* w, Complex* vl,
                  Complex* vr);
  // a becomes t
  static int Gees(char job, int n, T* a, T* vs, Complex* w);
  // d[n], e[n-1], tau[n-1]
  static int Sytrd(char uplo, int n, T* a, Real* d, Real* e, T* tau);
  static int Gehrd(int n, int low, int high, T* a, T* tau);
  // dl[n-1], d[n], du[n-1], b[n,columns]
  static int Gtsv(int n, int columns, T* dl, T* d, T* du, T* b);
  // b[m,n]; letters as BLAS has them
  static void Trsm(char side, char uplo, char trans, char diag, int m, int n,
                   const T* a, T* b);
};

// Calls fn(std::type_identity<T>{}); false if LAPACK has nothing for the type.
template <typename Fn>
bool DispatchLapackType(PrimitiveType type, const Fn& fn) {
  switch (type) {
    case kF32:
      fn(std::type_identity<float>());
      return true;
    case kF64:
      fn(std::type_identity<double>());
      return true;
    case kC64:
      fn(std::type_identity<std::complex<float>>());
      return true;
    case kC128:
      fn(std::type_identity<std::complex<double>>());
      return true;
    default:
      return false;
  }
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_LAPACK_H_
