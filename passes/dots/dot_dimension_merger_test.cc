#include "passes/dots/dot_dimension_merger.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DotDimensionMergerTest, MergesBatchDimensions) {
  auto module = TransformedBy<DotDimensionMerger>(R"(
ENTRY e {
  x = f32[5,2,3,4] parameter(0)
  y = f32[2,3,4,6] parameter(1)
  ROOT d = f32[2,3,5,6] dot(x, y), lhs_batch_dims={1,2}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape parameter reshape dot reshape");
}

TEST(DotDimensionMergerTest, LeavesBatchDimensionsThatAreApart) {
  ExpectUnchangedBy<DotDimensionMerger>(R"(
ENTRY e {
  x = f32[2,5,3,4] parameter(0)
  y = f32[2,3,4,6] parameter(1)
  ROOT d = f32[2,3,5,6] dot(x, y), lhs_batch_dims={0,2}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_contracting_dims={2}
})");
}

}  // namespace
}  // namespace hlokit
