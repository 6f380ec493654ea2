#include "passes/backend/defuser.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DefuserTest, PutsBodiesInTheirPlace) {
  auto module = TransformedBy<Defuser>(R"(
HloModule m
inner { a = f32[2] parameter(0) ROOT r = f32[2] sine(a) }
outer { a = f32[2] parameter(0) b = f32[2] parameter(1) f = f32[2] fusion(a), kind=kLoop, calls=inner ROOT r = f32[2] add(f, b) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT f = f32[2] fusion(x, y), kind=kLoop, calls=outer
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine parameter add");
  EXPECT_EQ(module->computation_count(), 1);
}

TEST(DefuserTest, LeavesModulesWithoutFusions) {
  ExpectUnchangedBy<Defuser>(R"(
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
}

}  // namespace
}  // namespace hlokit
