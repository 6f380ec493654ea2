// Modules of a newer XLA: what this version does not know is kept as it is,
// through text and protos, and told of once.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file_system.h"
#include "base/test_tool.h"
#include "gtest/gtest.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

ToolRun Convert(const std::string& input,
                std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"-", "--print_options=default"});
  return RunToolWith(RunHloOpt, arguments, DiskFileSystem(), {}, input);
}

std::string Unary(const std::string& attributes) {
  return absl::StrCat(
      "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n\n"
      "ENTRY %e (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8]{0} parameter(0)\n"
      "  ROOT %n = f32[8]{0} negate(%p)",
      attributes, "\n}\n\n");
}

// Text to text, by way of text and of all forms of protos.
void ExpectKept(const std::string& text,
                const std::vector<std::string>& options = {}) {
  const ToolRun printed = Convert(text, options);
  ASSERT_EQ(printed.exit_code, 0) << text << printed.err;
  EXPECT_EQ(printed.out, text) << printed.err;
  for (const char* form : {"--emit=pb", "--emit=pbtxt", "--emit=json"}) {
    std::vector<std::string> emit = options;
    emit.push_back(form);
    const ToolRun proto = Convert(text, emit);
    ASSERT_EQ(proto.exit_code, 0) << form << "\n" << text << proto.err;
    const ToolRun back = Convert(proto.out, options);
    ASSERT_EQ(back.exit_code, 0) << form << "\n" << text << back.err;
    EXPECT_EQ(back.out, text) << form << "\n" << back.err;
  }
}

TEST(UnknownAttributeTest, ValuesOfEveryFormAreKept) {
  for (const char* value :
       {"word", "kWord-2.x", "17", "-1.5e-3", "true", "\"a string\"",
        "\"with , and } and \\\" in it\"", "{}", "{1,2,3}", "{{0,1},{2,3}}",
        "{level=3,mode=\"x\"}", "{\"json\":{\"a\":[1,2,{\"b\":\"},\"}]}}",
        "{...}", "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)", "b01f_01io->b01f", "3x3",
        "0_1x0_1", "(f32[2]{0}, s32[])->f32[]", "%p", "/*why*/5",
        "mesh['x'=2,'y'=4]", "f32[2,3]{1,0:T(8,128)}"}) {
    ExpectKept(Unary(absl::StrCat(", future_hint=", value)));
  }
}

TEST(UnknownAttributeTest, PlacesAreKept) {
  ExpectKept(Unary(", first=1, sharding={replicated}, second={2}, third=3, "
                   "frontend_attributes={a=\"b\"}, fourth=4, "
                   "metadata={op_name=\"n\"}, fifth=5, "
                   "backend_config={\"k\":1}, last={6,7}"));
  ExpectKept(
      "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n\n"
      "ENTRY %e (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8]{0} parameter(0), on_parameter=yes\n"
      "  ROOT %s = f32[8]{0} reverse(%p), before=0, dimensions={0}, "
      "behind={2}\n}\n\n");
}

TEST(UnknownAttributeTest, OneWarningCountsThem) {
  const ToolRun run = Convert(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0), hint=1\n"
      "  q = f32[] negate(p), hint=2\n  ROOT r = f32[] negate(q), hint=3\n}\n");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(
      run.err, "4:24: warning: unknown attribute 'hint' of negate is kept as "
               "it is (2 times)"))
      << run.err;
  EXPECT_TRUE(absl::StrContains(run.err, "attribute 'hint' of parameter"));
}

