// Texts whose printed form was taken from XLA (jaxlib 0.10.2): what a reader is
// tempted to normalise away, and what one instruction changes in another.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Reprint(absl::string_view text) {
  const auto module = ParseModule(text);
  if (!module.ok()) return std::string(module.status().message());
  return ToString(**module);
}

// The text of a module whose entry has this body.
std::string Entry(absl::string_view body, absl::string_view before = "") {
  return absl::StrCat("HloModule m\n", before, "ENTRY e {\n", body, "\n}\n");
}

TEST(XlaTextTest, ChannelIdsOfZeroAndLessAreKept) {
  for (const char* id : {"0", "-3", "7"}) {
    const std::string text = Reprint(Entry(absl::StrCat(
        "p = f32[4] parameter(0)\nROOT r = f32[8] all-gather(p), channel_id=",
        id, ", dimensions={0}")));
    EXPECT_THAT(text, HasSubstr(absl::StrCat(
                          "all-gather(%p), channel_id=", id,
                          ", replica_groups={}, dimensions={0}")));
  }
}

TEST(XlaTextTest, ADoneHasTheChannelOfItsStartOrNoneAsItHasNone) {
  const auto text = [](absl::string_view send, absl::string_view done) {
    return Reprint(Entry(absl::StrCat(
        "p = f32[4] parameter(0)\nt = token[] after-all()\n"
        "s = (f32[4], u32[], token[]) send(p, t)", send,
        "\nROOT d = token[] send-done(s)", done)));
  };
  EXPECT_THAT(text(", channel_id=0", ", channel_id=0"),
              HasSubstr("send-done(%s), channel_id=0"));
  EXPECT_THAT(text("", ""), HasSubstr("send-done(%s)\n"));
  EXPECT_THAT(text(", channel_id=0", ""),
              HasSubstr("send-done has no channel_id, but 's' has "
                        "channel_id=0"));
}

TEST(XlaTextTest, StatisticsWithoutValuesAreNotPrinted) {
  EXPECT_THAT(Reprint(Entry("ROOT p = f32[] parameter(0), "
                            "statistics={visualizing_index=1}")),
              Not(HasSubstr("statistics")));
  EXPECT_THAT(Reprint(Entry("ROOT p = f32[] parameter(0), "
                            "statistics={visualizing_index=1,a=2}")),
              HasSubstr("statistics={visualizing_index=1,a=2}"));
}

TEST(XlaTextTest, OnlyCustomCallsKeepAnEmptyWindow) {
  EXPECT_THAT(Reprint(Entry("p = f32[4] parameter(0)\nROOT r = f32[4] "
                            "custom-call(p), window={}, "
                            "custom_call_target=\"x\"")),
              HasSubstr("custom-call(%p), window={}, custom_call_target"));
  EXPECT_THAT(Reprint(Entry("p = f32[4,4] parameter(0)\nROOT r = f32[4,4] "
                            "convolution(p, p), window={}, "
                            "dim_labels=bf_io->bf")),
              HasSubstr("convolution(%p, %p), dim_labels"));
}

TEST(XlaTextTest, RhsReversalIsCutToTheWindow) {
  const auto text = [](absl::string_view reversal) {
    return Reprint(Entry(absl::StrCat(
        "p = f32[1,8,8,3] parameter(0)\nk = f32[3,3,3,2] parameter(1)\n"
        "ROOT r = f32[1,6,6,2] convolution(p, k), window={size=3x3 "
        "rhs_reversal=", reversal, "}, dim_labels=b01f_01io->b01f")));
  };
  EXPECT_THAT(text("1x1x1"), HasSubstr("rhs_reversal=1x1}"));
}

TEST(XlaTextTest, AfterAllTakesOperandsOfAnyType) {
  EXPECT_THAT(Reprint(Entry("p = f32[4] parameter(0)\n"
                            "ROOT r = f32[] after-all(p)")),
              HasSubstr("ROOT %r = token[] after-all(%p)"));
}

TEST(XlaTextTest, AnInferredMapIsOverAllDimensions) {
  EXPECT_THAT(Reprint(Entry("p = f32[2,2] parameter(0)\nROOT r = map(p), "
                            "dimensions={0,1}, to_apply=f",
                            "f { ROOT a = f32[] parameter(0) }\n")),
              HasSubstr("f32[2,2]{1,0} map(%p), dimensions={0,1}, "));
}

TEST(XlaTextTest, AllToAllOfSeveralOperandsMayHaveADimension) {
  EXPECT_THAT(Reprint(Entry("p = f32[4] parameter(0)\nROOT r = (f32[4], "
                            "f32[4]) all-to-all(p, p), dimensions={0}")),
              HasSubstr("all-to-all(%p, %p), replica_groups={}, "
                        "dimensions={0}"));
}

