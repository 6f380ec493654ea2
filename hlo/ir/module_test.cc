#include "hlo/ir/module.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;

const Shape& F32() {
  static const auto* shape = new Shape(Shape::Scalar(kF32));
  return *shape;
}

std::vector<std::string> Names(const std::vector<Instruction*>& order) {
  std::vector<std::string> names;
  for (const Instruction* i : order) names.emplace_back(i->name());
  return names;
}

std::vector<std::string> Names(const std::vector<Computation*>& order) {
  std::vector<std::string> names;
  for (const Computation* c : order) names.emplace_back(c->name());
  return names;
}

// A computation that calls `callees` one after another.
Computation* Caller(Module* module, const char* name,
                    std::vector<Computation*> callees) {
  auto c = Computation::Create(module, name);
  Instruction* value = c->AddParameter(0, F32(), "p");
  for (Computation* callee : callees) {
    value = c->Add(Opcode::kCall, F32(), {value}, "call");
    value->set_called_computations({callee});
  }
  c->set_root(value);
  return module->AddComputation(std::move(c));
}

TEST(NameUniquerTest, FollowsTheSuffixRule) {
  NameUniquer names;
  EXPECT_EQ(names.Unique("p"), "p");
  EXPECT_EQ(names.Unique("p"), "p.1");
  NameUniquer other;
  EXPECT_EQ(other.Unique("p.5"), "p.5");
  EXPECT_EQ(other.Unique("p.5"), "p.0");
  EXPECT_EQ(other.Unique("p.5"), "p.1");
  EXPECT_EQ(other.Unique("p.01"), "p.2");
}

// As jaxlib 0.10.2 does it.
TEST(NameUniquerTest, ASuffixMayBeNegative) {
  NameUniquer names;
  EXPECT_EQ(names.Unique("x.-1"), "x.-1");
  EXPECT_EQ(names.Unique("x.-1"), "x.0");
  EXPECT_EQ(names.Unique("x.-1"), "x.1");
  EXPECT_EQ(names.Unique("x.-1.0"), "x.-1.0");
  EXPECT_EQ(names.Unique("x.-02"), "x.-2");
  EXPECT_EQ(names.Unique("x.-"), "x.-");
  EXPECT_EQ(names.Unique("x.--3"), "x.--3");
  EXPECT_EQ(names.Unique(".-1"), ".-1");
  EXPECT_EQ(names.Unique("x.-9223372036854775808"),
            "x.-9223372036854775808");
  EXPECT_EQ(names.Unique("x.-9223372036854775809"),
            "x.-9223372036854775809");
  EXPECT_EQ(names.Unique("x.9223372036854775808"), "x.9223372036854775808");
  EXPECT_FALSE(names.Take("y.-0"));
  EXPECT_FALSE(names.Take("y.-01"));
  EXPECT_TRUE(names.Take("y.-1"));
  EXPECT_FALSE(names.Take("y.-1"));
}

TEST(NameUniquerTest, SanitizesNames) {
  EXPECT_EQ(SanitizeName("1a b"), "_a_b");
  EXPECT_EQ(SanitizeName("f32"), "f32_");
  EXPECT_EQ(SanitizeName("tuple"), "tuple");
  EXPECT_EQ(SanitizeName("__x"), "a_x");
  EXPECT_EQ(SanitizeName("__xla_x"), "__xla_x");
  EXPECT_TRUE(IsSanitizedName("_a.b-1"));
  EXPECT_FALSE(IsSanitizedName("s2"));
  EXPECT_FALSE(IsSanitizedName("-a"));
}

TEST(ModuleTest, DealsIdsAndUniqueNamesWhenAComputationJoins) {
  Module module("m");
  Computation* f = Caller(&module, "f", {});
  Computation* g = Caller(&module, "f", {f});
  EXPECT_EQ(f->id(), 0);
  EXPECT_EQ(g->id(), 1);
  EXPECT_EQ(g->name(), "f.1");
  EXPECT_EQ(g->parameter(0)->name(), "p.1");
  EXPECT_EQ(g->root()->unique_id(), (int64_t{1} << 32) | 1);
}