TEST(UnknownAttributeTest, StrictRefusesThem) {
  const ToolRun run = Convert(Unary(", hint=1"), {"--strict"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(run.err, "negate has no attribute 'hint'"))
      << run.err;
}

TEST(UnknownAttributeTest, OfModulesAndComputationsAreKept) {
  ExpectKept(
      "HloModule m, new_first=1, is_scheduled=true, new={a=b}, "
      "entry_computation_layout={(f32[])->f32[]}, newest=\"x,y\"\n\n"
      "ENTRY %e (p: f32[]) -> f32[], header_hint={1,2} {\n"
      "  ROOT %p = f32[] parameter(0)\n"
      "}, other_hint=7\n\n");
}

TEST(UnknownAttributeTest, ItemsOfMetadataAreKept) {
  ExpectKept(Unary(", metadata={op_name=\"a\" source_line=3 source_stack=9 "
                   "new={1,2} newer=\"b } c\"}"));
  ExpectKept(Unary(", metadata={only_new=1}"));
}

TEST(UnknownAttributeTest, WordsOfShardingsAreKept) {
  ExpectKept(Unary(", sharding={replicated newly_sharded}, metadata={op_name="
                   "\"a\"}"));
}

TEST(UnknownAttributeTest, WordsOfLayoutsAreKeptInTextAndBinaryProtos) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[8,8]{1,0:Q(3)T(8,128)"
      "Z(1)(2)S(1)Y})->f32[8,8]{1,0:Q(3)T(8,128)Z(1)(2)S(1)Y}}\n\n"
      "ENTRY %e (p: f32[8,8]) -> f32[8,8] {\n"
      "  ROOT %p = f32[8,8]{1,0:Q(3)T(8,128)Z(1)(2)S(1)Y} parameter(0)\n"
      "}\n\n";
  const ToolRun printed = Convert(text);
  EXPECT_EQ(printed.out, text) << printed.err;
  const ToolRun proto = Convert(text, {"--emit=pb"});
  EXPECT_EQ(Convert(proto.out).out, text) << proto.err;
  EXPECT_EQ(Convert(text, {"--emit=pbtxt"}).exit_code, 3);
}

std::string WithOpcode(const std::string& line) {
  return absl::StrCat(
      "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n\n"
      "%add (a: f32[], b: f32[]) -> f32[] {\n"
      "  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n"
      "  ROOT %s = f32[] add(%a, %b)\n}\n\n"
      "ENTRY %e (p: f32[8]) -> f32[8] {\n"
      "  %p = f32[8]{0} parameter(0)\n"
      "  ROOT %n = f32[8]{0} ",
      line, "\n}\n\n");
}

TEST(UnknownOpcodeTest, IsKeptUnderLenient) {
  for (const char* line :
       {"supernova(%p)", "supernova(%p, %p), dimensions={0}, direction=LT",
        "supernova-start(%p), channel_id=1", "supernova()",
        "supernova(%p, 3, {1,2})",
        "supernova(%p), to_apply=%add, level=2, metadata={op_name=\"x\"}",
        "supernova(%p), branches={%add, %add}, backend_config={\"a\":1}"}) {
    ExpectKept(WithOpcode(line), {"--lenient"});
    const ToolRun refused = Convert(WithOpcode(line));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_TRUE(absl::StrContains(refused.err, "--lenient keeps")) << line;
  }
}

TEST(UnknownOpcodeTest, TakesNestedComputations) {
  const ToolRun run = Convert(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  ROOT n = f32[] supernova(p), to_apply={\n"
      "    x = f32[] parameter(0)\n    ROOT y = f32[] negate(x)\n  }, z=1\n}\n",
      {"--lenient"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "supernova(%p), to_apply=%_, z=1"))
      << run.out;
}

TEST(UnknownOpcodeTest, PassesLeaveItAsItIs) {
  const ToolRun run = Convert(
      "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  a = f32[] supernova(p)\n  b = f32[] supernova(p)\n"
      "  ROOT n = f32[] negate(p)\n}\n",
      {"--lenient", "--passes=cse,dce,algsimp"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "%a = f32[] supernova(%p)"));
  EXPECT_TRUE(absl::StrContains(run.out, "%b = f32[] supernova(%p)"));
}

TEST(UnknownTypeTest, IsKeptUnderLenient) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f5e3m1[4]{0}, f5e3m1[])->"
      "(f5e3m1[4]{0}, f32[4]{0})}\n\n"
      "ENTRY %e (p: f5e3m1[4], q: f5e3m1[]) -> (f5e3m1[4], f32[4]) {\n"
      "  %p = f5e3m1[4]{0} parameter(0)\n"
      "  %q = f5e3m1[] parameter(1)\n"
      "  %c = f5e3m1[4]{0} constant({1, 2, 0.5, nan})\n"
      "  %s = f5e3m1[4]{0} add(%p, %c)\n"
      "  %f = f32[4]{0} convert(%s)\n"
      "  ROOT %t = (f5e3m1[4]{0}, f32[4]{0}) tuple(%s, %f)\n}\n\n";
  ToolRun run = Convert(text, {"--lenient"});
  // %q is printed where the walk over the graph ends.
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string printed = run.out;
  EXPECT_TRUE(absl::StrContains(printed, "constant({1, 2, 0.5, nan})"));
  EXPECT_EQ(Convert(printed, {"--lenient"}).out, printed);
  const ToolRun proto = Convert(printed, {"--lenient", "--emit=pb"});
  EXPECT_EQ(Convert(proto.out, {"--lenient"}).out, printed) << proto.err;
  run = Convert(text);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(run.err, "--lenient keeps unknown types"));
  run = Convert(text, {"--lenient", "--passes=dce"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(run.err, "unknown element type 'f5e3m1'"))
      << run.err;
}

TEST(UnknownWordTest, IsKeptUnderLenient) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[8]{0})->pred[8]{0}}\n\n"
      "ENTRY %e (p: f32[8]) -> pred[8] {\n"
      "  %p = f32[8]{0} parameter(0)\n"
      "  ROOT %c = pred[8]{0} compare(%p, %p), direction=XX, "
      "metadata={op_name=\"a\"}\n}\n\n";
  ExpectKept(text, {"--lenient"});
  EXPECT_EQ(Convert(text).exit_code, 3);
  const ToolRun run = Convert(text, {"--lenient", "--passes=dce"});
  EXPECT_TRUE(absl::StrContains(
      run.err, "instruction 'c' has the unknown value of direction"))
      << run.err;
}

