#include "passes/simplify/add_original_value.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

TEST(AddOriginalValueTest, InstructionsNameThemselvesOrWhatTheyHandOn) {
  auto module = TransformedBy<AddOriginalValue>(R"(
HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  t = (f32[4], f32[4]) tuple(y, x)
  g = f32[4] get-tuple-element(t), index=1
  ROOT u = ((f32[4], f32[4]), f32[4]) tuple(t, g)
})");
  const std::string text = ToString(*module);
  EXPECT_THAT(text, HasSubstr("negate(%x), origin={{\"y\"}}"));
  EXPECT_THAT(text, HasSubstr("tuple(%y, %x), origin={({\"y\"}, {\"x\"})}"));
  EXPECT_THAT(text, HasSubstr("index=1, origin={{\"x\"}}"));
  EXPECT_THAT(text, HasSubstr("origin={(({\"y\"}, {\"x\"}), {\"x\"})}"));
}

TEST(AddOriginalValueTest, PartsOfTuplesAreTold) {
  auto module = TransformedBy<AddOriginalValue>(R"(
HloModule m
ENTRY e {
  x = (f32[4], s32[]) parameter(0)
  ROOT g = s32[] get-tuple-element(x), index=1
})");
  EXPECT_THAT(ToString(*module),
              HasSubstr("index=1, origin={{\"x\" {1}}}"));
}

TEST(AddOriginalValueTest, LeavesOriginsThatAreThere) {
  ExpectUnchangedBy<AddOriginalValue>(R"(
HloModule m
ENTRY e {
  ROOT x = f32[4] parameter(0), origin={{"other"}}
})");
}

}  // namespace
}  // namespace hlokit
