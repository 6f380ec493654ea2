// Fourier transforms along the last dimensions. Lines are transformed in groups
// of as many as a vector has lanes; a long one is cut into many short ones (the
// four-step algorithm).
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/fft_lines.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {
namespace {

// Lines longer than this are cut; also shorter ones if there are few.
constexpr int64_t kLongestLine = 8192;
constexpr int64_t kShortestCut = 512;

// `count` lines of complex numbers: element j of line (a, b) lies at a * outer
// + b + j * stride, b < inner.
struct FftAxis {
  int64_t length = 1, stride = 1;
  int64_t outer_count = 1, outer_step = 0;
  int64_t inner_count = 1;
};

template <typename T>
HLOKIT_SIMD_INLINE void LoadLanes(const std::complex<T>* from, bool swap,
                                  FftVector<T>* to) {
  using V = Simd<T>;
  const T* parts = reinterpret_cast<const T*>(from);
  const V a = LoadVector<V>(parts);
  const V b = LoadVector<V>(parts + kFftLanes<T>);
  V re, im;
  if constexpr (sizeof(T) == 4) {
    re = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    im = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  } else {
    re = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    im = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
  to->re = swap ? im : re;
  to->im = swap ? re : im;
}
template <typename T>
HLOKIT_SIMD_INLINE void StoreLanes(const FftVector<T>& from, bool swap,
                                   T scale, std::complex<T>* to) {
  using V = Simd<T>;
  const V re = scale * (swap ? from.im : from.re);
  const V im = scale * (swap ? from.re : from.im);
  T* parts = reinterpret_cast<T*>(to);
  if constexpr (sizeof(T) == 4) {
    StoreVector<V>(parts, __builtin_shufflevector(re, im, 0, 8, 1, 9, 2, 10, 3,
                                                  11));
    StoreVector<V>(parts + 8, __builtin_shufflevector(re, im, 4, 12, 5, 13, 6,
                                                      14, 7, 15));
  } else {
    StoreVector<V>(parts, __builtin_shufflevector(re, im, 0, 4, 1, 5));
    StoreVector<V>(parts + 4, __builtin_shufflevector(re, im, 2, 6, 3, 7));
  }
}

// Lanes next to each other.
template <typename T>
HLOKIT_SIMD_INLINE void LoadSideBySide(const std::complex<T>* from,
                                       int64_t stride, int64_t n, bool swap,
                                       FftVector<T>* to) {
  for (int64_t j = 0; j < n; ++j) LoadLanes(from + j * stride, swap, to + j);
}
template <typename T>
HLOKIT_SIMD_INLINE void StoreSideBySide(const FftVector<T>* from,
                                        int64_t stride, int64_t n, bool swap,
                                        T scale, std::complex<T>* to) {
  for (int64_t j = 0; j < n; ++j) {
    StoreLanes(from[j], swap, scale, to + j * stride);
  }
}
// kFftLanes rows of as many numbers, transposed.
HLOKIT_SIMD_INLINE void TransposeLanes(Simd<float>* v) {
  using V = Simd<float>;
  V t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const V a = v[2 * i], b = v[2 * i + 1];
    t[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    t[2 * i + 1] = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  V u[8];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const V a = t[4 * i + k], b = t[4 * i + 2 + k];
      u[4 * i + 2 * k] =
          __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 * k + 1] =
          __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    v[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] =
        __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
HLOKIT_SIMD_INLINE void TransposeLanes(Simd<double>* v) {
  using V = Simd<double>;
  const V a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
  const V b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const V c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
  const V d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Lanes anywhere.
template <typename T>
HLOKIT_SIMD_INLINE void LoadApart(const std::complex<T>* const* from,
                                  int64_t stride, int64_t n, bool swap,
                                  FftVector<T>* to) {
  using V = Simd<T>;
  constexpr int64_t kLanes = kFftLanes<T>;
  constexpr int64_t kRun = kLanes / 2;
  int64_t j = 0;
  for (; stride == 1 && j + kRun <= n; j += kRun) {
    V rows[kLanes];
#pragma GCC unroll 8
    for (int64_t l = 0; l < kLanes; ++l) rows[l] = LoadVector<V>(from[l] + j);
    TransposeLanes(rows);
#pragma GCC unroll 4
    for (int64_t k = 0; k < kRun; ++k) {
      to[j + k].re = swap ? rows[2 * k + 1] : rows[2 * k];
      to[j + k].im = swap ? rows[2 * k] : rows[2 * k + 1];
    }
  }
  T* parts = reinterpret_cast<T*>(to);
  const int64_t re = swap ? kLanes : 0, im = swap ? 0 : kLanes;
  for (; j < n; ++j) {
    for (int64_t l = 0; l < kLanes; ++l) {
      const T* line = reinterpret_cast<const T*>(from[l]);
      parts[2 * kLanes * j + re + l] = line[2 * j * stride];
      parts[2 * kLanes * j + im + l] = line[2 * j * stride + 1];
    }
  }
}
template <typename T>
HLOKIT_SIMD_INLINE void StoreApart(const FftVector<T>* from, int64_t stride,
                                   int64_t n, bool swap, T scale,
                                   int64_t lanes, std::complex<T>* const* to) {
  using V = Simd<T>;
  constexpr int64_t kLanes = kFftLanes<T>;
  constexpr int64_t kRun = kLanes / 2;
  int64_t j = 0;
  for (; stride == 1 && lanes == kLanes && j + kRun <= n; j += kRun) {
    V rows[kLanes];
#pragma GCC unroll 4
    for (int64_t k = 0; k < kRun; ++k) {
      rows[2 * k] = scale * (swap ? from[j + k].im : from[j + k].re);
      rows[2 * k + 1] = scale * (swap ? from[j + k].re : from[j + k].im);
    }
    TransposeLanes(rows);
#pragma GCC unroll 8
    for (int64_t l = 0; l < kLanes; ++l) StoreVector<V>(to[l] + j, rows[l]);
  }
  const T* parts = reinterpret_cast<const T*>(from);
  const int64_t re = swap ? kLanes : 0, im = swap ? 0 : kLanes;
  for (; j < n; ++j) {
    for (int64_t l = 0; l < lanes; ++l) {
      T* line = reinterpret_cast<T*>(to[l]);
      line[2 * j * stride] = scale * parts[2 * kLanes * j + re + l];
      line[2 * j * stride + 1] = scale * parts[2 * kLanes * j + im + l];
    }
  }
}

#define HLOKIT_FFT_MOVE(name, parameters, arguments)               \
  template <typename T>                                            \
  HLOKIT_SIMD_AVX2 void name##Avx2 parameters { name arguments; }  \
  template <typename T>                                            \
  void name##Any parameters {                                      \
    if (HasAvx2()) return name##Avx2<T> arguments;                 \
    name arguments;                                                \
  }
HLOKIT_FFT_MOVE(LoadSideBySide,
                (const std::complex<T>* from, int64_t stride, int64_t n,
                 bool swap, FftVector<T>* to),
                (from, stride, n, swap, to))
HLOKIT_FFT_MOVE(StoreSideBySide,
                (const FftVector<T>* from, int64_t stride, int64_t n, bool swap,
                 T scale, std::complex<T>* to),
                (from, stride, n, swap, scale, to))
HLOKIT_FFT_MOVE(LoadApart,
                (const std::complex<T>* const* from, int64_t stride, int64_t n,
                 bool swap, FftVector<T>* to),
                (from, stride, n, swap, to))
HLOKIT_FFT_MOVE(StoreApart,
                (const FftVector<T>* from, int64_t stride, int64_t n, bool swap,
                 T scale, int64_t lanes, std::complex<T>* const* to),
                (from, stride, n, swap, scale, lanes, to))
#undef HLOKIT_FFT_MOVE

// Transforms all lines along one axis, from one array to another (or in place).
template <typename T>
class AxisFft {
 public:
  using Complex = std::complex<T>;

  explicit AxisFft(const FftAxis& axis) : axis_(axis) {
    const int64_t n = axis.length;
    const int64_t lines = axis.outer_count * axis.inner_count;
    const bool cut = n > kLongestLine ||
                     (lines < kFftLanes<T> && n >= kShortestCut);
    if (!cut) {
      lines_ = std::make_unique<FftLines<T>>(n);
      return;
    }
    if (IsSmooth(n) && MiddleDivisor(n) >= 8) {
      first_ = MiddleDivisor(n);
      second_ = n / first_;
      columns_ = std::make_unique<FftLines<T>>(first_);
      rows_ = std::make_unique<FftLines<T>>(second_);
      // exp(-2 pi i e / n) as a product of two entries.
      while (low_size_ * low_size_ < n) low_size_ *= 2;
      for (int64_t e = 0; e < low_size_; ++e) low_.push_back(FftRoot(e, n));
      for (int64_t e = 0; e < n; e += low_size_) {
        high_.push_back(FftRoot(e, n));
      }
      return;
    }
    // Bluestein's convolution by a long transform of a power of two.
    int64_t size = 1;
    while (size < 2 * n - 1) size *= 2;
    if (size <= kLongestLine) {
      lines_ = std::make_unique<FftLines<T>>(n);
      return;
    }
    FftAxis whole;
    whole.length = size;
    long_ = std::make_unique<AxisFft<T>>(whole);
    std::vector<std::complex<double>> filter(size);
    for (int64_t j = 0; j < n; ++j) {
      const int64_t square = static_cast<int64_t>(
          static_cast<unsigned __int128>(j) * j % (2 * n));
      const std::complex<double> root = FftRoot(square, 2 * n);
      chirp_.push_back(Complex(root));
      filter[j] = filter[(size - j) % size] = std::conj(root);
    }
    ThreadPool alone(1);
    AxisFft<double>(whole).Run(filter.data(), filter.data(), false, 1, &alone);
    for (const std::complex<double>& f : filter) {
      filter_.push_back(Complex(f / static_cast<double>(size)));
    }
  }

  // `inverse`: exp(+...). All results are multiplied by `scale`.
  void Run(const Complex* from, Complex* to, bool inverse, T scale,
           ThreadPool* pool) const {
    if (lines_ != nullptr) {
      RunLines(*lines_, from, to, inverse, scale, pool);
      return;
    }
    for (int64_t a = 0; a < axis_.outer_count; ++a) {
      for (int64_t b = 0; b < axis_.inner_count; ++b) {
        const int64_t start = a * axis_.outer_step + b;
        if (long_ == nullptr) {
          RunCut(from + start, to + start, inverse, scale, pool);
        } else {
          RunChirp(from + start, to + start, inverse, scale, pool);
        }
      }
    }
  }

 private:
  template <typename>
  friend class AxisFft;
  static constexpr int64_t kLanes = kFftLanes<T>;

  void RunLines(const FftLines<T>& lines, const Complex* from, Complex* to,
                bool inverse, T scale, ThreadPool* pool) const {
    const int64_t n = axis_.length;
    const bool side_by_side = axis_.inner_count > 1;
    // Groups of lanes do not go over the end of the inner lines.
    const int64_t inner_groups =
        side_by_side ? (axis_.inner_count + kLanes - 1) / kLanes : 1;
    const int64_t groups =
        side_by_side ? axis_.outer_count * inner_groups
                     : (axis_.outer_count + kLanes - 1) / kLanes;
    pool->ParallelFor(
        groups, GrainFor(n * 64), [&](int64_t begin, int64_t end) {
          thread_local Workspace data_space, scratch_space;
          FftVector<T>* data = data_space.Get<FftVector<T>>(n);
          FftVector<T>* scratch =
              scratch_space.Get<FftVector<T>>(lines.scratch());
          for (int64_t g = begin; g < end; ++g) {
            int64_t starts[kLanes];
            int64_t lanes;
            if (side_by_side) {
              const int64_t first = g % inner_groups * kLanes;
              lanes = std::min(kLanes, axis_.inner_count - first);
              const int64_t start =
                  g / inner_groups * axis_.outer_step + first;
              for (int64_t l = 0; l < kLanes; ++l) {
                starts[l] = start + std::min(l, lanes - 1);
              }
            } else {
              lanes = std::min(kLanes, axis_.outer_count - g * kLanes);
              for (int64_t l = 0; l < kLanes; ++l) {
                starts[l] = (g * kLanes + std::min(l, lanes - 1)) *
                            axis_.outer_step;
              }
            }
            if (side_by_side && lanes == kLanes) {
              LoadSideBySideAny<T>(from + starts[0], axis_.stride, n, inverse,
                                   data);
              const FftVector<T>* result = lines.Run(data, scratch);
              StoreSideBySideAny<T>(result, axis_.stride, n, inverse, scale,
                                    to + starts[0]);
              continue;
            }
            const Complex* sources[kLanes];
            Complex* targets[kLanes];
            for (int64_t l = 0; l < kLanes; ++l) {
              sources[l] = from + starts[l];
              targets[l] = to + starts[l];
            }
            LoadApartAny<T>(sources, axis_.stride, n, inverse, data);
            const FftVector<T>* result = lines.Run(data, scratch);
            StoreApartAny<T>(result, axis_.stride, n, inverse, scale, lanes,
                             targets);
          }
        });
  }

  std::complex<double> Root(int64_t e) const {
    e %= axis_.length;
    return high_[e / low_size_] * low_[e % low_size_];
  }

  // One long line as first_ x second_: columns, factors, rows.
  void RunCut(const Complex* from, Complex* to, bool inverse, T scale,
              ThreadPool* pool) const {
    const int64_t stride = axis_.stride, n1 = first_, n2 = second_;
    thread_local Workspace between_space;
    Complex* between = between_space.Get<Complex>(axis_.length);
    pool->ParallelFor(
        (n2 + kLanes - 1) / kLanes, GrainFor(n1 * 64),
        [&](int64_t begin, int64_t end) {
          thread_local Workspace data_space, scratch_space;
          FftVector<T>* data = data_space.Get<FftVector<T>>(n1);
          FftVector<T>* scratch =
              scratch_space.Get<FftVector<T>>(columns_->scratch());
          for (int64_t g = begin; g < end; ++g) {
            const int64_t first = g * kLanes;
            const int64_t lanes = std::min(kLanes, n2 - first);
            const Complex* sources[kLanes];
            Complex* targets[kLanes];
            for (int64_t l = 0; l < kLanes; ++l) {
              const int64_t column = first + std::min(l, lanes - 1);
              sources[l] = from + column * stride;
              targets[l] = between + column;
            }
            if (lanes == kLanes && stride == 1) {
              LoadSideBySideAny<T>(sources[0], n2, n1, inverse, data);
            } else {
              LoadApartAny<T>(sources, n2 * stride, n1, inverse, data);
            }
            FftVector<T>* result = columns_->Run(data, scratch);
            MultiplyFactors(first, result);
            if (lanes == kLanes) {
              StoreSideBySideAny<T>(result, n2, n1, false, T(1), targets[0]);
            } else {
              StoreApartAny<T>(result, n2, n1, false, T(1), lanes, targets);
            }
          }
        });
    pool->ParallelFor(
        (n1 + kLanes - 1) / kLanes, GrainFor(n2 * 64),
        [&](int64_t begin, int64_t end) {
          thread_local Workspace data_space, scratch_space;
          FftVector<T>* data = data_space.Get<FftVector<T>>(n2);
          FftVector<T>* scratch =
              scratch_space.Get<FftVector<T>>(rows_->scratch());
          for (int64_t g = begin; g < end; ++g) {
            const int64_t first = g * kLanes;
            const int64_t lanes = std::min(kLanes, n1 - first);
            const Complex* sources[kLanes];
            Complex* targets[kLanes];
            for (int64_t l = 0; l < kLanes; ++l) {
              const int64_t row = first + std::min(l, lanes - 1);
              sources[l] = between + row * n2;
              targets[l] = to + row * stride;
            }
            LoadApartAny<T>(sources, 1, n2, false, data);
            const FftVector<T>* result = rows_->Run(data, scratch);
            if (lanes == kLanes && stride == 1) {
              StoreSideBySideAny<T>(result, n1, n2, inverse, scale, targets[0]);
            } else {
              StoreApartAny<T>(result, n1 * stride, n2, inverse, scale, lanes,
                               targets);
            }
          }
        });
  }

  // x[k] *= exp(-2 pi i k column / n), a column a lane: one factor from the
  // last, anew after a few.
  void MultiplyFactors(int64_t first, FftVector<T>* x) const {
    std::complex<double> factors[kLanes], steps[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) steps[l] = Root(first + l);
    for (int64_t k = 0; k < first_; ++k) {
      for (int64_t l = 0; l < kLanes; ++l) {
        if (k % 16 == 0) {
          factors[l] = Root((first + l) * k);
        } else {
          const std::complex<double> f = factors[l], s = steps[l];
          factors[l] = {f.real() * s.real() - f.imag() * s.imag(),
                        f.real() * s.imag() + f.imag() * s.real()};
        }
        const T re = static_cast<T>(factors[l].real());
        const T im = static_cast<T>(factors[l].imag());
        const T x_re = x[k].re[l], x_im = x[k].im[l];
        x[k].re[l] = x_re * re - x_im * im;
        x[k].im[l] = x_re * im + x_im * re;
      }
    }
  }

  void RunChirp(const Complex* from, Complex* to, bool inverse, T scale,
                ThreadPool* pool) const {
    const int64_t n = axis_.length, size = long_->axis_.length;
    const auto swapped = [&](Complex c) {
      return inverse ? Complex(c.imag(), c.real()) : c;
    };
    const auto times = [](Complex a, Complex b) {
      return Complex(a.real() * b.real() - a.imag() * b.imag(),
                     a.real() * b.imag() + a.imag() * b.real());
    };
    std::vector<Complex> x(size);
    for (int64_t j = 0; j < n; ++j) {
      x[j] = times(swapped(from[j * axis_.stride]), chirp_[j]);
    }
    long_->Run(x.data(), x.data(), false, T(1), pool);
    for (int64_t k = 0; k < size; ++k) x[k] = times(x[k], filter_[k]);
    long_->Run(x.data(), x.data(), true, T(1), pool);
    for (int64_t j = 0; j < n; ++j) {
      to[j * axis_.stride] = scale * swapped(times(x[j], chirp_[j]));
    }
  }

  FftAxis axis_;
  std::unique_ptr<FftLines<T>> lines_;
  // Of a cut line.
  int64_t first_ = 0, second_ = 0;
  std::unique_ptr<FftLines<T>> columns_, rows_;
  int64_t low_size_ = 1;
  std::vector<std::complex<double>> low_, high_;
  // Of Bluestein's algorithm on long lines.
  std::unique_ptr<AxisFft<T>> long_;
  std::vector<Complex> chirp_, filter_;
};

// Real lines of even length n as complex ones of half of it, and what makes the
// transform of the one from that of the other.
template <typename T>
class RealFft {
 public:
  using Complex = std::complex<T>;

  RealFft(int64_t rows, int64_t length)
      : rows_(rows), length_(length), half_(length % 2 == 0 ? length / 2 : 0),
        bins_(length / 2 + 1) {
    FftAxis axis;
    axis.length = half_ > 0 ? half_ : length;
    axis.outer_count = rows;
    axis.outer_step = axis.length;
    fft_ = std::make_unique<AxisFft<T>>(axis);
    for (int64_t k = 0; half_ > 0 && k <= half_; ++k) {
      const std::complex<double> root = FftRoot(k, length);
      roots_.push_back({static_cast<T>(root.real()),
                        static_cast<T>(root.imag())});
    }
  }

  // [rows, length] -> [rows, length / 2 + 1]
  void Forward(const T* from, Complex* to, ThreadPool* pool) const {
    const int64_t n = half_ > 0 ? half_ : length_;
    thread_local Workspace space;
    Complex* x = space.Get<Complex>(rows_ * n);
    if (half_ > 0) {
      fft_->Run(reinterpret_cast<const Complex*>(from), x, false, 1,
                pool);
    } else {
      for (int64_t i = 0; i < rows_ * n; ++i) x[i] = from[i];
      fft_->Run(x, x, false, 1, pool);
    }
    ForEachRow(pool, [&](int64_t row) {
      const Complex* z = x + row * n;
      Complex* out = to + row * bins_;
      if (half_ == 0) {
        std::copy_n(z, bins_, out);
        return;
      }
      for (int64_t k = 0; k <= half_; ++k) {
        const Complex a = z[k == half_ ? 0 : k];
        const Complex b = z[k == 0 ? 0 : half_ - k];
        // Of the even and of the odd elements.
        const T even_re = (a.real() + b.real()) / 2;
        const T even_im = (a.imag() - b.imag()) / 2;
        const T odd_re = (a.imag() + b.imag()) / 2;
        const T odd_im = (b.real() - a.real()) / 2;
        const Complex w = roots_[k];
        out[k] = {even_re + odd_re * w.real() - odd_im * w.imag(),
                  even_im + odd_re * w.imag() + odd_im * w.real()};
      }
      // Real by their nature.
      out[0] = {out[0].real(), 0};
      out[half_] = {out[half_].real(), 0};
    });
  }

  // [rows, length / 2 + 1] -> [rows, length]
  void Backward(const Complex* from, T* to, T scale, ThreadPool* pool) const {
    const int64_t n = half_ > 0 ? half_ : length_;
    thread_local Workspace space;
    Complex* x = space.Get<Complex>(rows_ * n);
    ForEachRow(pool, [&](int64_t row) {
      const Complex* in = from + row * bins_;
      Complex* z = x + row * n;
      if (half_ == 0) {
        z[0] = in[0].real();
        for (int64_t k = 1; k < bins_; ++k) {
          z[k] = in[k];
          z[n - k] = std::conj(in[k]);
        }
        return;
      }
      for (int64_t k = 0; k < half_; ++k) {
        Complex a = in[k], b = in[half_ - k];
        if (k == 0) a = a.real(), b = b.real();
        const T even_re = a.real() + b.real(), even_im = a.imag() - b.imag();
        const T d_re = a.real() - b.real(), d_im = a.imag() + b.imag();
        // i times the conjugate root.
        const T w_re = roots_[k].imag(), w_im = roots_[k].real();
        z[k] = {even_re + d_re * w_re - d_im * w_im,
                even_im + d_re * w_im + d_im * w_re};
      }
    });
    if (half_ > 0) {
      fft_->Run(x, reinterpret_cast<Complex*>(to), true, scale, pool);
      return;
    }
    fft_->Run(x, x, true, scale, pool);
    for (int64_t i = 0; i < rows_ * n; ++i) to[i] = x[i].real();
  }

 private:
  template <typename Fn>
  void ForEachRow(ThreadPool* pool, const Fn& fn) const {
    pool->ParallelFor(rows_, GrainFor(length_),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) fn(row);
                      });
  }

  int64_t rows_, length_, half_, bins_;
  std::unique_ptr<AxisFft<T>> fft_;
  std::vector<Complex> roots_;
};

template <typename T>
class FftKernel : public NativeKernel {
 public:
  using Complex = std::complex<T>;

  // `sizes` are those of the complex array.
  FftKernel(FftType type, absl::Span<const int64_t> sizes,
            absl::Span<const int64_t> lengths)
      : type_(type) {
    const bool real = type == FftType::kRfft || type == FftType::kIrfft;
    const int64_t rank = sizes.size(), axes = lengths.size();
    for (int64_t size : sizes) elements_ *= size;
    for (int64_t length : lengths) points_ *= static_cast<double>(length);
    for (int64_t i = axes; i-- > 0;) {
      const int64_t d = rank - axes + i;
      if (real && i == axes - 1) {
        real_ = std::make_unique<RealFft<T>>(elements_ / sizes[d], lengths[i]);
        continue;
      }
      FftAxis axis;
      axis.length = lengths[i];
      for (int64_t j = d + 1; j < rank; ++j) axis.stride *= sizes[j];
      axis.inner_count = axis.stride;
      axis.outer_step = axis.stride * axis.length;
      axis.outer_count = elements_ / axis.outer_step;
      axes_.push_back(std::make_unique<AxisFft<T>>(axis));
    }
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    ThreadPool* pool = context.pool;
    const bool inverse = type_ == FftType::kIfft || type_ == FftType::kIrfft;
    const T scale = inverse ? static_cast<T>(1 / points_) : T(1);
    if (type_ == FftType::kIrfft) {
      const Complex* in = static_cast<const Complex*>(operands[0]);
      std::unique_ptr<Complex[]> between;
      if (!axes_.empty()) {
        between.reset(new Complex[elements_]);
        RunAxes(in, between.get(), true, 1, pool);
        in = between.get();
      }
      real_->Backward(in, static_cast<T*>(results[0]), scale, pool);
      return absl::OkStatus();
    }
    Complex* out = static_cast<Complex*>(results[0]);
    const Complex* in = static_cast<const Complex*>(operands[0]);
    if (type_ == FftType::kRfft) {
      real_->Forward(static_cast<const T*>(operands[0]), out, pool);
      in = out;
    }
    RunAxes(in, out, inverse, scale, pool);
    return absl::OkStatus();
  }

 private:
  void RunAxes(const Complex* in, Complex* out, bool inverse, T scale,
               ThreadPool* pool) const {
    for (size_t i = 0; i < axes_.size(); ++i) {
      axes_[i]->Run(in, out, inverse, i + 1 == axes_.size() ? scale : T(1),
                    pool);
      in = out;
    }
  }

  FftType type_;
  int64_t elements_ = 1;
  double points_ = 1;
  std::vector<std::unique_ptr<AxisFft<T>>> axes_;
  std::unique_ptr<RealFft<T>> real_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeFftKernel(const Instruction& instruction,
                                            KernelEnvironment& environment) {
  const auto from = ViewOf(instruction.operand(0)->shape());
  const auto to = ViewOf(instruction.shape());
  const auto lengths = instruction.attrs().GetList(AttrId::kFftLength);
  if (!from || !to || !IsRowMajor(*from) || !IsRowMajor(*to) ||
      lengths.empty() || from->elements == 0 || to->elements == 0 ||
      static_cast<int64_t>(lengths.size()) > from->rank()) {
    return nullptr;
  }
  const auto type =
      static_cast<FftType>(instruction.attrs().GetInt(AttrId::kFftType));
  const ArrayView& complex = type == FftType::kRfft ? *to : *from;
  const ArrayView& other = type == FftType::kRfft ? *from : *to;
  for (int64_t length : lengths) {
    if (length < 1 || length > (int64_t{1} << 24)) return nullptr;
  }
  const bool real = type == FftType::kRfft || type == FftType::kIrfft;
  if (real && (lengths.back() / 2 + 1 != complex.sizes.back() ||
               lengths.back() != other.sizes.back())) {
    return nullptr;
  }
  if (complex.type == kC64 && other.type == (real ? kF32 : kC64)) {
    return std::make_unique<FftKernel<float>>(type, complex.sizes, lengths);
  }
  if (complex.type == kC128 && other.type == (real ? kF64 : kC128)) {
    return std::make_unique<FftKernel<double>>(type, complex.sizes, lengths);
  }
  return nullptr;
}

}  // namespace hlokit::cpu
