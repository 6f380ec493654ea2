#include "replay/isolate.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "replay/isolate_run.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Piece> Pieces(absl::string_view text) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? TakeApart(**module) : std::vector<Piece>();
}

std::vector<std::string> Names(const std::vector<Piece>& pieces) {
  std::vector<std::string> names;
  for (const Piece& piece : pieces) names.push_back(piece.instruction);
  return names;
}

constexpr absl::string_view kLoop = R"(HloModule m
body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(p), index=1
  y = f32[4] multiply(x, x)
  ROOT t = (s32[], f32[4]) tuple(next, y)
}
condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[4]) tuple(zero, x)
  w = (s32[], f32[4]) while(t), condition=condition, body=body
  y = f32[4] get-tuple-element(w), index=1
  z = f32[] constant(0)
  ROOT r = f32[] reduce(y, z), dimensions={0}, to_apply=sum
})";

TEST(IsolateTest, TakesLoopsApartButNotReducers) {
  EXPECT_THAT(Names(Pieces(kLoop)),
              ElementsAre("%w", "%r", "%next", "%y", "%c"));
}

TEST(IsolateTest, PiecesAreModulesOfTheirOwn) {
  for (const Piece& piece : Pieces(kLoop)) {
    ASSERT_NE(piece.module, nullptr) << piece.why_not;
    EXPECT_TRUE(VerifyModule(*piece.module).ok())
        << VerifyModule(*piece.module) << ToString(*piece.module);
    // What is written is read again.
    const auto again = ParseModule(ToString(*piece.module));
    EXPECT_TRUE(again.ok()) << again.status();
  }
}

TEST(IsolateTest, OperandsBecomeParametersOnce) {
  const std::vector<Piece> pieces = Pieces(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  ROOT y = f32[4] multiply(x, x)
})");
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].module->entry()->parameter_count(), 1);
  EXPECT_EQ(pieces[0].module->entry_layout->parameters.size(), 1u);
}

TEST(IsolateTest, EqualPiecesAreCounted) {
  const std::vector<Piece> pieces = Pieces(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] add(x, x), metadata={op_name="first"}
  b = f32[4] add(a, a)
  c = f32[4] add(b, a)
  ROOT d = f32[4] add(c, b)
})");
  EXPECT_THAT(Names(pieces), ElementsAre("%a", "%c"));
  EXPECT_EQ(pieces[0].same, 1);
  EXPECT_EQ(pieces[1].same, 1);
}

TEST(IsolateTest, PiecesWithDifferentAttributesAreDifferent) {
  EXPECT_EQ(Pieces(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[2] slice(x), slice={[0:2]}
  b = f32[2] slice(x), slice={[1:3]}
  ROOT d = (f32[2], f32[2]) tuple(a, b)
})")
                .size(),
            2u);
}

TEST(IsolateTest, WhatIsNoDataCannotStandAlone) {
  const std::vector<Piece> pieces = Pieces(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  t = token[] after-all()
  s = (f32[4], f32[4], u32[]) copy-start(x)
  ROOT d = f32[4] copy-done(s)
})");
  ASSERT_EQ(pieces.size(), 3u);
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.module, nullptr);
    EXPECT_FALSE(piece.why_not.empty());
  }
}

TEST(IsolateTest, TheTableIsSortedAndCounted) {
  const std::string table = PieceTable(
      {{RunWord::kMismatch, RunWord::kMismatch, "%bad", "3 differ"},
       {RunWord::kMatched, RunWord::kMatched, "%good", ""},
       {RunWord::kMatched, RunWord::kMatched, "%fine", ""}});
  EXPECT_THAT(table, StartsWith(
      "Reference            | Test                 | Module"));
  EXPECT_LT(table.find("%good"), table.find("%fine"));
  EXPECT_LT(table.find("%fine"), table.find("%bad"));
  EXPECT_THAT(table, HasSubstr("MATCHED              | MATCHED              | "
                               "2\n"));
  EXPECT_THAT(table, HasSubstr("MISMATCH             | MISMATCH             | "
                               "1\n"));
}

}  // namespace
}  // namespace hlokit
