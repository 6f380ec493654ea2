#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/kernels/kernel_test_util.h"

namespace hlokit::cpu {
namespace {

void Check(absl::string_view text, const KernelTestOptions& options = {}) {
  const absl::Status status = CheckKernel(text, options);
  EXPECT_TRUE(status.ok()) << status << "\nin\n" << text;
}

TEST(FftKernelTest, AnyLength) {
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 14, 16, 17, 31, 64, 77, 100,
                101, 127, 200, 256, 360, 512, 600, 1000, 1024, 1009}) {
    for (int rows : {1, 3, 9}) {
      for (const char* parts : {"f32 c64", "f64 c128"}) {
        const std::string p = parts;
        const std::string real = p.substr(0, 3), complex = p.substr(4);
        const KernelTestOptions forward = {.tolerance = 8,
                                           .scale = std::sqrt(n) * 4};
        const KernelTestOptions backward = {.tolerance = 8, .scale = 4};
        const auto text = [&](const std::string& from, const std::string& to,
                              const std::string& type) {
          return absl::StrCat(
              "ENTRY e { a = ", from, " parameter(0)\nROOT r = ", to,
              " fft(a), fft_type=", type, ", fft_length={", n, "} }");
        };
        const std::string whole = absl::StrCat("[", rows, ",", n, "]");
        const std::string half = absl::StrCat("[", rows, ",", n / 2 + 1, "]");
        Check(text(complex + whole, complex + whole, "FFT"), forward);
        Check(text(complex + whole, complex + whole, "IFFT"), backward);
        Check(text(real + whole, complex + half, "RFFT"), forward);
        Check(text(complex + half, real + whole, "IRFFT"), backward);
      }
    }
  }
}

TEST(FftKernelTest, LongLinesAreCut) {
  for (int n : {4096, 10000, 16384, 10007, 9973 * 2}) {
    const std::string whole = absl::StrCat("[", n, "]");
    const std::string half = absl::StrCat("[", n / 2 + 1, "]");
    const auto text = [&](const std::string& from, const std::string& to,
                          const std::string& type) {
      return absl::StrCat("ENTRY e { a = ", from, " parameter(0)\nROOT r = ",
                          to, " fft(a), fft_type=", type, ", fft_length={", n,
                          "} }");
    };
    const KernelTestOptions forward = {.tolerance = 16,
                                       .scale = std::sqrt(n) * 4};
    const KernelTestOptions backward = {.tolerance = 16, .scale = 4};
    Check(text("c64" + whole, "c64" + whole, "FFT"), forward);
    Check(text("c128" + whole, "c128" + whole, "IFFT"), backward);
    Check(text("f32" + whole, "c64" + half, "RFFT"), forward);
    Check(text("c64" + half, "f32" + whole, "IRFFT"), backward);
  }
}

TEST(FftKernelTest, SeveralDimensions) {
  for (const char* type : {"FFT", "IFFT"}) {
    Check(absl::StrCat("ENTRY e { a = c64[3,12,15,20] parameter(0)\n"
                       "ROOT r = c64[3,12,15,20] fft(a), fft_type=", type,
                       ", fft_length={12,15,20} }"),
          {.tolerance = 8, .scale = 200});
  }
  Check(
      "ENTRY e { a = f32[3,12,15] parameter(0)\n"
      "ROOT r = c64[3,12,8] fft(a), fft_type=RFFT, fft_length={12,15} }",
      {.tolerance = 8, .scale = 60});
  Check(
      "ENTRY e { a = c64[3,12,9] parameter(0)\n"
      "ROOT r = f32[3,12,16] fft(a), fft_type=IRFFT, fft_length={12,16} }",
      {.tolerance = 8, .scale = 60});
}

TEST(RandomBitsKernelTest, AreThoseOfTheInterpreter) {
  for (const char* shape : {"[]", "[1]", "[5]", "[40]", "[3,4]", "[3,5]",
                            "[5,3]", "[2,3,4]", "[7,7]", "[0]", "[100,33]",
                            "[70001]"}) {
    for (const char* type : {"u8", "u16", "u32", "u64", "s32", "f32"}) {
      for (const char* rng :
           {"3 rng_philox", "2 rng_philox", "2 rng_three_fry",
            "3 rng_default"}) {
        Check(absl::StrCat("ENTRY e { a = u64[", std::string(rng, 1),
                           "] parameter(0)\nROOT r = (u64[",
                           std::string(rng, 1), "], ", type, shape,
                           ") rng-bit-generator(a), algorithm=", rng + 2,
                           " }"));
      }
    }
  }
  // The counter goes over into its upper half.
  Check(
      "ENTRY e { a = u64[3] constant({5, 18446744073709551610, 7})\n"
      "ROOT r = (u64[3], u32[100]) rng-bit-generator(a), "
      "algorithm=rng_philox }");
}

}  // namespace
}  // namespace hlokit::cpu
