// Lines cut out of programs, and forms that texts of other times have.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_system.h"
#include "base/test_tool.h"
#include "gtest/gtest.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

ToolRun ReadPart(const std::string& input,
                 std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"-", "--print_options=default"});
  return RunToolWith(RunHloOpt, arguments, DiskFileSystem(), {}, input);
}

// Reads the text, and reads what comes out again, also as a proto.
std::string Stable(const std::string& input) {
  const ToolRun first = ReadPart(input);
  EXPECT_EQ(first.exit_code, 0) << input << first.err;
  const ToolRun again = ReadPart(first.out);
  EXPECT_EQ(again.out, first.out) << again.err;
  const ToolRun proto = ReadPart(first.out, {"--emit=pb"});
  EXPECT_EQ(ReadPart(proto.out).out, first.out) << proto.err;
  return first.out;
}

TEST(PartTest, CalledComputationsThatAreNotThereGetStandIns) {
  for (const char* line :
       {"%f = f32[4]{0} fusion(f32[4]{0} %a), kind=kLoop, calls=%fused",
        "%r = f32[] reduce(f32[4]{0} %a, f32[] %b), dimensions={0}, "
        "to_apply=%region",
        "%r = (f32[], s32[]) reduce(f32[4]{0} %a, s32[4]{0} %i, f32[] %b, "
        "s32[] %c), dimensions={0}, to_apply=%region",
        "%w = (f32[], s32[]) while((f32[], s32[]) %t), condition=%cond, "
        "body=%body",
        "ROOT %c = f32[2]{0} conditional(pred[] %p, f32[2]{0} %x, s32[] %y), "
        "true_computation=%yes, false_computation=%no",
        "%s = (f32[4]{0}, s32[4]{0}) sort(f32[4]{0} %a, s32[4]{0} %b), "
        "dimensions={0}, to_apply=%compare",
        "%m = f32[4]{0} map(f32[4]{0} %a, f32[4]{0} %b), dimensions={0}, "
        "to_apply=%each",
        "%x = f32[4]{0} custom-call(f32[4]{0} %a), custom_call_target=\"t\", "
        "called_computations={%one, %two}",
        "%as = ((f32[4]{0}), f32[4]{0}, u32[]) fusion-start(f32[4]{0} %a), "
        "kind=kLoop, calls=%fused"}) {
    const std::string text = Stable(line);
    EXPECT_TRUE(absl::StrContains(text, "hlokit.stand_in")) << text;
  }
}

TEST(PartTest, OperandsWithoutTypesTakeThoseOfTheirUse) {
  const std::string text = Stable(
      "  add.1 = f32[2,3]{1,0} add(x, y)\n"
      "  select.2 = f32[2,3]{1,0} select(mask, add.1, z)\n"
      "  ROOT tuple.3 = (f32[2,3]{1,0}, s32[]) tuple(select.2, count)\n");
  EXPECT_TRUE(absl::StrContains(text, "%mask = pred[2,3]{1,0} parameter(2)"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "%count = s32[] parameter(4)")) << text;
  EXPECT_TRUE(absl::StrContains(text, "ROOT %tuple.3"));
  const ToolRun run = ReadPart("d = f32[2,2] dot(a, b), "
                               "lhs_contracting_dims={1}, "
                               "rhs_contracting_dims={0}\n");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(run.err, "write the type before it"))
      << run.err;
}

TEST(PartTest, ParametersAreNumberedAnewAndALastBraceIsTaken) {
  const std::string text = Stable(
      "  p.1 = f32[4]{0} parameter(328)\n"
      "  p.2 = f32[4]{0} parameter(17)\n"
      "  ROOT s = f32[4]{0} subtract(p.1, p.2)\n}\n");
  EXPECT_TRUE(absl::StrContains(text, "%p.2 = f32[4]{0} parameter(1)"));
}

TEST(PartTest, ACommaWithoutAnAttributeIsAnErrorWhereItIs) {
  const ToolRun run = ReadPart(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0),\n"
      "  ROOT n = f32[] negate(p),\n}\n");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(run.err, ":3:25: error: an attribute"));
  EXPECT_TRUE(absl::StrContains(run.err, ":4:27: error: an attribute"));
}

std::string Entry(const std::string& line) {
  return absl::StrCat("HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                      "  q = f32[2] parameter(1)\n  ROOT r = ",
                      line, "\n}\n");
}

TEST(OldFormTest, ComparisonsWereOpcodes) {
  const char* const names[][2] = {
      {"equal-to", "EQ"},     {"not-equal-to", "NE"},
      {"greater-than", "GT"}, {"greater-than-or-equal-to", "GE"},
      {"less-than", "LT"},    {"less-than-or-equal-to", "LE"}};
  for (const auto& [name, direction] : names) {
    const std::string text =
        Stable(Entry(absl::StrCat("pred[2] ", name, "(p, q)")));
    EXPECT_TRUE(absl::StrContains(
        text, absl::StrCat("compare(%p, %q), direction=", direction)))
        << text;
  }
}

TEST(OldFormTest, CrossReplicaSumIsAnAllReduce) {
  const std::string text = Stable(Entry(
      "f32[2] cross-replica-sum(p), replica_groups={{0,1}}, barrier=\"\", "
      "all_reduce_id=3"));
  EXPECT_TRUE(absl::StrContains(
      text, "all-reduce(%p), channel_id=3, replica_groups={{0,1}}, "
            "to_apply=%sum"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "add(%x, %y)")) << text;
}

TEST(OldFormTest, ConstantsRepeatedTheirTypes) {
  EXPECT_TRUE(absl::StrContains(
      Stable(Entry("f32[2] constant(f32[2] {1, 2})")),
      "f32[2]{0} constant({1, 2})"));
  EXPECT_TRUE(absl::StrContains(
      Stable(Entry("(f32[], s32[2]) constant((f32[], s32[2]) (1, {2, 3}))")),
      "(f32[], s32[2]{0}) constant("));
  EXPECT_EQ(ReadPart(Entry("f32[2] constant(f32[3] {1, 2, 3})")).exit_code, 3);
}

TEST(OldFormTest, TheApiVersionMayBeUnspecified) {
  const std::string text = Stable(
      Entry("f32[2] custom-call(p), custom_call_target=\"t\", "
            "api_version=API_VERSION_UNSPECIFIED"));
  EXPECT_TRUE(absl::StrContains(text, "api_version=API_VERSION_UNSPECIFIED"));
}

}  // namespace
}  // namespace hlokit
