#include "passes/dots/dot_dimension_sorter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DotDimensionSorterTest, SortsByTheLeftOperand) {
  auto module = TransformedBy<DotDimensionSorter>(R"(
ENTRY e {
  a = f32[2,3,4] parameter(0)
  b = f32[5,3,4] parameter(1)
  ROOT d = f32[2,5] dot(a, b), lhs_contracting_dims={2,1}, rhs_contracting_dims={2,1}
})");
  EXPECT_EQ(module->entry()->root()->attrs().GetList(
                AttrId::kLhsContractingDims),
            absl::MakeConstSpan({int64_t{1}, int64_t{2}}));
}

TEST(DotDimensionSorterTest, LeavesWhatIsInOrderOnOneSide) {
  ExpectUnchangedBy<DotDimensionSorter>(R"(
ENTRY e {
  a = f32[2,3,4] parameter(0)
  b = f32[5,4,3] parameter(1)
  ROOT d = f32[2,5] dot(a, b), lhs_contracting_dims={2,1}, rhs_contracting_dims={1,2}
})");
}

}  // namespace
}  // namespace hlokit
