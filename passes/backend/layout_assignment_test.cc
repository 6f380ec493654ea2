#include "passes/backend/layout_assignment.h"

#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string TypeOf(const Module& module, absl::string_view name) {
  const Instruction* i = module.entry()->FindInstruction(name);
  return i == nullptr ? "none" : i->shape().ToString();
}

TEST(LayoutAssignmentTest, EverythingIsRowMajorUnlessAskedOtherwise) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m
ENTRY e {
  p = f32[4,8]{1,0} parameter(0)
  d = f32[4,8]{0,1} sine(p)
  ROOT a = f32[4,8]{1,0} add(d, p)
})");
  EXPECT_EQ(TypeOf(*module, "d"), "f32[4,8]{1,0}");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine add");
}

TEST(LayoutAssignmentTest, ElementWiseChainsLieAsTheEntryDoes) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[4,8]{0,1}}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  s = f32[4,8]{1,0} sine(p)
  ROOT a = f32[4,8]{1,0} add(s, p)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine add");
  EXPECT_EQ(TypeOf(*module, "s"), "f32[4,8]{0,1}");
  EXPECT_EQ(module->entry()->root()->shape().ToString(), "f32[4,8]{0,1}");
}

TEST(LayoutAssignmentTest, TheEntrysLayoutIsKeptByCopies) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[4,8]{0,1}}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  ROOT s = f32[4,8]{1,0} reverse(p), dimensions={0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter copy reverse copy");
  EXPECT_EQ(module->entry()->root()->shape().ToString(), "f32[4,8]{0,1}");
}

TEST(LayoutAssignmentTest, GroupsLieAsMostOfTheirNeighboursDo) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1}, f32[4,8]{0,1}, f32[4,8]{1,0})->(f32[4,8]{1,0}, pred[4,8]{1,0})}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  q = f32[4,8]{0,1} parameter(1)
  r = f32[4,8]{1,0} parameter(2)
  s = f32[4,8]{1,0} add(p, q)
  t = f32[4,8]{1,0} add(s, r)
  c = f32[] constant(1)
  b = f32[4,8]{1,0} broadcast(c), dimensions={}
  u = f32[4,8]{1,0} multiply(t, b)
  v = pred[4,8]{1,0} compare(s, b), direction=LT
  w = f32[4,8]{1,0} reverse(u), dimensions={1}
  ROOT z = (f32[4,8]{1,0}, pred[4,8]{1,0}) tuple(w, v)
})");
  EXPECT_EQ(TypeOf(*module, "u"), "f32[4,8]{1,0}");
  EXPECT_EQ(TypeOf(*module, "b"), "f32[4,8]{1,0}");
  EXPECT_EQ(CountOf(*module, Opcode::kCopy), 2);
}

TEST(LayoutAssignmentTest, OrdersGoThroughTransposesAndThinReshapes) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[1,8,4]{2,1,0}}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  s = f32[4,8]{1,0} sine(p)
  r = f32[1,4,8]{2,1,0} reshape(s)
  c = f32[1,4,8]{2,1,0} cosine(r)
  ROOT t = f32[1,8,4]{2,1,0} transpose(c), dimensions={0,2,1}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine bitcast cosine bitcast");
}

TEST(LayoutAssignmentTest, DimensionsOfSizeOneAreNoReasonToCopy) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[1,8]{0,1})->f32[1,8]{1,0}}
ENTRY e {
  p = f32[1,8]{0,1} parameter(0)
  ROOT s = f32[1,8]{1,0} sine(p)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter bitcast sine");
}

TEST(LayoutAssignmentTest, ArraysOfAnotherOrderAreBroadcastAsTheyAre) {
  ExpectUnchangedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[2,4,8]{2,1,0}}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  ROOT b = f32[2,4,8]{2,1,0} broadcast(p), dimensions={1,2}
})");
}

