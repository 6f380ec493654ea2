#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/kernels/kernel_test_util.h"

namespace hlokit::cpu {
namespace {

void Check(absl::string_view text, const KernelTestOptions& options = {}) {
  const absl::Status status = CheckKernel(text, options);
  EXPECT_TRUE(status.ok()) << status << "\nin\n" << text;
}

// The sums' error grows with their length; integers are exact.
KernelTestOptions ForDepth(int64_t k, uint64_t seed = 1) {
  return {.tolerance = 32, .scale = std::sqrt(static_cast<double>(k)) + 1,
          .seed = seed};
}

TEST(DotKernelTest, MatricesOfAllTypes) {
  for (const char* types :
       {"f32 f32 f32", "f64 f64 f64", "bf16 bf16 bf16", "f16 f16 f16",
        "bf16 bf16 f32", "f8e4m3fn f8e5m2 f32", "s8 s8 s32", "u8 u8 s32",
        "s8 s8 s8", "s16 s16 s16", "u16 u16 u32", "s32 s32 s32", "s64 s64 s64",
        "u32 u32 u64", "pred pred pred", "s4 s4 s32", "c64 c64 c64",
        "c128 c128 c128", "f32 c64 c64"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    for (int m : {1, 2, 5, 8, 49}) {
      for (int n : {1, 3, 16, 17, 70}) {
        for (int k : {0, 1, 2, 7, 64, 300}) {
          Check(absl::StrCat("ENTRY e { a = ", t[0], "[", m, ",", k,
                             "] parameter(0)\n b = ", t[1], "[", k, ",", n,
                             "] parameter(1)\nROOT r = ", t[2], "[", m, ",", n,
                             "] dot(a, b), lhs_contracting_dims={1}, "
                             "rhs_contracting_dims={0} }"),
                ForDepth(k));
        }
      }
    }
  }
}

// The tiles of every instruction set give the same, in loops without vectors
// where the processor lacks the set.
TEST(DotKernelTest, TilesOfAllInstructionSets) {
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512,
                        Isa::kAvx512Vnni, Isa::kAvx512Bf16, Isa::kAmx}) {
    for (const char* types : {"f32 f32 f32", "f64 f64 f64", "bf16 bf16 bf16",
                              "bf16 bf16 f32", "s8 s8 s32", "s16 s16 s32"}) {
      const std::vector<std::string> t = absl::StrSplit(types, ' ');
      for (int m : {1, 7, 13, 33, 101}) {
        for (int n : {1, 17, 33, 70}) {
          for (int k : {1, 31, 64, 300}) {
            KernelTestOptions options = ForDepth(k);
            options.isa = isa;
            Check(
                absl::StrCat("ENTRY e { a = ", t[0], "[", m, ",", k,
                             "] parameter(0)\n b = ", t[1], "[", k, ",", n,
                             "] parameter(1)\nROOT r = ", t[2], "[", m, ",", n,
                             "] dot(a, b), lhs_contracting_dims={1}, "
                             "rhs_contracting_dims={0} }"),
                options);
          }
        }
      }
      // Both operands the other way round, in a batch.
      KernelTestOptions options = ForDepth(47);
      options.isa = isa;
      Check(absl::StrCat("ENTRY e { a = ", t[0],
                         "[3,47,35] parameter(0)\n b = ", t[1],
                         "[3,61,47] parameter(1)\nROOT r = ", t[2],
                         "[3,35,61] dot(a, b), lhs_batch_dims={0}, "
                         "rhs_batch_dims={0}, lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={2} }"),
            options);
    }
  }
}

TEST(DotKernelTest, LargeOnesAreCutIntoTasks) {
  for (const char* t : {"f32", "bf16", "s8"}) {
    Check(absl::StrReplaceAll(
              "ENTRY e { a = $T[301,270] parameter(0)\n b = $T[270,523] "
              "parameter(1)\nROOT r = $T[301,523] dot(a, b), "
              "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
              {{"$T", t}}),
          ForDepth(270));
    Check(absl::StrReplaceAll(
              "ENTRY e { a = $T[1,2070] parameter(0)\n b = $T[2070,1523] "
              "parameter(1)\nROOT r = $T[1,1523] dot(a, b), "
              "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
              {{"$T", t}}),
          ForDepth(2070));
    Check(absl::StrReplaceAll(
              "ENTRY e { a = $T[2070] parameter(0)\n b = $T[523,2070] "
              "parameter(1)\nROOT r = $T[523] dot(a, b), "
              "lhs_contracting_dims={0}, rhs_contracting_dims={1} }",
              {{"$T", t}}),
          ForDepth(2070));
  }
}

TEST(DotKernelTest, AttentionShapes) {
  Check(
      "ENTRY e { q = f32[2,33,4,16] parameter(0)\n k = f32[2,40,4,16] "
      "parameter(1)\nROOT r = f32[2,4,33,40] dot(q, k), lhs_batch_dims={0,2}, "
      "rhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
      "rhs_contracting_dims={3} }",
      ForDepth(16));
  Check(
      "ENTRY e { p = f32[2,4,33,40] parameter(0)\n v = f32[2,40,4,16] "
      "parameter(1)\nROOT r = f32[2,4,33,16] dot(p, v), lhs_batch_dims={0,1}, "
      "rhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
      "rhs_contracting_dims={1} }",
      ForDepth(40));
}

// Any dimensions in any roles and layouts.
TEST(DotKernelTest, RandomDimensionNumbers) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const auto shuffled = [&](int n) {
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    return order;
  };
  const char* const types[] = {"f32", "f64", "bf16", "s8", "s32", "c64", "f16"};
  for (int round = 0; round < 600; ++round) {
    const int batch = pick(0, 2), m = pick(0, 2), n = pick(0, 2);
    const int k = pick(0, 2);
    struct Role {
      char kind;
      int size;
      int number;
    };
    std::vector<Role> left, right;
    std::vector<int> out;
    int depth = 1;
    const auto size = [&] {
      return pick(0, 15) == 0 ? 0 : pick(0, 4) == 0 ? pick(1, 40) : pick(1, 7);
    };
    for (int i = 0; i < batch; ++i) {
      const int s = size() % 8;
      left.push_back({'b', s, i});
      right.push_back({'b', s, i});
      out.push_back(s);
    }
    for (int i = 0; i < k; ++i) {
      const int s = size();
      depth *= s;
      left.push_back({'k', s, i});
      right.push_back({'k', s, i});
    }
    for (int i = 0; i < m; ++i) left.push_back({'m', size(), i});
    for (int i = 0; i < n; ++i) right.push_back({'n', size(), i});
    std::shuffle(left.begin(), left.end(), random);
    std::shuffle(right.begin(), right.end(), random);
    std::string dims[2][2];
    std::vector<int> sizes[2];
    for (int side = 0; side < 2; ++side) {
      const std::vector<Role>& roles = side == 0 ? left : right;
      std::vector<int> b(batch), c(k);
      for (size_t d = 0; d < roles.size(); ++d) {
        sizes[side].push_back(roles[d].size);
        if (roles[d].kind == 'b') b[roles[d].number] = d;
        if (roles[d].kind == 'k') c[roles[d].number] = d;
        if (roles[d].kind == 'm' || roles[d].kind == 'n') {
          out.push_back(roles[d].size);
        }
      }
      dims[side][0] = absl::StrJoin(b, ",");
      dims[side][1] = absl::StrJoin(c, ",");
    }
    const char* type = types[pick(0, 6)];
    const auto shape = [&](const std::vector<int>& s) {
      if (s.empty()) return absl::StrCat(type, "[]");
      return absl::StrCat(type, "[", absl::StrJoin(s, ","), "]{",
                          absl::StrJoin(shuffled(s.size()), ","), "}");
    };
    Check(absl::StrCat("ENTRY e { a = ", shape(sizes[0]),
                       " parameter(0)\n b = ", shape(sizes[1]),
                       " parameter(1)\nROOT r = ", shape(out),
                       " dot(a, b), lhs_batch_dims={", dims[0][0],
                       "}, rhs_batch_dims={", dims[1][0],
                       "}, lhs_contracting_dims={", dims[0][1],
                       "}, rhs_contracting_dims={", dims[1][1], "} }"),
          ForDepth(depth, round));
  }
}

}  // namespace
}  // namespace hlokit::cpu