// Puts a field in front of the fields of the first instruction's message.
std::string WithField(const std::string& text, int32_t number, int64_t value) {
  std::string field, out;
  {
    wire::WireWriter writer(&field);
    writer.NumberAlways(number, value);
  }
  const ToolRun proto =
      Convert(text, {"--emit=pb", "--message=HloModuleProto"});
  wire::WireReader module(proto.out);
  wire::WireField part, inner;
  wire::WireWriter writer(&out);
  while (module.Next(&part)) {
    if (part.number != xla::HloModuleProto::kComputationsFieldNumber) {
      writer.Append(part.whole);
      continue;
    }
    const auto begin = writer.Begin(part.number);
    wire::WireReader computation(part.bytes);
    while (computation.Next(&inner)) {
      if (inner.number !=
          xla::HloComputationProto::kInstructionsFieldNumber) {
        writer.Append(inner.whole);
        continue;
      }
      const auto one = writer.Begin(inner.number);
      writer.Append(inner.bytes);
      writer.Append(field);
      writer.End(one);
    }
    writer.Append(field);
    writer.End(begin);
  }
  writer.Append(field);
  writer.Flush();
  return out;
}

TEST(UnknownFieldTest, IsKeptThroughTextAndProtos) {
  const std::string bytes = WithField(Unary(""), 777, 5);
  const std::vector<std::string> module_form = {"--emit=pb",
                                                "--message=HloModuleProto"};
  const ToolRun direct = Convert(bytes, module_form);
  ASSERT_EQ(direct.exit_code, 0) << direct.err;
  EXPECT_TRUE(absl::StrContains(
      direct.err, "field 777 of HloInstructionProto is unknown and kept as it "
                  "is (2 times), first in instruction p"))
      << direct.err;
  xla::HloModuleProto want, got;
  ASSERT_TRUE(want.ParseFromString(bytes));
  ASSERT_TRUE(got.ParseFromString(direct.out));
  EXPECT_EQ(SerializeDeterministic(want), SerializeDeterministic(got));
  for (const char* form : {"--emit=text", "--emit=pbtxt", "--emit=json"}) {
    const ToolRun other = Convert(bytes, {form});
    ASSERT_EQ(other.exit_code, 0) << other.err;
    const ToolRun back = Convert(other.out, module_form);
    ASSERT_EQ(back.exit_code, 0) << back.err;
    EXPECT_EQ(back.out, direct.out) << form << other.out;
  }
  const ToolRun strict = Convert(bytes, {"--strict"});
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(strict.err, "field 777")) << strict.err;
}

TEST(UnknownOpcodeTest, OfProtosKeepsItsFields) {
  const ToolRun proto = Convert(
      "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n"
      "  ROOT n = f32[8] reverse(p), dimensions={0}\n}\n",
      {"--emit=pb", "--message=HloModuleProto"});
  const std::string bytes =
      absl::StrReplaceAll(proto.out, {{"reverse", "newverb"}});
  EXPECT_EQ(Convert(bytes).exit_code, 3);
  const ToolRun text = Convert(bytes, {"--lenient"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(absl::StrContains(text.out, "f32[8]{0} newverb(%p)"));
  for (const std::string& input : {bytes, text.out}) {
    const ToolRun back =
        Convert(input, {"--lenient", "--emit=pb", "--message=HloModuleProto"});
    EXPECT_EQ(back.out, bytes) << back.err;
  }
}

TEST(ElidedConstantTest, StaysAsItIs) {
  for (const char* constant :
       {"f32[8]{0} constant({...})",
        "f32[100000,100000,100]{2,1,0} constant({...})",
        "(f32[2]{0}, s32[]) constant({...})",
        "(f32[2]{0}, s32[3]{0}) constant(({1, 2}, {...}))",
        "f32[] constant({...})"}) {
    const std::string type(constant, absl::string_view(constant).find(" c"));
    const std::string text = absl::StrCat(
        "HloModule m, entry_computation_layout={()->", type, "}\n\n"
        "ENTRY %e () -> ", "X {\n  ROOT %c = ", constant, "\n}\n\n");
    const ToolRun run = Convert(
        absl::StrReplaceAll(text, {{"() -> X ", ""}}));
    ASSERT_EQ(run.exit_code, 0) << constant << run.err;
    EXPECT_TRUE(absl::StrContains(run.out, constant)) << run.out;
    const ToolRun proto = Convert(run.out, {"--emit=pb"});
    EXPECT_EQ(Convert(proto.out).out, run.out) << proto.err;
  }
}

TEST(VerifierTest, FindingsDoNotStopAConversion) {
  const std::string text =
      "HloModule m\nENTRY e {\n  p = f32[?,4] parameter(0)\n"
      "  ROOT n = f32[?,4] negate(p)\n}\n";
  EXPECT_EQ(Convert(text).exit_code, 0);
  EXPECT_EQ(Convert(text, {"--verify=error"}).exit_code, 3);
  EXPECT_EQ(Convert(text, {"--passes=dce"}).exit_code, 3);
}

}  // namespace
}  // namespace hlokit
