#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::string TextOf(const absl::StatusOr<T>& value) {
  return value.ok() ? value->ToString() : std::string(value.status().message());
}

TEST(ShapeParserTest, TypesPrintBackAsTheyWere) {
  for (const char* text :
       {"f32[]", "f32[2,3]{1,0}", "pred[<=5,2]{0,1}", "f32[?,784]{1,0}",
        "(f32[], (s32[2]{0}, token[]))", "()", "token[]", "opaque[]",
        "b(f32[4]{0})", "f32[16,8]{1,0:T(8,128)(2,1)}",
        "s4[16,8]{1,0:T(8,128)(32,1)E(4)S(3)}", "f8e4m3b11fnuz[1]{0}",
        "f32[8,4]{1,0:T(*,8)L(4)#(u32)*(u8)E(32)S(1)SC(0:1,2)(1:3)M(64)}"}) {
    EXPECT_EQ(TextOf(ParseShape(text)), text);
  }
}

TEST(ShapeParserTest, AMissingLayoutIsTheDescendingOne) {
  EXPECT_EQ(TextOf(ParseShape("f32[2,3,4]")), "f32[2,3,4]{2,1,0}");
  EXPECT_EQ(TextOf(ParseShape("f32[2]{0:}")), "f32[2]{0}");
}

TEST(ShapeParserTest, BlanksAndCommentsMayStandAnywhere) {
  EXPECT_EQ(TextOf(ParseShape("f32 [ 2 , /*c*/ 3 ] { 0 , 1 }")),
            "f32[2,3]{0,1}");
  EXPECT_EQ(TextOf(ParseShape("(f32[2]{0}, /*index=5*/s32[])")),
            "(f32[2]{0}, s32[])");
}

TEST(ShapeParserTest, DimensionLevelTypesAreDropped) {
  EXPECT_EQ(TextOf(ParseShape("f32[2,3]{1,0:D(D+~,C)T(2)}")),
            "f32[2,3]{1,0:T(2)}");
}

TEST(ShapeParserTest, FaultsAreNamed) {
  EXPECT_THAT(TextOf(ParseShape("f33[2]")), HasSubstr("did you mean 'f32'"));
  EXPECT_THAT(TextOf(ParseShape("f32")), HasSubstr("f32[]"));
  EXPECT_THAT(TextOf(ParseShape("f32[-1]")), HasSubstr("negative"));
  EXPECT_THAT(TextOf(ParseShape("f32[2]{0,1}")), HasSubstr("2 dimensions"));
  EXPECT_THAT(TextOf(ParseShape("f32[2,2]{0,0}")), HasSubstr("twice"));
  EXPECT_THAT(TextOf(ParseShape("f32[2]{0:S(1)T(2)}")), HasSubstr("order"));
  EXPECT_THAT(TextOf(ParseShape("f32[2]{0:P(f32[2])}")), HasSubstr("(P)"));
  EXPECT_THAT(TextOf(ParseShape("b((f32[]))")), HasSubstr("buffer"));
  EXPECT_THAT(TextOf(ParseShape("F32[2]")), HasSubstr("no element type"));
  EXPECT_THAT(TextOf(ParseShape("token[2]")), HasSubstr("no dimensions"));
  EXPECT_THAT(TextOf(ParseShape("f32[2] f32[2]")), HasSubstr("end of the"));
  EXPECT_FALSE(ParseShape("f32[4611686018427387904,4]").ok());
}

TEST(ShapeParserTest, NestingIsLimited) {
  const std::string deep = std::string(100000, '(') + std::string(100000, ')');
  EXPECT_THAT(TextOf(ParseShape(deep)), HasSubstr("nested too deeply"));
  const std::string allowed = std::string(4000, '(') + std::string(4000, ')');
  EXPECT_TRUE(ParseShape(allowed).ok());
}

TEST(ShardingParserTest, ShardingsPrintBackAsTheyWere) {
  for (const char* text :
       {"{replicated}", "{manual}", "{unknown}", "{unreduced}",
        "{maximal device=3}", "{devices=[2,1]0,1}", "{devices=[2,2]<=[4]}",
        "{devices=[2,2]<=[2,2]T(1,0)}",
        "{devices=[1,2,2]<=[4] last_tile_dim_replicate}",
        "{replicated shard_as 3}", "{{replicated}, {maximal device=1}}", "{}",
        "{mesh['x'=2,'y'=2], [{'x', ?}, {}], replicated={'y'}}",
        "{mesh['x'=4], [{'x':(2)2}]}", "{mesh['x'=2], replicated}",
        "{mesh['x'=2,'y'=2], manual}", "{mesh['x'=2], unreduced=max}",
        "{mesh['x'=2,'y'=2], [{'x'}], unreduced=min{'y'}}",
        "{maximal_mesh[device_id=3]}",
        "{mesh['x'=2,'y'=2], device_ids=(3,2,1,0), [{'x'}]}",
        R"({mesh['a\'b'=2,'c\\'=2,'d"\n'=2], [{'a\'b', 'c\\'}]})",
        "{replicated metadata={op_name=\"a\"}}"}) {
    EXPECT_EQ(TextOf(ParseSharding(text)), text);
  }
}

