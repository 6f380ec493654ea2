// copy-insertion on random nests of loops, branches and updates in place: the
// buffers are sound, values stay, and a second run finds nothing to do.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/analysis/buffer_check.h"
#include "passes/backend/copy_insertion.h"
#include "passes/backend/hlo_memory_scheduler.h"
#include "passes/backend/hlo_trivial_scheduler.h"
#include "passes/builders.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// All arrays are f32[4]; loops count to two or three.
class Generator {
 public:
  explicit Generator(int seed) : engine_(seed * 104729 + 7) {}

  std::unique_ptr<Module> Make() {
    auto module = std::make_unique<Module>("random");
    module_ = module.get();
    auto entry = Computation::Create(module_, "e");
    std::vector<Instruction*> values;
    for (int k = 0; k < 3; ++k) {
      values.push_back(entry->AddParameter(k, Array()));
    }
    index_ = Draw(4);
    Fill(entry.get(), &values, 6 + Draw(8), 2);
    entry->set_root(entry->AddTuple(Picks(values, 3)));
    module->AddEntryComputation(std::move(entry));
    module->SetEntryLayoutFromEntry();
    for (int64_t k = 0; k < 3; ++k) {
      if (Draw(3) != 0) continue;
      module->input_output_aliases.push_back(
          {{k}, (k + index_) % 3, {}, InputOutputAlias::kMayAlias});
    }
    return module;
  }

 private:
  int Draw(int n) { return static_cast<int>(engine_() % n); }
  static Shape Array() { return Shape::ArrayWithDescendingLayout(kF32, {4}); }

  Instruction* Pick(const std::vector<Instruction*>& values) {
    // Rather the later ones.
    const int size = values.size();
    return values[Draw(2) ? Draw(size) : size - 1 - Draw(std::min(size, 3))];
  }
  std::vector<Instruction*> Picks(const std::vector<Instruction*>& values,
                                  int count) {
    std::vector<Instruction*> picks;
    for (int k = 0; k < count; ++k) picks.push_back(Pick(values));
    return picks;
  }
  Instruction* Constant(Computation* c) {
    return c->AddConstant(Literal::Array<float>({4}, {1, 2, 3, 4}));
  }
  Instruction* Number(Computation* c, int32_t number) {
    return c->AddConstant(Literal::Scalar<int32_t>(number));
  }

  void Fill(Computation* c, std::vector<Instruction*>* values, int steps,
            int depth) {
    for (int k = 0; k < steps; ++k) {
      Builder b(c);
      Instruction* x = Pick(*values);
      switch (Draw(depth > 0 ? 9 : 6)) {
        case 0:
          values->push_back(b.Unary(Opcode::kSine, x));
          break;
        case 1:
          values->push_back(b.Add(x, Pick(*values)));
          break;
        case 2:
          values->push_back(b.Reverse(x, {0}));
          break;
        case 3:
        case 4: {
          Instruction* part = b.SliceInDim(Pick(*values), 0, 1, 3);
          values->push_back(b.DynamicUpdateSlice(x, part, {Number(c, 1)}));
          break;
        }
        case 5:
          values->push_back(Constant(c));
          break;
        case 6:
        case 7:
          Loop(c, values, depth);
          break;
        default:
          Branch(c, values, depth);
          break;
      }
    }
  }

  void Loop(Computation* c, std::vector<Instruction*>* values, int depth) {
    const int width = 2 + Draw(3);
    std::vector<Instruction*> init = Picks(*values, width);
    init.push_back(Number(c, 0));
    Builder b(c);
    Instruction* state = b.Tuple(init);
    auto condition = Computation::Create(module_, "cond");
    {
      Instruction* p = condition->AddParameter(0, state->shape());
      Builder inner(condition.get());
      condition->set_root(inner.Compare(
          ComparisonDirection::kLt, inner.Element(p, width),
          Number(condition.get(), 2 + Draw(2))));
    }
    auto body = Computation::Create(module_, "body");
    Instruction* p = body->AddParameter(0, state->shape());
    Builder inner(body.get());
    std::vector<Instruction*> mine;
    for (int k = 0; k < width; ++k) mine.push_back(inner.Element(p, k));
    const std::vector<Instruction*> before = mine;
    Fill(body.get(), &mine, 1 + Draw(5), depth - 1);
    std::vector<Instruction*> after;
    for (int k = 0; k < width; ++k) {
      after.push_back(Draw(3) == 0 ? before[Draw(2) ? k : Draw(width)]
                                   : Pick(mine));
    }
    after.push_back(inner.Add(inner.Element(p, width), Number(body.get(), 1)));
    body->set_root(inner.Tuple(after));
    Computation* joined_condition =
        module_->AddComputation(std::move(condition));
    Computation* joined_body = module_->AddComputation(std::move(body));
    Instruction* loop = b.While(joined_condition, joined_body, state);
    for (int k = 0; k < width; ++k) {
      if (Draw(3)) values->push_back(b.Element(loop, k));
    }
  }

