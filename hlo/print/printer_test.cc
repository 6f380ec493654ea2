#include "hlo/print/printer.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSample[] = R"(HloModule mod.7

add.3 {
  a.1 = f32[] parameter(0)
  b.2 = f32[] parameter(1)
  ROOT r.9 = f32[] add(a.1, b.2)
}, execution_thread="th"

ENTRY e.5 {
  p.1 = f32[8]{0} parameter(0), parameter_replication={true}
  c.1 = f32[] constant(0)
  d = f32[8]{0} add(p.1, p.1), control-predecessors={c.1}, metadata={op_type="x" op_name="y" source_file="z.py" source_line=3}
  t1 = (f32[8]{0},f32[8]{0},f32[8]{0},f32[8]{0},f32[8]{0},f32[8]{0},f32[8]{0}) tuple(p.1, p.1, p.1, p.1, p.1, p.1, d)
  g = f32[8]{0} get-tuple-element(t1), index=3
  ROOT red.1 = f32[] reduce(g, c.1), dimensions={0}, to_apply=add.3
}
)";

std::unique_ptr<Module> Parse(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string Printed(const std::string& text, const std::string& options) {
  auto module = Parse(text);
  auto parsed = ParsePrintOptions(options);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (module == nullptr || !parsed.ok()) return "";
  return ToString(*module, *parsed);
}

// The line of the sample (or `text`) that holds `mark`, without indentation.
std::string Line(const std::string& mark, const std::string& options,
                 const std::string& text = kSample) {
  for (absl::string_view line :
       absl::StrSplit(Printed(text, options), '\n')) {
    if (line.find(mark) == absl::string_view::npos) continue;
    return std::string(line.substr(line.find_first_not_of(' ')));
  }
  return "(none)";
}

// One instruction with operands p, q, ... of f32[8,8]; printed by default.
std::string LineOf(const std::string& rhs,
                   const std::string& options = "default") {
  return Line(
      "x = ", options,
      absl::StrCat("HloModule m\nadd {\n a = f32[] parameter(0)\n"
                   " b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
                   "ENTRY e {\n p = f32[8,8]{1,0} parameter(0)\n"
                   " q = f32[8,8]{1,0} parameter(1)\n ROOT x = ",
                   rhs, "\n}\n"));
}

TEST(PrinterTest, DefaultOptionsPrintTheWholeModule) {
  EXPECT_EQ(Printed(kSample, "default"),
            R"(HloModule mod.7, entry_computation_layout={(f32[8]{0})->f32[]}

%add.3 (a.1: f32[], b.2: f32[]) -> f32[] {
  %a.1 = f32[] parameter(0)
  %b.2 = f32[] parameter(1)
  ROOT %r.9 = f32[] add(%a.1, %b.2)
}, execution_thread="th"

ENTRY %e.5 (p.1: f32[8]) -> f32[] {
  %p.1 = f32[8]{0} parameter(0), parameter_replication={true}
  %c.1 = f32[] constant(0)
  %d = f32[8]{0} add(%p.1, %p.1), control-predecessors={%c.1}, metadata={op_type="x" op_name="y" source_file="z.py" source_line=3}
  %t1 = (f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, /*index=5*/f32[8]{0}, f32[8]{0}) tuple(%p.1, %p.1, %p.1, %p.1, %p.1, /*index=5*/%p.1, %d)
  %g = f32[8]{0} get-tuple-element(%t1), index=3
  ROOT %red.1 = f32[] reduce(%g, %c.1), dimensions={0}, to_apply=%add.3
}

)");
}

TEST(PrinterTest, PrintIdsOffCutsNamesAtTheFirstDotAndDropsHeaderNames) {
  EXPECT_EQ(Printed(kSample, "print_ids=false,print_metadata=false"),
            R"(HloModule , entry_computation_layout={(f32[8]{0})->f32[]}

%(a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %r = f32[] add(%a, %b)
}

ENTRY %(p: f32[8]) -> f32[] {
  %p = f32[8]{0} parameter(0)
  %c = f32[] constant(0)
  %d = f32[8]{0} add(%p, %p), control-predecessors={%c}
  %t1 = (f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, /*index=5*/f32[8]{0}, f32[8]{0}) tuple(%p, %p, %p, %p, %p, /*index=5*/%p, %d)
  %g = f32[8]{0} get-tuple-element(%t1), index=3
  ROOT %red = f32[] reduce(%g, %c), dimensions={0}, to_apply=%add
}

)");
}

TEST(PrinterTest, PercentOffDropsItEverywhere) {
  EXPECT_THAT(Printed(kSample, "print_percent=false"), Not(HasSubstr("%")));
  EXPECT_THAT(Printed(kSample, "print_percent=false,print_ids=false"),
              HasSubstr("\n(a: f32[], b: f32[]) -> f32[] {\n"));
}

TEST(PrinterTest, NestedComputationHasNoNameInItsHeader) {
  EXPECT_THAT(Printed(kSample, "is_in_nested_computation"),
              HasSubstr("\nENTRY (p.1: f32[8]) -> f32[] {\n"));
}

TEST(PrinterTest, IndentAmountMovesHeaderComputationsAndInstructions) {
  const std::string text = Printed(kSample, "indent_amount=1");
  EXPECT_THAT(text, HasSubstr("  HloModule mod.7"));
  EXPECT_THAT(text, HasSubstr("\n  %add.3 ("));
  EXPECT_THAT(text, HasSubstr("\n    %a.1 = f32[] parameter(0)\n"));
  EXPECT_THAT(text, HasSubstr("\n  }, execution_thread=\"th\"\n"));
}

TEST(PrinterTest, CanonicalNamesCountFromZeroInEachComputation) {
  const std::string text =
      Printed(kSample, "canonicalize_instruction_names,print_percent=false,"
                       "print_metadata=false");
  EXPECT_THAT(text, HasSubstr("  ROOT tmp_2 = f32[] add(tmp_0, tmp_1)\n"));
  // Control predecessors keep their names.
  EXPECT_THAT(text, HasSubstr("  tmp_2 = f32[8]{0} add(tmp_0, tmp_0), "
                              "control-predecessors={c.1}\n"));
}

TEST(PrinterTest, CanonicalLoneInstructionHasNoNames) {
  auto module = Parse(kSample);
  const auto* root = module->entry()->root();
  EXPECT_EQ(ToString(*root, PrintOptions::Canonical()),
            "f32[] reduce(f32[8]{0}, f32[]), dimensions={0}, to_apply=\n"
            "  {\n    tmp_0 = f32[] parameter(0)\n"
            "    tmp_1 = f32[] parameter(1)\n"
            "    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n  }, "
            "execution_thread=\"th\"");
}

TEST(PrinterTest, OperandsCanBeNamesShapesBothOrNeither) {
  EXPECT_EQ(Line("%d =", "print_metadata=false,print_control_dependencies=0"),
            "%d = f32[8]{0} add(%p.1, %p.1)");
  const std::string base =
      "print_metadata=false,print_control_dependencies=false,";
  EXPECT_EQ(Line("%d =", base + "print_operand_shape"),
            "%d = f32[8]{0} add(f32[8]{0} %p.1, f32[8]{0} %p.1)");
  EXPECT_EQ(Line("%d =", base + "print_operand_shape,print_operand_names=0"),
            "%d = f32[8]{0} add(f32[8]{0}, f32[8]{0})");
  EXPECT_EQ(Line("%d =", base + "print_operand_names=false"),
            "%d = f32[8]{0} add(, )");
}

TEST(PrinterTest, CompactOperandsShowsFour) {
  EXPECT_THAT(Line("%t1 =", "compact_operands"),
              HasSubstr("tuple(%p.1, %p.1, %p.1, %p.1, ...(+3))"));
}

TEST(PrinterTest, OperandIndexCommentsFollowTheInterval) {
  EXPECT_THAT(
      Line("%t1 =", "print_operand_index_annotation_interval=3"),
      HasSubstr("tuple(%p.1, %p.1, %p.1, /*index=3*/%p.1, %p.1, %p.1, "
                "/*index=6*/%d)"));
  EXPECT_THAT(Line("%t1 =", "print_operand_index_annotation_interval=0"),
              HasSubstr("tuple(%p.1, %p.1, %p.1, %p.1, %p.1, %p.1, %d)"));
}

TEST(PrinterTest, ResultShapeAndLayoutsCanBeLeftOut) {
  EXPECT_EQ(Line("%g =", "print_result_shape=false"),
            "%g = get-tuple-element(%t1), index=3");
  EXPECT_EQ(Line("%g =", "include_layout_in_shapes=false"),
            "%g = f32[8] get-tuple-element(%t1), index=3");
}

TEST(PrinterTest, ExtraAttributesOffKeepsComputations) {
  EXPECT_EQ(Line("%red.1", "print_extra_attributes=false"),
            "ROOT %red.1 = f32[] reduce(%g, %c.1), to_apply=%add.3");
  EXPECT_EQ(Line("%p.1 =", "print_extra_attributes=false"),
            "%p.1 = f32[8]{0} parameter(0)");
}

TEST(PrinterTest, SubcomputationModesShowNamesBodiesOrNothing) {
  EXPECT_EQ(Line("%red.1", "print_subcomputation_mode=off"),
            "ROOT %red.1 = f32[] reduce(%g, %c.1), dimensions={0}");
  EXPECT_THAT(
      Printed(kSample, "print_subcomputation_mode=full_bodies"),
      HasSubstr("dimensions={0}, to_apply=\n  (a.1: f32[], b.2: f32[]) -> "
                "f32[] {\n    %a.1 = f32[] parameter(0)\n"));
  constexpr char kCall[] =
      "HloModule m\nf {\n ROOT a = f32[] parameter(0)\n}\n"
      "ENTRY e {\n p = f32[] parameter(0)\n"
      " c = f32[] call(p), to_apply=f\n"
      " ROOT x = f32[] fusion(c), kind=kLoop, calls=f\n}\n";
  const std::string text =
      Printed(kCall, "print_subcomputation_mode=non_sequential_bodies,"
                     "print_program_shape=false");
  EXPECT_THAT(text, HasSubstr("call(%p), to_apply=%f\n"));
  EXPECT_THAT(text, HasSubstr("kind=kLoop, calls=\n  {\n    ROOT %a"));
}

TEST(PrinterTest, MetadataCanShowOnlyTheOpName) {
  EXPECT_THAT(Line("%d =", "print_metadata_only_op_name"),
              HasSubstr(", metadata={op_name=\"y\"}"));
  EXPECT_THAT(Line("%d =", "print_metadata=false"), Not(HasSubstr("metadata")));
}

TEST(PrinterTest, MetadataWithNothingButALineIsNotPrinted) {
  EXPECT_EQ(LineOf("f32[8,8]{1,0} add(p, q), metadata={source_line=3}"),
            "ROOT %x = f32[8,8]{1,0} add(%p, %q)");
}

TEST(PrinterTest, MetadataIsEscapedButForTheSchedulingName) {
  EXPECT_THAT(
      LineOf("f32[8,8]{1,0} add(p, q), metadata={op_name=\"a\\\"\xc3\xa9\" "
                  "scheduling_name=\"s t\"}"),
      HasSubstr("metadata={op_name=\"a\\\"\\303\\251\" scheduling_name=\"s "
                "t\"}"));
}

TEST(PrinterTest, MetadataOffLeavesItOutOfShardingsToo) {
  const std::string rhs =
      "f32[8,8]{1,0} add(p, q), sharding={replicated "
      "metadata={op_name=\"a\"}}";
  EXPECT_THAT(LineOf(rhs),
              HasSubstr("sharding={replicated metadata={op_name=\"a\"}}"));
  EXPECT_THAT(LineOf(rhs, "print_metadata=false"),
              HasSubstr("sharding={replicated}"));
}

TEST(PrinterTest, BackendConfigPrintsRawWhenItIsOneJsonDictionary) {
  EXPECT_THAT(LineOf("f32[8,8]{1,0} add(p, q), "
                          "backend_config={\"b\":{\"z\":1,\"a\":\"}\"}}"),
              HasSubstr(", backend_config={\"b\":{\"z\":1,\"a\":\"}\"}}"));
  EXPECT_THAT(
      LineOf("f32[8,8]{1,0} add(p, q), backend_config=\"{} {}\""),
      HasSubstr(", backend_config=\"{} {}\""));
  EXPECT_THAT(LineOf("f32[8,8]{1,0} add(p, q), "
                          "backend_config={\"b\":{\"z\":1,\"a\":2}}",
                          "sort_backend_config"),
              HasSubstr(", backend_config={\"b\":{\"a\":2,\"z\":1}}"));
  EXPECT_THAT(LineOf("f32[8,8]{1,0} add(p, q), backend_config={\"b\":1}",
                          "print_backend_config=false"),
              Not(HasSubstr("backend_config")));
}

TEST(PrinterTest, FrontendAttributesAreSortedByKey) {
  const std::string rhs =
      "f32[8,8]{1,0} add(p, q), frontend_attributes={z=\"1\",B={\"k\":2},"
      "a=\"q\\\"\"}";
  EXPECT_THAT(
      LineOf(rhs),
      HasSubstr(", frontend_attributes={B={\"k\":2},a=\"q\\\"\",z=\"1\"}"));
  EXPECT_THAT(LineOf(rhs, "print_frontend_attributes=false"),
              Not(HasSubstr("frontend")));
}

TEST(PrinterTest, ParameterNumbersAndChannelIdsCanBeHidden) {
  EXPECT_THAT(Line("%p.1 =", "print_parameter_number=false"),
              HasSubstr("parameter(), "));
  EXPECT_THAT(LineOf("f32[8,8]{1,0} all-reduce(p), channel_id=3, "
                          "replica_groups={{0,1}}, to_apply=add",
                          "print_channel_id=false"),
              HasSubstr("all-reduce(%p), channel_id=_, replica_groups="));
}

TEST(PrinterTest, ReplicaGroupsKeepTheirFormUnlessTheFullListIsWanted) {
  const std::string iota =
      "f32[8,8]{1,0} all-reduce(p), replica_groups=[2,2]<=[2,2]T(1,0), "
      "to_apply=add";
  EXPECT_THAT(LineOf(iota),
              HasSubstr("replica_groups=[2,2]<=[2,2]T(1,0)"));
  EXPECT_THAT(LineOf(iota, "print_full_replica_group_list"),
              HasSubstr("replica_groups={{0,2},{1,3}}"));
  const std::string mesh =
      "f32[8,8]{1,0} all-reduce(p), replica_groups=mesh['x'=4,'y'=2] "
      "{'x':(1)2}, to_apply=add";
  EXPECT_THAT(LineOf(mesh),
              HasSubstr("replica_groups=mesh['x'=4,'y'=2] {'x':(1)2}"));
  EXPECT_THAT(LineOf(mesh, "print_full_replica_group_list"),
              HasSubstr("replica_groups={{0,4},{1,5},{2,6},{3,7}}"));
  EXPECT_THAT(
      LineOf(mesh, "print_replica_groups_without_subaxes"),
      HasSubstr("replica_groups=mesh['x_0'=2,'x_1'=2,'y'=2] {'x_0'}"));
}

TEST(PrinterTest, LargeConstantsAreElidedByDefault) {
  const std::string eleven = "s32[11]{0} constant({1,2,3,4,5,6,7,8,9,10,11})";
  EXPECT_THAT(LineOf(eleven), HasSubstr("constant({...})"));
  EXPECT_THAT(LineOf(eleven, "print_large_constants"),
              HasSubstr("constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})"));
  EXPECT_THAT(LineOf("s32[2,2]{1,0} constant({{1,2},{3,4}})"),
              HasSubstr("constant({ { 1, 2 }, { 3, 4 } })"));
}

TEST(PrinterTest, TupleConstantsNeedLargeConstants) {
  const std::string tuple = "(s32[], s32[2]{0}) constant((1, {2, 3}))";
  EXPECT_THAT(LineOf(tuple), HasSubstr("constant({...})"));
  EXPECT_THAT(LineOf(tuple, "print_large_constants"),
              HasSubstr("constant(( 1, {2, 3} ))"));
}

TEST(PrinterTest, EssentialConstantsAreZeroOneOrIntegers) {
  const std::string options = "print_only_essential_constants";
  EXPECT_THAT(LineOf("f32[2]{0} constant({0, 0})", options),
              HasSubstr("constant(0)"));
  EXPECT_THAT(LineOf("f32[2]{0} constant({1, 1})", options),
              HasSubstr("constant(1)"));
  EXPECT_THAT(LineOf("pred[] constant(true)", options),
              HasSubstr("constant(1)"));
  EXPECT_THAT(LineOf("s32[2]{0} constant({1, 2})", options),
              HasSubstr("constant({1, 2})"));
  EXPECT_THAT(LineOf("f32[] constant(2)", options),
              HasSubstr("constant({...})"));
}

TEST(PrinterTest, OriginalValuesCanBeHidden) {
  const std::string rhs =
      "(f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(p, q), "
      "origin={({\"a\" {1}}, {})}";
  EXPECT_THAT(LineOf(rhs), HasSubstr(", origin={({\"a\" {1}}, {})}"));
  EXPECT_THAT(LineOf(rhs, "print_original_value=false"),
              Not(HasSubstr("origin")));
}

TEST(PrinterTest, InfeedConfigsCanBeHidden) {
  constexpr char kText[] =
      "HloModule m\nENTRY e {\n t = token[] after-all()\n"
      " ROOT x = (f32[2]{0}, token[]) infeed(t), infeed_config=\"ab\"\n}\n";
  EXPECT_THAT(Line("%x = ", "default", kText),
              HasSubstr("infeed(%t), infeed_config=\"ab\""));
  EXPECT_THAT(Line("%x = ", "print_infeed_outfeed_config=false", kText),
              Not(HasSubstr("infeed_config")));
}

TEST(PrinterTest, NameAfterTheClosingBraceNeedsMoreThanFiveInstructions) {
  const std::string text = Printed(kSample, "print_name_after_closing_brace");
  EXPECT_THAT(text, HasSubstr("\n} // e.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("// add.3")));
}

TEST(PrinterTest, CompactGetTupleElementsBecomePartOfTheOperand) {
  constexpr char kText[] = R"(HloModule m
ENTRY e {
  t = ((f32[2], s32[]), f32[]) parameter(0)
  a = (f32[2], s32[]) get-tuple-element(t), index=0
  b = s32[] get-tuple-element(a), index=1
  n = s32[] negate(b)
  ROOT r = f32[] get-tuple-element(t), index=1, control-predecessors={n}
}
)";
  EXPECT_EQ(Printed(kText, "short_parsable,compact_gte"),
            R"(HloModule m, entry_computation_layout={(((f32[2]{0}, s32[]), f32[]))->f32[]}

ENTRY e {
  t = ((f32[2]{0}, s32[]), f32[]) parameter(0)
  n = s32[] negate(t#0#1)
  ROOT r = f32[] get-tuple-element(t), index=1
}

)");
}

constexpr char kAsync[] = R"(HloModule m
ENTRY e {
  p = f32[10]{0} parameter(0)
  s = ((f32[10]{0}), f32[20]{0}, s32[]) custom-call-start(p), async_execution_thread="th", custom_call_target="foo"
  u = ((f32[10]{0}), f32[20]{0}, s32[]) custom-call-update(s)
  ROOT d = f32[20]{0} custom-call-done(u)
}
)";

TEST(PrinterTest, SugaredAsyncOperationsHideTheirComputation) {
  EXPECT_EQ(Printed(kAsync, "print_program_shape=false"),
            R"(HloModule m, entry_computation_layout={(f32[10]{0})->f32[20]{0}}

ENTRY %e {
  %p = f32[10]{0} parameter(0)
  %s = ((f32[10]{0}), f32[20]{0}, s32[]) custom-call-start(%p), async_execution_thread="th", custom_call_target="foo"
  %u = ((f32[10]{0}), f32[20]{0}, s32[]) custom-call-update(%s)
  ROOT %d = f32[20]{0} custom-call-done(%u)
}

)");
}

TEST(PrinterTest, DumpsShowAsyncOperationsUnsugared) {
  auto module = Parse(kAsync);
  const std::string text = ToString(*module, PrintOptions::Dump());
  EXPECT_THAT(text, HasSubstr("async-start(%p), async_execution_thread=\"th\", "
                              "calls=%async_wrapped"));
  EXPECT_THAT(text, HasSubstr(" async-update(%s)\n"));
  EXPECT_THAT(text, HasSubstr(" async-done(%u)\n"));
  EXPECT_THAT(text, HasSubstr("custom-call(%async_param), "
                              "custom_call_target=\"foo\"\n"));
}

TEST(PrinterTest, DumpsKeepGetTupleElements) {
  auto module = Parse(kSample);
  EXPECT_EQ(ToString(*module, PrintOptions::Dump()), ToString(*module));
}

constexpr char kFrames[] = R"(HloModule m

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=11 column=2 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY %e {
  ROOT %p = f32[] parameter(0), metadata={op_name="x" stack_frame_id=1}
}
)";

TEST(PrinterTest, StackFramesPrintBeforeTheComputations) {
  EXPECT_EQ(Printed(kFrames, "print_program_shape=false"),
            R"(HloModule m, entry_computation_layout={(f32[])->f32[]}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=11 column=2 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


ENTRY %e {
  ROOT %p = f32[] parameter(0), metadata={op_name="x" stack_frame_id=1}
}

)");
  EXPECT_THAT(Printed(kFrames, "print_metadata=false"),
              Not(HasSubstr("FileNames")));
}

TEST(PrinterTest, InlineStackFramesReplaceTheFrameId) {
  EXPECT_THAT(Printed(kFrames, "print_inline_stack_frames"),
              HasSubstr("metadata={op_name=\"x\" source_file=\"a.py\" "
                        "source_line=10 source_end_line=11 source_column=2 "
                        "source_end_column=5}"));
}

TEST(PrinterTest, RecoveryModulesPrintOneLevelDeeper) {
  constexpr char kText[] = R"(HloModule m, origin_recovery_table={
  {"a" {1}} : {"b"},
  "
    HloModule r, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

    ENTRY %e (p: f32[2]) -> f32[2] {
      ROOT %p = f32[2]{0} parameter(0), metadata={op_name=\"x\"}
    }


  "
  {"c"} : {"d"}
}

ENTRY e {
  ROOT p = f32[2]{0} parameter(0)
}
)";
  EXPECT_THAT(Printed(kText, "default"), HasSubstr(R"(origin_recovery_table={
  {"a" {1}} : {"b"},
  "
    HloModule r, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

    ENTRY %e (p: f32[2]) -> f32[2] {
      ROOT %p = f32[2]{0} parameter(0), metadata={op_name="x"}
    }


  "
  {"c"} : {"d"}
}

)"));
}