TEST(ShardingParserTest, OldAndOddFormsAreRead) {
  EXPECT_EQ(TextOf(ParseSharding("{mesh[\"x\"=2], [{'0'}]}")),
            "{mesh['x'=2], [{'x'}]}");
  EXPECT_EQ(TextOf(ParseSharding("{mesh['x'=2] replicated}")),
            "{mesh['x'=2], replicated}");
  EXPECT_EQ(
      TextOf(ParseSharding("{devices=[2,2]<=[4] last_tile_dims={replicated}}")),
      "{devices=[2,2]<=[4] last_tile_dim_replicate}");
}

TEST(ShardingParserTest, TheReductionHiddenInMetadataIsTakenOut) {
  const auto sharding = ParseSharding(
      "{mesh['x'=2], unreduced, metadata={op_type=\"sdy::reduction_op\" "
      "op_name=\"MAX\"}}");
  ASSERT_TRUE(sharding.ok()) << sharding.status();
  EXPECT_EQ(sharding->named.reduction_op, 1);
  EXPECT_TRUE(sharding->metadata.empty());
}

TEST(ShardingParserTest, FaultsAreNamed) {
  auto error = [](absl::string_view text) {
    return TextOf(ParseSharding(text));
  };
  EXPECT_THAT(error("{devices=[2,2]0,1,2}"), HasSubstr("3 devices for 4"));
  EXPECT_THAT(error("{devices=[1]0}"), HasSubstr("one device"));
  EXPECT_THAT(error("{devices=[2,2]<=[5]}"), HasSubstr("multiply to 4"));
  EXPECT_THAT(error("{devices=[2,2]<=[2,2]}"), HasSubstr("T(...)"));
  EXPECT_THAT(error("{devices=[2,2]<=[2,2]T(0,0)}"), HasSubstr("permutation"));
  EXPECT_THAT(error("{maximal}"), HasSubstr("device="));
  EXPECT_THAT(error("{sharded}"), HasSubstr("replicated"));
  EXPECT_THAT(error("{mesh['x'=2], [{'z'}]}"), HasSubstr("no axis 'z'"));
  EXPECT_THAT(error("{mesh['x'=4], [{'x':(1)4}]}"), HasSubstr("all of axis"));
  EXPECT_THAT(error("{mesh['x'=4], [{'x':(3)2}]}"), HasSubstr("no part"));
  EXPECT_THAT(error("{mesh['x'=2,'x'=2], manual}"), HasSubstr("two axes"));
  EXPECT_THAT(error("{mesh['x'=2], device_ids=(0,0), manual}"),
              HasSubstr("each once"));
  EXPECT_THAT(error("{replicated"), HasSubstr("does not end"));
}

TEST(ReplicaGroupsParserTest, TheFormIsKept) {
  for (const char* text :
       {"{}", "{{0,1},{2,3}}", "[2,2]<=[4]", "[4,2]<=[2,4]T(1,0)",
        "mesh['x'=2,'y'=2] {'x'}", "mesh['x'=2], device_ids=(1,0) {'x'}"}) {
    EXPECT_EQ(TextOf(ParseReplicaGroups(text)), text);
  }
  EXPECT_THAT(TextOf(ParseReplicaGroups("[2,2]<=[5]")), HasSubstr("multiply"));
  EXPECT_THAT(TextOf(ParseReplicaGroups("[4]<=[4]")), HasSubstr("number of"));
  EXPECT_THAT(TextOf(ParseReplicaGroups("mesh['rows'=2] {'depth'}")),
              HasSubstr("no axis 'depth'"));
}

