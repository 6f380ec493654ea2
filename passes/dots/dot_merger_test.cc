#include "passes/dots/dot_merger.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DotMergerTest, MergesDotsWithTheSameLeftSide) {
  auto module = TransformedBy<DotMerger>(R"(
ENTRY e {
  x = f32[2,5] parameter(0)
  y = f32[5,3] parameter(1)
  z = f32[5,4] parameter(2)
  a = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[2,4] dot(x, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[2,3], f32[2,4]) tuple(a, b)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kDot), 1);
}

TEST(DotMergerTest, MergesThreeDotsWithTheSameRightSide) {
  auto module = TransformedBy<DotMerger>(R"(
ENTRY e {
  x = f32[9,2,5] parameter(0)
  y = f32[9,3,5] parameter(1)
  z = f32[9,1,5] parameter(2)
  w = f32[9,5,4] parameter(3)
  a = f32[9,2,4] dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  b = f32[9,3,4] dot(y, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  c = f32[9,1,4] dot(z, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT t = (f32[9,2,4], f32[9,3,4], f32[9,1,4]) tuple(a, b, c)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kDot), 1);
}

TEST(DotMergerTest, LeavesDotsOfWhichOneNeedsTheOther) {
  ExpectUnchangedBy<DotMerger>(R"(
ENTRY e {
  x = f32[3,3] parameter(0)
  y = f32[3,3] parameter(1)
  a = f32[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT b = f32[3,3] dot(x, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
}

TEST(DotMergerTest, LeavesResultsThatWouldBeTooLarge) {
  DotMerger pass(/*max_bytes=*/16);
  ExpectUnchanged(&pass, R"(
ENTRY e {
  x = f32[2,5] parameter(0)
  y = f32[5,3] parameter(1)
  z = f32[5,4] parameter(2)
  a = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[2,4] dot(x, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[2,3], f32[2,4]) tuple(a, b)
})");
}

}  // namespace
}  // namespace hlokit
