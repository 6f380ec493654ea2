#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/ir/computation.h"
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Module> Parsed(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string ErrorOf(absl::string_view text) {
  return std::string(ParseModule(text).status().message());
}

// A header line and an entry with a parameter p, f32[4].
std::string WithHeader(absl::string_view attributes) {
  return absl::StrCat("HloModule m", attributes,
                      "\nENTRY e {\n  p = f32[4] parameter(0)\n"
                      "  ROOT t = (f32[4], f32[4]) tuple(p, p)\n}\n");
}

TEST(ModuleParserTest, HeaderAttributesAreStored) {
  auto m = Parsed(WithHeader(
      ", is_scheduled=true, input_output_alias={ {1}: (0, {}, must-alias), "
      "{0}: (0, {}) }, alias_passthrough_params=true, "
      "entry_computation_layout={(f32[4]{0})->(f32[4]{0}, f32[4]{0})}, "
      "allow_spmd_sharding_propagation_to_parameters={true,false}, "
      "allow_spmd_sharding_propagation_to_output=true, replica_count=2, "
      "num_partitions=4, frontend_attributes={a=\"1\",b={\"k\":1}}"));
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->name(), "m");
  ASSERT_TRUE(m->is_scheduled());
  EXPECT_EQ(m->schedule->at(m->entry()).size(), 2u);
  ASSERT_EQ(m->input_output_aliases.size(), 2u);
  EXPECT_THAT(m->input_output_aliases[0].output_index, ElementsAre(0));
  EXPECT_EQ(m->input_output_aliases[0].kind, InputOutputAlias::kMayAlias);
  EXPECT_EQ(m->input_output_aliases[1].kind, InputOutputAlias::kMustAlias);
  EXPECT_TRUE(m->alias_passthrough_params);
  EXPECT_THAT(m->allow_spmd_sharding_propagation_to_parameters,
              ElementsAre(true, false));
  EXPECT_THAT(m->allow_spmd_sharding_propagation_to_output, ElementsAre(true));
  EXPECT_EQ(m->replica_count, 2);
  EXPECT_EQ(m->num_partitions, 4);
  EXPECT_TRUE(m->use_spmd_partitioning);
  EXPECT_EQ(m->frontend_attributes.at("b"), "{\"k\":1}");
  ASSERT_TRUE(m->entry_layout.has_value());
}

TEST(ModuleParserTest, TheEntryLayoutDefaultsToTheEntrysOwn) {
  auto m = Parsed(WithHeader(""));
  ASSERT_NE(m, nullptr);
  ASSERT_TRUE(m->entry_layout.has_value());
  EXPECT_EQ(m->entry_layout->parameters[0].ToString(), "f32[4]{0}");
  EXPECT_FALSE(m->is_scheduled());
}

// XLA makes a new configuration then, and that has default layouts.
TEST(ModuleParserTest, ConfigurationsInTheHeaderMakeTheEntryLayoutRowMajor) {
  auto layout_of = [](absl::string_view attributes) {
    auto m = Parsed(absl::StrCat(
        "HloModule m", attributes,
        "\nENTRY e {\n  ROOT p = (f32[2,2]{0,1:S(1)}, b(f32[2,3]{0,1}), "
        "token[]) parameter(0)\n}\n"));
    return m == nullptr ? "" : m->entry_layout->result.ToString();
  };
  constexpr char kOwn[] = "(f32[2,2]{0,1:S(1)}, b(f32[2,3]{0,1}), token[])";
  constexpr char kRowMajor[] =
      "(f32[2,2]{1,0:S(1)}, b(f32[2,3]{1,0}), token[])";
  for (const char* attributes :
       {"", ", is_scheduled=true", ", buffer_donor={ (0, {0}) }",
        ", alias_passthrough_params=false", ", replica_count=1",
        ", num_partitions=1", ", frontend_attributes={a=\"b\"}",
        ", allow_spmd_sharding_propagation_to_output={}"}) {
    EXPECT_EQ(layout_of(attributes), kOwn) << attributes;
  }
  for (const char* attributes :
       {", alias_passthrough_params=true", ", replica_count=2",
        ", replica_count=0", ", num_partitions=4",
        ", allow_spmd_sharding_propagation_to_parameters={false}",
        ", allow_spmd_sharding_propagation_to_output=false",
        ", allow_spmd_sharding_propagation_to_output={true,false}"}) {
    EXPECT_EQ(layout_of(attributes), kRowMajor) << attributes;
  }
}

