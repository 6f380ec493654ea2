#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "hlo/ir/computation.h"
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Computations that the statements below call.
constexpr absl::string_view kCallees = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1)
  ROOT c = compare(a, b), direction=LT }
neg { a = f32[4] parameter(0) ROOT b = negate(a) }
body { a = s32[] parameter(0) ROOT b = add(a, a) }
cond { a = s32[] parameter(0) ROOT b = pred[] constant(false) }
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  m = f32[2,3] parameter(2)
  s = f32[] parameter(3)
  i = s32[] parameter(4)
  c = pred[] parameter(5)
  tok = token[] after-all()
  t = (f32[4], (s32[], f32[])) parameter(6)
  x = f32[1,8,8,2] parameter(7)
  k = f32[3,3,2,4] parameter(8)
)";

absl::StatusOr<std::unique_ptr<Module>> ParseBodyOf(absl::string_view body) {
  return ParseModule(absl::StrCat(kCallees, body, "\n}\n"));
}

// The entry's root after `body`; the module stays alive.
const Instruction* RootOf(absl::string_view body) {
  static auto* modules = new std::vector<std::unique_ptr<Module>>;
  auto module = ParseBodyOf(body);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  modules->push_back(*std::move(module));
  return modules->back()->entry()->root();
}

std::string ErrorOf(absl::string_view body) {
  return std::string(ParseBodyOf(body).status().message());
}

TEST(InstructionParserTest, NamesMayHavePercentSignsOrNot) {
  const Instruction* r = RootOf("ROOT %r = f32[4]{0} add(%p, q)");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->name(), "r");
  EXPECT_EQ(r->operand(1)->name(), "q");
}

TEST(InstructionParserTest, KeywordsAreNamesBehindAPercentSign) {
  EXPECT_NE(RootOf("%inf = f32[4] negate(p) %ROOT = f32[4] negate(%inf) "
                   "ROOT %true = f32[4] negate(%ROOT)"),
            nullptr);
  EXPECT_THAT(ErrorOf("inf = f32[4] negate(p)"), HasSubstr("write %inf"));
}

TEST(InstructionParserTest, TypeNamesAreNoNames) {
  EXPECT_THAT(ErrorOf("%s2 = f32[4] negate(p)"), HasSubstr("'s2_'"));
  EXPECT_THAT(ErrorOf("__a = f32[4] negate(p)"), HasSubstr("'__'"));
  EXPECT_NE(RootOf("tuple = f32[4] negate(p) __xla_b = negate(tuple) "
                   "ROOT buffer = negate(__xla_b)"),
            nullptr);
}

TEST(InstructionParserTest, TheEqualSignNeedsABlankBeforeIt) {
  EXPECT_THAT(ErrorOf("r=f32[4] negate(p)"), HasSubstr("write a blank"));
}

TEST(InstructionParserTest, ALeftOutTypeIsInferred) {
  EXPECT_EQ(RootOf("ROOT r = transpose(m), dimensions={1,0}")
                ->shape()
                .ToString(false),
            "f32[3,2]");
  EXPECT_EQ(RootOf("ROOT r = tuple(p, s)")->shape().ToString(),
            "(f32[4]{0}, f32[])");
  EXPECT_EQ(RootOf("ROOT r = get-tuple-element(t), index=1")
                ->shape()
                .ToString(),
            "(s32[], f32[])");
  EXPECT_THAT(ErrorOf("r = custom-call(p), custom_call_target=\"x\""),
              HasSubstr("custom-call needs a type"));
  EXPECT_THAT(ErrorOf("r = add(p, m)"), HasSubstr("add: "));
}

TEST(InstructionParserTest, AnInferredTransposeMovesNothingInMemory) {
  EXPECT_EQ(RootOf("n = f32[2,3,4]{0,2,1:T(2)S(1)} custom-call(), "
                   "custom_call_target=\"f\" "
                   "ROOT r = transpose(n), dimensions={1,2,0}")
                ->shape()
                .ToString(),
            "f32[3,4,2]{2,1,0:T(2)S(1)}");
  EXPECT_EQ(RootOf("ROOT r = transpose(m), dimensions={1,0}")
                ->shape()
                .ToString(),
            "f32[3,2]{0,1}");
  EXPECT_EQ(RootOf("ROOT r = f32[3,2] transpose(m), dimensions={1,0}")
                ->shape()
                .ToString(),
            "f32[3,2]{1,0}");
}