TEST(PrinterTest, ModuleLineShowsEveryFieldInOrder) {
  constexpr char kText[] =
      "HloModule m, is_scheduled=true, input_output_alias={ {1}: (1, {}, "
      "must-alias), {0}: (0, {}) }, buffer_donor={ (2, {}) }, "
      "alias_passthrough_params=true, "
      "allow_spmd_sharding_propagation_to_parameters={false,true}, "
      "allow_spmd_sharding_propagation_to_output={true}, replica_count=2, "
      "num_partitions=4, frontend_attributes={k=\"v\"}\n"
      "ENTRY e {\n p = f32[] parameter(0)\n q = f32[] parameter(1)\n"
      " r = f32[] parameter(2)\n ROOT t = (f32[], f32[]) tuple(p, q)\n}\n";
  const std::string text = Printed(kText, "default");
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, "
            "{}, may-alias), {1}: (1, {}, must-alias) }, buffer_donor={ (2, "
            "{}) }, alias_passthrough_params=true, "
            "entry_computation_layout={(f32[], f32[], f32[])->(f32[], "
            "f32[])}, allow_spmd_sharding_propagation_to_parameters={false,"
            "true}, allow_spmd_sharding_propagation_to_output={true}, "
            "replica_count=2, num_partitions=4, frontend_attributes={k=\"v\"}");
}