TEST(ModuleTest, PrintsCalleesBeforeCallersAndRootsInModuleOrder) {
  // f3, f1, f2 (calls f1), dead (calls f3), e (calls f2, f3), tail.
  Module module("m");
  Computation* f3 = Caller(&module, "f3", {});
  Computation* f1 = Caller(&module, "f1", {});
  Computation* f2 = Caller(&module, "f2", {f1});
  Caller(&module, "dead", {f3});
  module.set_entry(Caller(&module, "e", {f2, f3}));
  Caller(&module, "tail", {});
  EXPECT_THAT(Names(module.PrintOrder()),
              ElementsAre("f3", "dead", "f1", "f2", "e", "tail"));
  EXPECT_THAT(Names(module.TopologicalOrder()),
              ElementsAre("f3", "f1", "f2", "dead", "e", "tail"));
}

TEST(ModuleTest, TheTopologicalOrderFollowsEveryChangeOfCalls) {
  Module module("m");
  Computation* e = Caller(&module, "e", {});
  module.set_entry(e);
  EXPECT_THAT(Names(module.TopologicalOrder()), ElementsAre("e"));
  Computation* late = Caller(&module, "late", {});
  EXPECT_THAT(Names(module.TopologicalOrder()), ElementsAre("e", "late"));
  Instruction* call = e->Add(Opcode::kCall, F32(), {e->root()}, "call");
  call->set_called_computations({late});
  EXPECT_THAT(Names(module.TopologicalOrder()), ElementsAre("late", "e"));
  call->set_called_computations({});
  EXPECT_THAT(Names(module.TopologicalOrder()), ElementsAre("e", "late"));
  module.RemoveComputation(late);
  EXPECT_THAT(Names(module.TopologicalOrder()), ElementsAre("e"));
}

TEST(ModuleTest, AConditionalIsOneCallerOfSeveralPlaces) {
  Module module("m");
  Computation* f = Caller(&module, "f", {});
  Computation* g = Caller(&module, "g", {});
  auto e = Computation::Create(&module, "e");
  Instruction* index = e->AddParameter(0, Shape::Scalar(kS32), "index");
  Instruction* value = e->AddParameter(1, F32(), "value");
  Instruction* choice = e->Add(Opcode::kConditional, F32(),
                               {index, value, value, value}, "choice");
  choice->set_called_computations({f, g, f});
  e->set_root(choice);
  module.AddEntryComputation(std::move(e));
  EXPECT_THAT(f->callers(), ElementsAre(choice));
  EXPECT_EQ(f->call_site_count(), 2);
  EXPECT_EQ(g->call_site_count(), 1);
  choice->ReplaceCalledComputation(f, g);
  EXPECT_TRUE(f->callers().empty());
  EXPECT_EQ(f->call_site_count(), 0);
  EXPECT_THAT(g->callers(), ElementsAre(choice));
  EXPECT_EQ(g->call_site_count(), 3);
}

TEST(ModuleTest, CallersKeepTheirOrderWhenManyGo) {
  Module module("m");
  Computation* f = Caller(&module, "f", {});
  std::vector<Computation*> many(300, f);
  Computation* e = Caller(&module, "e", many);
  const std::vector<Instruction*> calls = e->CallingInstructions();
  std::vector<Instruction*> left;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i % 3 == 0) {
      left.push_back(calls[i]);
    } else {
      calls[i]->set_called_computations({});
    }
  }
  EXPECT_THAT(f->callers(), ::testing::ElementsAreArray(left));
  EXPECT_EQ(f->call_site_count(), 100);
}

TEST(ModuleTest, RemovesWhatTheEntryDoesNotReach) {
  Module module("m");
  Computation* f = Caller(&module, "f", {});
  Caller(&module, "dead", {f});
  module.set_entry(Caller(&module, "e", {f}));
  EXPECT_TRUE(module.RemoveUnreachableComputations());
  EXPECT_EQ(module.computation_count(), 2);
  EXPECT_EQ(f->callers().size(), 1u);
  EXPECT_FALSE(module.RemoveUnreachableComputations());
}

TEST(ModuleTest, ACloneHasTheSameNamesIdsAndSchedule) {
  Module module("m");
  Computation* f = Caller(&module, "f", {});
  module.set_entry(Caller(&module, "e", {f}));
  module.SetEntryLayoutFromEntry();
  module.schedule.emplace();
  (*module.schedule)[module.entry()] = module.entry()->PostOrder();
  module.frontend_attributes["a"] = "b";
  const auto clone = module.Clone();
  EXPECT_EQ(clone->entry()->name(), "e");
  EXPECT_EQ(clone->entry()->id(), 1);
  EXPECT_EQ(clone->entry()->root()->to_apply(), clone->FindComputation("f"));
  EXPECT_NE(clone->FindComputation("f"), f);
  EXPECT_THAT(Names(clone->ExecutionOrder(*clone->entry())),
              Names(module.ExecutionOrder(*module.entry())));
  EXPECT_EQ(clone->frontend_attributes, module.frontend_attributes);
  EXPECT_EQ(clone->entry()->parameter(0)->name(), "p.1");
}

