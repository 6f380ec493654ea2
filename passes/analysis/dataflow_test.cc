#include "passes/analysis/dataflow.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analysis/in_place.h"
#include "passes/analysis/live_range.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

const Instruction* Named(const Module& module, absl::string_view name) {
  for (const auto& c : module.computations()) {
    if (const Instruction* i = c->FindInstruction(name)) return i;
  }
  ADD_FAILURE() << "no " << std::string(name);
  return nullptr;
}

// "name{index}" of what defines the value.
std::string Definer(const Dataflow& flow, const Instruction* i,
                    const ShapeIndex& index) {
  const HloValue& v = flow.ValueAt(i, index);
  return absl::StrCat(v.at->name(), ShapeIndexToString(v.index));
}

constexpr char kLoop[] = R"(
HloModule m
cond {
  c = (s32[], f32[4], f32[4]) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(n, ten), direction=LT
}
body {
  b = (s32[], f32[4], f32[4]) parameter(0)
  m = s32[] get-tuple-element(b), index=0
  x = f32[4] get-tuple-element(b), index=1
  kept = f32[4] get-tuple-element(b), index=2
  one = s32[] constant(1)
  m1 = s32[] add(m, one)
  y = f32[4] add(x, kept)
  ROOT r = (s32[], f32[4], f32[4]) tuple(m1, y, kept)
}
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[4], f32[4]) tuple(zero, p, q)
  w = (s32[], f32[4], f32[4]) while(init), condition=cond, body=body
  a = f32[4] get-tuple-element(w), index=1
  z = f32[4] get-tuple-element(w), index=2
  ROOT s = f32[4] add(a, z)
})";

TEST(DataflowTest, TuplesAndTheirElementsHandValuesOn) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[4] parameter(0)
  b = s32[2] parameter(1)
  inner = (s32[2]) tuple(b)
  t = (f32[4], (s32[2])) tuple(a, inner)
  g = (s32[2]) get-tuple-element(t), index=1
  ROOT h = s32[2] get-tuple-element(g), index=0
})");
  const Dataflow flow(*module);
  EXPECT_EQ(Definer(flow, Named(*module, "t"), {}), "t{}");
  EXPECT_EQ(Definer(flow, Named(*module, "t"), {0}), "a{}");
  EXPECT_EQ(Definer(flow, Named(*module, "t"), {1}), "inner{}");
  EXPECT_EQ(Definer(flow, Named(*module, "t"), {1, 0}), "b{}");
  EXPECT_EQ(Definer(flow, Named(*module, "g"), {}), "inner{}");
  EXPECT_EQ(Definer(flow, Named(*module, "h"), {}), "b{}");
  EXPECT_EQ(flow.values().size(), 4u);
}

TEST(DataflowTest, LoopsKeepWhatTheirBodiesHandOn) {
  auto module = ParseOrDie(kLoop);
  const Dataflow flow(*module);
  EXPECT_EQ(Definer(flow, Named(*module, "kept"), {}), "q{}");
  EXPECT_EQ(Definer(flow, Named(*module, "z"), {}), "q{}");
  EXPECT_EQ(Definer(flow, Named(*module, "c"), {2}), "q{}");
  EXPECT_EQ(Definer(flow, Named(*module, "a"), {}), "w{1}");
  EXPECT_EQ(Definer(flow, Named(*module, "x"), {}), "b{1}");
  EXPECT_EQ(Definer(flow, Named(*module, "n"), {}), "c{0}");
  EXPECT_TRUE(flow.ValueAt(Named(*module, "w"), ShapeIndex{1}).merged);
  EXPECT_FALSE(flow.ValueAt(Named(*module, "w"), ShapeIndex{2}).merged);
}