TEST(ModuleParserTest, BufferDonorsAreSorted) {
  auto m = Parsed(WithHeader(", buffer_donor={ (0, {}) }"));
  ASSERT_NE(m, nullptr);
  EXPECT_THAT(m->buffer_donors, ElementsAre(BufferDonor{0, {}}));
}

TEST(ModuleParserTest, AliasesMustExist) {
  EXPECT_THAT(ErrorOf(WithHeader(", input_output_alias={ {2}: (0, {}) }")),
              HasSubstr("no part {2}"));
  EXPECT_THAT(ErrorOf(WithHeader(", input_output_alias={ {0}: (1, {}) }")),
              HasSubstr("no parameter 1"));
  EXPECT_THAT(ErrorOf(WithHeader(", buffer_donor={ (0, {1}) }")),
              HasSubstr("no part {1}"));
  EXPECT_THAT(
      ErrorOf(WithHeader(
          ", input_output_alias={ {0}: (0, {}), {0}: (0, {}) }")),
      HasSubstr("two aliases"));
}

TEST(ModuleParserTest, HeaderFaultsAreNamed) {
  EXPECT_THAT(ErrorOf(WithHeader(", is_schedule=true")),
              HasSubstr("did you mean 'is_scheduled'"));
  EXPECT_THAT(ErrorOf(WithHeader(", is_scheduled=true, is_scheduled=true")),
              HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf("HloModule m\n"), HasSubstr("no computation"));
  EXPECT_THAT(ErrorOf(" // nothing\n"), HasSubstr("no HLO"));
}

TEST(ModuleParserTest, OldMetadataIsLeftOutWithAWarning) {
  const absl::string_view text =
      "ENTRY e {\n  ROOT p = f32[4] parameter(0), metadata={op_name=\"b\" "
      "logical_creation_pass_id=5 profile_info={profile_type={1}} "
      "preserve_layout=true source_line=3}\n}\n";
  Diagnostics diagnostics("m", text);
  const std::unique_ptr<Module> module = ParseModule(text, &diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  EXPECT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(module->entry()->root()->metadata().op_name, "b");
  EXPECT_EQ(module->entry()->root()->metadata().source_line, 3);
}

TEST(ModuleParserTest, AliasesMayNameAWholeParameterByItsNumber) {
  const auto module = ParseModule(
      "HloModule m, input_output_alias={ {}: 0 }\n"
      "ENTRY e { ROOT p = f32[4] parameter(0) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ((*module)->input_output_aliases.size(), 1u);
  EXPECT_EQ((*module)->input_output_aliases[0].parameter, 0);
  EXPECT_TRUE((*module)->input_output_aliases[0].parameter_index.empty());
}

TEST(ModuleParserTest, RecoveryTableHoldsModules) {
  auto m = Parsed(WithHeader(
      ", origin_recovery_table={\n  {\"a\" {1}} : {\"b\"}\n  {\"c\"} : "
      "{\"d\"},\n  \"\n    HloModule r\n    ENTRY e { ROOT p = f32[] "
      "parameter(0), metadata={op_name=\\\"x\\\"} }\n  \"\n}"));
  ASSERT_NE(m, nullptr);
  ASSERT_EQ(m->recovery_table.size(), 2u);
  EXPECT_THAT(m->recovery_table[0].old_array.shape_index, ElementsAre(1));
  EXPECT_EQ(m->recovery_table[0].module, nullptr);
  ASSERT_NE(m->recovery_table[1].module, nullptr);
  EXPECT_EQ(m->recovery_table[1].module->entry()->root()->metadata().op_name,
            "x");
  EXPECT_THAT(ErrorOf(WithHeader(", origin_recovery_table={ {\"a\"} : {\"b\"}, "
                                 "\"HloModule r\" }")),
              HasSubstr("line 1: the module has no computation"));
}

TEST(ModuleParserTest, DebugAttributesAreStored) {
  auto m = Parsed(WithHeader(
      ", debug_attributes={\n  {\"a\"}:({log_mode=default,callback_id=3,"
      "partitioned=true,op_id=4}),\n  {\"b\" {0}}:{log_mode=fusion_debugger}"
      "\n}"));
  ASSERT_NE(m, nullptr);
  ASSERT_EQ(m->debug_attributes.size(), 2u);
  EXPECT_EQ(m->debug_attributes[0].attributes[0].callback_id, 3);
  EXPECT_TRUE(m->debug_attributes[0].attributes[0].partitioned);
  EXPECT_EQ(m->debug_attributes[1].attributes[0].log_mode, 2);
}

constexpr absl::string_view kFrames = R"(HloModule m

FileNames
1 "unused.py"
2 "a.py"

FunctionNames
1 "f"
2 "g"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}
2 {file_name_id=2 function_name_id=2 line=7 end_line=8 column=3 end_column=4}
3 {file_name_id=2 function_name_id=1 line=9 end_line=9 column=3 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=4}
3 {file_location_id=3 parent_frame_id=1}
4 {file_location_id=9 parent_frame_id=1}
5 {file_location_id=3 parent_frame_id=6}

ENTRY e {
  a = f32[] parameter(0), metadata={op_name="a" stack_frame_id=2}
  b = f32[] negate(a), metadata={op_name="b" stack_frame_id=3}
  c = f32[] negate(b), metadata={op_name="c" stack_frame_id=4}
  d = f32[] negate(c), metadata={op_name="d" stack_frame_id=77}
  ROOT f = f32[] negate(d), metadata={op_name="e" stack_frame_id=5}
}
)";