TEST(ComputationTest, PostOrderFollowsOperandsThenDeadOnes) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  Instruction* p = c->AddParameter(0, F32(), "p");
  Instruction* q = c->AddParameter(1, F32(), "q");
  Instruction* dead = c->Add(Opcode::kNegate, F32(), {q}, "dead");
  Instruction* sum = c->Add(Opcode::kAdd, F32(), {q, p}, "sum");
  c->set_root(sum);
  EXPECT_EQ(dead->user_count(), 0);
  EXPECT_THAT(Names(c->PostOrder()), ElementsAre("q", "dead", "p", "sum"));
}

TEST(ComputationTest, TheLastControlPredecessorIsExploredFirst) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  Instruction* a = c->AddParameter(0, F32(), "a");
  Instruction* x = c->Add(Opcode::kNegate, F32(), {a}, "x");
  Instruction* y = c->Add(Opcode::kSine, F32(), {a}, "y");
  Instruction* r = c->Add(Opcode::kCosine, F32(), {a}, "r");
  r->AddControlPredecessor(x);
  r->AddControlPredecessor(y);
  // x and y have no users either, but come first only through their ids.
  c->set_root(r);
  EXPECT_THAT(Names(c->PostOrder()), ElementsAre("a", "x", "y", "r"));
}

// The order is remembered; a copy of the module has to find it out.
TEST(ComputationTest, TheOrderFollowsEveryChange) {
  Module module("m");
  auto made = Computation::Create(&module, "c");
  Instruction* p = made->AddParameter(0, F32(), "p");
  Instruction* q = made->AddParameter(1, F32(), "q");
  Instruction* a = made->Add(Opcode::kAdd, F32(), {q, p}, "a");
  Instruction* b = made->Add(Opcode::kAdd, F32(), {a, p}, "b");
  made->set_root(b);
  Computation* c = module.AddEntryComputation(std::move(made));
  auto check = [&](const char* change) {
    const std::unique_ptr<Module> copy = module.Clone();
    EXPECT_EQ(Names(c->PostOrder()), Names(copy->entry()->PostOrder()))
        << change;
  };
  check("nothing");
  Instruction* d = c->Add(Opcode::kNegate, F32(), {q}, "d");
  check("added");
  b->ReplaceOperand(0, d);
  check("operand replaced");
  Instruction* e = c->Add(Opcode::kSine, F32(), {p}, "e");
  check("added again");
  a->AddControlPredecessor(e);
  check("control dependency");
  a->DropControlDependencies();
  check("no control dependency");
  q->ReplaceUsesExcept(d, p);
  check("uses replaced");
  c->Remove(a);
  check("removed");
  c->Replace(d, e);
  check("replaced");
  b->AppendOperand(q);
  check("operand appended");
}

TEST(ComputationTest, SeveralThreadsMayAskForTheOrderAtOnce) {
  for (int round = 0; round < 20; ++round) {
    Module module("m");
    auto made = Computation::Create(&module, "c");
    // Not in post order: the later parameter is used first.
    Instruction* p = made->AddParameter(0, F32(), "p");
    Instruction* q = made->AddParameter(1, F32(), "q");
    Instruction* last = made->Add(Opcode::kAdd, F32(), {q, p});
    for (int i = 0; i < 500; ++i) {
      last = made->Add(Opcode::kAdd, F32(), {last, p});
    }
    made->set_root(last);
    const Computation* c = module.AddEntryComputation(std::move(made));
    std::vector<std::vector<Instruction*>> orders(8);
    std::vector<std::thread> threads;
    for (auto& order : orders) {
      threads.emplace_back([&order, c] { order = c->PostOrder(); });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(orders[0].size(), 503u);
    EXPECT_EQ(orders[0][0], q);
    for (const auto& order : orders) EXPECT_EQ(order, orders[0]);
  }
}

TEST(ComputationTest, KeepsUsersInStep) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  Instruction* p = c->AddParameter(0, F32(), "p");
  Instruction* a = c->Add(Opcode::kNegate, F32(), {p}, "a");
  Instruction* sum = c->Add(Opcode::kAdd, F32(), {a, a}, "sum");
  c->set_root(sum);
  EXPECT_EQ(a->user_count(), 1);
  sum->ReplaceOperand(0, p);
  EXPECT_TRUE(a->users()[0] == sum && p->users().size() == 2);
  sum->ReplaceOperand(1, p);
  EXPECT_TRUE(a->users().empty());
  c->Remove(a);
  EXPECT_EQ(p->user_count(), 1);
  EXPECT_EQ(c->instruction_count(), 2);
  EXPECT_EQ(c->InstructionById(1), nullptr);
}

