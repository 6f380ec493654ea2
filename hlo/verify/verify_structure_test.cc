#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Shape F32(std::initializer_list<int64_t> dimensions) {
  return Shape::ArrayWithDescendingLayout(
      kF32, absl::MakeConstSpan(dimensions.begin(), dimensions.size()));
}

// Modules that no reader lets through, or that one reader of two refuses.
class VerifyStructure : public ::testing::Test {
 protected:
  std::unique_ptr<Computation> NewComputation(const char* name) {
    return Computation::Create(&module_, name);
  }
  std::string Run() { return FindingsText(module_); }
  Module module_{"m"};
};

TEST_F(VerifyStructure, AcceptsASoundModule) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  entry->set_root(entry->Add(Opcode::kNegate, F32({2}), {p}, "n"));
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(), "");
}

TEST_F(VerifyStructure, AModuleNeedsAnEntry) {
  EXPECT_EQ(Run(), "structure: the module has no entry computation");
}

TEST_F(VerifyStructure, AModuleNeedsAName) {
  Module nameless("");
  auto entry = Computation::Create(&nameless, "e");
  entry->set_root(entry->AddParameter(0, F32({2}), "p"));
  nameless.AddEntryComputation(std::move(entry));
  EXPECT_EQ(FindingsText(nameless), "structure: the module has no name");
}

TEST_F(VerifyStructure, AComputationNeedsInstructionsAndARoot) {
  module_.AddComputation(NewComputation("empty"));
  auto rootless = NewComputation("rootless");
  rootless->AddParameter(0, F32({2}), "p");
  module_.AddEntryComputation(std::move(rootless));
  EXPECT_THAT(Run(),
              AllOf(HasSubstr("computation empty has no instructions"),
                    HasSubstr("computation rootless has no root")));
}

TEST_F(VerifyStructure, TheRootIsOneOfTheInstructions) {
  auto a = NewComputation("a");
  Instruction* p = a->AddParameter(0, F32({2}), "p");
  a->set_root(p);
  module_.AddComputation(std::move(a));
  auto entry = NewComputation("e");
  entry->AddParameter(0, F32({2}), "q");
  entry->set_root(p);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_THAT(Run(), HasSubstr("the root of computation e is not one of"));
}

TEST_F(VerifyStructure, OperandsAreOfTheSameComputation) {
  auto a = NewComputation("a");
  Instruction* p = a->AddParameter(0, F32({2}), "p");
  a->set_root(p);
  module_.AddComputation(std::move(a));
  auto entry = NewComputation("e");
  entry->set_root(entry->Add(Opcode::kNegate, F32({2}), {p}, "n"));
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(), "%n structure: operand %p is in another computation");
}

TEST_F(VerifyStructure, ParameterNumbersHaveNoGaps) {
  auto entry = NewComputation("e");
  entry->AddParameter(0, F32({2}), "p");
  entry->set_root(entry->AddParameter(2, F32({2}), "q"));
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(),
            "structure: parameter 1 of computation e is missing: parameters "
            "must be numbered 0 to 2");
}

TEST_F(VerifyStructure, ParameterNumbersAreNotRepeated) {
  auto entry = NewComputation("e");
  entry->AddParameter(0, F32({2}), "p");
  entry->set_root(entry->AddParameter(0, F32({2}), "q"));
  module_.AddEntryComputation(std::move(entry));
  EXPECT_THAT(Run(), HasSubstr("parameter number 0 is taken by %q already"));
}

TEST_F(VerifyStructure, NothingDependsOnItself) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  Instruction* a = entry->Add(Opcode::kNegate, F32({2}), {p}, "a");
  Instruction* b = entry->Add(Opcode::kNegate, F32({2}), {a}, "b");
  a->ReplaceOperand(0, b);
  entry->set_root(b);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_THAT(Run(), HasSubstr("depends on itself"));
}

TEST_F(VerifyStructure, ControlDependenciesMakeNoCycle) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  Instruction* a = entry->Add(Opcode::kNegate, F32({2}), {p}, "a");
  Instruction* b = entry->Add(Opcode::kNegate, F32({2}), {a}, "b");
  a->AddControlPredecessor(b);
  entry->set_root(b);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_THAT(Run(), HasSubstr("depends on itself"));
}

