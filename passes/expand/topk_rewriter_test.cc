#include "passes/expand/topk_rewriter.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"
#include "passes/expand/comparison_expander.h"
#include "passes/expand/topk_decomposer.h"

namespace hlokit {
namespace {

constexpr char kSort[] = R"(
greater {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER
}
ENTRY e {
  p = f32[3,20] parameter(0)
  i = s32[3,20] iota(), iota_dimension=1
  s = (f32[3,20], s32[3,20]) sort(p, i), dimensions={1}, is_stable=true,
    to_apply=greater
  v = f32[3,20] get-tuple-element(s), index=0
  n = s32[3,20] get-tuple-element(s), index=1
  vs = f32[3,4] slice(v), slice={[0:3], [0:4]}
  ns = s32[3,4] slice(n), slice={[0:3], [0:4]}
  ROOT r = (f32[3,4], s32[3,4]) tuple(vs, ns)
})";

TEST(TopKRewriterTest, SortsOfWhichTheFirstAreUsedBecomeCalls) {
  auto module = TransformedBy<TopKRewriter>(kSort);
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 1);
}

TEST(TopKRewriterTest, PutsTogetherWhatWasTakenApart) {
  constexpr char kTopK[] = R"(
ENTRY e {
  p = f32[3,20] parameter(0)
  ROOT r = (f32[3,4], s32[3,4]) topk(p), k=4, largest=true
})";
  auto module = ParseOrDie(kTopK);
  TopKDecomposer decomposer;
  RunPass(&decomposer, module.get(), true);
  ComparisonExpander comparisons;
  RunPass(&comparisons, module.get(), true);
  TopKRewriter rewriter;
  RunPass(&rewriter, module.get(), true);
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 0);
  ExpectSameValues(kTopK, *module);
}

TEST(TopKRewriterTest, TakesSortsOfValuesAlone) {
  TransformedBy<TopKRewriter>(R"(
greater {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GT
}
ENTRY e {
  p = f32[20] parameter(0)
  s = f32[20] sort(p), dimensions={0}, to_apply=greater
  ROOT r = f32[5] slice(s), slice={[0:5]}
})");
}

std::string With(absl::string_view from, absl::string_view to) {
  std::string text = kSort;
  for (size_t at = text.find(from.data(), 0, from.size());
       at != std::string::npos;
       at = text.find(from.data(), at + to.size(), from.size())) {
    text.replace(at, from.size(), to.data(), to.size());
  }
  return text;
}

TEST(TopKRewriterTest, LeavesOtherSortsAlone) {
  ExpectUnchangedBy<TopKRewriter>(With("direction=GT", "direction=LT"));
  ExpectUnchangedBy<TopKRewriter>(With("[0:4]", "[1:5]"));
  ExpectUnchangedBy<TopKRewriter>(With("f32[", "f64["));
  ExpectUnchangedBy<TopKRewriter>(With("iota_dimension=1", "iota_dimension=0"));
  ExpectUnchangedBy<TopKRewriter>(With("compare(a, b)", "compare(b, a)"));
  ExpectUnchangedBy<TopKRewriter>(
      With("ns = s32[3,4] slice(n), slice={[0:3], [0:4]}",
           "nn = s32[3,20] negate(n)\n  "
           "ns = s32[3,4] slice(nn), slice={[0:3], [0:4]}"));
}

}  // namespace
}  // namespace hlokit
