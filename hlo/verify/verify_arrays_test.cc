#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

VerifierOptions SamePrecision() {
  VerifierOptions options;
  options.allow_mixed_precision = false;
  return options;
}

TEST(VerifyShape, TheDeclaredTypeIsTheInferredOne) {
  EXPECT_EQ(EntryFindings("p = f32[2] parameter(0)\n"
                          "ROOT n = f32[2] negate(p)"),
            "");
  EXPECT_EQ(EntryFindings("p = f64[1] parameter(0)\n"
                          "ROOT n = f32[] add(p, p)"),
            "%n shape: expected f64[1], declared f32[] (operands: f64[1], "
            "f64[1])\n"
            "%n elementwise: operand 0 (%p) is not broadcast: expected the "
            "dimensions of f32[], found f64[1]\n"
            "%n elementwise: operand 1 (%p) is not broadcast: expected the "
            "dimensions of f32[], found f64[1]");
}

TEST(VerifyShape, LayoutsAndDynamicSizesOfResultsAreFree) {
  EXPECT_EQ(EntryFindings("p = f32[2,<=3]{0,1} parameter(0)\n"
                          "ROOT n = f32[2,3]{1,0} negate(p)",
                          LayoutMode()),
            "");
}

TEST(VerifyShape, InLayoutModePassedValuesKeepTheirLayout) {
  const char* lines =
      "p = (f32[2,3]{0,1}) parameter(0)\n"
      "ROOT g = f32[2,3]{1,0} get-tuple-element(p), index=0";
  EXPECT_EQ(EntryFindings(lines), "");
  EXPECT_THAT(EntryFindings(lines, LayoutMode()),
              HasSubstr("%g shape: expected f32[2,3]{0,1}, declared "
                        "f32[2,3]{1,0}"));
}

TEST(VerifyShape, ResultsMayChangePrecisionUnlessForbidden) {
  const char* lines =
      "p = f32[2] parameter(0)\n"
      "ROOT n = bf16[2] negate(p)";
  EXPECT_EQ(EntryFindings(lines), "");
  EXPECT_THAT(EntryFindings(lines, SamePrecision()),
              StartsWith("%n shape: expected f32[2], declared bf16[2]"));
}

TEST(VerifyShape, PassedValuesNeverChangePrecision) {
  EXPECT_THAT(EntryFindings("p = (f32[2]) parameter(0)\n"
                            "ROOT g = bf16[2] get-tuple-element(p), index=0"),
              HasSubstr("%g shape: expected f32[2], declared bf16[2]"));
}

TEST(VerifyShape, UnboundedDimensionsMustBeAllowed) {
  const char* lines =
      "p = f32[?] parameter(0)\n"
      "ROOT n = f32[?] negate(p)";
  EXPECT_THAT(EntryFindings(lines), HasSubstr("%n unbounded: "));
  VerifierOptions options;
  options.allow_unbounded_dynamism = true;
  EXPECT_EQ(EntryFindings(lines, options), "");
}

TEST(VerifyMixedPrecision, OperandsMayMixUnlessForbidden) {
  const char* lines =
      "p = f32[2] parameter(0)\n"
      "q = bf16[2] parameter(1)\n"
      "ROOT a = f32[2] add(p, q)";
  EXPECT_EQ(EntryFindings(lines), "");
  EXPECT_EQ(EntryFindings(lines, SamePrecision()),
            "%a mixed precision: operands mix f32 and bf16, expected one "
            "precision");
  EXPECT_EQ(EntryFindings("p = f32[2] parameter(0)\n"
                          "q = bf16[2] parameter(1)\n"
                          "ROOT t = (f32[2], bf16[2]) tuple(p, q)",
                          SamePrecision()),
            "");
}

TEST(VerifyElementwise, OperandsAreNotBroadcast) {
  EXPECT_THAT(EntryFindings("p = f32[2,3] parameter(0)\n"
                            "q = f32[1,3] parameter(1)\n"
                            "ROOT a = f32[2,3] add(p, q)"),
              HasSubstr("%a elementwise: operand 1 (%q) is not broadcast: "
                        "expected the dimensions of f32[2,3], found "
                        "f32[1,3]"));
  EXPECT_EQ(EntryFindings("p = f32[2] parameter(0)\n"
                          "l = f32[] constant(1)\n"
                          "c = pred[] constant(true)\n"
                          "m = f32[2] clamp(l, p, l)\n"
                          "ROOT a = f32[2] select(c, p, m)"),
            "");
}

