#include "passes/simplify/slice_sinker.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kText[] = R"(
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  xa = f32[4] slice(x), slice={[0:4]}
  ya = f32[4] slice(y), slice={[0:4]}
  xb = f32[N] slice(x), slice={[4:END]}
  yb = f32[N] slice(y), slice={[4:END]}
  a = f32[4] add(xa, ya)
  b = f32[N] add(xb, yb)
  ROOT t = (f32[4], f32[N]) tuple(a, b)
})";

std::string Text(const char* n, const char* end) {
  std::string text = kText;
  for (size_t at; (at = text.find("[N]")) != std::string::npos;) {
    text.replace(at, 3, std::string("[") + n + "]");
  }
  for (size_t at; (at = text.find("END]}")) != std::string::npos;) {
    text.replace(at, 5, std::string(end) + "]}");
  }
  return text;
}

TEST(SliceSinkerTest, WorksOnceOnTheWhole) {
  auto module = TransformedBy<SliceSinker>(Text("4", "8"));
  EXPECT_EQ(CountOf(*module, Opcode::kAdd), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kSlice), 2);
}

TEST(SliceSinkerTest, LeavesSlicesOfASmallPart) {
  ExpectUnchangedBy<SliceSinker>(Text("1", "5"));
}

}  // namespace
}  // namespace hlokit
