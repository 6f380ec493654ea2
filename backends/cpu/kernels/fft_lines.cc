#include "backends/cpu/kernels/fft_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace hlokit::cpu {

std::complex<double> FftRoot(int64_t k, int64_t n) {
  // The angle within an eighth of a turn, where sine and cosine are exact.
  k %= n;
  const int64_t eighths = (8 * k + n / 2) / n;  // the nearest one
  const double angle = std::numbers::pi *
                       (8.0 * static_cast<double>(k) -
                        static_cast<double>(eighths) * static_cast<double>(n)) /
                       (4.0 * static_cast<double>(n));
  const double c = std::cos(angle), s = std::sin(angle);
  const double half = std::numbers::sqrt2 / 2;
  double re = c, im = -s;
  const auto turn = [&](double a, double b) {  // times a + b i
    const double x = re * a - im * b;
    im = re * b + im * a;
    re = x;
  };
  if (eighths & 1) turn(half, -half);
  if (eighths & 2) turn(0, -1);
  if (eighths & 4) turn(-1, 0);
  return {re, im};
}

namespace {

// The prime factors up to 13, fours before twos; the rest is in `rest`.
std::vector<int64_t> RadicesOf(int64_t n, int64_t* rest) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    while (n % radix == 0) {
      radices.push_back(radix);
      n /= radix;
    }
  }
  *rest = n;
  return radices;
}

template <typename T>
HLOKIT_SIMD_INLINE void StoreTurned(FftVector<T>* to, Simd<T> re, Simd<T> im,
                                    const std::complex<T>& root) {
  const T* w = reinterpret_cast<const T*>(&root);
  to->re = w[0] * re - w[1] * im;
  to->im = w[0] * im + w[1] * re;
}

template <typename T>
HLOKIT_SIMD_INLINE void FftStage2(const FftVector<T>* x, FftVector<T>* y,
                                  int64_t m, int64_t s,
                                  const std::complex<T>* roots) {
  for (int64_t q = 0; q < m; ++q) {
    for (int64_t r = 0; r < s; ++r) {
      const FftVector<T>&a = x[r + s * q], &b = x[r + s * (q + m)];
      FftVector<T>* out = y + r + s * 2 * q;
      const Simd<T> re = a.re - b.re, im = a.im - b.im;
      out[0].re = a.re + b.re;
      out[0].im = a.im + b.im;
      StoreTurned(out + s, re, im, roots[q]);
    }
  }
}

template <typename T>
HLOKIT_SIMD_INLINE void FftStage4(const FftVector<T>* x, FftVector<T>* y,
                                  int64_t m, int64_t s,
                                  const std::complex<T>* roots) {
  using V = Simd<T>;
  for (int64_t q = 0; q < m; ++q) {
    const std::complex<T>* w = roots + 3 * q;
    for (int64_t r = 0; r < s; ++r) {
      const FftVector<T>* in = x + r + s * q;
      FftVector<T>* out = y + r + s * 4 * q;
      const V a_re = in[0].re, a_im = in[0].im;
      const V b_re = in[s * m].re, b_im = in[s * m].im;
      const V c_re = in[2 * s * m].re, c_im = in[2 * s * m].im;
      const V d_re = in[3 * s * m].re, d_im = in[3 * s * m].im;
      const V p_re = a_re + c_re, p_im = a_im + c_im;
      const V n_re = a_re - c_re, n_im = a_im - c_im;
      const V o_re = b_re + d_re, o_im = b_im + d_im;
      const V e_re = b_re - d_re, e_im = b_im - d_im;
      out[0].re = p_re + o_re;
      out[0].im = p_im + o_im;
      StoreTurned<T>(out + s, n_re + e_im, n_im - e_re, w[0]);
      StoreTurned<T>(out + 2 * s, p_re - o_re, p_im - o_im, w[1]);
      StoreTurned<T>(out + 3 * s, n_re - e_im, n_im + e_re, w[2]);
    }
  }
}

template <typename T>
HLOKIT_SIMD_INLINE void FftStage3(const FftVector<T>* x, FftVector<T>* y,
                                  int64_t m, int64_t s,
                                  const std::complex<T>* roots) {
  using V = Simd<T>;
  constexpr T kSin = static_cast<T>(0.86602540378443864676);
  for (int64_t q = 0; q < m; ++q) {
    const std::complex<T>* w = roots + 2 * q;
    for (int64_t r = 0; r < s; ++r) {
      const FftVector<T>* in = x + r + s * q;
      FftVector<T>* out = y + r + s * 3 * q;
      const V a_re = in[0].re, a_im = in[0].im;
      const V b_re = in[s * m].re, b_im = in[s * m].im;
      const V c_re = in[2 * s * m].re, c_im = in[2 * s * m].im;
      const V t_re = b_re + c_re, t_im = b_im + c_im;
      const V d_re = kSin * (b_re - c_re), d_im = kSin * (b_im - c_im);
      const V h_re = a_re - T(0.5) * t_re, h_im = a_im - T(0.5) * t_im;
      out[0].re = a_re + t_re;
      out[0].im = a_im + t_im;
      StoreTurned<T>(out + s, h_re + d_im, h_im - d_re, w[0]);
      StoreTurned<T>(out + 2 * s, h_re - d_im, h_im + d_re, w[1]);
    }
  }
}