TEST(VerifyElementwise, ComparisonTypesFitTheElements) {
  auto compare = [](const char* type, const char* comparison) {
    return EntryFindings(absl::StrCat(
        "p = ", type, "[2] parameter(0)\n"
        "ROOT c = pred[2] compare(p, p), direction=LT, type=", comparison));
  };
  EXPECT_EQ(compare("f32", "TOTALORDER"), "");
  EXPECT_EQ(compare("f32", "FLOAT"), "");
  EXPECT_EQ(compare("s32", "SIGNED"), "");
  EXPECT_EQ(compare("u32", "UNSIGNED"), "");
  EXPECT_THAT(compare("s32", "TOTALORDER"), HasSubstr("does not fit"));
  EXPECT_THAT(compare("s32", "UNSIGNED"), HasSubstr("does not fit"));
  EXPECT_THAT(compare("f32", "SIGNED"), HasSubstr("does not fit"));
}

TEST(VerifyBroadcast, DimensionOrderIsCheckedOnRequest) {
  const char* lines =
      "p = f32[2,3] parameter(0)\n"
      "ROOT b = f32[3,2] broadcast(p), dimensions={1,0}";
  EXPECT_EQ(EntryFindings(lines), "");
  VerifierOptions options;
  options.verify_broadcast_dimensions_order = true;
  EXPECT_EQ(EntryFindings(lines, options),
            "%b broadcast: dimensions must ascend, found {1,0}");
}

TEST(VerifyReshape, IsABitcastOnRequest) {
  VerifierOptions options = LayoutMode();
  options.verify_reshape_is_bitcast = true;
  auto reshape = [&](const char* from, const char* to) {
    return EntryFindings(absl::StrCat("p = ", from,
                                      " parameter(0)\n"
                                      "ROOT r = ",
                                      to, " reshape(p)"),
                         options);
  };
  EXPECT_EQ(reshape("f32[6,4]{1,0}", "f32[24]{0}"), "");
  EXPECT_EQ(reshape("f32[6,4]{1,0}", "f32[2,3,4]{2,1,0}"), "");
  // The dimensions 2,3 and 6 stay behind 4.
  EXPECT_EQ(reshape("f32[6,4]{0,1}", "f32[2,3,4]{1,0,2}"), "");
  EXPECT_EQ(reshape("f32[6,1,4]{0,1,2}", "f32[6,4]{0,1}"), "");
  EXPECT_EQ(reshape("f32[0,4]{1,0}", "f32[4,0]{0,1}"), "");
  EXPECT_THAT(reshape("f32[6,4]{0,1}", "f32[24]{0}"), HasSubstr("moves"));
  EXPECT_THAT(reshape("f32[6,4]{1,0}", "f32[4,6]{0,1}"), HasSubstr("moves"));
  EXPECT_THAT(reshape("f32[6,4]{0,1}", "f32[2,3,4]{0,1,2}"),
              HasSubstr("moves"));
}

TEST(VerifySort, ComparatorComparesPairs) {
  auto sort = [](const char* comparator) {
    return Findings(absl::StrCat(
        "HloModule m\n", comparator,
        "ENTRY e {\n"
        "  p = f32[4] parameter(0)\n"
        "  i = s32[4] parameter(1)\n"
        "  ROOT s = (f32[4], s32[4]) sort(p, i), dimensions={0}, to_apply=c\n"
        "}\n"));
  };
  EXPECT_EQ(sort("c { a = f32[] parameter(0) b = f32[] parameter(1) "
                 "x = s32[] parameter(2) y = s32[] parameter(3) "
                 "ROOT r = pred[] compare(a, b), direction=LT }\n"),
            "");
  EXPECT_THAT(sort("c { a = f32[] parameter(0) b = f32[] parameter(1) "
                   "ROOT r = pred[] compare(a, b), direction=LT }\n"),
              HasSubstr("must take 4 parameters, found 2"));
  EXPECT_THAT(sort("c { a = f32[] parameter(0) x = s32[] parameter(1) "
                   "b = f32[] parameter(2) y = s32[] parameter(3) "
                   "ROOT r = pred[] compare(a, b), direction=LT }\n"),
              HasSubstr("parameter 1 of c must be a scalar f32"));
  EXPECT_THAT(sort("c { a = f32[] parameter(0) b = f32[] parameter(1) "
                   "x = s32[] parameter(2) y = s32[] parameter(3) "
                   "ROOT r = f32[] add(a, b) }\n"),
              HasSubstr("must give pred[], found f32[]"));
}

