#include "passes/expand/batchnorm_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Call(absl::string_view op, absl::string_view type,
                 absl::string_view sizes, int features, int index) {
  const std::string x = absl::StrCat(type, sizes);
  const std::string v = absl::StrCat(type, "[", features, "]");
  const std::string tuple = absl::StrCat("(", x, ", ", v, ", ", v, ")");
  std::string text = absl::StrCat("ENTRY e {\n x = ", x,
                                  " parameter(0)\n s = ", v,
                                  " parameter(1)\n o = ", v,
                                  " parameter(2)\n");
  const std::string attributes =
      absl::StrCat("epsilon=0.01, feature_index=", index, "\n}");
  if (op == "training") {
    return absl::StrCat(text, " ROOT r = ", tuple,
                        " batch-norm-training(x, s, o), ", attributes);
  }
  absl::StrAppend(&text, " v0 = ", v, " parameter(3)\n v = ", v,
                  " multiply(v0, v0)\n");
  if (op == "inference") {
    return absl::StrCat(text, " ROOT r = ", x,
                        " batch-norm-inference(x, s, o, o, v), ", attributes);
  }
  return absl::StrCat(text, " g = ", x, " parameter(4)\n ROOT r = ", tuple,
                      " batch-norm-grad(x, s, o, v, g), ", attributes);
}

TEST(BatchNormExpanderTest, KeepsValues) {
  for (const char* op : {"training", "inference", "grad"}) {
    for (const char* type : {"bf16", "f16", "f32", "f64"}) {
      SCOPED_TRACE(absl::StrCat(op, " ", type));
      const double tolerance =
          type[0] == 'b' ? 0.05 : type[1] == '1' ? 0.01
                                : type[1] == '3' ? 1e-4 : 1e-10;
      TransformedBy<BatchNormExpander>(Call(op, type, "[2,3,4,5]", 3, 1),
                                       tolerance);
      TransformedBy<BatchNormExpander>(Call(op, type, "[6,4]", 4, 1),
                                       tolerance);
    }
  }
}

TEST(BatchNormExpanderTest, TakesOneFeatureOneElementAndTheFirstDimension) {
  for (const char* op : {"training", "inference", "grad"}) {
    SCOPED_TRACE(op);
    TransformedBy<BatchNormExpander>(Call(op, "f32", "[5,1]", 1, 1), 1e-4);
    TransformedBy<BatchNormExpander>(Call(op, "f32", "[3,7]", 3, 0), 1e-4);
    TransformedBy<BatchNormExpander>(Call(op, "f32", "[4]", 4, 0), 1e-4);
  }
}

TEST(BatchNormExpanderTest, LeavesNothingBehind) {
  auto module = TransformedBy<BatchNormExpander>(
      Call("training", "f32", "[8,2]", 2, 1), 1e-4);
  EXPECT_EQ(CountOf(*module, Opcode::kBatchNormTraining), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kReduce), 2);
}

TEST(BatchNormExpanderTest, LeavesOtherOperationsAlone) {
  ExpectUnchangedBy<BatchNormExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] rsqrt(p)
})");
}

}  // namespace
}  // namespace hlokit