TEST(ModuleParserTest, StackFramesAreRenumberedInTheOrderTheyAreMet) {
  auto m = Parsed(kFrames);
  ASSERT_NE(m, nullptr);
  auto frame_of = [&](int64_t id) {
    return m->entry()->InstructionById(id)->metadata().stack_frame_id;
  };
  // Frame 2's caller is frame 3, which comes first.
  EXPECT_EQ(frame_of(0), 2);
  EXPECT_EQ(frame_of(1), 1);
  // A bad location, no such frame, a frame that is its own caller.
  EXPECT_EQ(frame_of(2), 0);
  EXPECT_EQ(frame_of(3), 0);
  EXPECT_EQ(frame_of(4), 0);
  EXPECT_THAT(m->stack_frames.file_names, ElementsAre("a.py"));
  EXPECT_THAT(m->stack_frames.function_names, ElementsAre("f", "g"));
  ASSERT_EQ(m->stack_frames.stack_frames.size(), 2u);
  EXPECT_EQ(m->stack_frames.stack_frames[1].parent_frame_id, 1);
  EXPECT_EQ(m->stack_frames.file_locations[1].line, 7);
}

// Computations that the text of an instruction holds stand before the one that
// the instruction is in.
TEST(ModuleParserTest, StackFramesOfComputationsInInstructionsComeFirst) {
  for (absl::string_view async :
       {"((f32[8]), f32[8], u32[]) negate-start(n), "
        "metadata={stack_frame_id=1}\n d = f32[8] negate-done(s)",
        "f32[8] call(n), to_apply={ p = f32[8] parameter(0) "
        "ROOT q = negate(p), metadata={stack_frame_id=1} }"}) {
    auto m = Parsed(absl::StrCat(R"(HloModule m

FileNames
1 "inner.py"
2 "outer.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}
2 {file_name_id=2 function_name_id=1 line=7 end_line=8 column=3 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}

ENTRY e {
  x = f32[8] parameter(0)
  n = f32[8] negate(x), metadata={stack_frame_id=2}
  s = )", async, "\n}\n"));
    ASSERT_NE(m, nullptr) << async;
    EXPECT_THAT(m->stack_frames.file_names,
                ElementsAre("inner.py", "outer.py"));
    EXPECT_EQ(m->entry()->InstructionById(1)->metadata().stack_frame_id, 2);
  }
}

TEST(ModuleParserTest, WithoutEntryTheLastComputationIsIt) {
  auto m = Parsed("HloModule m\nf { ROOT a = f32[] parameter(0) }\n"
                  "g { a = f32[] parameter(0) b = negate(a) }\n");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->entry()->name(), "g");
  // No ROOT either: the last instruction.
  EXPECT_EQ(m->entry()->root()->name(), "b");
}

TEST(ModuleParserTest, AModuleWithoutHeaderIsNamedAfterItsEntry) {
  for (const char* text :
       {"ENTRY %main (x: f32[]) -> f32[] { ROOT %x = f32[] parameter(0) }",
        "main { ROOT x = f32[] parameter(0) }",
        "main (x: f32[]) -> f32[] { ROOT x = f32[] parameter(0) }"}) {
    auto m = Parsed(text);
    ASSERT_NE(m, nullptr);
    EXPECT_EQ(m->name(), "module_main");
  }
}