TEST_F(VerifyStructure, LongChainsNeedNoStack) {
  auto entry = NewComputation("e");
  Instruction* last = entry->AddParameter(0, F32({2}), "p");
  for (int i = 0; i < 200000; ++i) {
    last = entry->Add(Opcode::kNegate, last->shape(), {last});
  }
  entry->set_root(last);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(), "");
}

TEST_F(VerifyStructure, ComputationsDoNotCallThemselves) {
  auto f = NewComputation("f");
  Instruction* p = f->AddParameter(0, F32({2}), "p");
  Instruction* call = f->Add(Opcode::kCall, F32({2}), {p}, "c");
  f->set_root(call);
  Computation* raw = module_.AddEntryComputation(std::move(f));
  call->set_called_computations({raw});
  EXPECT_THAT(Run(), HasSubstr("computation f calls itself through f"));
}

TEST_F(VerifyStructure, CalledComputationsArePartOfTheModule) {
  Module other("other");
  auto g = Computation::Create(&other, "g");
  g->set_root(g->AddParameter(0, F32({2}), "p"));
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  Instruction* call = entry->Add(Opcode::kCall, F32({2}), {p}, "c");
  call->set_called_computations({g.get()});
  entry->set_root(call);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(),
            "%c structure: a called computation is not part of the module");
}

TEST_F(VerifyStructure, CountsFitTheOpcode) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  Instruction* add = entry->Add(Opcode::kAdd, F32({2}), {p}, "add");
  Instruction* loop = entry->Add(Opcode::kWhile, F32({2}), {add}, "w");
  entry->set_root(loop);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(),
            "%add structure: expected 2 operands, found 1\n"
            "%w structure: expected 2 called computations, found 0");
}

TEST_F(VerifyStructure, OnlyCallersHaveCalledComputations) {
  auto f = NewComputation("f");
  f->set_root(f->AddParameter(0, F32({2}), "p"));
  Computation* callee = module_.AddComputation(std::move(f));
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "q");
  Instruction* n = entry->Add(Opcode::kNegate, F32({2}), {p}, "n");
  n->set_called_computations({callee});
  entry->set_root(n);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Run(),
            "%n structure: expected 0 called computations, found 1");
}

TEST_F(VerifyStructure, TypesMakeSense) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2, 3}), "p");
  Shape wrong = Shape::Array(kF32, {2, 3});
  wrong.set_layout(Layout::Descending(1));
  entry->set_root(entry->Add(Opcode::kNegate, wrong, {p}, "n"));
  module_.AddEntryComputation(std::move(entry));
  EXPECT_THAT(Run(), HasSubstr("%n structure: "));
}

TEST_F(VerifyStructure, StopsAtTheWantedNumberOfFindings) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  for (int i = 0; i < 50; ++i) {
    entry->Add(Opcode::kAdd, F32({3}), {p, p});
  }
  entry->set_root(p);
  module_.AddEntryComputation(std::move(entry));
  EXPECT_EQ(Verify(module_).size(), 20u);
  VerifierOptions options;
  options.max_findings = 3;
  EXPECT_EQ(Verify(module_, options).size(), 3u);
}

TEST_F(VerifyStructure, AStatusHasALineAFinding) {
  auto entry = NewComputation("e");
  Instruction* p = entry->AddParameter(0, F32({2}), "p");
  entry->set_root(entry->Add(Opcode::kAdd, F32({3}), {p, p}, "add"));
  module_.AddEntryComputation(std::move(entry));
  absl::Status status = VerifyModule(module_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "%add = f32[3] add(%p, %p): shape: expected f32[2], declared "
            "f32[3] (operands: f32[2], f32[2])\n"
            "%add = f32[3] add(%p, %p): elementwise: operand 0 (%p) is not "
            "broadcast: expected the dimensions of f32[3], found f32[2]\n"
            "%add = f32[3] add(%p, %p): elementwise: operand 1 (%p) is not "
            "broadcast: expected the dimensions of f32[3], found f32[2]");
}

}  // namespace
}  // namespace hlokit