TEST(PrinterTest, ScheduledComputationsPrintInScheduleOrder) {
  constexpr char kText[] =
      "HloModule m, is_scheduled=true\nENTRY e {\n q = f32[] parameter(1)\n"
      " p = f32[] parameter(0)\n n = f32[] negate(q)\n"
      " ROOT r = f32[] add(p, n)\n}\n";
  EXPECT_THAT(Printed(kText, "short_parsable"),
              HasSubstr("{\n  q = f32[] parameter(1)\n  p = f32[] "
                        "parameter(0)\n  n = f32[] negate(q)\n"));
  std::string unscheduled = kText;
  unscheduled.erase(unscheduled.find(", is_scheduled=true"), 19);
  EXPECT_THAT(Printed(unscheduled, "short_parsable"),
              HasSubstr("{\n  p = f32[] parameter(0)\n  q = f32[] "
                        "parameter(1)\n  n = f32[] negate(q)\n"));
}

TEST(PrinterTest, CanonicalComputationOrderIsThatOfProtos) {
  constexpr char kText[] =
      "HloModule m\nf3 {\n ROOT a = f32[] parameter(0)\n}\n"
      "f1 {\n ROOT b = f32[] parameter(0)\n}\n"
      "ENTRY e {\n p = f32[] parameter(0)\n"
      " c = f32[] call(p), to_apply=f1\n"
      " ROOT d = f32[] call(c), to_apply=f3\n}\n";
  const std::string printed = Printed(kText, "short_parsable");
  EXPECT_LT(printed.find("f1 {"), printed.find("f3 {"));
  const std::string canonical =
      Printed(kText, "short_parsable,canonicalize_computations");
  EXPECT_LT(canonical.find("f3 {"), canonical.find("f1 {"));
}

