#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/cpu/kernels/kernel_test_util.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

// Random Hermitian matrices with a heavy diagonal: all well-conditioned.
Literal Matrices(PrimitiveType type, int64_t batch, int64_t n, uint64_t seed) {
  Literal result = RandomLiteral(
      Shape::ArrayWithDescendingLayout(type, {batch, n, n}), seed, false,
      false);
  DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T> || std::is_floating_point_v<T>) {
      T* a = result.mutable_data<T>().data();
      for (int64_t b = 0; b < batch; ++b, a += n * n) {
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < i; ++j) {
            if constexpr (kIsComplex<T>) {
              a[j * n + i] = std::conj(a[i * n + j]);
            } else {
              a[j * n + i] = a[i * n + j];
            }
          }
          a[i * n + i] = T(static_cast<float>(2 * n));
        }
      }
    }
  });
  return result;
}

void Check(absl::string_view text, const KernelTestOptions& options) {
  const absl::Status status = CheckKernel(text, options);
  if (absl::IsNotFound(status)) GTEST_SKIP() << "LAPACK is not here";
  EXPECT_TRUE(status.ok()) << status << "\nin\n" << text;
}

TEST(CholeskyKernelTest, BothTriangles) {
  for (PrimitiveType type : {kF32, kF64, kC64, kC128}) {
    for (const char* lower : {"true", "false"}) {
      for (int64_t n : {1, 5, 40}) {
        const Literal a = Matrices(type, 2, n, n);
        Check(absl::StrCat("ENTRY e { a = ", a.shape().ToString(),
                           " parameter(0)\nROOT r = ", a.shape().ToString(),
                           " cholesky(a), lower=", lower, " }"),
              {.tolerance = 32, .scale = 10, .arguments = {a}});
      }
    }
  }
}

TEST(CholeskyKernelTest, NotPositiveDefiniteIsNan) {
  Literal a = Matrices(kF32, 2, 5, 3);
  a.mutable_data<float>()[25 + 6] = -1;
  Check(
      "ENTRY e { a = f32[2,5,5] parameter(0)\n"
      "ROOT r = f32[2,5,5] cholesky(a), lower=true }",
      {.tolerance = 32, .scale = 10, .arguments = {a}});
}

TEST(TriangularSolveKernelTest, AllOptions) {
  for (PrimitiveType type : {kF32, kF64, kC64}) {
    for (const char* left : {"true", "false"}) {
      for (const char* lower : {"true", "false"}) {
        for (const char* unit : {"true", "false"}) {
          for (const char* transpose :
               {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
            for (bool zero_pivot : {false, true}) {
              Literal a = Matrices(type, 2, 7, 5);
              for (int64_t i = 0; i < a.element_count(); ++i) {
                // A unit diagonal wants light neighbours.
                if (unit[0] == 't') a.SetFromDouble(i, a.GetAsDouble(i) / 8);
              }
              if (zero_pivot) a.SetFromDouble(3 * 7 + 3, 0);
              const bool is_left = left[0] == 't';
              const std::string b = absl::StrCat(
                  PrimitiveTypeName(type), is_left ? "[2,7,9]" : "[2,9,7]");
              Check(absl::StrCat(
                        "ENTRY e { a = ", a.shape().ToString(),
                        " parameter(0)\n b = ", b, " parameter(1)\nROOT r = ",
                        b, " triangular-solve(a, b), left_side=", left,
                        ", lower=", lower, ", unit_diagonal=", unit,
                        ", transpose_a=", transpose, " }"),
                    {.tolerance = 64, .scale = 4, .arguments = {a}});
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlokit::cpu
