#include "passes/types/bfloat16_fold.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(Bfloat16FoldTest, RoundedDotsGiveBf16) {
  auto module = TransformedBy<Bfloat16Fold>(R"(
ENTRY e {
  a = bf16[2,3] parameter(0)
  b = bf16[3,4] parameter(1)
  d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT c = bf16[2,4] convert(d)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter dot");
}

TEST(Bfloat16FoldTest, LeavesDotsWhoseF32IsUsed) {
  ExpectUnchangedBy<Bfloat16Fold>(R"(
ENTRY e {
  a = bf16[2,3] parameter(0)
  b = bf16[3,4] parameter(1)
  d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = bf16[2,4] convert(d)
  ROOT t = (bf16[2,4], f32[2,4]) tuple(c, d)
})");
}

}  // namespace
}  // namespace hlokit