TEST(PrinterTest, ShortStringHasNeitherTypesNorAttributes) {
  auto module = Parse(kSample);
  EXPECT_EQ(ToShortString(*module->entry()->root()),
            "%red.1 = reduce(%g, %c.1)");
}

TEST(PrinterTest, LoneComputationsAndInstructionsPrintWithoutEntryAndRoot) {
  auto module = Parse(kSample);
  EXPECT_EQ(ToString(*module->entry()->root()),
            "%red.1 = f32[] reduce(%g, %c.1), dimensions={0}, "
            "to_apply=%add.3");
  EXPECT_THAT(ToString(*module->entry()), HasSubstr("%e.5 (p.1: f32[8])"));
  EXPECT_THAT(ToString(*module->entry()), Not(HasSubstr("ENTRY")));
}

// Values that stand for an absent attribute, and orders within a block.
TEST(PrinterTest, OwnAttributesPrintAsXlaPrintsThem) {
  EXPECT_EQ(LineOf("f32[8,8]{1,0} dot(p, q)"),
            "ROOT %x = f32[8,8]{1,0} dot(%p, %q), lhs_contracting_dims={}, "
            "rhs_contracting_dims={}");
  EXPECT_EQ(LineOf("f32[4,8]{1,0} slice(p), slice={[0:8:2], [0:8]}"),
            "ROOT %x = f32[4,8]{1,0} slice(%p), slice={[0:8:2], [0:8:1]}");
  EXPECT_EQ(LineOf("f32[8,8]{1,0} slice(p), slice={[0:8], [0:8]}"),
            "ROOT %x = f32[8,8]{1,0} slice(%p), slice={[0:8], [0:8]}");
  EXPECT_EQ(
      LineOf("f32[8,8]{1,0} all-reduce(p), to_apply=add"),
      "ROOT %x = f32[8,8]{1,0} all-reduce(%p), replica_groups={}, "
      "to_apply=%add");
  EXPECT_EQ(LineOf("pred[8,8]{1,0} compare(p, q), direction=LT, "
                        "type=FLOAT"),
            "ROOT %x = pred[8,8]{1,0} compare(%p, %q), direction=LT");
  EXPECT_EQ(LineOf("pred[8,8]{1,0} compare(p, q), direction=LT, "
                        "type=TOTALORDER"),
            "ROOT %x = pred[8,8]{1,0} compare(%p, %q), direction=LT, "
            "type=TOTALORDER");
  EXPECT_EQ(LineOf("f32[8,8]{1,0} exponential(p), "
                        "result_accuracy={tolerance={atol=0.5,rtol=1e-05,"
                        "ulps=2}}"),
            "ROOT %x = f32[8,8]{1,0} exponential(%p), "
            "result_accuracy={tolerance={atol=0.5,rtol=1e-05,ulps=2}}");
  EXPECT_EQ(LineOf("f32[8,8]{1,0} collective-permute(p), "
                        "source_target_pairs={{0,1},{1,0}}"),
            "ROOT %x = f32[8,8]{1,0} collective-permute(%p), "
            "source_target_pairs={{0,1},{1,0}}");
  EXPECT_EQ(LineOf("f32[8,8]{1,0} add(p, q), "
                        "statistics={visualizing_index=1,a=44.5,b=1e-05}"),
            "ROOT %x = f32[8,8]{1,0} add(%p, %q), "
            "statistics={visualizing_index=1,a=44.5,b=1e-05}");
}