TEST(InstructionParserTest, MapGoesOverTheDimensionsOfItsResult) {
  EXPECT_THAT(RootOf("ROOT r = f32[4] map(p, q), to_apply=add")
                  ->attrs()
                  .GetList(AttrId::kDimensions),
              ElementsAre(0));
  EXPECT_FALSE(RootOf("ROOT r = f32[] map(p, q), dimensions={0}, to_apply=add")
                   ->attrs()
                   .Has(AttrId::kDimensions));
}

TEST(InstructionParserTest, OperandsMayShowTheirTypes) {
  EXPECT_NE(RootOf("ROOT r = f32[4] add(f32[4]{0} %p, f32[4] q)"), nullptr);
  EXPECT_THAT(ErrorOf("r = f32[4] negate(f32[5] p)"),
              HasSubstr("'p' is of type f32[4], not f32[5]"));
}

TEST(InstructionParserTest, OperandsMayBeInstructions) {
  const Instruction* r = RootOf(
      "ROOT r = f32[4] add(negate(p), f32[4] negate(negate(q)))");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->operand(0)->name(), "negate.anon");
  EXPECT_EQ(r->operand(1)->name(), "negate.anon.2");
  EXPECT_EQ(r->operand(1)->operand(0)->name(), "negate.anon.1");
}

TEST(InstructionParserTest, CompactOperandsTakeElementsOfTuples) {
  const Instruction* r = RootOf("ROOT r = f32[] add(%t#1#1, t#1#1)");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->operand(0)->opcode(), Opcode::kGetTupleElement);
  EXPECT_EQ(r->operand(0)->tuple_index(), 1);
  EXPECT_EQ(r->operand(0), r->operand(1));
  EXPECT_EQ(r->operand(0)->operand(0)->operand(0)->name(), "t");
  EXPECT_THAT(ErrorOf("r = f32[] negate(t#2)"), HasSubstr("no element 2"));
  EXPECT_THAT(ErrorOf("r = f32[] negate(p#0)"), HasSubstr("no element 0"));
}

TEST(InstructionParserTest, OnlyStoresWhatIsNotTheDefault) {
  const Instruction* r = RootOf(
      "ROOT r = pred[4] compare(p, q), direction=EQ, type=FLOAT, "
      "frontend_attributes={}, statistics={}, backend_config=\"\"");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->attrs().entries().size(), 1u);
  EXPECT_EQ(r->comparison_direction(), ComparisonDirection::kEq);
  const Instruction* total =
      RootOf("ROOT r = pred[4] compare(p, q), direction=EQ, type=TOTALORDER");
  EXPECT_EQ(total->comparison_type(), ComparisonType::kFloatTotalOrder);
}

TEST(InstructionParserTest, FlagsThatAlwaysPrintAreAlwaysStored) {
  const Instruction* k = RootOf("ROOT r = topk(p), k=2");
  ASSERT_NE(k, nullptr);
  EXPECT_TRUE(k->attrs().GetBool(AttrId::kLargest));
  EXPECT_TRUE(k->attrs().GetBool(AttrId::kIsStable));
  k = RootOf("ROOT r = topk(p), k=2, largest=false, is_stable=false");
  EXPECT_FALSE(k->attrs().GetBool(AttrId::kLargest, true));
  EXPECT_FALSE(k->attrs().GetBool(AttrId::kIsStable, true));
  const Instruction* b = RootOf(
      "ROOT r = f32[4] collective-broadcast(p), replica_groups={{0,1}}");
  ASSERT_TRUE(b->attrs().Has(AttrId::kHasDynamicRoot));
  b = RootOf("ROOT r = f32[4] collective-broadcast(p), replica_groups={}, "
             "has_dynamic_root=true");
  EXPECT_TRUE(b->attrs().GetBool(AttrId::kHasDynamicRoot));
}

TEST(InstructionParserTest, CalledComputationsStandInTheOrderOfTheProto) {
  const Instruction* w =
      RootOf("ROOT r = s32[] while(i), condition=cond, body=body");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->while_body()->name(), "body");
  EXPECT_EQ(w->while_condition()->name(), "cond");
  const Instruction* s = RootOf(
      "ROOT r = f32[4] select-and-scatter(p, q, s), window={size=1}, "
      "scatter=add, select=less");
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(s->called_computation(0)->name(), "less");
  const Instruction* c = RootOf(
      "ROOT r = f32[4] conditional(c, p, q), false_computation=neg, "
      "true_computation=neg");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->called_computations().size(), 2u);
}

