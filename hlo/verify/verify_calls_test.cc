#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

constexpr char kLoop[] = R"(HloModule m
body { x = f32[2] parameter(0) $B
  ROOT y = f32[2] negate(x) $R }
cond { x = f32[2] parameter(0)
  ROOT t = pred[] constant(true) }
ENTRY e {
  p = f32[2] parameter(0)
  ROOT w = f32[2] while(p), condition=cond, body=body $W
}
)";

std::string Loop(const char* body_parameter, const char* body_root,
                 const char* loop) {
  return Findings(absl::StrReplaceAll(kLoop, {{"$B", body_parameter},
                                              {"$R", body_root},
                                              {"$W", loop}}));
}

TEST(VerifyWhile, TypesGoRound) {
  EXPECT_EQ(Loop("", "", ""), "");
  EXPECT_THAT(Findings(absl::StrReplaceAll(
                  kLoop, {{"$B", ""},
                          {"$R", ""},
                          {"$W", ""},
                          {"ROOT y = f32[2] negate(x)",
                           "ROOT y = pred[2] is-finite(x)"}})),
              HasSubstr("%w shape: the body gives pred[2], the operand is "
                        "f32[2]"));
}

TEST(VerifyWhile, ShardingsAgreeWhereTheyStand) {
  const char* split = ", sharding={devices=[2]<=[2]}";
  EXPECT_EQ(Loop(split, split, split), "");
  EXPECT_EQ(Loop("", split, ""), "");
  EXPECT_THAT(Loop("", split, ", sharding={replicated}"),
              HasSubstr("%w while: shardings must agree"));
}

TEST(VerifyConditional, BranchShardingsAgree) {
  auto conditional = [](const char* a, const char* b) {
    return Findings(absl::StrCat(
        "HloModule m\n"
        "f { x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x)", a, "}\n"
        "g { x = f32[2] parameter(0)\n ROOT y = f32[2] abs(x)", b, "}\n"
        "ENTRY e {\n"
        "  c = pred[] parameter(0)\n"
        "  p = f32[2] parameter(1)\n"
        "  ROOT r = f32[2] conditional(c, p, p), true_computation=f, "
        "false_computation=g\n}\n"));
  };
  EXPECT_EQ(conditional("", ""), "");
  EXPECT_EQ(conditional("", ", sharding={replicated}"), "");
  EXPECT_THAT(conditional(", sharding={manual}", ", sharding={replicated}"),
              HasSubstr("%r conditional: shardings must agree"));
}

TEST(VerifyCall, CompositesHaveANameAndAVersion) {
  auto composite = [](const char* attributes) {
    return Findings(absl::StrCat(
        "HloModule m\n"
        "f { x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x) }\n"
        "ENTRY e {\n"
        "  p = f32[2] parameter(0)\n"
        "  ROOT c = f32[2] call(p), to_apply=f, is_composite=true, "
        "frontend_attributes={", attributes, "}\n}\n"));
  };
  EXPECT_EQ(composite("composite.name=\"foo.bar\",composite.version=\"1\""),
            "");
  EXPECT_EQ(composite("composite.name=\"a\",composite.version=\"0\","
                      "composite.attributes={n = 1}"),
            "");
  EXPECT_THAT(composite("composite.version=\"1\""),
              HasSubstr("composite.name"));
  EXPECT_THAT(composite("composite.name=\"a\",composite.version=\"-1\""),
              HasSubstr("composite.version"));
  EXPECT_THAT(composite("composite.name=\"a\",composite.version=\"x\""),
              HasSubstr("composite.version"));
  EXPECT_THAT(composite("composite.name=\"a\",composite.version=\"1\","
                        "composite.attributes=\"\""),
              HasSubstr("composite.attributes"));
}

constexpr char kFusion[] = R"(HloModule m
fused { x = f32[2] parameter(0)
  $D
  ROOT y = f32[2] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] fusion(p), kind=kLoop, $A calls=fused
  ROOT r = f32[2] $R
}
)";

