#include "passes/dots/batch_dot_simplification.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BatchDotSimplificationTest, DropsBatchDimensionsOfSizeOne) {
  auto module = TransformedBy<BatchDotSimplification>(R"(
ENTRY e {
  x = f32[1,3,2,5] parameter(0)
  y = f32[3,5,4,1] parameter(1)
  ROOT d = f32[1,3,2,4] dot(x, y), lhs_batch_dims={0,1}, rhs_batch_dims={3,0}, lhs_contracting_dims={3}, rhs_contracting_dims={1}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape parameter reshape dot reshape");
}

TEST(BatchDotSimplificationTest, LeavesOtherBatches) {
  ExpectUnchangedBy<BatchDotSimplification>(R"(
ENTRY e {
  x = f32[2,1,5] parameter(0)
  y = f32[2,5,1] parameter(1)
  ROOT d = f32[2,1,1] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
})");
}

}  // namespace
}  // namespace hlokit
