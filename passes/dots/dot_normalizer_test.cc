#include "passes/dots/dot_normalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DotNormalizerTest, OuterProductsContractOneElement) {
  auto module = TransformedBy<DotNormalizer>(R"(
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2,4] parameter(1)
  ROOT d = f32[2,3,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape parameter reshape dot");
}

TEST(DotNormalizerTest, LeavesOtherDots) {
  ExpectUnchangedBy<DotNormalizer>(R"(
ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT d = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})");
}

}  // namespace
}  // namespace hlokit