TEST(ComputationTest, ReplaceMovesUsersRootAndControlDependencies) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  Instruction* p = c->AddParameter(0, F32(), "p");
  Instruction* first = c->Add(Opcode::kSine, F32(), {p}, "first");
  Instruction* old = c->Add(Opcode::kNegate, F32(), {p}, "old");
  old->AddControlPredecessor(first);
  c->set_root(old);
  Instruction* fresh = c->Add(Opcode::kAbs, F32(), {p}, "fresh");
  c->Replace(old, fresh);
  EXPECT_EQ(c->root(), fresh);
  EXPECT_THAT(fresh->control_predecessors(), ElementsAre(first));
  EXPECT_THAT(first->control_successors(), ElementsAre(fresh));
}

TEST(ComputationTest, RemovingAParameterMovesTheLaterOnesDown) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  c->AddParameter(0, F32(), "a");
  Instruction* b = c->AddParameter(1, F32(), "b");
  c->set_root(b);
  c->RemoveParameter(0);
  EXPECT_EQ(c->parameter_count(), 1);
  EXPECT_EQ(b->parameter_number(), 0);
}

TEST(InstructionTest, ComparisonTypeDefaultsToTheOperandsType) {
  Module module("m");
  auto c = Computation::Create(&module, "c");
  auto type_for = [&](PrimitiveType type) {
    const Shape shape = Shape::Scalar(type);
    Instruction* p = c->Add(Opcode::kParameter, shape);
    Instruction* compare =
        c->Add(Opcode::kCompare, Shape::Scalar(kPred), {p, p});
    return compare->comparison_type();
  };
  EXPECT_EQ(type_for(kF32), ComparisonType::kFloat);
  EXPECT_EQ(type_for(kS8), ComparisonType::kSigned);
  EXPECT_EQ(type_for(kU64), ComparisonType::kUnsigned);
  EXPECT_EQ(type_for(kPred), ComparisonType::kUnsigned);
}

TEST(InstructionTest, SideEffectsOfCalledComputationsCount) {
  Module module("m");
  auto c = Computation::Create(&module, "f");
  Instruction* token = c->Add(Opcode::kAfterAll, Shape::Token());
  Instruction* infeed = c->Add(
      Opcode::kInfeed, Shape::Tuple({F32(), Shape::Token()}), {token});
  c->set_root(infeed);
  Computation* f = module.AddComputation(std::move(c));
  auto e = Computation::Create(&module, "e");
  Instruction* call = e->Add(Opcode::kCall, infeed->shape());
  call->set_called_computations({f});
  e->set_root(call);
  module.AddEntryComputation(std::move(e));
  EXPECT_TRUE(call->HasSideEffect());
  EXPECT_FALSE(token->HasSideEffect());
}

TEST(AttributeSetTest, ComparesByContentInAnyOrder) {
  AttributeSet a, b;
  a.Set(AttrId::kDimensions, Int64List{1, 2});
  a.SetShared(AttrId::kWindow, Window{{WindowDimension{3}}});
  b.SetShared(AttrId::kWindow, Window{{WindowDimension{3}}});
  EXPECT_FALSE(a == b);
  b.Set(AttrId::kDimensions, Int64List{1, 2});
  EXPECT_TRUE(a == b);
  b.Set(AttrId::kDimensions, Int64List{2, 1});
  EXPECT_FALSE(a == b);
  b.Erase(AttrId::kDimensions);
  EXPECT_EQ(b.GetList(AttrId::kDimensions).size(), 0u);
}

}  // namespace
}  // namespace hlokit