std::string Fusion(const char* dead, const char* aliasing, const char* rest) {
  return Findings(absl::StrReplaceAll(
      kFusion, {{"$D", dead}, {"$A", aliasing}, {"$R", rest}}));
}

TEST(VerifyFusion, BodiesHaveOneOwnerAndNothingDead) {
  EXPECT_EQ(Fusion("", "", "copy(q)"), "");
  EXPECT_THAT(Fusion("", "", "fusion(q), kind=kLoop, calls=fused"),
              HasSubstr("the body fused has 2 owners"));
  EXPECT_THAT(Fusion("d = f32[2] abs(x)", "", "copy(q)"),
              HasSubstr("%q fusion: %d in fused has no users"));
}

TEST(VerifyFusion, BodiesHaveNoControlFlow) {
  const std::string loop = R"(
HloModule m
body { b = s32[] parameter(0) ROOT n = s32[] negate(b) }
cond { c = s32[] parameter(0) ROOT f = pred[] constant(false) }
fused {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=cond, body=body
}
ENTRY e {
  p = s32[] parameter(0)
  ROOT q = s32[] fusion(p), kind=kLoop, calls=fused
})";
  EXPECT_THAT(Findings(loop),
              HasSubstr("%w in fused is a while, which a fusion cannot"));
}

TEST(VerifyFusion, AliasesAreInsideOfTheTypes) {
  auto alias = [](const char* pair) {
    return Fusion("",
                  absl::StrCat("output_to_operand_aliasing={", pair, "},")
                      .c_str(),
                  "copy(q)");
  };
  EXPECT_EQ(alias("{}: (0, {})"), "");
  EXPECT_THAT(alias("{1}: (0, {})"), HasSubstr("output index {1}"));
  EXPECT_THAT(alias("{}: (1, {})"), HasSubstr("operand 1 is outside of 1"));
  EXPECT_THAT(alias("{}: (0, {4})"), HasSubstr("operand index {4}"));
}

TEST(VerifyFusion, OperandsFitTheParameters) {
  EXPECT_THAT(Findings(absl::StrReplaceAll(kFusion,
                                           {{"$D", ""},
                                            {"$A", ""},
                                            {"$R", "copy(q)"},
                                            {"p = f32[2]", "p = f32[3]"}})),
              HasSubstr("%q shape: parameter 0 of fused is f32[2], the "
                        "operand is f32[3]"));
}

std::string CustomCall(const char* result, const char* rest) {
  return EntryFindings(absl::StrCat("p = f32[2,3]{1,0} parameter(0)\n"
                                    "ROOT c = ",
                                    result, " custom-call(p), ", rest));
}

// The text reader checks constraints itself; protos come unchecked.
std::string Constrained(const char* target, ShapeList constraints) {
  auto module = ParseModule(absl::StrCat(
      "HloModule m\nENTRY e {\n  p = f32[2,3]{1,0} parameter(0)\n"
      "  ROOT c = f32[2]{0} custom-call(p), custom_call_target=\"",
      target, "\"\n}\n"));
  if (!module.ok()) return std::string(module.status().message());
  (*module)->entry()->root()->mutable_attrs().SetShared(
      AttrId::kOperandLayoutConstraints, std::move(constraints));
  return FindingsText(**module);
}

TEST(VerifyCustomCall, LayoutConstraintsFitTheOperands) {
  Shape fits = Shape::ArrayWithDescendingLayout(kF32, {2, 3});
  Shape other = Shape::ArrayWithDescendingLayout(kF32, {2, 4});
  EXPECT_EQ(Constrained("t", {fits}), "");
  EXPECT_THAT(Constrained("t", {other}),
              HasSubstr("says f32[2,4] for operand 0, found f32[2,3]"));
  EXPECT_THAT(Constrained("t", {fits, fits}), HasSubstr("has 2 entries"));
  EXPECT_THAT(Constrained("t", {Shape::Array(kF32, {2, 3})}),
              HasSubstr("has no layout for operand 0"));
  EXPECT_EQ(Constrained("control_dep", {other}), "");
}