template <typename T>
HLOKIT_SIMD_INLINE void FftStage5(const FftVector<T>* x, FftVector<T>* y,
                                  int64_t m, int64_t s,
                                  const std::complex<T>* roots) {
  using V = Simd<T>;
  constexpr T kCos1 = static_cast<T>(0.30901699437494742410);
  constexpr T kCos2 = static_cast<T>(-0.80901699437494742410);
  constexpr T kSin1 = static_cast<T>(0.95105651629515357212);
  constexpr T kSin2 = static_cast<T>(0.58778525229247312917);
  for (int64_t q = 0; q < m; ++q) {
    const std::complex<T>* w = roots + 4 * q;
    for (int64_t r = 0; r < s; ++r) {
      const FftVector<T>* in = x + r + s * q;
      FftVector<T>* out = y + r + s * 5 * q;
      const int64_t h = s * m;
      const V a_re = in[0].re, a_im = in[0].im;
      const V p_re = in[h].re + in[4 * h].re, p_im = in[h].im + in[4 * h].im;
      const V u_re = in[h].re - in[4 * h].re, u_im = in[h].im - in[4 * h].im;
      const V t_re = in[2 * h].re + in[3 * h].re;
      const V t_im = in[2 * h].im + in[3 * h].im;
      const V v_re = in[2 * h].re - in[3 * h].re;
      const V v_im = in[2 * h].im - in[3 * h].im;
      const V b_re = a_re + kCos1 * p_re + kCos2 * t_re;
      const V b_im = a_im + kCos1 * p_im + kCos2 * t_im;
      const V c_re = a_re + kCos2 * p_re + kCos1 * t_re;
      const V c_im = a_im + kCos2 * p_im + kCos1 * t_im;
      const V d_re = kSin1 * u_re + kSin2 * v_re;
      const V d_im = kSin1 * u_im + kSin2 * v_im;
      const V e_re = kSin2 * u_re - kSin1 * v_re;
      const V e_im = kSin2 * u_im - kSin1 * v_im;
      out[0].re = a_re + p_re + t_re;
      out[0].im = a_im + p_im + t_im;
      StoreTurned<T>(out + s, b_re + d_im, b_im - d_re, w[0]);
      StoreTurned<T>(out + 2 * s, c_re + e_im, c_im - e_re, w[1]);
      StoreTurned<T>(out + 3 * s, c_re - e_im, c_im + e_re, w[2]);
      StoreTurned<T>(out + 4 * s, b_re - d_im, b_im + d_re, w[3]);
    }
  }
}

// Any small radix; `unit` are its own roots, unit[k] = exp(-2 pi i k / radix).
template <typename T>
HLOKIT_SIMD_INLINE void FftStageAny(int64_t radix, const FftVector<T>* x,
                                    FftVector<T>* y, int64_t m, int64_t s,
                                    const std::complex<T>* roots,
                                    const std::complex<T>* unit) {
  for (int64_t q = 0; q < m; ++q) {
    const std::complex<T>* w = roots + (radix - 1) * q;
    for (int64_t r = 0; r < s; ++r) {
      const FftVector<T>* in = x + r + s * q;
      FftVector<T>* out = y + r + s * radix * q;
      for (int64_t k = 0; k < radix; ++k) {
        Simd<T> re = in[0].re, im = in[0].im;
        for (int64_t j = 1; j < radix; ++j) {
          const T* u = reinterpret_cast<const T*>(unit + j * k % radix);
          const FftVector<T>& a = in[j * s * m];
          re += u[0] * a.re - u[1] * a.im;
          im += u[0] * a.im + u[1] * a.re;
        }
        if (k == 0) {
          out[0].re = re;
          out[0].im = im;
        } else {
          StoreTurned<T>(out + k * s, re, im, w[k - 1]);
        }
      }
    }
  }
}

template <typename T>
HLOKIT_SIMD_INLINE void FftStageOf(int64_t radix, const FftVector<T>* x,
                                   FftVector<T>* y, int64_t m, int64_t s,
                                   const std::complex<T>* roots,
                                   const std::complex<T>* unit) {
  switch (radix) {
    case 2:
      return FftStage2(x, y, m, s, roots);
    case 3:
      return FftStage3(x, y, m, s, roots);
    case 4:
      return FftStage4(x, y, m, s, roots);
    case 5:
      return FftStage5(x, y, m, s, roots);
    default:
      return FftStageAny(radix, x, y, m, s, roots, unit);
  }
}
template <typename T>
HLOKIT_SIMD_AVX2 void FftStageAvx2(int64_t radix, const FftVector<T>* x,
                                   FftVector<T>* y, int64_t m, int64_t s,
                                   const std::complex<T>* roots,
                                   const std::complex<T>* unit) {
  FftStageOf(radix, x, y, m, s, roots, unit);
}
template <typename T>
void FftStagePlain(int64_t radix, const FftVector<T>* x, FftVector<T>* y,
                   int64_t m, int64_t s, const std::complex<T>* roots,
                   const std::complex<T>* unit) {
  FftStageOf(radix, x, y, m, s, roots, unit);
}

