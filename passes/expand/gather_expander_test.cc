#include "passes/expand/gather_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// Indices of several sizes, in and out of range.
std::string Module(absl::string_view result, absl::string_view operand,
                   absl::string_view indices, absl::string_view attributes) {
  return absl::StrCat("ENTRY e {\n p = ", operand,
                      " parameter(0)\n i = ", indices,
                      "\n ROOT r = ", result, " gather(p, i), ", attributes,
                      "\n}");
}

std::unique_ptr<hlokit::Module> ExpandAll(absl::string_view text) {
  GatherExpander pass(GatherExpander::kAll);
  return Transformed(&pass, text);
}

TEST(GatherExpanderTest, TakesOneSliceWithoutALoop) {
  auto module = TransformedBy<GatherExpander>(
      Module("f32[3]", "f32[5,3]", "s32[1] constant({7})",
             "offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, "
             "index_vector_dim=0, slice_sizes={1,3}"));
  EXPECT_EQ(CountOf(*module, Opcode::kGather), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 0);
}

constexpr char kRows[] =
    "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,3}";

TEST(GatherExpanderTest, LeavesLoopsAloneByDefault) {
  ExpectUnchangedBy<GatherExpander>(
      Module("f32[4,3]", "f32[5,3]", "s32[4] constant({0,9,-1,4})", kRows));
}

TEST(GatherExpanderTest, LoopsOverIndexVectors) {
  auto module = ExpandAll(
      Module("f32[4,3]", "f32[5,3]", "s32[4] constant({0,9,-1,4})", kRows));
  EXPECT_EQ(CountOf(*module, Opcode::kGather), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 1);
}

TEST(GatherExpanderTest, KeepsValuesOfIndexTypes) {
  for (const char* type : {"s8", "u8", "s16", "u32", "s64", "u64"}) {
    SCOPED_TRACE(type);
    ExpandAll(Module("s16[4,3]", "s16[5,3]",
                     absl::StrCat(type, "[4] constant({0,120,2,4})"), kRows));
  }
  ExpandAll(Module("s16[2,3]", "s16[5,3]",
                   "u64[2] constant({18446744073709551615, 1})", kRows));
}

TEST(GatherExpanderTest, PutsBatchAndOffsetDimensionsInTheirPlaces) {
  ExpandAll(Module("f32[2,2,4,3]", "f32[5,6,7]",
                   "s32[2,4,3] constant({{{0,1,2},{1,9,9},{-5,0,3},{2,2,2}},"
                   "{{4,4,4},{0,5,6},{3,1,1},{0,0,0}}})",
                   "offset_dims={1,3}, collapsed_slice_dims={0}, "
                   "start_index_map={0,2,1}, index_vector_dim=2, "
                   "slice_sizes={1,2,3}"));
}

TEST(GatherExpanderTest, FollowsBatchingDimensions) {
  ExpandAll(Module("f32[3,4,2]", "f32[4,3,6]",
                   "u8[3,1,4] constant({{{0,1,2,3}},{{4,5,6,200}},"
                   "{{1,1,1,1}}})",
                   "offset_dims={2}, collapsed_slice_dims={}, "
                   "start_index_map={2}, operand_batching_dims={0,1}, "
                   "start_indices_batching_dims={2,0}, index_vector_dim=1, "
                   "slice_sizes={1,1,2}"));
}

TEST(GatherExpanderTest, TakesNothingFromNothing) {
  ExpandAll(Module("f32[0,3]", "f32[5,3]", "s32[0] constant({})", kRows));
  ExpandAll(Module("f32[4,0]", "f32[5,0]", "s32[4] constant({0,1,2,3})",
                   "offset_dims={1}, collapsed_slice_dims={0}, "
                   "start_index_map={0}, index_vector_dim=1, "
                   "slice_sizes={1,0}"));
}

TEST(GatherExpanderTest, SlicesOfEverythingAreBroadcasts) {
  GatherExpander pass(GatherExpander::kSimple);
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = s32[1,3] parameter(0)
  i = s32[7,5] parameter(1)
  ROOT g = s32[7,3,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},
      start_index_map={0}, index_vector_dim=2, slice_sizes={1,3}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter reshape broadcast");
}

}  // namespace
}  // namespace hlokit
