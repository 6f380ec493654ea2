#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/kernels/kernel_test_util.h"

namespace hlokit::cpu {
namespace {

// Any dimension order, layout, stride, padding (negative, too), dilation,
// reversal and groups.
TEST(ConvolutionKernelTest, RandomConvolutions) {
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const char* const types[] = {"f32", "f32", "f64", "bf16", "s8", "s32", "c64"};
  int served = 0;
  for (int round = 0; round < 500; ++round) {
    const int spatial = pick(0, 3);
    const int group_kind = pick(0, 3);
    const int groups = group_kind >= 2 ? 1 : pick(1, 4);
    const bool depthwise = group_kind == 0 && pick(0, 1);
    const int features_in = depthwise ? 1 : pick(1, 9);
    const int features_out = (depthwise ? 1 : pick(1, 20)) * groups;
    const int batch = pick(1, 5);
    const int feature_groups = group_kind == 0 ? groups : 1;
    const int batch_groups = group_kind == 1 ? groups : 1;
    std::vector<int> in = {batch * batch_groups, features_in * feature_groups};
    std::vector<int> kernel = {features_in, features_out};
    std::vector<int> out = {batch, features_out};
    std::string names[3] = {"bf", "io", "bf"};
    std::vector<std::string> window[6];
    int depth = features_in;
    for (int d = 0; d < spatial; ++d) {
      while (true) {
        const int size = pick(1, 12), w = pick(1, 4), stride = pick(1, 3);
        const int low = pick(-2, 3), high = pick(-2, 3);
        const int dilate = pick(1, 2), base = pick(1, 3);
        const int total = (size - 1) * base + 1 + low + high;
        const int extent = (w - 1) * dilate + 1;
        if (total < extent) continue;
        in.push_back(size);
        kernel.push_back(w);
        out.push_back((total - extent) / stride + 1);
        depth *= w;
        window[0].push_back(absl::StrCat(w));
        window[1].push_back(absl::StrCat(stride));
        window[2].push_back(absl::StrCat(low, "_", high));
        window[3].push_back(absl::StrCat(base));
        window[4].push_back(absl::StrCat(dilate));
        window[5].push_back(absl::StrCat(pick(0, 1)));
        break;
      }
      for (std::string& name : names) name += static_cast<char>('0' + d);
    }
    std::string shapes[3], labels[3];
    const char* type = types[pick(0, 6)];
    const std::vector<int>* sizes[3] = {&in, &kernel, &out};
    for (int k = 0; k < 3; ++k) {
      std::vector<int> order(spatial + 2), layout(spatial + 2), s;
      for (int i = 0; i < spatial + 2; ++i) order[i] = layout[i] = i;
      std::shuffle(order.begin(), order.end(), random);
      std::shuffle(layout.begin(), layout.end(), random);
      for (int i : order) {
        labels[k] += names[k][i];
        s.push_back((*sizes[k])[i]);
      }
      shapes[k] = absl::StrCat(type, "[", absl::StrJoin(s, ","), "]{",
                               absl::StrJoin(layout, ","), "}");
    }
    std::string text = absl::StrCat(
        "ENTRY e { a = ", shapes[0], " parameter(0)\n b = ", shapes[1],
        " parameter(1)\nROOT r = ", shapes[2], " convolution(a, b)");
    if (spatial > 0) {
      const char* const keys[] = {"size",       "stride",     "pad",
                                  "lhs_dilate", "rhs_dilate", "rhs_reversal"};
      absl::StrAppend(&text, ", window={");
      for (int k = 0; k < 6; ++k) {
        absl::StrAppend(&text, k > 0 ? " " : "", keys[k], "=",
                        absl::StrJoin(window[k], "x"));
      }
      absl::StrAppend(&text, "}");
    }
    absl::StrAppend(&text, ", dim_labels=", labels[0], "_", labels[1], "->",
                    labels[2], ", feature_group_count=", feature_groups,
                    ", batch_group_count=", batch_groups, " }");
    const absl::Status status = CheckKernel(
        text, {.tolerance = 32,
               .scale = std::sqrt(static_cast<double>(depth)) + 1,
               .seed = static_cast<uint64_t>(round)});
    if (absl::IsNotFound(status)) continue;
    ++served;
    EXPECT_TRUE(status.ok()) << status << "\nin\n" << text;
  }
  EXPECT_GT(served, 490);
}

TEST(ConvolutionKernelTest, HugePaddingsAreNotCopied) {
  EXPECT_TRUE(absl::IsNotFound(CheckKernel(
      "ENTRY e { a = f32[1,4,1] parameter(0)\n b = f32[4,1,1] parameter(1)\n"
      "ROOT r = f32[1,2,1] convolution(a, b), window={size=4 "
      "pad=0_1000000000003 stride=1000000000000}, dim_labels=b0f_0io->b0f }",
      {})));
}

TEST(ConvolutionKernelTest, ImagesAreCutIntoTasks) {
  const absl::Status status = CheckKernel(
      "ENTRY e { a = f32[2,30,30,24] parameter(0)\n b = f32[3,3,24,40] "
      "parameter(1)\nROOT r = f32[2,30,30,40] convolution(a, b), "
      "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f }",
      {.tolerance = 32, .scale = 16});
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace hlokit::cpu