  void Branch(Computation* c, std::vector<Instruction*>* values, int depth) {
    Builder b(c);
    const int width = 1 + Draw(2);
    std::vector<Instruction*> operands;
    std::vector<Computation*> branches;
    operands.push_back(b.Convert(
        b.Reshape(b.SliceInDim(Pick(*values), 0, 0, 1), {}), kPred));
    for (int k = 0; k < 2; ++k) {
      Instruction* argument = b.Tuple(Picks(*values, 2));
      operands.push_back(argument);
      auto branch = Computation::Create(module_, "branch");
      Instruction* p = branch->AddParameter(0, argument->shape());
      Builder inner(branch.get());
      std::vector<Instruction*> mine = {inner.Element(p, 0),
                                        inner.Element(p, 1)};
      Fill(branch.get(), &mine, Draw(4), depth - 1);
      branch->set_root(inner.Tuple(Picks(mine, width)));
      branches.push_back(module_->AddComputation(std::move(branch)));
    }
    Instruction* result =
        b.OpOfShape(Opcode::kConditional, branches[0]->root()->shape(),
                    operands, {}, branches);
    for (int k = 0; k < width; ++k) values->push_back(b.Element(result, k));
  }

  std::minstd_rand engine_;
  Module* module_ = nullptr;
  int64_t index_ = 0;
};

// "" or what is wrong.
std::string Fault(const Module& before, bool scheduled) {
  auto module = before.Clone();
  if (scheduled) (void)HloTrivialScheduler().Run(module.get());
  const auto changed = CopyInsertion().Run(module.get());
  if (!changed.ok()) return std::string(changed.status().message());
  absl::Status status = VerifyModule(*module);
  if (!status.ok()) return std::string(status.message());
  const std::string once = ToString(*module);
  const auto again = CopyInsertion().Run(module.get());
  if (!again.ok() || *again) {
    return "a second run changed it:\n" + once + ToString(*module);
  }
  const auto arguments = FakeArguments(before, 3);
  const auto expected = ExecuteModule(before, arguments, 1'000'000);
  const auto actual = ExecuteModule(*module, arguments);
  if (!expected.ok()) return std::string(expected.status().message());
  if (!actual.ok()) return std::string(actual.status().message());
  const std::string difference = ValueDifference(*expected, *actual, 1e-5);
  if (!difference.empty()) return difference;
  if (!scheduled) (void)HloMemoryScheduler().Run(module.get());
  status = VerifyModule(*module);
  if (!status.ok()) return std::string(status.message());
  const auto assignment = AssignBuffers(*module);
  if (!assignment.ok()) {
    return std::string(assignment.status().message()) + ToString(*module);
  }
  for (int seed = 0; seed < 6; ++seed) {
    status = CheckBuffers(*module, *assignment, seed);
    if (!status.ok()) {
      return std::string(status.message()) + ToString(*module);
    }
  }
  return "";
}

TEST(CopyInsertionRandomTest, BuffersAreSoundAndValuesStay) {
  UseInterpreterForConstants();
  for (int seed = 0; seed < 400; ++seed) {
    auto module = Generator(seed).Make();
    ASSERT_TRUE(VerifyModule(*module).ok()) << VerifyModule(*module);
    for (bool scheduled : {false, true}) {
      EXPECT_EQ(Fault(*module, scheduled), "")
          << "seed " << seed << (scheduled ? ", scheduled" : "") << "\n"
          << ToString(*module);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace hlokit
