// Discrete Fourier transforms of any length, in double precision.
#ifndef HLOKIT_BACKENDS_INTERPRETER_FFT_H_
#define HLOKIT_BACKENDS_INTERPRETER_FFT_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace hlokit::interpreter {

// The transform of one length, made once and used many times:
//   y[k] = sum over j of x[j] * exp(-2 pi i j k / n),
// with `inverse` +2 pi i. Nothing is scaled. O(n log n) for every n: powers of
// two by halving, others by Bluestein's convolution.
class Fft {
 public:
  using Value = std::complex<double>;

  Fft(int64_t length, bool inverse);
  ~Fft();

  // In place; exactly `length` values.
  void Run(absl::Span<Value> values);

 private:
  void RunPowerOfTwo(absl::Span<Value> values) const;
  void RunBluestein(absl::Span<Value> values);

  int64_t length_;
  bool power_of_two_;
  std::vector<Value> roots_;  // exp(-+2 pi i j / n)
  // Of Bluestein's algorithm.
  std::vector<Value> chirp_;
  std::vector<Value> filter_;
  std::vector<Value> buffer_;
  std::unique_ptr<Fft> forward_;
  std::unique_ptr<Fft> backward_;
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_FFT_H_