TEST(ReplicaGroupsParserTest, IotasTakeTheirShortestForm) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[2,4]<=[2,2,2]T(2,0,1)", "[2,4]<=[4,2]T(1,0)"},
      {"[2,4]<=[2,2,2]T(0,1,2)", "[2,4]<=[8]"},
      {"[4,2]<=[1,8]T(1,0)", "[4,2]<=[8]"},
      {"[8,1]<=[1,1,8]T(2,1,0)", "[8,1]<=[8]"},
      {"[1,8]<=[2,2,2]T(1,2,0)", "[1,8]<=[2,4]T(1,0)"},
      {"[1,1]<=[1,1]T(1,0)", "[1,1]<=[1]"},
      {"mesh['a'=2,'b'=2], device_ids=([4]) {'a'}", "mesh['a'=2,'b'=2] {'a'}"},
      {"mesh['a'=2,'b'=2], device_ids=([2,2]T(0,1)) {'a'}",
       "mesh['a'=2,'b'=2] {'a'}"},
      {"mesh['a'=2,'b'=2], device_ids=([2,1,2]T(2,1,0)) {'a'}",
       "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}"},
  };
  for (const auto& [given, shortest] : kCases) {
    EXPECT_EQ(TextOf(ParseReplicaGroups(given)), shortest);
  }
  EXPECT_EQ(
      TextOf(ParseSharding("{mesh['a'=2,'b'=2], device_ids=([1,4]T(1,0)), "
                           "[{'a'}]}")),
      "{mesh['a'=2,'b'=2], [{'a'}]}");
}

TEST(WindowParserTest, ReadsAllParts) {
  const auto window = ParseWindow(
      "{size=3x2 stride=2x1 pad=0_1x-1_2 lhs_dilate=1x2 rhs_dilate=3x1 "
      "rhs_reversal=0x1}");
  ASSERT_TRUE(window.ok()) << window.status();
  EXPECT_THAT(
      window->dimensions,
      ElementsAre(WindowDimension{3, 2, 0, 1, 3, 1, false},
                  WindowDimension{2, 1, -1, 2, 1, 2, true}));
  EXPECT_TRUE(ParseWindow("{}")->dimensions.empty());
}

TEST(WindowParserTest, PartsMustAgree) {
  auto error = [](absl::string_view text) {
    return std::string(ParseWindow(text).status().message());
  };
  EXPECT_THAT(error("{size=3x3 rhs_reversal=1}"),
              HasSubstr("rhs_reversal has 1 entry for 2 window dimensions"));
  EXPECT_THAT(error("{stride=2}"), HasSubstr("no size="));
  EXPECT_THAT(error("{size=2 size=2}"), HasSubstr("twice"));
  EXPECT_THAT(error("{size=2 strid=2}"), HasSubstr("did you mean 'stride'"));
}

TEST(DimLabelsParserTest, PositionsOfLettersAndDigits) {
  const auto dims = ParseDimLabels("b01f_01io->bf10");
  ASSERT_TRUE(dims.ok()) << dims.status();
  EXPECT_EQ(dims->input_batch_dimension, 0);
  EXPECT_EQ(dims->input_feature_dimension, 3);
  EXPECT_THAT(dims->input_spatial_dimensions, ElementsAre(1, 2));
  EXPECT_EQ(dims->kernel_input_feature_dimension, 2);
  EXPECT_EQ(dims->kernel_output_feature_dimension, 3);
  EXPECT_THAT(dims->output_spatial_dimensions, ElementsAre(3, 2));
  EXPECT_EQ(ParseDimLabels("bf?0_oi?0->bf?0")->input_spatial_dimensions[0], 3);
}

TEST(DimLabelsParserTest, FaultsAreNamed) {
  auto error = [](absl::string_view text) {
    return std::string(ParseDimLabels(text).status().message());
  };
  EXPECT_THAT(error("b01f_0io->b01f"), HasSubstr("same number"));
  EXPECT_THAT(error("b02f_02io->b02f"), HasSubstr("without a gap"));
  EXPECT_THAT(error("bb0f_0io->b0f"), HasSubstr("'b' stands twice"));
  EXPECT_THAT(error("0f_0io->b0f"), HasSubstr("must have 'b'"));
  EXPECT_THAT(error("b0f"), HasSubstr("look like"));
}

TEST(PaddingParserTest, LowHighAndInterior) {
  const auto padding = ParsePadding("0_1x-1_2_3");
  ASSERT_TRUE(padding.ok()) << padding.status();
  EXPECT_THAT(padding->dimensions, ElementsAre(PaddingDimension{0, 1, 0},
                                               PaddingDimension{-1, 2, 3}));
  EXPECT_FALSE(ParsePadding("0_1x2").ok());
  EXPECT_TRUE(ParsePadding("")->dimensions.empty());
}

TEST(LayoutParserTest, StandsAlone) {
  const auto layout = ParseLayout("{1,0:T(8,128)S(5)}");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->ToString(), "{1,0:T(8,128)S(5)}");
}

}  // namespace
}  // namespace hlokit