TEST(XlaTextTest, AxesOfReplicaGroupsHaveNoBlanksBetweenThem) {
  EXPECT_THAT(
      Reprint(Entry("p = f32[4] parameter(0)\nROOT r = f32[16] all-gather(p), "
                    "replica_groups=mesh['x'=2,'y'=2] {'x','y'}, "
                    "dimensions={0}")),
      HasSubstr("replica_groups=mesh['x'=2,'y'=2] {'x','y'}, "));
}

TEST(XlaTextTest, ElementSizesFollowTheRulesOfEachOperation) {
  const auto type_of = [](absl::string_view type, absl::string_view rhs) {
    return Reprint(Entry(absl::StrCat(
        "p = ", type, " parameter(0)\nc = pred[2,2] parameter(1)\nROOT r = ",
        rhs)));
  };
  EXPECT_THAT(type_of("f32[2,2]{0,1:E(4)}", "add(p, p)"),
              HasSubstr("ROOT %r = f32[2,2]{0,1} add"));
  EXPECT_THAT(type_of("s4[2,2]{0,1:E(4)}", "add(p, p)"),
              HasSubstr("ROOT %r = s4[2,2]{0,1:E(4)} add"));
  EXPECT_THAT(type_of("f32[2,2]{0,1:E(4)}", "select(c, p, p)"),
              HasSubstr("ROOT %r = f32[2,2]{1,0:E(4)} select"));
  EXPECT_THAT(type_of("f32[2,2]{0,1:E(4)}", "negate(p)"),
              HasSubstr("ROOT %r = f32[2,2]{0,1:E(4)} negate"));
}

TEST(XlaTextTest, AStartSetsTheThreadOfAllThatItReaches) {
  const std::string text = Reprint(R"(HloModule m
inner { p = f32[4] parameter(0)
 ROOT n = f32[4] negate(p) }, execution_thread="c"
outer { p = f32[4] parameter(0)
 s = ((f32[4]), f32[4]) call-start(p), to_apply=inner, async_execution_thread="b"
 ROOT d = f32[4] call-done(s) }
ENTRY e { p = f32[4] parameter(0)
 s = ((f32[4]), f32[4]) call-start(p), to_apply=outer, async_execution_thread="a"
 ROOT d = f32[4] call-done(s) }
)");
  EXPECT_THAT(text, HasSubstr("negate(%p)\n}, execution_thread=\"a\"\n"));
  EXPECT_THAT(text, HasSubstr("call-start(%p.1), async_execution_thread=\"a\", "
                              "to_apply=%inner"));
  EXPECT_FALSE(absl::StrContains(text, "\"b\""));
  // The last start counts; the main thread is one too.
  EXPECT_THAT(Reprint(R"(HloModule m
f { p = f32[4] parameter(0)
 ROOT n = f32[4] negate(p) }, execution_thread="c"
ENTRY e { p = f32[4] parameter(0)
 s = ((f32[4]), f32[4]) fusion-start(p), kind=kLoop, calls=f
 ROOT d = f32[4] fusion-done(s) }
)"),
              Not(HasSubstr("execution_thread")));
}

TEST(XlaTextTest, NestedModulesOfTheRecoveryTablePrintUnescapedAndReadBack) {
  const std::string text = Reprint(
      "HloModule m, origin_recovery_table={\n"
      "  {\"b\"} : {\"c\"}\n"
      "  {\"a\"} : {\"\"}, \"HloModule r, frontend_attributes={k=\\\"v\\\"}\n"
      "ENTRY x { ROOT q = f32[] parameter(0), "
      "metadata={op_name=\\\"n\\\\\\\"m\\\"} }\"\n}\n"
      "ENTRY e { ROOT p = f32[] parameter(0) }\n");
  EXPECT_THAT(text, HasSubstr(R"(, origin_recovery_table={
  {"a"} : {""},
  "
    HloModule r, entry_computation_layout={(f32[])->f32[]}, frontend_attributes={k="v"}

    ENTRY %x (q: f32[]) -> f32[] {
      ROOT %q = f32[] parameter(0), metadata={op_name="n\"m"}
    }
)"));
  EXPECT_LT(text.find("{\"a\"} :"), text.find("{\"b\"} : {\"c\"}"));
  EXPECT_EQ(Reprint(text), text);
}

TEST(XlaTextTest, EmptyPropagationListsAreNotPrinted) {
  EXPECT_THAT(Reprint("HloModule m, "
                      "allow_spmd_sharding_propagation_to_output={}\n"
                      "ENTRY e { ROOT p = f32[] parameter(0) }\n"),
              Not(HasSubstr("allow_spmd")));
}

TEST(XlaTextTest, ALoneInstructionHasARowMajorEntryLayout) {
  EXPECT_THAT(Reprint("s32[2,2]{0,1} constant({{1,2},{3,4}})"),
              HasSubstr("entry_computation_layout={()->s32[2,2]{1,0}}"));
}

}  // namespace
}  // namespace hlokit
