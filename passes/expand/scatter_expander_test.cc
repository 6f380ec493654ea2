#include "passes/expand/scatter_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Module(absl::string_view combine, absl::string_view type,
                   absl::string_view operand, absl::string_view indices,
                   absl::string_view updates, absl::string_view attributes) {
  return absl::StrCat(
      "combine {\n a = ", type, "[] parameter(0)\n b = ", type,
      "[] parameter(1)\n ROOT r = ", type, "[] ", combine,
      "\n}\nENTRY e {\n p = ", type, operand, " parameter(0)\n i = ", indices,
      "\n u = ", type, updates, " parameter(1)\n ROOT r = ", type, operand,
      " scatter(p, i, u), ", attributes, ", to_apply=combine\n}");
}

constexpr char kRows[] =
    "update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1";

TEST(ScatterExpanderTest, LoopsOverIndexVectors) {
  auto module = TransformedBy<ScatterExpander>(
      Module("add(a, b)", "f32", "[5,3]", "s32[5] constant({0,3,0,7,-1})",
             "[5,3]", kRows),
      1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kScatter), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 1);
}

TEST(ScatterExpanderTest, AppliesUpdatesInOrder) {
  for (const char* combine : {"copy(b)", "subtract(a, b)", "divide(b, a)",
                              "maximum(a, b)"}) {
    SCOPED_TRACE(combine);
    TransformedBy<ScatterExpander>(
        Module(combine, "s32", "[4,2]", "u8[5] constant({1,1,200,3,1})",
               "[5,2]", kRows));
  }
}

TEST(ScatterExpanderTest, LeavesOutWindowsThatDoNotFit) {
  TransformedBy<ScatterExpander>(Module(
      "add(a, b)", "s16", "[6,4]",
      "s64[2,4] constant({{0,5,4,-1},{2,0,3,0}})", "[2,4,2]",
      "update_window_dims={0,2}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0,1}, index_vector_dim=0"));
}

TEST(ScatterExpanderTest, FollowsBatchingDimensions) {
  TransformedBy<ScatterExpander>(Module(
      "add(a, b)", "s32", "[3,2,5]",
      "s32[2,3] constant({{0,9,4},{1,2,-1}})", "[2,3,2]",
      "update_window_dims={2}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={2}, input_batching_dims={0,1}, "
      "scatter_indices_batching_dims={1,0}, index_vector_dim=2"));
}

TEST(ScatterExpanderTest, TakesSeveralOperands) {
  auto module = TransformedBy<ScatterExpander>(R"(
combine {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  less = pred[] compare(a, c), direction=LT
  x = f32[] select(less, c, a)
  y = s32[] select(less, d, b)
  ROOT r = (f32[], s32[]) tuple(x, y)
}
ENTRY e {
  p = f32[4,2] parameter(0)
  q = s32[4,2] parameter(1)
  i = s32[3] constant({2,0,2})
  u = f32[3,2] parameter(2)
  v = s32[3,2] parameter(3)
  ROOT r = (f32[4,2], s32[4,2]) scatter(p, q, i, u, v), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=combine
})");
  EXPECT_EQ(CountOf(*module, Opcode::kScatter), 0);
}

TEST(ScatterExpanderTest, CallsCombinersThatAreNoArithmetic) {
  auto module = TransformedBy<ScatterExpander>(R"(
inner {
  a = f32[] parameter(0)
  ROOT r = f32[] negate(a)
}
combine {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] call(a), to_apply=inner
  ROOT r = f32[] add(c, b)
}
ENTRY e {
  p = f32[4,2] parameter(0)
  i = s32[3] constant({2,0,2})
  u = f32[3,2] parameter(1)
  ROOT r = f32[4,2] scatter(p, i, u), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=combine
})");
  EXPECT_EQ(CountOf(*module, Opcode::kMap), 1);
}

TEST(ScatterExpanderTest, TakesNoUpdatesAndScalars) {
  TransformedBy<ScatterExpander>(Module("add(a, b)", "f32", "[5,3]",
                                        "s32[0] constant({})", "[0,3]",
                                        kRows));
  TransformedBy<ScatterExpander>(
      Module("add(a, b)", "f32", "[]", "s32[0] constant({})", "[]",
             "update_window_dims={}, inserted_window_dims={}, "
             "scatter_dims_to_operand_dims={}, index_vector_dim=0"));
}

TEST(ScatterExpanderTest, SimpleModeTakesNoLoops) {
  ScatterExpander pass(ScatterExpander::kSimple);
  ExpectUnchanged(&pass, Module("add(a, b)", "f32", "[5,3]",
                                "s32[2] constant({0,3})", "[2,3]", kRows));
  auto module = Transformed(
      &pass, Module("add(a, b)", "f32", "[5,3]", "s32[1] constant({3})",
                    "[1,3]", kRows));
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 0);
}

TEST(ScatterExpanderTest, OrderMayMatterOnlyForFloatsAndOddCombiners) {
  ScatterExpander pass(ScatterExpander::kNondeterministic);
  const char indices[] = "s32[2] constant({0,3})";
  ExpectUnchanged(
      &pass, Module("add(a, b)", "s32", "[5,3]", indices, "[2,3]", kRows));
  ExpectUnchanged(
      &pass, Module("maximum(a, b)", "f32", "[5,3]", indices, "[2,3]", kRows));
  ExpectUnchanged(&pass,
                  Module("add(a, b)", "f32", "[5,3]", indices, "[2,3]",
                         absl::StrCat(kRows, ", unique_indices=true")));
  Transformed(&pass,
              Module("add(a, b)", "f32", "[5,3]", indices, "[2,3]", kRows));
  Transformed(&pass,
              Module("copy(b)", "s32", "[5,3]", indices, "[2,3]", kRows));
}

}  // namespace
}  // namespace hlokit
