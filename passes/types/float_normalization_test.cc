#include "passes/types/float_normalization.h"

#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(FloatNormalizationTest, ComputesInTheWiderType) {
  FloatNormalization pass(kBF16, kF32);
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = bf16[4] parameter(0)
  y = bf16[4] parameter(1)
  s = bf16[4] add(x, y)
  ROOT r = bf16[4] reverse(s), dimensions={0}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert parameter convert add convert reverse");
  EXPECT_EQ(pass.name(), "float-normalization-bf16");
}

TEST(FloatNormalizationTest, ConvertsReducersAndTuples) {
  FloatNormalization pass(kBF16, kF32);
  auto module = Transformed(&pass, R"(
HloModule m
f {
  a = bf16[] parameter(0) i = s32[] parameter(1)
  b = bf16[] parameter(2) j = s32[] parameter(3)
  s = bf16[] add(a, b) k = s32[] add(i, j)
  ROOT t = (bf16[], s32[]) tuple(s, k)
}
ENTRY e {
  x = bf16[4,3] parameter(0)
  y = s32[4,3] parameter(1)
  z = bf16[] constant(0)
  i = s32[] constant(0)
  ROOT r = (bf16[4], s32[4]) reduce(x, y, z, i), dimensions={1}, to_apply=f
})",
                            0.05);
  for (const auto& c : module->computations()) {
    for (const Instruction* i : c->instructions()) {
      if (i->opcode() == Opcode::kAdd) {
        EXPECT_NE(i->shape().element_type(), kBF16);
      }
    }
  }
}

TEST(FloatNormalizationTest, ComparesInTheWiderType) {
  FloatNormalization pass(kF8E4M3FN, kF16);
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = f8e4m3fn[4] parameter(0)
  y = f8e4m3fn[4] parameter(1)
  ROOT r = pred[4] compare(x, y), direction=LT
})");
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().ToString(false),
            "f16[4]");
}

TEST(FloatNormalizationTest, FourBitIntegersWrapAsBefore) {
  FloatNormalization pass(kS4, kS8);
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = s4[8] parameter(0)
  y = s4[8] parameter(1)
  p = s4[8] multiply(x, y)
  q = s4[8] multiply(p, p)
  ROOT r = s4[8] divide(q, y)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kConvert), 9);
}

TEST(FloatNormalizationTest, LeavesMovesConversionsAndOtherTypes) {
  FloatNormalization pass(kBF16, kF32);
  ExpectUnchanged(&pass, R"(
ENTRY e {
  x = bf16[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] convert(x)
  b = bf16[2,2] reshape(x)
  c = f32[4] multiply(y, a)
  d = s16[4] bitcast-convert(x)
  ROOT t = (f32[4], bf16[2,2], s16[4]) tuple(c, b, d)
})");
  FloatNormalization s4(kS4, kS8);
  ExpectUnchanged(&s4, R"(
ENTRY e { x = s4[4] parameter(0) ROOT r = s4[4] popcnt(x) })");
}

TEST(FloatNormalizationTest, LeavesShiftsThatFillWithTheHighestBit) {
  const std::string shift = R"(
ENTRY e { x = u4[4] parameter(0) ROOT r = u4[4] shift-right-arithmetic(x, x) })";
  FloatNormalization u4(kU4, kU8);
  ExpectUnchanged(&u4, shift);
}

// Every row of passes.def.
TEST(FloatNormalizationTest, EveryTypeIsComputedInAWiderOne) {
  const std::pair<PrimitiveType, PrimitiveType> rows[] = {
      {kBF16, kF32},        {kF8E5M2, kF16},     {kF8E4M3, kF16},
      {kF8E4M3FN, kF16},    {kF8E4M3B11FNUZ, kF16}, {kF8E5M2FNUZ, kF16},
      {kF8E4M3FNUZ, kF16},  {kF8E3M4, kF16},     {kS4, kS8},
      {kU4, kU8},           {kF4E2M1FN, kF16},   {kF8E8M0FNU, kF32}};
  for (const auto& [type, wide] : rows) {
    FloatNormalization pass(type, wide);
    SCOPED_TRACE(pass.name());
    auto with = [type = type, wide = wide](absl::string_view text) {
      return absl::StrReplaceAll(text, {{"TYPE", PrimitiveTypeName(type)},
                                        {"WIDE", PrimitiveTypeName(wide)}});
    };
    auto module = Transformed(&pass, with(R"(
ENTRY e {
  x = TYPE[8] parameter(0)
  y = TYPE[8] parameter(1)
  ROOT r = TYPE[8] add(x, y)
})"));
    EXPECT_EQ(EntryOpcodes(*module),
              "parameter convert parameter convert add convert");
    EXPECT_EQ(module->entry()->root()->operand(0)->shape().element_type(), wide);
    ExpectUnchanged(&pass, with(R"(
ENTRY e {
  x = TYPE[8] parameter(0)
  y = WIDE[8] parameter(1)
  s = WIDE[8] add(y, y)
  r = TYPE[2,4] reshape(x)
  ROOT t = (WIDE[8], TYPE[2,4]) tuple(s, r)
})"));
  }
}

}  // namespace
}  // namespace hlokit
