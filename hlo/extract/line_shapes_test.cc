#include "hlo/extract/line_shapes.h"

#include "gtest/gtest.h"

namespace hlokit {
namespace {

TEST(LineShapesTest, HeadersAreFoundAnywhereInALine) {
  EXPECT_EQ(FindModuleHeader("HloModule m"), 0u);
  EXPECT_EQ(FindModuleHeader("x] HloModule m, is_scheduled=true"), 3u);
  EXPECT_EQ(FindModuleHeader("12-HloModule m"), 3u);
  for (const char* line : {"HloModule", "the HloModule is broken",
                           "MyHloModule m", "HloModules m",
                           "HloModule m, which fails."}) {
    EXPECT_EQ(FindModuleHeader(line), kNoPlace) << line;
  }
  EXPECT_EQ(NameInModuleHeader("HloModule m.1, x=y"), "m.1");
}

TEST(LineShapesTest, ComputationsBeginInSeveralWays) {
  for (const char* line :
       {"ENTRY main {", "ENTRY %m (a: f32[]) -> f32[] {", "add.3 {", "%f () -> "
        "f32[] {", "%f (p.1: (f32[], s32[]),", "ENTRY e {  ROOT a = f32[] x()"}) {
    EXPECT_TRUE(IsComputationStart(line)) << line;
  }
  for (const char* line :
       {"define void @f() {", "module {", "int main() {", "{", "\"a\": {",
        "foo(x) {", "a = b {", "else {", "attributes #0 = {"}) {
    EXPECT_FALSE(IsComputationStart(line)) << line;
  }
  EXPECT_EQ(FindComputationStart("12: ENTRY e {"), 4u);
}

TEST(LineShapesTest, InstructionsEndWithTheirAttributes) {
  const absl::string_view line =
      "HLO: ROOT %a.1 = (f32[2], s32[]) foo(%b, {1, 2}), x={a={\"}\"}}, "
      "y=\"q, r\", z=%c.2, and more";
  const InstructionPlace place = FindInstruction(line);
  EXPECT_EQ(place.begin, 5u);
  EXPECT_EQ(line.substr(place.end), ", and more");
  EXPECT_FALSE(place.is_open);
  EXPECT_EQ(FindInstruction("x = foo(1)").begin, kNoPlace);
  EXPECT_EQ(FindInstruction("a == b(f32[])").begin, kNoPlace);
  EXPECT_TRUE(FindInstruction("%a = f32[2] add(%b,").is_open);
}

TEST(LineShapesTest, BracketsInStringsDoNotCount) {
  BracketCounter brackets;
  brackets.Add("m { x = {\"}\", /* } */ a} // }");
  EXPECT_EQ(brackets.braces(), 1);
  EXPECT_TRUE(brackets.opened());
}

}  // namespace
}  // namespace hlokit
