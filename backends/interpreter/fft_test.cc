#include "backends/interpreter/fft.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using C = std::complex<double>;

std::vector<C> RandomValues(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<C> values(count);
  for (C& value : values) value = {draw(random), draw(random)};
  return values;
}

// The sum itself.
std::vector<C> Transformed(const std::vector<C>& x, double sign) {
  const int64_t n = x.size();
  std::vector<C> y(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const double angle = sign * 2 * std::numbers::pi * (j * k % n) / n;
      y[k] += x[j] * std::polar(1.0, angle);
    }
  }
  return y;
}

Literal Complexes(PrimitiveType type, std::vector<int64_t> sizes,
                  const std::vector<C>& values) {
  Literal wide = Literal::Array<C>(sizes, values);
  return *ConvertLiteral(wide, type);
}

void ExpectNear(const Literal& got, const std::vector<C>& want,
                double tolerance) {
  const auto values = Values(got);
  ASSERT_EQ(values.size(), 2 * want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(values[2 * i], want[i].real(), tolerance) << i;
    EXPECT_NEAR(values[2 * i + 1], want[i].imag(), tolerance) << i;
  }
}

TEST(Fft, IsTheSumForEveryLength) {
  for (int64_t n = 1; n <= 70; ++n) {
    for (bool inverse : {false, true}) {
      std::vector<C> values = RandomValues(n, n);
      const std::vector<C> want = Transformed(values, inverse ? 1 : -1);
      Fft(n, inverse).Run(absl::MakeSpan(values));
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_LT(std::abs(values[i] - want[i]), 1e-12) << n;
      }
    }
  }
}

TEST(Fft, CanBeRunAgain) {
  Fft fft(15, false);
  std::vector<C> first = RandomValues(15, 1), second = first;
  fft.Run(absl::MakeSpan(first));
  fft.Run(absl::MakeSpan(second));
  EXPECT_EQ(first, second);
}

TEST(FftInstruction, TransformsRowsForwardsAndBackwards) {
  const std::vector<C> x = {1, 2, C(0, 1), -1, 3, C(1, 1)};
  for (PrimitiveType type : {kC64, kC128}) {
    const Literal a = Complexes(type, {2, 3}, x);
    const std::string shape = a.shape().ToString();
    std::vector<C> want = Transformed({x[0], x[1], x[2]}, -1);
    const std::vector<C> second = Transformed({x[3], x[4], x[5]}, -1);
    want.insert(want.end(), second.begin(), second.end());
    const double tolerance = type == kC64 ? 1e-6 : 1e-14;
    const Literal forwards = RunOp(
        absl::StrCat(shape, " fft(a), fft_type=FFT, fft_length={3}"), {a});
    ExpectNear(forwards, want, tolerance);
    ExpectNear(RunOp(absl::StrCat(shape, " fft(a), fft_type=IFFT, "
                                         "fft_length={3}"),
                     {forwards}),
               x, tolerance);
  }
}

TEST(FftInstruction, TransformsTwoAndThreeDimensions) {
  const std::vector<C> x = RandomValues(2 * 3 * 4, 9);
  std::vector<C> want(x.size());
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 4; ++c) {
        for (int i = 0; i < 24; ++i) {
          const double turns =
              a * (i / 12) / 2.0 + b * (i / 4 % 3) / 3.0 + c * (i % 4) / 4.0;
          want[(a * 3 + b) * 4 + c] +=
              x[i] * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
      }
    }
  }
  const Literal a = Complexes(kC128, {2, 3, 4}, x);
  const Literal got = RunOp(
      "c128[2,3,4] fft(a), fft_type=FFT, fft_length={2,3,4}", {a});
  ExpectNear(got, want, 1e-12);
  ExpectNear(RunOp("c128[2,3,4] fft(a), fft_type=IFFT, fft_length={2,3,4}",
                   {got}),
             x, 1e-12);
  // Over two dimensions the first one is a batch.
  std::vector<C> flat(x.begin() + 12, x.end());
  const Literal planes = RunOp(
      "c128[2,3,4] fft(a), fft_type=FFT, fft_length={3,4}", {a});
  C sum = 0;
  for (const C& value : flat) sum += value;
  EXPECT_LT(std::abs(planes.data<C>()[12] - sum), 1e-12);
}

TEST(FftInstruction, KeepsHalfOfRealTransforms) {
  for (PrimitiveType type : {kF32, kF64}) {
    const bool narrow = type == kF32;
    const double tolerance = narrow ? 1e-5 : 1e-13;
    const std::string real = narrow ? "f32" : "f64";
    const std::string complex = narrow ? "c64" : "c128";
    for (int n : {5, 6}) {
      std::vector<double> values;
      std::vector<C> x;
      for (int i = 0; i < 2 * n; ++i) {
        values.push_back((i * i) % 7 - 2);
        if (i >= n) x.push_back(values.back());
      }
      const Literal a = Numbers(type, {2, n}, values);
      const int half = n / 2 + 1;
      const Literal got =
          RunOp(absl::StrCat(complex, "[2,", half,
                             "] fft(a), fft_type=RFFT, fft_length={", n, "}"),
                {a});
      const std::vector<C> want = Transformed(x, -1);
      const auto parts = Values(got);
      for (int i = 0; i < half; ++i) {
        EXPECT_NEAR(parts[2 * (half + i)], want[i].real(), tolerance);
        EXPECT_NEAR(parts[2 * (half + i) + 1], want[i].imag(), tolerance);
      }
      const auto back = Values(
          RunOp(absl::StrCat(real, "[2,", n,
                             "] fft(a), fft_type=IRFFT, fft_length={", n, "}"),
                {got}));
      for (int i = 0; i < 2 * n; ++i) {
        EXPECT_NEAR(back[i], values[i], tolerance);
      }
    }
  }
}

TEST(FftInstruction, BringsRealPlanesBack) {
  const Literal a = Counting(kF64, {3, 4});
  const Literal half =
      RunOp("c128[3,3] fft(a), fft_type=RFFT, fft_length={3,4}", {a});
  EXPECT_NEAR(Values(half)[0], 66, 1e-12);
  const auto back = Values(
      RunOp("f64[3,4] fft(a), fft_type=IRFFT, fft_length={3,4}", {half}));
  ASSERT_EQ(back.size(), 12u);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(back[i], i, 1e-12);
}

TEST(FftInstruction, IgnoresImaginaryPartsThatARealResultCannotHave) {
  // DC and, of an even length, the middle.
  const Literal plain = Complexes(kC64, {3}, {4, C(1, 1), 2});
  const Literal odd = Complexes(kC64, {3}, {C(4, 9), C(1, 1), C(2, -5)});
  const char* line = "f32[4] fft(a), fft_type=IRFFT, fft_length={4}";
  EXPECT_EQ(Values(RunOp(line, {plain})), Values(RunOp(line, {odd})));
  // (4 + 2 (1+i) w + 2 w^2) / 4 at w = 1.
  EXPECT_NEAR(Values(RunOp(line, {plain}))[0], (4 + 2 + 2) / 4.0, 1e-6);
}

TEST(FftInstruction, OfNothingIsNothing) {
  EXPECT_EQ(RunOp("c64[0,4] fft(a), fft_type=FFT, fft_length={4}",
                  {Complexes(kC64, {0, 4}, {})})
                .element_count(),
            0);
}

}  // namespace
}  // namespace hlokit::interpreter
