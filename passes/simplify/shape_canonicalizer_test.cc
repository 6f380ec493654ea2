#include "passes/simplify/shape_canonicalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ShapeCanonicalizerTest, EqualTypesLieInOnePlace) {
  auto module = ParseOrDie(R"(
ENTRY e {
  x = f32[4,5] parameter(0)
  y = f32[4,5] parameter(1)
  ROOT s = f32[4,5] add(x, y)
})");
  // Types of their own, as passes make them.
  for (Instruction* i : module->entry()->instructions()) {
    i->set_shape(Shape::ArrayWithDescendingLayout(kF32, {4, 5}));
  }
  ShapeCanonicalizer pass;
  RunPass(&pass, module.get(), false);
  const int64_t* first =
      module->entry()->parameter(0)->shape().dimensions().data();
  for (const Instruction* i : module->entry()->instructions()) {
    EXPECT_EQ(i->shape().dimensions().data(), first);
  }
}

}  // namespace
}  // namespace hlokit
