// Copies, transposes, slices, pads, ... against the interpreter: all element
// sizes, layouts, and sizes around those of the blocks.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/kernels/kernel_test_util.h"

namespace hlokit::cpu {
namespace {

const char* const kTypes[] = {"pred", "s8", "bf16", "f32", "f64", "c128", "s4"};

void Check(absl::string_view text, const KernelTestOptions& options = {}) {
  const absl::Status status = CheckKernel(text, options);
  EXPECT_TRUE(status.ok()) << status << "\nin\n" << text;
}

// $T stands for each element type in turn.
void CheckTypes(absl::string_view text, const KernelTestOptions& options = {}) {
  for (const char* type : kTypes) {
    Check(absl::StrReplaceAll(text, {{"$T", type}}), options);
  }
}

TEST(MovementKernelTest, CopyChangesTheLayout) {
  CheckTypes(
      "ENTRY e { a = $T[33,70]{1,0} parameter(0)\n"
      "ROOT r = $T[33,70]{0,1} copy(a) }");
  CheckTypes(
      "ENTRY e { a = $T[3,17,20]{1,2,0} parameter(0)\n"
      "ROOT r = $T[3,17,20]{0,2,1} copy(a) }");
  CheckTypes(
      "ENTRY e { a = $T[4,5]{1,0} parameter(0)\n"
      "ROOT r = $T[4,5]{1,0} copy(a) }");
}

TEST(MovementKernelTest, TransposeOfAnySize) {
  for (int rows : {1, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100}) {
    for (int columns : {1, 2, 5, 16, 31, 64, 65}) {
      CheckTypes(absl::StrCat("ENTRY e { a = $T[", rows, ",", columns,
                              "] parameter(0)\nROOT r = $T[", columns, ",",
                              rows, "] transpose(a), dimensions={1,0} }"));
    }
  }
}

TEST(MovementKernelTest, LargeTransposeIsCutIntoPieces) {
  Check(
      "ENTRY e { a = f32[1000,1030] parameter(0)\n"
      "ROOT r = f32[1030,1000] transpose(a), dimensions={1,0} }");
  Check(
      "ENTRY e { a = bf16[2000,1001] parameter(0)\n"
      "ROOT r = bf16[1001,2000] transpose(a), dimensions={1,0} }");
}

TEST(MovementKernelTest, TransposeOfManyDimensions) {
  CheckTypes(
      "ENTRY e { a = $T[5,6,7,8] parameter(0)\n"
      "ROOT r = $T[5,7,6,8] transpose(a), dimensions={0,2,1,3} }");
  CheckTypes(
      "ENTRY e { a = $T[5,6,7,2] parameter(0)\n"
      "ROOT r = $T[7,5,6,2] transpose(a), dimensions={2,0,1,3} }");
  CheckTypes(
      "ENTRY e { a = $T[5,6,7,4]{0,1,3,2} parameter(0)\n"
      "ROOT r = $T[4,7,5,6]{1,0,2,3} transpose(a), dimensions={3,2,0,1} }");
  CheckTypes(
      "ENTRY e { a = $T[0,6] parameter(0)\n"
      "ROOT r = $T[6,0] transpose(a), dimensions={1,0} }");
}

TEST(MovementKernelTest, Broadcast) {
  CheckTypes(
      "ENTRY e { a = $T[] parameter(0)\n"
      "ROOT r = $T[33,5] broadcast(a), dimensions={} }");
  CheckTypes(
      "ENTRY e { a = $T[7] parameter(0)\n"
      "ROOT r = $T[7,33]{0,1} broadcast(a), dimensions={0} }");
  CheckTypes(
      "ENTRY e { a = $T[7,9] parameter(0)\n"
      "ROOT r = $T[9,4,7] broadcast(a), dimensions={2,0} }");
}

TEST(MovementKernelTest, ReshapeFollowsTheRowMajorOrder) {
  CheckTypes(
      "ENTRY e { a = $T[6,10]{0,1} parameter(0)\n"
      "ROOT r = $T[3,20] reshape(a) }");
  CheckTypes(
      "ENTRY e { a = $T[6,10] parameter(0)\n"
      "ROOT r = $T[3,20]{0,1} reshape(a) }");
}

TEST(MovementKernelTest, SliceWithStrides) {
  CheckTypes(
      "ENTRY e { a = $T[20,30] parameter(0)\n"
      "ROOT r = $T[5,12] slice(a), slice={[3:18:3], [5:29:2]} }");
  CheckTypes(
      "ENTRY e { a = $T[20,30]{0,1} parameter(0)\n"
      "ROOT r = $T[5,12] slice(a), slice={[3:8], [5:17]} }");
  CheckTypes(
      "ENTRY e { a = $T[20,30] parameter(0)\n"
      "ROOT r = $T[5,0] slice(a), slice={[3:8], [5:5]} }");
}

TEST(MovementKernelTest, Reverse) {
  CheckTypes(
      "ENTRY e { a = $T[20,30] parameter(0)\n"
      "ROOT r = $T[20,30] reverse(a), dimensions={1} }");
  CheckTypes(
      "ENTRY e { a = $T[20,30] parameter(0)\n"
      "ROOT r = $T[20,30]{0,1} reverse(a), dimensions={0,1} }");
}

TEST(MovementKernelTest, Concatenate) {
  CheckTypes(
      "ENTRY e { a = $T[4,3] parameter(0)\n b = $T[4,0] parameter(1)\n"
      "c = $T[4,7]{0,1} parameter(2)\n"
      "ROOT r = $T[4,10] concatenate(a, b, c), dimensions={1} }");
  CheckTypes(
      "ENTRY e { a = $T[4,3] parameter(0)\n b = $T[2,3] parameter(1)\n"
      "ROOT r = $T[6,3] concatenate(a, b), dimensions={0} }");
}

TEST(MovementKernelTest, RandomPads) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const int rank = pick(1, 3);
    std::vector<int> from, to;
    std::vector<std::string> config, layout;
    for (int d = 0; d < rank; ++d) {
      while (true) {
        const int size = pick(0, 6), low = pick(-4, 4), high = pick(-4, 4);
        const int interior = pick(0, 2) == 0 ? pick(1, 2) : 0;
        const int out =
            low + high + size + (size > 0 ? (size - 1) * interior : 0);
        if (out < 0) continue;
        from.push_back(size);
        to.push_back(out);
        config.push_back(absl::StrCat(low, "_", high, "_", interior));
        break;
      }
      layout.push_back(absl::StrCat(pick(0, 1) ? d : rank - 1 - d));
    }
    const char* type = kTypes[pick(0, 6)];
    Check(absl::StrCat("ENTRY e { a = ", type, "[", absl::StrJoin(from, ","),
                       "] parameter(0)\n b = ", type,
                       "[] parameter(1)\nROOT r = ", type, "[",
                       absl::StrJoin(to, ","), "] pad(a, b), padding=",
                       absl::StrJoin(config, "x"), " }"),
          {.seed = static_cast<uint64_t>(round)});
  }
}