// x[j] *= factors[j], conjugated afterwards where asked.
template <typename T>
HLOKIT_SIMD_INLINE void TurnAllBody(FftVector<T>* x,
                                    const std::complex<T>* factors,
                                    int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    const Simd<T> re = x[j].re, im = x[j].im;
    StoreTurned<T>(x + j, re, im, factors[j]);
  }
}
template <typename T>
HLOKIT_SIMD_AVX2 void TurnAllAvx2(FftVector<T>* x,
                                  const std::complex<T>* factors, int64_t n) {
  TurnAllBody(x, factors, n);
}
template <typename T>
void TurnAll(FftVector<T>* x, const std::complex<T>* factors, int64_t n) {
  if (HasAvx2()) return TurnAllAvx2(x, factors, n);
  TurnAllBody(x, factors, n);
}

template <typename T>
void SwapParts(FftVector<T>* x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) x[j] = {x[j].im, x[j].re};
}

template <typename T>
std::complex<T> Narrowed(std::complex<double> value) {
  return {static_cast<T>(value.real()), static_cast<T>(value.imag())};
}

}  // namespace

bool IsSmooth(int64_t n) {
  int64_t rest = 1;
  RadicesOf(n, &rest);
  return rest == 1;
}

int64_t MiddleDivisor(int64_t n) {
  int64_t best = 1;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

template <typename T>
FftLines<T>::FftLines(int64_t length) : length_(length) {
  int64_t rest = 1;
  const std::vector<int64_t> radices = RadicesOf(length, &rest);
  if (rest == 1) {
    int64_t n = length, stride = 1;
    for (int64_t radix : radices) {
      const int64_t m = n / radix;
      stages_.push_back(
          {radix, n, stride, static_cast<int64_t>(roots_.size())});
      for (int64_t q = 0; q < m; ++q) {
        for (int64_t k = 1; k < radix; ++k) {
          roots_.push_back(Narrowed<T>(FftRoot(q * k, n)));
        }
      }
      for (int64_t k = 0; radix > 5 && k < radix; ++k) {
        roots_.push_back(Narrowed<T>(FftRoot(k, radix)));
      }
      n = m;
      stride *= radix;
    }
    return;
  }
  int64_t size = 1;
  while (size < 2 * length - 1) size *= 2;
  long_ = std::make_unique<FftLines<T>>(size);
  std::vector<std::complex<double>> chirp(length);
  for (int64_t j = 0; j < length; ++j) {
    // j^2 modulo 2n.
    const int64_t square = static_cast<int64_t>(
        static_cast<unsigned __int128>(j) * j % (2 * length));
    chirp[j] = FftRoot(square, 2 * length);
    chirp_.push_back(Narrowed<T>(chirp[j]));
  }
  // The filter's transform, in double.
  FftLines<double> exact(size);
  std::vector<FftVector<double>> x(size), scratch(exact.scratch());
  for (int64_t j = 0; j < length; ++j) {
    for (int64_t at : {j, (size - j) % size}) {
      x[at].re[0] = chirp[j].real();
      x[at].im[0] = -chirp[j].imag();
    }
  }
  const FftVector<double>* result = exact.Run(x.data(), scratch.data());
  for (int64_t k = 0; k < size; ++k) {
    filter_.push_back(Narrowed<T>(
        std::complex<double>(result[k].re[0], result[k].im[0]) /
        static_cast<double>(size)));
  }
}

template <typename T>
int64_t FftLines<T>::scratch() const {
  return long_ == nullptr ? length_
                          : long_->length() + long_->scratch();
}

template <typename T>
FftVector<T>* FftLines<T>::Run(FftVector<T>* x, FftVector<T>* scratch) const {
  if (long_ == nullptr) {
    FftVector<T>* from = x;
    FftVector<T>* to = scratch;
    for (const Stage& stage : stages_) {
      const int64_t m = stage.length / stage.radix;
      const std::complex<T>* roots = roots_.data() + stage.roots;
      (HasAvx2() ? FftStageAvx2<T> : FftStagePlain<T>)(
          stage.radix, from, to, m, stage.stride, roots,
          roots + m * (stage.radix - 1));
      std::swap(from, to);
    }
    return from;
  }
  const int64_t size = long_->length();
  FftVector<T>* padded = scratch;
  TurnAll(x, chirp_.data(), length_);
  std::copy_n(x, length_, padded);
  std::fill(padded + length_, padded + size, FftVector<T>{});
  FftVector<T>* result = long_->Run(padded, scratch + size);
  TurnAll(result, filter_.data(), size);
  // The inverse: parts change places.
  SwapParts(result, size);
  FftVector<T>* other = result == padded ? scratch + size : padded;
  result = long_->Run(result, other);
  SwapParts(result, length_);
  TurnAll(result, chirp_.data(), length_);
  std::copy_n(result, length_, x);
  return x;
}

template class FftLines<float>;
template class FftLines<double>;

}  // namespace hlokit::cpu
