#include "passes/expand/reduce_window_to_reduce_and_broadcast.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Module(absl::string_view in, absl::string_view out,
                   absl::string_view window) {
  return absl::StrCat(
      "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b)\n}\nENTRY e {\n p = f32", in,
      " parameter(0)\n z = f32[] constant(1)\n ROOT r = f32", out,
      " reduce-window(p, z), window={", window, "}, to_apply=add\n}");
}

TEST(ReduceWindowToReduceAndBroadcastTest, ReducesWhatEveryWindowHolds) {
  auto module = TransformedBy<ReduceWindowToReduceAndBroadcast>(
      Module("[3,5]", "[3,5]", "size=1x9 pad=0_0x4_4"), 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kReduceWindow), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kReduce), 1);
}

TEST(ReduceWindowToReduceAndBroadcastTest, TakesWholeWindowsAndStrides) {
  TransformedBy<ReduceWindowToReduceAndBroadcast>(
      Module("[3,5]", "[1,1]", "size=3x5"), 1e-5);
  TransformedBy<ReduceWindowToReduceAndBroadcast>(
      Module("[4,2]", "[4,3]", "size=1x8 stride=1x2 pad=0_0x5_5"), 1e-5);
}

TEST(ReduceWindowToReduceAndBroadcastTest, LeavesPartsAlone) {
  for (const char* window : {"size=1x5 pad=0_0x4_0", "size=1x5 pad=0_0x2_2",
                             "size=1x1"}) {
    ExpectUnchangedBy<ReduceWindowToReduceAndBroadcast>(
        Module("[3,5]", "[3,5]", window));
  }
}

}  // namespace
}  // namespace hlokit