TEST(MovementKernelTest, DynamicSliceClampsItsStarts) {
  for (const char* index : {"s32", "u8", "s64", "u32", "s8"}) {
    for (int seed = 0; seed < 4; ++seed) {
      for (bool few : {false, true}) {
        Check(absl::StrReplaceAll(
                  "ENTRY e { a = f32[20,30] parameter(0)\n"
                  "i = $I[] parameter(1)\n j = $I[] parameter(2)\n"
                  "ROOT r = f32[5,12] dynamic-slice(a, i, j), "
                  "dynamic_slice_sizes={5,12} }",
                  {{"$I", index}}),
              {.seed = static_cast<uint64_t>(seed), .few_values = few});
      }
    }
  }
}

TEST(MovementKernelTest, DynamicUpdateSliceInPlaceAndAside) {
  for (const char* type : kTypes) {
    for (int seed = 0; seed < 4; ++seed) {
      const std::string text = absl::StrReplaceAll(
          "ENTRY e { a = $T[20,30] parameter(0)\n u = $T[4,7]{0,1} "
          "parameter(1)\n i = s32[] parameter(2)\n j = s32[] parameter(3)\n"
          "ROOT r = $T[20,30] dynamic-update-slice(a, u, i, j) }",
          {{"$T", type}});
      for (bool few : {false, true}) {
        Check(text, {.seed = static_cast<uint64_t>(seed), .few_values = few});
      }
    }
  }
}

}  // namespace
}  // namespace hlokit::cpu
