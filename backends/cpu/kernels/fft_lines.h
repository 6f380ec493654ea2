// Discrete Fourier transforms of several lines at once: each lane of the
// vectors is a line.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_FFT_LINES_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_FFT_LINES_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/kernels/simd.h"

namespace hlokit::cpu {

// Complex numbers of kLanes lines.
template <typename T>
struct FftVector {
  Simd<T> re, im;
};
template <typename T>
inline constexpr int64_t kFftLanes = 32 / sizeof(T);

// exp(-2 pi i k / n), exact to the last bit or so of double.
std::complex<double> FftRoot(int64_t k, int64_t n);

// Whether n has no prime factor above 13.
bool IsSmooth(int64_t n);
// A divisor of a smooth n close to its square root.
int64_t MiddleDivisor(int64_t n);

// y[k] = sum over j of x[j] * exp(-2 pi i j k / n); nothing is scaled. (For the
// inverse, real and imaginary parts change places before and after.) Smooth
// lengths by Stockham's algorithm, others by Bluestein's convolution with a
// chirp. Thread-safe.
template <typename T>
class FftLines {
 public:
  explicit FftLines(int64_t length);

  int64_t length() const { return length_; }
  // Vectors that Run needs besides the data.
  int64_t scratch() const;
  // Transforms x[0..length); returns where the result lies: x or scratch.
  FftVector<T>* Run(FftVector<T>* x, FftVector<T>* scratch) const;

 private:
  struct Stage {
    int64_t radix;
    int64_t length;  // before this stage
    int64_t stride;
    int64_t roots;   // where its factors begin, radix - 1 for each position
  };
  template <bool kAvx2>
  FftVector<T>* RunSmooth(FftVector<T>* x, FftVector<T>* y) const;

  int64_t length_;
  std::vector<Stage> stages_;
  std::vector<std::complex<T>> roots_;
  // Of Bluestein's algorithm.
  std::unique_ptr<FftLines<T>> long_;
  std::vector<std::complex<T>> chirp_;   // exp(-pi i j^2 / n)
  std::vector<std::complex<T>> filter_;  // transformed and scaled
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_FFT_LINES_H_