TEST(InstructionParserTest, ConditionalsKnowTheirIndex) {
  EXPECT_NE(RootOf("ROOT r = f32[4] conditional(i, p, q, p), "
                   "branch_computations={neg, neg, %neg}"),
            nullptr);
  EXPECT_THAT(ErrorOf("r = f32[4] conditional(c, p, q), "
                      "branch_computations={neg, neg}"),
              HasSubstr("true_computation="));
  EXPECT_THAT(ErrorOf("r = f32[4] conditional(i, p), "
                      "branch_computations={neg, neg}"),
              HasSubstr("takes 3 operands"));
  EXPECT_THAT(ErrorOf("r = f32[4] conditional(s, p), "
                      "branch_computations={neg}"),
              HasSubstr("not f32[]"));
}

TEST(InstructionParserTest, ConvolutionAttributes) {
  const Instruction* r = RootOf(
      "ROOT r = convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f, feature_group_count=1, "
      "convolution_kind=fprop, operand_precision={HIGHEST,default}, "
      "algorithm=dot_f32_f32_f32, sparsity_config={lhs={sparsity=2x4 "
      "dimension=1 stride=1}}");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->shape().ToString(false), "f32[1,8,8,4]");
  EXPECT_EQ(r->window()->dimensions.size(), 2u);
  EXPECT_FALSE(r->attrs().Has(AttrId::kFeatureGroupCount));
  EXPECT_EQ(r->attrs().GetInt(AttrId::kConvolutionKind), 1);
  EXPECT_THAT(r->attrs().GetList(AttrId::kOperandPrecision), ElementsAre(2, 0));
  EXPECT_EQ(r->attrs().Get<SparsityConfig>(AttrId::kSparsityConfig)
                ->lhs.block_size,
            4);
}

TEST(InstructionParserTest, CustomCallAttributes) {
  const Instruction* r = RootOf(
      "ROOT r = f32[4] custom-call(p, q), custom_call_target=\"a\\\"b\", "
      "operand_layout_constraints={f32[4]{0}, f32[4]{0}}, "
      "custom_call_has_side_effect=true, literal=(s32[2]{0} {1,2}, f32[] 3), "
      "output_to_operand_aliasing={{}: (1, {})}, schedule=schedule_latest, "
      "api_version=API_VERSION_TYPED_FFI, called_computations={add, neg}, "
      "padding_type=PADDING_VALID, backend_config={\"k\":[1, {}]}");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->custom_call_target(), "a\"b");
  EXPECT_EQ(r->backend_config(), "{\"k\":[1, {}]}");
  EXPECT_EQ(r->literal()->elements().size(), 2u);
  EXPECT_EQ(r->attrs().GetInt(AttrId::kCustomCallSchedule), 1);
  EXPECT_EQ(r->attrs().GetInt(AttrId::kCustomCallApiVersion), 4);
  EXPECT_EQ(r->called_computations().size(), 2u);
  EXPECT_THAT(ErrorOf("r = f32[4] custom-call(p), custom_call_target=\"x\", "
                      "operand_layout_constraints={}"),
              HasSubstr("0 layout constraints for 1"));
  r = RootOf("ROOT r = f32[4] custom-call(p), custom_call_target=\"x\", "
             "api_version=API_VERSION_UNSPECIFIED");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->attrs().GetInt(AttrId::kCustomCallApiVersion, -1), 0);
}

TEST(InstructionParserTest, CollectiveAttributes) {
  const Instruction* r = RootOf(
      "ROOT r = f32[4] all-reduce(p), channel_id=1, replica_groups={{0,1}}, "
      "use_global_device_ids=true, to_apply=add, mode=flattened_id");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->to_apply()->name(), "add");
  EXPECT_THAT(ErrorOf("r = f32[4] all-reduce(p), to_apply=add, "
                      "use_global_device_ids=true"),
              HasSubstr("needs a channel_id"));
  EXPECT_TRUE(RootOf("ROOT r = f32[4] all-reduce(p), to_apply=add, "
                      "channel_id=0, replica_groups={}")
                   ->attrs()
                   .Has(AttrId::kChannelId));
  EXPECT_THAT(ErrorOf("r = f32[8] all-gather(p), dimensions={0,1}"),
              HasSubstr("exactly one dimension"));
  EXPECT_THAT(ErrorOf("r = f32[4] all-to-all(p), dimensions={0,1}"),
              HasSubstr("exactly one dimension"));
  EXPECT_NE(RootOf("ROOT r = f32[4] collective-permute(p), "
                   "source_target_pairs={{0,1},{1,0}}"),
            nullptr);
}