TEST(DataflowTest, ConditionalsMergeOnlyWhatDiffers) {
  auto module = ParseOrDie(R"(
HloModule m
t { a = (f32[4], f32[4]) parameter(0)
    x = f32[4] get-tuple-element(a), index=0
    y = f32[4] get-tuple-element(a), index=1
    n = f32[4] negate(x)
    ROOT r = (f32[4], f32[4]) tuple(n, y) }
g { c = (f32[4], f32[4]) parameter(0)
    u = f32[4] get-tuple-element(c), index=0
    v = f32[4] get-tuple-element(c), index=1
    k = f32[4] sine(u)
    ROOT s = (f32[4], f32[4]) tuple(k, v) }
ENTRY e {
  i = pred[] parameter(0)
  p = f32[4] parameter(1)
  q = f32[4] parameter(2)
  o = (f32[4], f32[4]) tuple(p, q)
  ROOT w = (f32[4], f32[4]) conditional(i, o, o), true_computation=t,
      false_computation=g
})");
  const Dataflow flow(*module);
  EXPECT_EQ(Definer(flow, Named(*module, "w"), {0}), "w{0}");
  EXPECT_EQ(Definer(flow, Named(*module, "w"), {1}), "q{}");
  EXPECT_EQ(Definer(flow, Named(*module, "x"), {}), "p{}");
}

TEST(LiveRangeTest, FollowsTheWholeProgramInOrder) {
  auto module = ParseOrDie(kLoop);
  const Dataflow flow(*module);
  const LiveRanges live(*module, flow);
  std::string order;
  for (const Instruction* i : live.sequence()) {
    absl::StrAppend(&order, i->name(), " ");
  }
  EXPECT_EQ(order,
            "zero p q init c n ten less b m one m1 x kept y r w a z s ");
  const auto range = [&](absl::string_view name, const ShapeIndex& index) {
    const LiveRange& r =
        live.RangeOf(flow.ValueAt(Named(*module, name), index).id);
    return absl::StrCat(r.start, "-", r.end);
  };
  // p gives way to the loop's state when the condition begins; q lasts.
  EXPECT_EQ(range("p", {}), "0-4");
  EXPECT_EQ(range("q", {}), "0-19");
  EXPECT_EQ(range("b", {1}), "8-14");
  EXPECT_EQ(range("y", {}), "14-16");
  EXPECT_EQ(range("w", {1}), "16-19");
  EXPECT_EQ(range("s", {}), "19-20");
}

TEST(InPlaceTest, FusedUpdatesMayReadThePlaceThatTheyUpdate) {
  auto module = ParseOrDie(R"(
HloModule m
same { x = f32[8] parameter(0) i = s32[] parameter(1)
  old = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
  new = f32[2] negate(old)
  ROOT r = f32[8] dynamic-update-slice(x, new, i) }
other { x = f32[8] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2)
  old = f32[2] dynamic-slice(x, j), dynamic_slice_sizes={2}
  ROOT r = f32[8] dynamic-update-slice(x, old, i) }
ENTRY e { x = f32[8] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2)
  a = f32[8] fusion(x, i), kind=kLoop, calls=same
  ROOT b = f32[8] fusion(a, i, j), kind=kLoop, calls=other
})");
  const std::vector<InPlacePair> pairs = InPlacePairs(*Named(*module, "a"));
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].operand, 0);
  // Another place may have been updated already when it is read.
  EXPECT_TRUE(InPlacePairs(*Named(*module, "b")).empty());
}

TEST(InPlaceTest, ElementwiseOperationsMayShare) {
  auto module = ParseOrDie(R"(
HloModule m
f { x = f32[8] parameter(0) y = f32[8] parameter(1) s = f32[] parameter(2)
  z = f32[8] add(x, y) b = f32[8] broadcast(s), dimensions={}
  flip = f32[8] reverse(y), dimensions={0}
  m = f32[8] multiply(z, b)
  ROOT r = f32[8] add(m, flip) }
ENTRY e { x = f32[8] parameter(0) y = f32[8] parameter(1) s = f32[] parameter(2)
  ROOT a = f32[8] fusion(x, y, s), kind=kLoop, calls=f })");
  const Instruction& fusion = *module->entry()->root();
  EXPECT_TRUE(MayShareBuffer(fusion, {0, 0, 0}));
  EXPECT_FALSE(MayShareBuffer(fusion, {1, 0, 0}));  // read in another order
  EXPECT_FALSE(MayShareBuffer(fusion, {2, 0, 0}));
  EXPECT_TRUE(InPlacePairs(fusion).empty());
}

}  // namespace
}  // namespace hlokit
