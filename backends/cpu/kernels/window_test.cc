// Reduce-window, gather and scatter.
#include <algorithm>
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

std::string Combiner(const std::string& type, const std::string& op) {
  return absl::StrCat("f { a = ", type, "[] parameter(0)\n b = ", type,
                      "[] parameter(1)\nROOT c = ", type, "[] ", op,
                      "(a, b) }\n");
}

TEST(ReduceWindowKernelTest, RandomWindows) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const char* const types[] = {"f32", "f64", "bf16", "s32", "u32", "s64"};
  for (int round = 0; round < 400; ++round) {
    const std::string type = types[pick(0, 5)];
    const char* const ops[] = {"add", "maximum", "minimum", "multiply"};
    // Products of many random numbers tell nothing about rounding.
    const std::string op = ops[pick(0, type[0] == 's' ? 3 : 2)];
    const int rank = pick(1, 3);
    std::vector<int> in, out;
    std::vector<std::string> window[5], layout;
    for (int d = 0; d < rank; ++d) {
      while (true) {
        const int size = pick(1, pick(0, 2) == 0 ? 90 : 12);
        const int w = pick(1, pick(0, 2) == 0 ? 40 : 4);
        const int stride = pick(1, 3), low = pick(-1, w), high = pick(-1, w);
        const int dilate = pick(0, 3) == 0 ? 2 : 1;
        const int base = pick(0, 3) == 0 ? 2 : 1;
        const int total = (size - 1) * base + 1 + low + high;
        const int extent = (w - 1) * dilate + 1;
        if (total < extent) continue;
        in.push_back(size);
        out.push_back((total - extent) / stride + 1);
        window[0].push_back(absl::StrCat(w));
        window[1].push_back(absl::StrCat(stride));
        window[2].push_back(absl::StrCat(low, "_", high));
        window[3].push_back(absl::StrCat(base));
        window[4].push_back(absl::StrCat(dilate));
        break;
      }
      layout.push_back(absl::StrCat(d));
    }
    std::shuffle(layout.begin(), layout.end(), random);
    const std::string l = absl::StrCat("{", absl::StrJoin(layout, ","), "}");
    std::string text = absl::StrCat(
        Combiner(type, op), "ENTRY e { a = ", type, "[", absl::StrJoin(in, ","),
        "]", l, " parameter(0)\n b = ", type, "[] parameter(1)\nROOT r = ",
        type, "[", absl::StrJoin(out, ","), "]", l,
        " reduce-window(a, b), to_apply=f, window={");
    const char* const keys[] = {"size", "stride", "pad", "lhs_dilate",
                                "rhs_dilate"};
    for (int k = 0; k < 5; ++k) {
      absl::StrAppend(&text, k > 0 ? " " : "", keys[k], "=",
                      absl::StrJoin(window[k], "x"));
    }
    absl::StrAppend(&text, "} }");
    Check(text, {.tolerance = 64, .scale = 30,
                 .seed = static_cast<uint64_t>(round),
                 .special_values = op == "maximum" && pick(0, 1) == 0});
  }
}

TEST(ReduceWindowKernelTest, CumulativeSums) {
  for (const char* type : {"f32", "bf16", "s32"}) {
    for (const char* pad : {"0_0x99_0", "0_0x0_99"}) {
      Check(absl::StrCat(Combiner(type, "add"), "ENTRY e { a = ", type,
                         "[30,100] parameter(0)\n b = ", type,
                         "[] parameter(1)\nROOT r = ", type,
                         "[30,100] reduce-window(a, b), to_apply=f, "
                         "window={size=1x100 pad=",
                         pad, "} }"),
            {.tolerance = 16, .scale = 20});
    }
    Check(absl::StrCat(Combiner(type, "add"), "ENTRY e { a = ", type,
                       "[100,700] parameter(0)\n b = ", type,
                       "[] parameter(1)\nROOT r = ", type,
                       "[100,700] reduce-window(a, b), to_apply=f, "
                       "window={size=100x1 pad=99_0x0_0} }"),
          {.tolerance = 16, .scale = 20});
  }
}

TEST(SelectAndScatterKernelTest, PoolingGradients) {
  for (const char* type : {"f32", "f64", "bf16", "s32"}) {
    for (const char* direction : {"GE", "GT", "LE", "LT"}) {
      for (const char* shapes :
           {"2,9,9,70 2,4,4,70 size=1x3x3x1_stride=1x2x2x1",
            "2,9,9,70 2,5,5,70 size=1x3x3x1_stride=1x2x2x1_pad=0_0x1_1x1_1x0_0",
            "3,2,8,8 3,2,4,4 size=1x1x2x2_stride=1x1x2x2",
            "30 15 size=2_stride=2"}) {
        const std::vector<std::string> s = absl::StrSplit(shapes, ' ');
        std::string window = s[2];
        for (const char* key : {"_stride", "_pad"}) {
          const size_t at = window.find(key);
          if (at != std::string::npos) window[at] = ' ';
        }
        Check(absl::StrReplaceAll(
                  "g { a = $T[] parameter(0)\n b = $T[] parameter(1)\n"
                  "ROOT c = pred[] compare(a, b), direction=$D }\n"
                  "f { a = $T[] parameter(0)\n b = $T[] parameter(1)\n"
                  "ROOT c = $T[] add(a, b) }\n"
                  "ENTRY e { a = $T[$A] parameter(0)\n s = $T[$B] "
                  "parameter(1)\n z = $T[] parameter(2)\n"
                  "ROOT r = $T[$A] select-and-scatter(a, s, z), "
                  "window={$W}, select=g, scatter=f }",
                  {{"$T", type}, {"$D", direction}, {"$A", s[0]},
                   {"$B", s[1]}, {"$W", window}}),
              {.tolerance = 8, .scale = 10, .few_values = true});
      }
    }
  }
}

