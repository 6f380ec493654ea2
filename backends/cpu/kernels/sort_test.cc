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

std::string Comparator(const std::string& type, const std::string& compare) {
  return absl::StrCat("lt { a = ", type, "[] parameter(0)\n b = ", type,
                      "[] parameter(1)\nROOT c = pred[] compare(a, b), ",
                      compare, " }\n");
}

TEST(SortKernelTest, AllTypesAndSizesInTotalOrder) {
  for (const char* type :
       {"f32", "f64", "bf16", "f16", "s8", "u8", "s16", "u16", "s32", "u32",
        "s64", "u64", "pred", "f8e4m3fn", "s4"}) {
    const std::string t = type;
    const std::string order = t[0] == 'f' || t[0] == 'b' ? "TOTALORDER"
                              : t[0] == 's'              ? "SIGNED"
                                                         : "UNSIGNED";
    for (const char* direction : {"LT", "GT"}) {
      for (int n : {0, 1, 2, 17, 100, 1000}) {
        for (bool few : {false, true}) {
          Check(absl::StrCat(Comparator(t, absl::StrCat("direction=", direction,
                                                        ", type=", order)),
                             "ENTRY e { x = ", t, "[3,", n, "] parameter(0)\n",
                             "ROOT r = ", t, "[3,", n,
                             "] sort(x), dimensions={1}, to_apply=lt }"),
                {.special_values = true, .few_values = few});
        }
      }
    }
  }
}

TEST(SortKernelTest, AnyDimensionAndLayout) {
  for (const char* layout : {"{2,1,0}", "{0,1,2}", "{1,0,2}"}) {
    for (int d = 0; d < 3; ++d) {
      for (bool in_place : {false, true}) {
        Check(absl::StrCat(
                  Comparator("f32", "direction=LT, type=TOTALORDER"),
                  "ENTRY e { x = f32[19,70,33]", layout, " parameter(0)\n",
                  "ROOT r = f32[19,70,33]", layout, " sort(x), dimensions={", d,
                  "}, to_apply=lt }"),
              {.in_place = in_place});
      }
    }
  }
}

TEST(SortKernelTest, PlainComparisonKeepsZerosInTheirOrder) {
  for (const char* direction : {"LT", "GT"}) {
    for (const char* type : {"f32", "f64", "bf16"}) {
      Check(absl::StrReplaceAll(
                "lt { a = $T[] parameter(0)\n b = $T[] parameter(1)\n"
                "c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
                "ROOT r = pred[] compare(a, b), direction=$D }\n"
                "ENTRY e { x = $T[500] parameter(0)\n i = s32[500] "
                "parameter(1)\nROOT r = ($T[500], s32[500]) sort(x, i), "
                "dimensions={0}, is_stable=true, to_apply=lt }",
                {{"$T", type}, {"$D", direction}}),
            {.few_values = true});
    }
  }
}

TEST(SortKernelTest, JaxComparators) {
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    for (bool few : {false, true}) {
      for (int n : {7, 300}) {
        Check(absl::StrReplaceAll(
                  "lt { a = $T[] parameter(0)\n"
                  "na = pred[] compare(a, a), direction=NE\n"
                  "q = $T[] constant(nan)\n z = $T[] constant(0)\n"
                  "ea = pred[] compare(a, z), direction=EQ\n"
                  "sa = $T[] select(ea, z, a)\n ta = $T[] select(na, q, sa)\n"
                  "b = $T[] parameter(1)\n"
                  "nb = pred[] compare(b, b), direction=NE\n"
                  "eb = pred[] compare(b, z), direction=EQ\n"
                  "sb = $T[] select(eb, z, b)\n tb = $T[] select(nb, q, sb)\n"
                  "c = s8[] parameter(2)\n d = s8[] parameter(3)\n"
                  "ROOT l = pred[] compare(ta, tb), direction=LT, "
                  "type=TOTALORDER }\n"
                  "ENTRY e { x = $T[5,$N] parameter(0)\n i = s8[5,$N] "
                  "parameter(1)\nROOT r = ($T[5,$N], s8[5,$N]) sort(x, i), "
                  "dimensions={1}, is_stable=true, to_apply=lt }",
                  {{"$T", type}, {"$N", absl::StrCat(n)}}),
              {.special_values = true, .few_values = few, .in_place = true});
      }
    }
  }
}

TEST(SortKernelTest, KeysThatAreAFunctionOfTheElements) {
  Check(
      "lt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      "fa = f32[] abs(a)\n fb = f32[] abs(b)\n"
      "ROOT l = pred[] compare(fa, fb), direction=GT, type=TOTALORDER }\n"
      "ENTRY e { x = f32[40,60] parameter(0)\n"
      "ROOT r = f32[40,60] sort(x), dimensions={0}, is_stable=true, "
      "to_apply=lt }",
      {.special_values = true});
}

TEST(SortKernelTest, OtherComparatorsAreCalled) {
  Check(
      "lt { a = s32[] parameter(0)\n b = s32[] parameter(1)\n"
      "c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
      "l = pred[] compare(a, b), direction=LT\n"
      "e = pred[] compare(a, b), direction=EQ\n"
      "m = pred[] compare(c, d), direction=LT\n n = pred[] and(e, m)\n"
      "ROOT r = pred[] or(l, n) }\n"
      "ENTRY e { x = s32[3,200] parameter(0)\n i = s32[3,200] parameter(1)\n"
      "ROOT r = (s32[3,200], s32[3,200]) sort(x, i), dimensions={1}, "
      "to_apply=lt }",
      {.few_values = true});
}

TEST(SortKernelTest, LongRowsAreSortedInParallel) {
  for (bool few : {false, true}) {
    Check(
        "lt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        "c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
        "ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n"
        "ENTRY e { x = f32[200001] parameter(0)\n i = s32[200001] "
        "parameter(1)\nROOT r = (f32[200001], s32[200001]) sort(x, i), "
        "dimensions={0}, to_apply=lt }",
        {.few_values = few});
  }
}

TEST(TopKKernelTest, LargestAndSmallest) {
  for (const char* type : {"f32", "f64", "bf16", "s32", "u8"}) {
    for (const char* largest : {"true", "false"}) {
      for (int k : {0, 1, 5, 130}) {
        for (bool few : {false, true}) {
          Check(absl::StrReplaceAll(
                    "ENTRY e { x = $T[4,777] parameter(0)\n"
                    "ROOT r = ($T[4,$K], s32[4,$K]) topk(x), k=$K, "
                    "largest=$L }",
                    {{"$T", type}, {"$K", absl::StrCat(k)}, {"$L", largest}}),
                {.special_values = true, .few_values = few});
        }
      }
    }
  }
}

TEST(TopKKernelTest, CustomCall) {
  Check(
      "gt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      "c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
      "ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n"
      "ENTRY e { x = f32[4,777] parameter(0)\n"
      "ROOT r = (f32[4,5], s32[4,5]) custom-call(x), "
      "custom_call_target=\"TopK\", called_computations={gt} }");
}

}  // namespace
}  // namespace hlokit::cpu