TEST(InstructionParserTest, CommonAttributesFitEveryOpcode) {
  const Instruction* r = RootOf(
      "ROOT r = f32[4] negate(p), statistics={visualizing_index=1,a=2.5}, "
      "sharding={replicated}, frontend_attributes={k=\"v\"}, "
      "control-predecessors={%q, m}, origin={{\"n\" {1}}}, "
      "metadata={op_type=\"t\", op_name=\"a\\nb\" source_line=3 "
      "profile_type={1,0} scheduling_name=\"s\" metadata_payload=\"x\"}, "
      "backend_config=\"raw\"");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->control_predecessors().size(), 2u);
  EXPECT_EQ(r->metadata().op_name, "a\nb");
  EXPECT_EQ(r->metadata().source_line, 3);
  EXPECT_EQ(r->metadata().rare().metadata_payload, "x");
  EXPECT_EQ(r->backend_config(), "raw");
  const auto* origin = r->attrs().Get<OriginalValue>(AttrId::kOrigin);
  ASSERT_NE(origin, nullptr);
  EXPECT_EQ(origin->leaves[0].array.instruction_name, "n");
  EXPECT_THAT(origin->leaves[0].array.shape_index, ElementsAre(1));
}

TEST(InstructionParserTest, OriginTreesGiveEachLeafItsPlace) {
  const Instruction* r = RootOf(
      "ROOT r = tuple(p, t), origin={({\"a\"}, ({}, ({\"b\"}, {\"c\"})))}");
  ASSERT_NE(r, nullptr);
  const auto* origin = r->attrs().Get<OriginalValue>(AttrId::kOrigin);
  ASSERT_EQ(origin->leaves.size(), 4u);
  EXPECT_FALSE(origin->leaves[1].present);
  EXPECT_THAT(origin->leaves[3].index, ElementsAre(1, 1, 1));
  EXPECT_TRUE(RootOf("ROOT r = negate(p), origin={[synthetic_call]}")
                  ->attrs()
                  .Get<OriginalValue>(AttrId::kOrigin)
                  ->is_synthetic_call);
}

TEST(InstructionParserTest, EqualMetadataIsShared) {
  const Instruction* r = RootOf(
      "a = f32[4] negate(p), metadata={op_name=\"x\"} "
      "ROOT b = f32[4] negate(a), metadata={op_name=\"x\"}");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->shared_metadata(), r->operand(0)->shared_metadata());
}

TEST(InstructionParserTest, MetadataFaultsAreNamed) {
  EXPECT_THAT(ErrorOf("r = negate(p), metadata={op_nam=\"x\"}"),
              HasSubstr("did you mean 'op_name'"));
  EXPECT_THAT(ErrorOf("r = negate(p), metadata={op_name=\"x\" op_name=\"y\"}"),
              HasSubstr("twice"));
  EXPECT_THAT(ErrorOf("r = negate(p), metadata={source_line=3000000000}"),
              HasSubstr("32 bits"));
  EXPECT_THAT(ErrorOf("r = negate(p), metadata={op_name=\"\\q\"}"),
              HasSubstr("escape"));
}

TEST(InstructionParserTest, OneShardingIsRepeatedForTuples) {
  const Instruction* r = RootOf("ROOT r = tuple(p, t), sharding={manual}");
  ASSERT_NE(r, nullptr);
  EXPECT_TRUE(r->sharding()->IsTuple());
  EXPECT_EQ(r->sharding()->elements.size(), 4u);
}

TEST(InstructionParserTest, ResultAccuracy) {
  const auto* a = RootOf("ROOT r = exponential(p), result_accuracy={tolerance="
                         "{atol=1,rtol=0.5,ulps=2.5}}")
                      ->attrs()
                      .Get<ResultAccuracy>(AttrId::kResultAccuracy);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->ulps, 2);
  EXPECT_FALSE(RootOf("ROOT r = exponential(p), result_accuracy={mode=DEFAULT}")
                   ->attrs()
                   .Has(AttrId::kResultAccuracy));
  EXPECT_THAT(ErrorOf("r = add(p, q), result_accuracy={mode=highest}"),
              HasSubstr("no attribute"));
}