TEST(PrintOptionsTest, PresetsDifferFromTheDefaultAsXlasDo) {
  const PrintOptions s = PrintOptions::ShortParsable();
  EXPECT_TRUE(s.print_large_constants);
  EXPECT_FALSE(s.print_metadata || s.print_program_shape || s.print_percent ||
               s.print_control_dependencies);
  EXPECT_TRUE(s.print_backend_config);
  EXPECT_EQ(s.print_operand_index_annotation_interval, 0);
  const PrintOptions c = PrintOptions::Canonical();
  EXPECT_EQ(c.print_subcomputation_mode, SubcomputationMode::kFullBodies);
  EXPECT_TRUE(c.print_operand_shape && c.canonicalize_instruction_names);
  EXPECT_FALSE(c.print_backend_config || c.print_operand_names ||
               c.print_large_constants);
  const PrintOptions f = PrintOptions::Fingerprint();
  EXPECT_TRUE(f.print_only_essential_constants &&
              f.canonicalize_computations && f.print_full_replica_group_list);
  EXPECT_FALSE(f.print_ids || f.print_infeed_outfeed_config);
  EXPECT_FALSE(PrintOptions::ModuleFingerprint().print_operand_shape);
}

TEST(PrintOptionsTest, OptionsFollowAPresetAndNameTheNearestOnFaults) {
  auto options = ParsePrintOptions(
      "canonical, print_ids=false,compact_gte,indent_amount=3");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->canonicalize_instruction_names);
  EXPECT_TRUE(options->compact_gte);
  EXPECT_FALSE(options->print_ids);
  EXPECT_EQ(options->indent_amount, 3);
  EXPECT_TRUE(ParsePrintOptions("")->print_metadata);
  EXPECT_THAT(ParsePrintOptions("print_percnt").status().message(),
              HasSubstr("did you mean 'print_percent'?"));
  EXPECT_THAT(ParsePrintOptions("print_ids=maybe").status().message(),
              HasSubstr("takes true or false, not 'maybe'"));
  EXPECT_THAT(ParsePrintOptions("print_ids,canonical").status().message(),
              HasSubstr("must stand first"));
}

TEST(PrintOptionsTest, EveryOptionOfTheTableCanBeSet) {
  for (const char* name :
       {"print_large_constants", "print_only_essential_constants",
        "print_original_value", "print_metadata",
        "print_metadata_only_op_name", "print_backend_config",
        "sort_backend_config", "print_infeed_outfeed_config",
        "compact_operands", "include_layout_in_shapes", "print_result_shape",
        "print_operand_shape", "print_operand_names", "print_program_shape",
        "print_percent", "print_control_dependencies",
        "canonicalize_instruction_names", "is_in_nested_computation",
        "print_ids", "canonicalize_computations", "print_extra_attributes",
        "syntax_sugar_async_ops", "print_frontend_attributes",
        "print_name_after_closing_brace", "print_full_replica_group_list",
        "print_replica_groups_without_subaxes", "print_parameter_number",
        "print_channel_id", "print_inline_stack_frames", "compact_gte"}) {
    EXPECT_TRUE(ParsePrintOptions(absl::StrCat(name, "=false")).ok()) << name;
  }
}

}  // namespace
}  // namespace hlokit