TEST(VerifyCustomCall, AliasedTypesAgreeUnlessToldOtherwise) {
  EXPECT_EQ(CustomCall("f32[2,3]", "custom_call_target=\"t\", "
                       "output_to_operand_aliasing={{}: (0, {})}"),
            "");
  EXPECT_THAT(CustomCall("f32[3,2]", "custom_call_target=\"t\", "
                         "output_to_operand_aliasing={{}: (0, {})}"),
              HasSubstr("output {} is f32[3,2], operand 0 part {} is "
                        "f32[2,3]"));
  EXPECT_EQ(
      CustomCall("f32[3,2]",
                 "custom_call_target=\"t\", "
                 "output_to_operand_aliasing={{}: (0, {})}, "
                 "frontend_attributes={xla_skip_custom_call_alias_shape_check="
                 "\"true\"}"),
      "");
}

TEST(VerifyCustomCall, KnowsGetRngSeed) {
  EXPECT_EQ(EntryFindings("ROOT s = u64[] custom-call(), "
                          "custom_call_target=\"GetRngSeed\""),
            "");
  EXPECT_THAT(CustomCall("u32[]", "custom_call_target=\"GetRngSeed\""),
              HasSubstr("GetRngSeed takes no operands"));
}

constexpr char kBuffers[] = R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  z = s32[] constant(0)
  u = f32[1] constant({1})
  b = b(f32[8]) custom-call(p), custom_call_target="Pin"
  $L
  ROOT r = f32[8] custom-call(d), custom_call_target="Unpin"
}
)";

TEST(VerifyBuffers, GoThroughFewOperations) {
  auto with = [](const char* lines) {
    return Findings(absl::StrReplaceAll(kBuffers, {{"$L", lines}}));
  };
  EXPECT_EQ(with("d = b(f32[8]) dynamic-update-slice(b, u, z)"), "");
  EXPECT_EQ(with("d = b(f32[8]) custom-call(b), custom_call_target=\"x\", "
                 "output_to_operand_aliasing={{}: (0, {})}"),
            "");
  EXPECT_THAT(with("d = b(f32[8]) custom-call(b), custom_call_target=\"x\""),
              HasSubstr("must be in exactly one pair"));
  EXPECT_THAT(with("d = b(f32[8]) copy(b)"),
              HasSubstr("%d buffer: copy cannot give a buffer"));
  EXPECT_THAT(with("d = b(f32[8]) dynamic-update-slice(b, u, z)\n"
                   "x = b(f32[8]) dynamic-update-slice(b, u, z)"),
              HasSubstr("%b buffer: the buffer has 2 writers"));
  EXPECT_THAT(with("d = b(f32[8]) parameter(1)"),
              HasSubstr("the entry cannot take a buffer"));
}

TEST(VerifyBuffers, PinAndUnpinKeepTheArray) {
  EXPECT_THAT(EntryFindings("p = f32[8] parameter(0)\n"
                            "b = b(f32[9]) custom-call(p), "
                            "custom_call_target=\"Pin\"\n"
                            "ROOT r = f32[9] custom-call(b), "
                            "custom_call_target=\"Unpin\""),
              HasSubstr("%b buffer: Pin has the wrong operands or result"));
  // The two share memory.
  EXPECT_EQ(EntryFindings("p = f32[8] parameter(0)\n"
                          "b = b(f32[8]) custom-call(p), "
                          "custom_call_target=\"Pin\", "
                          "output_to_operand_aliasing={{}: (0, {})}\n"
                          "ROOT r = f32[8] custom-call(b), "
                          "custom_call_target=\"Unpin\", "
                          "output_to_operand_aliasing={{}: (0, {})}"),
            "");
  EXPECT_EQ(EntryFindings("b = b(f32[9]) custom-call(), "
                          "custom_call_target=\"CreateBuffer\"\n"
                          "ROOT r = f32[9] custom-call(b), "
                          "custom_call_target=\"Unpin\""),
            "");
}

}  // namespace
}  // namespace hlokit