TEST(InstructionParserTest, TransfersRebuildTheirTypes) {
  const Instruction* r = RootOf(
      "st = (f32[4], u32[], token[]) send(p, tok), channel_id=1 "
      "d1 = token[] send-done(st), channel_id=1 "
      "r = (f32[4], u32[], token[]) recv(tok), channel_id=2 "
      "ROOT d2 = (f32[9], token[]) recv-done(r), channel_id=2");
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->shape().ToString(), "(f32[4]{0}, token[])");
  EXPECT_THAT(ErrorOf("st = (f32[4], u32[], token[]) send(p, tok), "
                      "channel_id=1 d = token[] send-done(st), channel_id=2"),
              HasSubstr("send-done has channel_id=2, but 'st' has channel_id=1"));
  EXPECT_THAT(ErrorOf("r = () recv(tok)"), HasSubstr("data first"));
  EXPECT_EQ(RootOf("ROOT o = token[] outfeed(p, tok)")
                ->attrs()
                .Get<Shape>(AttrId::kOutfeedShape)
                ->ToString(),
            "f32[4]{0}");
}

TEST(InstructionParserTest, NewerOpcodesAreRead) {
  EXPECT_NE(RootOf("ROOT r = s32[] mulhi(i, i)"), nullptr);
  EXPECT_EQ(RootOf("ROOT r = f32[4] cosh(p)")->opcode(), Opcode::kCosh);
  const Instruction* scan = RootOf(
      "ROOT r = (f32[4], f32[]) scan(p, s), dimensions={0}, num_carries=1, "
      "to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT t = tuple(a, b) }");
  ASSERT_NE(scan, nullptr);
  EXPECT_EQ(scan->attrs().GetInt(AttrId::kIsAssociative),
            static_cast<int64_t>(TriState::kFalse));
  EXPECT_NE(RootOf("ROOT r = b(f32[4]) custom-call(p), "
                   "custom_call_target=\"CreateBuffer\""),
            nullptr);
  EXPECT_NE(RootOf("ROOT r = f32[4] domain(p), domain={kind=\"sharding\", "
                   "entry={maximal device=1}, exit={}}"),
            nullptr);
}

TEST(InstructionParserTest, ConstantsGiveUpDynamicDimensionsOnly) {
  EXPECT_EQ(RootOf("ROOT r = f32[<=2]{0} constant({1,2})")->shape().ToString(),
            "f32[2]{0}");
  EXPECT_EQ(RootOf("ROOT r = f32[2,1]{0,1} constant({{1},{2}})")
                ->shape()
                .ToString(),
            "f32[2,1]{0,1}");
}

TEST(AsyncTest, SugarWrapsTheOperation) {
  const Instruction* done = RootOf(
      "st = ((f32[4]), f32[4], u32[]) custom-call-start(p), "
      "async_execution_thread=\"t\", custom_call_target=\"f\", "
      "sharding={manual}, metadata={op_name=\"o\"} "
      "u = ((f32[4]), f32[4], u32[]) custom-call-update(st) "
      "ROOT d = f32[4] custom-call-done(u)");
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->opcode(), Opcode::kAsyncDone);
  const Instruction* start = done->AsyncStart();
  ASSERT_NE(start, nullptr);
  EXPECT_EQ(start->attrs().GetString(AttrId::kAsyncExecutionThread), "t");
  EXPECT_TRUE(start->attrs().Has(AttrId::kSharding));
  EXPECT_EQ(start->metadata().op_name, "o");
  const Computation* wrapped = start->called_computation(0);
  EXPECT_EQ(wrapped->name(), "async_wrapped");
  EXPECT_EQ(wrapped->execution_thread(), "t");
  EXPECT_LT(wrapped->id(), start->parent()->id());
  EXPECT_EQ(wrapped->root()->name(), "custom-call");
  EXPECT_EQ(wrapped->root()->custom_call_target(), "f");
  EXPECT_EQ(wrapped->root()->metadata().op_name, "o");
  EXPECT_FALSE(wrapped->root()->attrs().Has(AttrId::kSharding));
  EXPECT_EQ(wrapped->parameter(0)->name(), "async_param");
}