TEST(VerifyScan, OnlyAssociativeOnesAreLeftInLayoutMode) {
  auto scan = [](const char* associative) {
    return absl::StrCat(
        "HloModule m\n"
        "s { a = f32[3] parameter(0) b = f32[3] parameter(1) "
        "c = f32[3] add(a, b) ROOT t = (f32[3], f32[3]) tuple(c, c) }\n"
        "ENTRY e {\n"
        "  p = f32[3,8] parameter(0)\n"
        "  i = f32[3] parameter(1)\n"
        "  ROOT r = (f32[3,8], f32[3]) scan(p, i), dimensions={1}, "
        "num_carries=1, is_associative=",
        associative, ", to_apply=s\n}\n");
  };
  EXPECT_EQ(Findings(scan("true"), LayoutMode()), "");
  EXPECT_EQ(Findings(scan("false")), "");
  EXPECT_THAT(Findings(scan("false"), LayoutMode()), HasSubstr("%r scan: "));
}

TEST(VerifyScan, TheBodyTakesSlicesAndGivesItsCarries) {
  auto scan = [](const char* a, const char* b, const char* result) {
    return Findings(absl::StrCat(
        "HloModule m\ns { a = ", a, " parameter(0) b = ", b, " parameter(1) "
        "ROOT t = (f32[3], ", result, ") custom-call(a, b), "
        "custom_call_target=\"f\" }\nENTRY e {\n"
        "  p = f32[3,8] parameter(0)\n  i = f32[3] parameter(1)\n"
        "  ROOT r = (f32[3,8], ", result,
        ") scan(p, i), dimensions={1}, num_carries=1, is_associative=true, "
        "to_apply=s\n}\n"));
  };
  EXPECT_EQ(scan("f32[3]", "f32[3]", "f32[3]"), "");
  EXPECT_THAT(scan("f32[8]", "f32[3]", "f32[3]"),
              HasSubstr("parameter 0 of s is f32[8], operand 0 is f32[3,8]"));
  EXPECT_THAT(scan("f32[3]", "s32[3]", "f32[3]"),
              HasSubstr("parameter 1 of s is s32[3], operand 1 is f32[3]"));
  EXPECT_THAT(scan("f32[3]", "f32[3]", "f32[4]"),
              HasSubstr("carry 0 goes in as f32[3] and comes out as f32[4]"));
}

TEST(VerifyMulhi, TakesIntegersOnly) {
  auto mulhi = [](const char* type) {
    return Findings(absl::StrCat("HloModule m\nENTRY e {\n  p = ", type,
                                 " parameter(0)\n  ROOT r = mulhi(p, p)\n}\n"));
  };
  EXPECT_EQ(mulhi("u8[4]"), "");
  for (const char* type : {"f32[4]", "pred[4]", "c64[4]"}) {
    EXPECT_THAT(mulhi(type), HasSubstr("mulhi takes integers")) << type;
  }
}

TEST(VerifyReduce, ParametersAreExactWithoutMixedPrecision) {
  const char* text =
      "HloModule m\n"
      "f { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT c = f32[] add(a, b) }\n"
      "ENTRY e {\n"
      "  p = bf16[3] parameter(0)\n"
      "  i = bf16[] parameter(1)\n"
      "  ROOT r = f32[] reduce(p, i), dimensions={0}, to_apply=f\n}\n";
  EXPECT_EQ(Findings(text), "");
  EXPECT_THAT(Findings(text, SamePrecision()),
              HasSubstr("%r mixed precision: parameter 1 of f must be bf16"));
}

TEST(VerifySharding, FitsTheTypeAndTheDevices) {
  auto sharded = [](const char* sharding) {
    return Findings(absl::StrCat(
        "HloModule m, num_partitions=2\n"
        "ENTRY e {\n  p = f32[4,4] parameter(0), sharding=", sharding,
        "\n  ROOT n = f32[4,4] negate(p)\n}\n"));
  };
  EXPECT_EQ(sharded("{devices=[2,1]<=[2]}"), "");
  EXPECT_THAT(sharded("{devices=[2]<=[2]}"), HasSubstr("%p sharding: "));
  EXPECT_THAT(sharded("{maximal device=7}"), HasSubstr("%p sharding: "));
}

TEST(VerifyOriginalValue, HasALeafForEachLeaf) {
  EXPECT_EQ(EntryFindings("ROOT p = (f32[2], f32[3]) parameter(0), "
                          "origin={({\"a\"}, {\"b\"})}"),
            "");
  EXPECT_THAT(EntryFindings("ROOT p = (f32[2], f32[3]) parameter(0), "
                            "origin={{\"a\"}}"),
              HasSubstr("%p original value: "));
}

}  // namespace
}  // namespace hlokit