TEST(ModuleParserTest, OneInstructionMakesAModuleWithParameters) {
  auto m = Parsed("foo = f32[10] fusion(f32[10], f32[10] x), kind=kLoop, "
                  "calls={ a = f32[10] parameter(0) b = f32[10] parameter(1) "
                  "ROOT c = add(a, b) }");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->name(), "_");
  EXPECT_TRUE(m->is_scheduled());
  EXPECT_EQ(m->entry()->name(), "_");
  EXPECT_EQ(m->entry()->id(), 0);
  ASSERT_EQ(m->entry()->parameter_count(), 2);
  EXPECT_EQ(m->entry()->parameter(0)->name(), "_0");
  EXPECT_EQ(m->entry()->parameter(1)->name(), "x");
  EXPECT_EQ(m->computations()[1]->name(), "_.1");
  auto unnamed = Parsed("f32[10] add(f32[10] x, f32[10] y)");
  ASSERT_NE(unnamed, nullptr);
  EXPECT_EQ(unnamed->entry()->root()->name(), "_");
}

TEST(ModuleParserTest, NestedComputationsJoinBeforeTheirCallers) {
  auto m = Parsed("HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n"
                  "  b = f32[2] map(a), dimensions={0}, to_apply={\n"
                  "    x = f32[] parameter(0)\n    ROOT y = negate(x)\n  }\n"
                  "  ROOT c = f32[2] map(b), to_apply={ ROOT x = f32[] "
                  "parameter(0) }\n}\n");
  ASSERT_NE(m, nullptr);
  ASSERT_EQ(m->computation_count(), 3);
  EXPECT_EQ(m->computations()[0]->name(), "_");
  EXPECT_EQ(m->computations()[1]->name(), "_.1");
  EXPECT_EQ(m->entry()->id(), 2);
  EXPECT_EQ(m->entry()->root()->to_apply(), m->computations()[1].get());
  EXPECT_THAT(m->entry()->root()->dimensions(), ElementsAre(0));
}

TEST(ModuleParserTest, NamesBecomeUniqueInTheModule) {
  auto m = Parsed("HloModule m\nf { p = f32[] parameter(0) }\n"
                  "ENTRY e { p = f32[] parameter(0) }\n");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->computations()[0]->root()->name(), "p");
  EXPECT_EQ(m->computations()[1]->root()->name(), "p.1");
}

TEST(ModuleParserTest, ComputationNamesAreSanitized) {
  auto m = Parsed("HloModule __m\nENTRY __e { p = f32[] parameter(0) }\n");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->name(), "__m");
  EXPECT_EQ(m->entry()->name(), "a_e");
}

TEST(ModuleParserTest, ExecutionThreadsAreKept) {
  auto m = Parsed("HloModule m\nf { p = f32[] parameter(0) }, "
                  "execution_thread=\"host\"\nENTRY e { p = f32[] "
                  "parameter(0) }, execution_thread=\"main\"\n");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->computations()[0]->execution_thread(), "host");
  EXPECT_EQ(m->entry()->execution_thread(), "");
}

TEST(ModuleParserTest, TheDeclaredResultMustFitTheRoot) {
  EXPECT_THAT(ErrorOf("ENTRY e (p: f32[2]) -> f32[3] {\n"
                      "  ROOT p = f32[2] parameter(0)\n}\n"),
              HasSubstr("declared as f32[3], the root 'p' is f32[2]"));
  // The parameters do not count.
  EXPECT_NE(Parsed("ENTRY e (q: s32[]) -> f32[2] {\n"
                   "  ROOT p = f32[2] parameter(0)\n}\n"),
            nullptr);
}

TEST(ModuleParserTest, FusionsAreNotScheduled) {
  auto m = Parsed("HloModule m, is_scheduled=true\n"
                  "f { ROOT p = f32[] parameter(0) }\n"
                  "ENTRY e { p = f32[] parameter(0)\n"
                  " ROOT q = f32[] fusion(p), kind=kLoop, calls=f }\n");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->schedule->size(), 1u);
  EXPECT_TRUE(m->schedule->contains(m->entry()));
}

}  // namespace
}  // namespace hlokit