TEST(AsyncTest, UpdatesBindWhatTheStartLeftOpen) {
  const Instruction* done = RootOf(
      "st = ((f32[4]), f32[4], u32[]) add-start(p) "
      "u = ((f32[4], f32[4]), f32[4], u32[]) add-update(st, q) "
      "ROOT d = f32[4] add-done(u)");
  ASSERT_NE(done, nullptr);
  const Computation* wrapped = done->async_wrapped_computation();
  ASSERT_EQ(wrapped->parameter_count(), 2);
  EXPECT_EQ(wrapped->parameter(1)->shape().ToString(), "f32[4]{0}");
}

TEST(AsyncTest, ThePlainFormIsReadToo) {
  EXPECT_NE(RootOf("st = ((f32[4]), f32[4], u32[]) async-start(p), calls=neg "
                   "ROOT d = f32[4] async-done(st), calls=neg"),
            nullptr);
}

// As XLA has it, in both forms and for every part of the chain.
TEST(AsyncTest, WhatThePartsSayHoldsForTheWrappedOperation) {
  const std::string kChains[] = {
      "st = ((f32[4]), f32[4]) async-start(p), calls=neg$0 "
      "u = ((f32[4]), f32[4]) async-update(st)$1 "
      "ROOT d = f32[4] async-done(u)$2",
      "st = ((f32[4]), f32[4]) negate-start(p)$0 "
      "u = ((f32[4]), f32[4]) negate-update(st)$1 "
      "ROOT d = f32[4] negate-done(u)$2"};
  const std::string kSaid =
      ", origin={{\"x\"}}, metadata={op_name=\"n\"}, backend_config=\"b\", "
      "frontend_attributes={a=\"b\"}, statistics={visualizing_index=0,q=1}, "
      "sharding={replicated}";
  for (const std::string& chain : kChains) {
    for (int part = 0; part < 3; ++part) {
      const Instruction* done =
          RootOf(absl::Substitute(chain, part == 0 ? kSaid : "",
                                  part == 1 ? kSaid : "",
                                  part == 2 ? kSaid : ""));
      ASSERT_NE(done, nullptr);
      const Instruction* wrapped = done->async_wrapped_computation()->root();
      EXPECT_EQ(wrapped->metadata().op_name, "n");
      EXPECT_EQ(wrapped->attrs().GetString(AttrId::kBackendConfig), "b");
      for (AttrId id : {AttrId::kOrigin, AttrId::kFrontendAttributes,
                        AttrId::kStatistics}) {
        EXPECT_TRUE(wrapped->attrs().Has(id));
      }
      EXPECT_FALSE(wrapped->attrs().Has(AttrId::kSharding));
    }
    const Instruction* done = RootOf(absl::Substitute(
        chain, ", metadata={op_name=\"first\"}, backend_config=\"b\"", "",
        ", metadata={op_name=\"last\"}"));
    const Instruction* wrapped = done->async_wrapped_computation()->root();
    EXPECT_EQ(wrapped->metadata().op_name, "last");
    EXPECT_EQ(wrapped->attrs().GetString(AttrId::kBackendConfig), "b");
  }
}

TEST(AsyncTest, ChainsMustHoldTogether) {
  EXPECT_THAT(ErrorOf("st = ((f32[4]), f32[4], u32[]) async-start(p), "
                      "calls=neg d = f32[4] async-done(st), calls=add"),
              HasSubstr("calls another computation"));
  EXPECT_THAT(ErrorOf("d = f32[4] async-done(p)"), HasSubstr("no start"));
  EXPECT_THAT(ErrorOf("st = ((f32[4]), f32[4], u32[]) negate-start(p) "
                      "d = f32[4] sine-done(st)"),
              HasSubstr("'st' is about negate, not sine"));
  EXPECT_THAT(ErrorOf("st = f32[4] negate-start(p)"),
              HasSubstr("negate-start needs a type of the form"));
  EXPECT_THAT(ErrorOf("a = ((f32[4]), f32[4], u32[]) async-start(p), "
                      "calls=neg b = ((f32[4]), f32[4], u32[]) "
                      "async-start(p), calls=neg"),
              HasSubstr("has one start"));
  EXPECT_THAT(ErrorOf("st = ((f32[4]), f32[4]) send-start(p)"),
              HasSubstr("no opcode"));
}

}  // namespace
}  // namespace hlokit
