#include "passes/control/propagate_call_metadata.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// A loop in a called computation.
constexpr char kNested[] = R"(
HloModule m
body {
  p = s32[] parameter(0)
  one = s32[] constant(1), metadata={op_name="main/call/while/body/one"}
  ROOT n = s32[] add(p, one), metadata={op_name="add"}
}
condition {
  p = s32[] parameter(0)
  k = s32[] constant(9)
  ROOT r = pred[] compare(p, k), direction=LT, metadata={op_name="main/call/whiles"}
}
f {
  p = s32[] parameter(0)
  ROOT w = s32[] while(p), body=body, condition=condition, metadata={op_name="while"}
}
ENTRY e {
  x = s32[] parameter(0)
  ROOT c = s32[] call(x), to_apply=f, metadata={op_name="main/call"}
})";

TEST(PropagateCallMetadataTest, NamesSayWhereTheCallWas) {
  auto module = TransformedBy<PropagateCallMetadata>(kNested);
  const auto name = [&](const char* computation, const char* instruction) {
    return module->FindComputation(computation)
        ->FindInstruction(instruction)
        ->metadata()
        .op_name;
  };
  EXPECT_EQ(name("f", "p.2"), "main/call");
  EXPECT_EQ(name("f", "w"), "main/call/while");
  EXPECT_EQ(name("body", "p"), "main/call/while");
  EXPECT_EQ(name("body", "n"), "main/call/while/add");
  EXPECT_EQ(name("body", "one"), "main/call/while/body/one");
  // A longer word is not the caller's name.
  EXPECT_EQ(name("condition", "r"), "main/call/while/main/call/whiles");
  EXPECT_EQ(name("e", "x"), "");
}

TEST(PropagateCallMetadataTest, StacksGoThroughTheCaller) {
  auto module = TransformedBy<PropagateCallMetadata>(R"(
HloModule m

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=1 end_column=1}
2 {file_name_id=2 function_name_id=2 line=20 end_line=20 column=2 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=2 parent_frame_id=1}

f {
  p = f32[] parameter(0)
  n = f32[] negate(p), metadata={op_name="n" stack_frame_id=2}
  ROOT m = f32[] negate(n), metadata={op_name="m" stack_frame_id=3}
}
ENTRY e {
  x = f32[] parameter(0)
  ROOT c = f32[] call(x), to_apply=f, metadata={op_name="c" stack_frame_id=1}
})");
  const Instruction* caller = module->entry()->root();
  const Instruction* m = caller->to_apply()->root();
  const Instruction* n = m->operand(0);
  const int32_t outer = caller->metadata().stack_frame_id;
  EXPECT_EQ(n->operand(0)->metadata().stack_frame_id, outer);
  EXPECT_EQ(n->metadata().stack_frame_id, m->metadata().stack_frame_id);
  EXPECT_NE(m->metadata().stack_frame_id, outer);
}

TEST(PropagateCallMetadataTest, LeavesReducersAndSharedComputations) {
  ExpectUnchangedBy<PropagateCallMetadata>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f { p = f32[] parameter(0) ROOT n = f32[] negate(p) }
ENTRY e {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=add, metadata={op_name="sum"}
  a = f32[] call(r), to_apply=f, metadata={op_name="a"}
  ROOT b = f32[] call(a), to_apply=f, metadata={op_name="b"}
})");
}

}  // namespace
}  // namespace hlokit
