#include "passes/simplify/control_dep_remover.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ControlDepRemoverTest, RemovesThemAll) {
  auto module = TransformedBy<ControlDepRemover>(R"(
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] sine(x)
  b = f32[2] cosine(x), control-predecessors={a}
  ROOT c = f32[2] negate(x), control-predecessors={a, b}
})");
  for (const Instruction* i : module->entry()->instructions()) {
    EXPECT_TRUE(i->control_predecessors().empty());
  }
}

TEST(ControlDepRemoverTest, LeavesModulesWithoutAny) {
  ExpectUnchangedBy<ControlDepRemover>(R"(
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
}

}  // namespace
}  // namespace hlokit
