#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <cblas.h>

#include "backends/interpreter/lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "base/status.h"

// A function of the libraries, whose types the headers give. They are looked up
// by name; nothing is linked.
#define BOUND(function) (*Bound<decltype(&function)>(#function))

namespace hlokit::interpreter {
namespace {

constexpr int kRows = LAPACK_ROW_MAJOR;

void* Library(const char* name) {
  return dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
}

void* Blas() {
  static void* const library = [] {
    for (const char* name : {"libopenblas.so.0", "libblas.so.3"}) {
      void* found = Library(name);
      if (found == nullptr) continue;
      // With several threads results depend on how many there are.
      if (void* set = dlsym(found, "openblas_set_num_threads")) {
        reinterpret_cast<void (*)(int)>(set)(1);
      }
      return found;
    }
    return static_cast<void*>(nullptr);
  }();
  return library;
}

void* Lapacke() {
  static void* const library =
      Blas() == nullptr ? nullptr : Library("liblapacke.so.3");
  return library;
}

template <typename F>
F Bound(const char* name) {
  void* symbol = dlsym(Lapacke(), name);
  if (symbol == nullptr) symbol = dlsym(Blas(), name);
  HLOKIT_CHECK(symbol != nullptr);
  return reinterpret_cast<F>(symbol);
}

// Leading dimensions must be at least 1.
int Lead(int columns) { return std::max(columns, 1); }

// Switches the search for NaN off, once.
void DisableNanChecks() {
  [[maybe_unused]] static const bool done = [] {
    BOUND(LAPACKE_set_nancheck)(0);
    return true;
  }();
}

// Real eigenvalues and packed vectors (a conjugate pair shares two columns) as
// complex ones.
template <typename Real>
void Unpack(int n, const Real* imaginary, const std::vector<Real>& packed,
            std::complex<Real>* vectors) {
  if (packed.empty()) return;
  for (int j = 0; j < n; ++j) {
    const bool pair = imaginary[j] != 0 && j + 1 < n;
    for (int i = 0; i < n; ++i) {
      const size_t at = static_cast<size_t>(i) * n + j;
      const Real re = packed[at];
      if (!pair) {
        vectors[at] = re;
        continue;
      }
      const Real im = packed[at + 1];
      vectors[at] = {re, im};
      vectors[at + 1] = {re, -im};
    }
    if (pair) ++j;
  }
}

CBLAS_SIDE Side(char side) { return side == 'R' ? CblasRight : CblasLeft; }
CBLAS_UPLO Uplo(char uplo) { return uplo == 'U' ? CblasUpper : CblasLower; }
CBLAS_DIAG Diag(char diag) { return diag == 'U' ? CblasUnit : CblasNonUnit; }
CBLAS_TRANSPOSE Trans(char trans) {
  if (trans == 'T') return CblasTrans;
  return trans == 'C' ? CblasConjTrans : CblasNoTrans;
}

}  // namespace

absl::Status LoadLapack() {
  if (Lapacke() != nullptr) return absl::OkStatus();
  return FailedPrecondition(
      "liblapacke.so.3 and libopenblas.so.0 are needed and cannot be loaded "
      "(Debian: liblapacke, libopenblas0)");
}

// What the four types have in common; p is their letter, or and he the letters
// of the orthogonal and symmetric routines.
#define HLOKIT_LAPACK_COMMON(T, p, org, orm, syevd, sytrd)                    \
  template <>                                                                 \
  int Lapack<T>::Getrf(int m, int n, T* a, int* ipiv) {                       \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##getrf)(kRows, m, n, a, Lead(n), ipiv);          \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Geqrf(int m, int n, T* a, T* tau) {                          \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##geqrf)(kRows, m, n, a, Lead(n), tau);           \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Geqp3(int m, int n, T* a, int* jpvt, T* tau) {               \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##geqp3)(kRows, m, n, a, Lead(n), jpvt, tau);     \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Orgqr(int m, int n, int k, T* a, const T* tau) {             \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##org)(kRows, m, n, k, a, Lead(n), tau);          \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Ormqr(char side, char trans, int m, int n, int k, const T* a, \
                       const T* tau, T* c) {                                  \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##orm)(kRows, side, trans, m, n, k, a,            \
                                   Lead(k), tau, c,                           \
                            Lead(n));                                         \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Potrf(char uplo, int n, T* a) {                              \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##potrf)(kRows, uplo, n, a, Lead(n));             \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gesdd(char job, int m, int n, T* a, Real* s, T* u, T* vt) {  \
    DisableNanChecks();                                                       \
    const int columns = job == 'A' ? m : std::min(m, n);                      \
    return BOUND(LAPACKE_##p##gesdd)(kRows, job, m, n, a, Lead(n), s, u,      \
                              Lead(columns), vt, Lead(n));                    \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gesvd(char job, int m, int n, T* a, Real* s, T* u, T* vt) {  \
    DisableNanChecks();                                                       \
    const int columns = job == 'A' ? m : std::min(m, n);                      \
    std::vector<Real> work(Lead(std::min(m, n)));                             \
    return BOUND(LAPACKE_##p##gesvd)(kRows, job, job, m, n, a, Lead(n), s, u, \
                              Lead(columns), vt, Lead(n), work.data());       \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Syevd(char job, char uplo, int n, T* a, Real* w) {           \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##syevd)(kRows, job, uplo, n, a, Lead(n), w);     \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Sytrd(char uplo, int n, T* a, Real* d, Real* e, T* tau) {    \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##sytrd)(kRows, uplo, n, a, Lead(n), d, e, tau);  \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gehrd(int n, int low, int high, T* a, T* tau) {              \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##gehrd)(kRows, n, low, high, a, Lead(n), tau);   \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gtsv(int n, int columns, T* dl, T* d, T* du, T* b) {         \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##gtsv)(kRows, n, columns, dl, d, du, b,          \
                                    Lead(columns));                           \
  }

HLOKIT_LAPACK_COMMON(float, s, orgqr, ormqr, syevd, sytrd)
HLOKIT_LAPACK_COMMON(double, d, orgqr, ormqr, syevd, sytrd)
HLOKIT_LAPACK_COMMON(std::complex<float>, c, ungqr, unmqr, heevd, hetrd)
HLOKIT_LAPACK_COMMON(std::complex<double>, z, ungqr, unmqr, heevd, hetrd)
#undef HLOKIT_LAPACK_COMMON

#define HLOKIT_LAPACK_REAL(T, p)                                              \
  template <>                                                                 \
  int Lapack<T>::Geev(char left, char right, int n, T* a, Complex* w,         \
                      Complex* vl, Complex* vr) {                             \
    DisableNanChecks();                                                       \
    const size_t size = static_cast<size_t>(n) * n;                           \
    std::vector<T> wr(n), wi(n), l(left == 'V' ? size : 0),                   \
        r(right == 'V' ? size : 0);                                           \
    const int info =                                                          \
        BOUND(LAPACKE_##p##geev)(kRows, left, right, n, a, Lead(n), wr.data(), \
                          wi.data(), l.data(), Lead(n), r.data(), Lead(n));   \
    for (int i = 0; i < n; ++i) w[i] = {wr[i], wi[i]};                        \
    Unpack(n, wi.data(), l, vl);                                              \
    Unpack(n, wi.data(), r, vr);                                              \
    return info;                                                              \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gees(char job, int n, T* a, T* vs, Complex* w) {             \
    DisableNanChecks();                                                       \
    std::vector<T> wr(n), wi(n);                                              \
    int selected = 0;                                                         \
    const int info =                                                          \
        BOUND(LAPACKE_##p##gees)(kRows, job, 'N', nullptr, n, a, Lead(n),     \
                                 &selected,                                   \
                          wr.data(), wi.data(), vs, Lead(n));                 \
    for (int i = 0; i < n; ++i) w[i] = {wr[i], wi[i]};                        \
    return info;                                                              \
  }                                                                           \
  template <>                                                                 \
  void Lapack<T>::Trsm(char side, char uplo, char trans, char diag, int m,    \
                       int n, const T* a, T* b) {                             \
    BOUND(cblas_##p##trsm)(CblasRowMajor, Side(side), Uplo(uplo),             \
                           Trans(trans),                                      \
                    Diag(diag), m, n, 1, a, Lead(side == 'R' ? n : m), b,     \
                    Lead(n));                                                 \
  }

HLOKIT_LAPACK_REAL(float, s)
HLOKIT_LAPACK_REAL(double, d)
#undef HLOKIT_LAPACK_REAL

#define HLOKIT_LAPACK_COMPLEX(T, p)                                           \
  template <>                                                                 \
  int Lapack<T>::Geev(char left, char right, int n, T* a, Complex* w,         \
                      Complex* vl, Complex* vr) {                             \
    DisableNanChecks();                                                       \
    return BOUND(LAPACKE_##p##geev)(kRows, left, right, n, a, Lead(n), w, vl, \
                             Lead(n), vr, Lead(n));                           \
  }                                                                           \
  template <>                                                                 \
  int Lapack<T>::Gees(char job, int n, T* a, T* vs, Complex* w) {             \
    DisableNanChecks();                                                       \
    int selected = 0;                                                         \
    return BOUND(LAPACKE_##p##gees)(kRows, job, 'N', nullptr, n, a, Lead(n),  \
                             &selected, w, vs, Lead(n));                      \
  }                                                                           \
  template <>                                                                 \
  void Lapack<T>::Trsm(char side, char uplo, char trans, char diag, int m,    \
                       int n, const T* a, T* b) {                             \
    const T one = 1;                                                          \
    BOUND(cblas_##p##trsm)(CblasRowMajor, Side(side), Uplo(uplo),             \
                           Trans(trans),                                      \
                    Diag(diag), m, n, &one, a, Lead(side == 'R' ? n : m), b,  \
                    Lead(n));                                                 \
  }

HLOKIT_LAPACK_COMPLEX(std::complex<float>, c)
HLOKIT_LAPACK_COMPLEX(std::complex<double>, z)
#undef HLOKIT_LAPACK_COMPLEX

}  // namespace hlokit::interpreter