TEST(GatherKernelTest, RowsElementsAndBlocks) {
  for (const char* index : {"s32", "u8", "s64"}) {
    for (const char* type : {"f32", "bf16", "s8", "c128"}) {
      for (bool few : {false, true}) {
        const KernelTestOptions options = {.few_values = few};
        Check(absl::StrReplaceAll(
                  "ENTRY e { a = $T[50,33] parameter(0)\n i = $I[20,1] "
                  "parameter(1)\nROOT r = $T[20,33] gather(a, i), "
                  "offset_dims={1}, collapsed_slice_dims={0}, "
                  "start_index_map={0}, index_vector_dim=1, "
                  "slice_sizes={1,33} }",
                  {{"$T", type}, {"$I", index}}),
              options);
        Check(absl::StrReplaceAll(
                  "ENTRY e { a = $T[50,33]{0,1} parameter(0)\n i = $I[2,20,3] "
                  "parameter(1)\nROOT r = $T[4,20,3,5]{1,3,0,2} gather(a, i), "
                  "offset_dims={0,3}, collapsed_slice_dims={}, "
                  "start_index_map={1,0}, index_vector_dim=0, "
                  "slice_sizes={4,5} }",
                  {{"$T", type}, {"$I", index}}),
              options);
        Check(absl::StrReplaceAll(
                  "ENTRY e { a = $T[7,50] parameter(0)\n i = $I[7,9] "
                  "parameter(1)\nROOT r = $T[7,9] gather(a, i), "
                  "offset_dims={}, collapsed_slice_dims={1}, "
                  "start_index_map={1}, operand_batching_dims={0}, "
                  "start_indices_batching_dims={0}, index_vector_dim=2, "
                  "slice_sizes={1,1} }",
                  {{"$T", type}, {"$I", index}}),
              options);
      }
    }
  }
}

TEST(ScatterKernelTest, CombinersOfAllTypes) {
  for (const char* type :
       {"f32", "f64", "bf16", "f16", "s8", "u8", "s16", "u32", "s64", "c64"}) {
    for (const char* op : {"add", "multiply", "maximum", "minimum", "and"}) {
      const std::string t = type;
      const std::string o = op;
      if (t == "c64" && o != "add" && o != "multiply") continue;
      if (o == "and" && (t[0] == 'f' || t[0] == 'b')) continue;
      for (bool in_place : {false, true}) {
        Check(absl::StrCat(
                  Combiner(t, o), "ENTRY e { a = ", t,
                  "[9,70] parameter(0)\n i = s32[50,1] parameter(1)\n u = ", t,
                  "[50,70] parameter(2)\nROOT r = ", t,
                  "[9,70] scatter(a, i, u), update_window_dims={1}, "
                  "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                  "index_vector_dim=1, to_apply=f }"),
              {.tolerance = 8, .few_values = true, .in_place = in_place});
      }
    }
  }
}

TEST(ScatterKernelTest, WindowsThatDoNotFitAreLeftOut) {
  for (const char* layout : {"{1,0}", "{0,1}"}) {
    for (bool in_place : {false, true}) {
      Check(absl::StrCat(
                "f { a = f32[] parameter(0)\n ROOT b = f32[] parameter(1) }\n"
                "ENTRY e { a = f32[5,6]", layout,
                " parameter(0)\n i = s32[40,2] parameter(1)\n"
                "u = f32[40,2,3] parameter(2)\nROOT r = f32[5,6]", layout,
                " scatter(a, i, u), update_window_dims={1,2}, "
                "inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
                "index_vector_dim=1, to_apply=f }"),
            {.few_values = true, .in_place = in_place});
    }
  }
}

TEST(ScatterKernelTest, OtherCombinersAreCalled) {
  Check(
      "f { a = f32[] parameter(0)\n c = s32[] parameter(1)\n"
      "b = f32[] parameter(2)\n d = s32[] parameter(3)\n"
      "s = f32[] subtract(b, a)\n m = s32[] multiply(c, d)\n"
      "ROOT t = (f32[], s32[]) tuple(s, m) }\n"
      "ENTRY e { a = f32[20] parameter(0)\n b = s32[20] parameter(1)\n"
      "i = s32[30,1] parameter(2)\n u = f32[30] parameter(3)\n"
      "v = s32[30] parameter(4)\nROOT r = (f32[20], s32[20]) scatter(a, b, i, "
      "u, v), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }",
      {.tolerance = 8, .scale = 10, .few_values = true});
}

// Windows that overlap in the dimension that threads would share.
TEST(ScatterKernelTest, OverlappingWindowsAreAddedOneAfterAnother) {
  for (int round = 0; round < 20; ++round) {
    Check(
        "add { p = s32[] parameter(0)\n q = s32[] parameter(1)\n"
        "ROOT s = s32[] add(p, q) }\n"
        "ENTRY e { a = s32[100] parameter(0)\n"
        "i = s32[6000,1] parameter(1)\n"
        "u = s32[6000,48] parameter(2)\n"
        "ROOT r = s32[100] scatter(a, i, u), update_window_dims={1}, "
        "inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
        "index_vector_dim=1, to_apply=add }",
        {.seed = static_cast<uint64_t>(round) + 1, .few_values = true});
  }
}

}  // namespace
}  // namespace hlokit::cpu