TEST(LayoutAssignmentTest, CustomCallsGetTheLayoutsThatTheyAskFor) {
  constexpr char kText[] = R"(
HloModule m
ENTRY e {
  p = f32[4,4]{1,0} parameter(0)
  c = (f32[4,4]{0,1}, s32[]) custom-call(p), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[4,4]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  g = f32[4,4]{1,0} get-tuple-element(c), index=0
  h = f32[4,4]{1,0} get-tuple-element(c), index=0
  ROOT a = f32[4,4]{1,0} add(g, h)
})";
  auto module = ParseOrDie(kText);
  LayoutAssignment pass;
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(TypeOf(*module, "g"), "f32[4,4]{0,1}");
  const Instruction* call = module->entry()->FindInstruction("c");
  EXPECT_EQ(call->operand(0)->opcode(), Opcode::kCopy);
  EXPECT_EQ(call->operand(0)->shape().ToString(), "f32[4,4]{0,1}");
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->opcode(), Opcode::kCopy);
  EXPECT_EQ(root->shape().ToString(), "f32[4,4]{1,0}");
  EXPECT_EQ(root->operand(0)->opcode(), Opcode::kAdd);
}

TEST(LayoutAssignmentTest, TransposesInAnotherLayoutAreBitcasts) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[2,4,8]{1,2,0}, f32[4,8]{1,0})->(f32[2,8,4]{2,1,0}, f32[8,4]{0,1})}
ENTRY e {
  p = f32[2,4,8]{1,2,0} parameter(0)
  q = f32[4,8]{1,0} parameter(1)
  t = f32[2,8,4]{2,1,0} transpose(p), dimensions={0,2,1}
  u = f32[8,4]{1,0} transpose(q), dimensions={1,0}
  ROOT r = (f32[2,8,4]{2,1,0}, f32[8,4]{1,0}) tuple(t, u)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kTranspose), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kCopy), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kBitcast), 2);
}

TEST(LayoutAssignmentTest, BitcastsOfTransposesThatBecomeBitcastsKeepTheirOrder) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,6]{0,1})->f32[6,4]{1,0}}
ENTRY e {
  p = f32[4,6]{0,1} parameter(0)
  t = f32[6,4]{1,0} transpose(p), dimensions={1,0}
  ROOT b = f32[6,4]{1,0} bitcast(t)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kTranspose), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kCopy), 0);
}

TEST(LayoutAssignmentTest, CopiesAreShared) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[4,8]{1,0}}
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  s = f32[4,8]{1,0} sine(p)
  c = f32[4,8]{1,0} cosine(p)
  ROOT a = f32[4,8]{1,0} add(s, c)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kCopy), 1);
}

TEST(LayoutAssignmentTest, LoopsCarryRowMajorState) {
  auto module = TransformedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{0,1})->f32[4,8]{0,1}}
cond { c = (s32[], f32[4,8]{0,1}) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  ten = s32[] constant(3) ROOT less = pred[] compare(n, ten), direction=LT }
body { b = (s32[], f32[4,8]{0,1}) parameter(0)
  m = s32[] get-tuple-element(b), index=0
  x = f32[4,8]{0,1} get-tuple-element(b), index=1
  one = s32[] constant(1) m1 = s32[] add(m, one)
  ROOT r = (s32[], f32[4,8]{0,1}) tuple(m1, x) }
ENTRY e {
  p = f32[4,8]{0,1} parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4,8]{0,1}) tuple(zero, p)
  w = (s32[], f32[4,8]{0,1}) while(init), condition=cond, body=body
  ROOT a = f32[4,8]{0,1} get-tuple-element(w), index=1
})");
  EXPECT_EQ(TypeOf(*module, "w"), "(s32[], f32[4,8]{1,0})");
  EXPECT_EQ(CountOf(*module, Opcode::kCopy), 2);
}

TEST(LayoutAssignmentTest, LeavesRowMajorModulesAlone) {
  ExpectUnchangedBy<LayoutAssignment>(R"(
HloModule m, entry_computation_layout={(f32[4,8]{1,0})->f32[8,4]{1,0}}
ENTRY e {
  p = f32[4,8]{1,0} parameter(0)
  s = f32[4,8]{1,0} sine(p)
  ROOT t = f32[8,4]{1,0} transpose(s), dimensions={1,0}
})");
}

}  // namespace
}  // namespace hlokit
