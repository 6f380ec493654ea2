// Every pass, and all of them one after another, on real programs: the module
// verifies afterwards, a pass tells the truth about changes, and values stay.
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/analysis/buffer_check.h"
#include "passes/analysis/cost.h"
#include "passes/pass.h"
#include "passes/pipelines.h"
#include "passes/test_util.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

constexpr char kFolder[] = "jax_dumps";
constexpr char kFile[] = "before_optimizations.txt";

// A program with the results of its execution before any pass.
struct Program {
  std::string name;
  std::string text;
  std::vector<Literal> arguments;
  Literal result;
  bool executed = false;
};

double Seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What the interpreter does in well under a second, on one device.
void Execute(const Module& module, Program* program) {
  if (module.num_partitions > 1 || module.replica_count > 1 ||
      module.instruction_count() > 4000) {
    return;
  }
  const double start = Seconds();
  program->arguments = FakeArguments(module, 1);
  auto result = ExecuteModule(module, program->arguments, 300'000);
  if (!result.ok() || Seconds() - start > 1.0) return;
  program->result = *std::move(result);
  program->executed = true;
}

const std::vector<Program>& Programs() {
  static const auto* programs = [] {
    UseInterpreterForConstants();
    auto* list = new std::vector<Program>;
    for (const std::string& file : CorpusFiles(kFolder, {kFile})) {
      Program program;
      program.name = file;
      program.text = ReadCorpusFile(file);
      // Whole dump folders hold the same programs again.
      if (program.text.empty() || absl::StrContains(file, "module_")) continue;
      list->push_back(program);
      // Half precision rounds too much for a strict look; the same program in
      // single precision allows one.
      if (absl::StrContains(program.text, "bf16[")) {
        program.name += " in f32";
        program.text =
            absl::StrReplaceAll(program.text, {{"bf16[", "f32["}});
        list->push_back(program);
      }
    }
    std::vector<Program> sound;
    for (Program& program : *list) {
      auto module = ParseModule(program.text);
      if (!module.ok() || !VerifyModule(**module).ok()) continue;
      Execute(**module, &program);
      sound.push_back(std::move(program));
    }
    *list = std::move(sound);
    return list;
  }();
  return *programs;
}

bool HasSmallFloats(const Shape& shape) {
  bool small = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    small |= IsFloatType(leaf.element_type()) &&
             BitWidth(leaf.element_type()) <= 16;
  });
  return small;
}

double ToleranceOf(const Program& program) {
  if (absl::StrContains(program.text, "bf16[") ||
      absl::StrContains(program.text, "f16[") ||
      absl::StrContains(program.text, "f8e")) {
    return HasSmallFloats(program.result.shape()) ? 0.2 : 0.02;
  }
  return 2e-3;
}

// Runs one pass; "" or what is wrong.
std::string Fault(Pass* pass, Module* module) {
  const std::string before = ToString(*module);
  const Contents contents(*module);
  const auto changed = RunGuarded(pass, module);
  if (!changed.ok()) return absl::StrCat(changed.status().message());
  const std::string after = ToString(*module);
  if (*changed != (after != before)) {
    return absl::StrCat("says changed=", *changed ? "yes" : "no");
  }
  if (*changed && !IsKnownWork(pass->name(), contents)) {
    return "works_on.def forgets this";
  }
  const absl::Status verified = VerifyModule(*module);
  if (!verified.ok()) return absl::StrCat(verified.message());
  const auto again = RunGuarded(pass, module);
  if (!again.ok()) return absl::StrCat("again: ", again.status().message());
  return *again ? "changes what it has changed once more" : "";
}

// Passes that may leave roundings out, so that 8-bit floats come out otherwise.
bool KeepsRoundings(absl::string_view pass) {
  return pass != "simplify-fp-conversions";
}

std::string ValueFault(const Program& program, const Module& module) {
  if (!program.executed) return "";
  const auto result = ExecuteModule(module, program.arguments);
  if (!result.ok()) return absl::StrCat(result.status().message());
  return ValueDifference(program.result, *result, ToleranceOf(program));
}

class EveryPassTest : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPassTest, KeepsTheMeaningOfRealPrograms) {
  if (Programs().empty()) GTEST_SKIP() << "no corpora";
  int changed = 0, executed = 0;
  for (const Program& program : Programs()) {
    auto module = ParseModule(program.text);
    ASSERT_TRUE(module.ok());
    auto pass = CreatePass(GetParam());
    ASSERT_TRUE(pass.ok());
    const std::string fault = Fault(pass->get(), module->get());
    EXPECT_EQ(fault, "") << program.name;
    if (!fault.empty() || ToString(**module) == program.text) continue;
    ++changed;
    executed += program.executed;
    if (!KeepsRoundings(GetParam()) &&
        absl::StrContains(program.text, "f8e")) {
      continue;
    }
    EXPECT_EQ(ValueFault(program, **module), "") << program.name;
  }
  RecordProperty("changed", changed);
  RecordProperty("executed", executed);
}

std::vector<std::string> PassNames() {
  std::vector<std::string> names;
  for (const PassInfo& info : AllPasses()) names.emplace_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Corpus, EveryPassTest,
                         ::testing::ValuesIn(PassNames()),
                         [](const auto& info) {
                           std::string name;
                           for (char c : info.param) {
                             name += c == '-' ? '_' : c;
                           }
                           return name;
                         });

// Copies that change no layout.
bool IsPlainCopy(const Instruction& i) {
  return i.opcode() == Opcode::kCopy &&
         i.shape() == i.operand(0)->shape() &&
         !i.parent()->IsFusionComputation();
}

int64_t CountCopies(const Module& module) {
  int64_t count = 0;
  for (const auto& c : module.computations()) {
    for (const Instruction* i : c->instructions()) count += IsPlainCopy(*i);
  }
  return count;
}

void RemoveCopies(Module* module) {
  module->schedule.reset();
  for (const auto& c : module->computations()) {
    std::vector<Instruction*> copies;
    for (Instruction* i : c->instructions()) {
      if (IsPlainCopy(*i)) copies.push_back(i);
    }
    for (Instruction* copy : copies) {
      copy->DropControlDependencies();
      copy->ReplaceAllUsesWith(copy->operand(0));
      c->Remove(copy);
    }
  }
}

// Schedules, assigns buffers and acts the program out.
void ExpectSoundBuffers(Module* module, const std::string& name) {
  if (!module->is_scheduled()) {
    const auto scheduled =
        CreatePass("hlo-memory-scheduler").value()->Run(module);
    ASSERT_TRUE(scheduled.ok()) << name << scheduled.status();
    ASSERT_TRUE(VerifyModule(*module).ok()) << name << VerifyModule(*module);
  }
  const auto assignment = AssignBuffers(*module);
  ASSERT_TRUE(assignment.ok()) << name << assignment.status();
  for (int seed = 0; seed < 4; ++seed) {
    const absl::Status status = CheckBuffers(*module, *assignment, seed);
    EXPECT_TRUE(status.ok() || absl::IsUnimplemented(status))
        << name << status;
  }
}

// The whole CPU pipeline, watched after every pass.
class Watcher : public PassObserver {
 public:
  absl::Status OnStep(const Step& step, const Module& module) override {
    if (!step.changed) return absl::OkStatus();
    return VerifyModule(module);
  }
};

TEST(CorpusTest, TheCpuPipelineKeepsTheMeaningOfRealPrograms) {
  if (Programs().empty()) GTEST_SKIP() << "no corpora";
  for (const Program& program : Programs()) {
    auto module = ParseModule(program.text);
    ASSERT_TRUE(module.ok());
    Watcher watcher;
    bool failed = false;
    for (auto& pipeline : CpuPipelines()) {
      pipeline->AddObserver(&watcher);
      const auto changed = pipeline->Run(module->get());
      EXPECT_TRUE(changed.ok()) << program.name << changed.status();
      if (!changed.ok()) {
        failed = true;
        break;
      }
    }
    if (!failed) {
      EXPECT_EQ(ValueFault(program, **module), "") << program.name;
    }
  }
}

// How much is left to do after the pipeline, compared with what XLA leaves.
TEST(CorpusTest, TheCpuPipelineLeavesAboutAsManyKernelsAsXla) {
  if (Programs().empty()) GTEST_SKIP() << "no corpora";
  double sum = 0;
  int count = 0;
  for (const Program& program : Programs()) {
    const std::string text = ReadCorpusFile(absl::StrReplaceAll(
        program.name, {{kFile, "cpu_after_optimizations.txt"}}));
    if (text.empty() || program.name.back() != 't') continue;
    auto theirs = ParseModule(text);
    auto ours = ParseModule(program.text);
    ASSERT_TRUE(theirs.ok() && ours.ok()) << program.name;
    for (auto& pipeline : CpuPipelines()) {
      ASSERT_TRUE(pipeline->Run(ours->get()).ok());
    }
    const double a = KernelCount(*(*ours)->entry());
    const double b = KernelCount(*(*theirs)->entry());
    if (a == 0 || b == 0) continue;
    sum += std::log(a / b);
    ++count;
  }
  ASSERT_GT(count, 50);
  std::printf("kernel ratio %.4f of %d\n", std::exp(sum / count), count);
  EXPECT_LE(std::exp(sum / count), 1.1);
}

// copy-insertion on XLA's own modules as they were before it: without their
// schedule and their copies.
TEST(CorpusTest, CopyInsertionMakesNoMoreCopiesThanXla) {
  const std::vector<std::string> files =
      CorpusFiles(kFolder, {"/cpu_after_optimizations.txt"});
  if (files.empty()) GTEST_SKIP() << "no corpora";
  int64_t ours = 0, theirs = 0;
  std::string more;
  for (const std::string& file : files) {
    auto module = ParseModule(ReadCorpusFile(file));
    ASSERT_TRUE(module.ok()) << file;
    const int64_t before = CountCopies(**module);
    RemoveCopies(module->get());
    const int64_t kept = CountCopies(**module);
    const auto changed = CreatePass("copy-insertion").value()->Run(module->get());
    ASSERT_TRUE(changed.ok()) << file << changed.status();
    ASSERT_TRUE(VerifyModule(**module).ok()) << file << VerifyModule(**module);
    const int64_t after = CountCopies(**module);
    ours += after - kept;
    theirs += before - kept;
    if (after > before) {
      absl::StrAppend(&more, file, " ", after - kept, " against ",
                      before - kept, "\n");
    }
    ExpectSoundBuffers(module->get(), file);
  }
  RecordProperty("copies", absl::StrCat(ours, " against ", theirs));
  EXPECT_LE(ours, theirs) << more;
  std::printf("copies %ld against %ld\n%s", ours, theirs, more.c_str());
}

// The whole way to buffers: what comes out is scheduled, keeps values, needs no
// value after it was written over, and little more memory than XLA's.
TEST(CorpusTest, TheCpuBackendAssignsSoundBuffers) {
  if (Programs().empty()) GTEST_SKIP() << "no corpora";
  double sum = 0;
  int count = 0;
  std::string more;
  for (const Program& program : Programs()) {
    auto module = ParseModule(program.text);
    ASSERT_TRUE(module.ok());
    for (auto& pipeline : CpuPipelines()) {
      ASSERT_TRUE(pipeline->Run(module->get()).ok()) << program.name;
    }
    for (auto& pipeline : CpuBackendPipelines()) {
      ASSERT_TRUE(pipeline->Run(module->get()).ok()) << program.name;
    }
    EXPECT_TRUE((*module)->is_scheduled());
    ASSERT_TRUE(VerifyModule(**module).ok())
        << program.name << VerifyModule(**module);
    EXPECT_EQ(ValueFault(program, **module), "") << program.name;
    ExpectSoundBuffers(module->get(), program.name);
    xla::HloProto theirs;
    const std::string bytes = ReadCorpusFile(absl::StrReplaceAll(
        program.name, {{kFile, "cpu_after_optimizations.hlo.pb"}}));
    const auto ours = AssignBuffers(**module);
    if (bytes.empty() || !ours.ok() || !theirs.ParseFromString(bytes)) continue;
    double xla = 0;
    for (const auto& a : theirs.buffer_assignment().buffer_allocations()) {
      xla += a.size();
    }
    // Programs of several devices are not partitioned here.
    if (xla == 0 || (*module)->num_partitions > 1) continue;
    const double ratio = ours->TotalBytes() / xla;
    sum += std::log(ratio);
    ++count;
    if (ratio > 1.2) {
      absl::StrAppend(&more, program.name, " ", ratio, "\n");
    }
  }
  std::printf("memory ratio %.4f of %d\n%s", std::exp(sum / count), count,
              more.c_str());
  ASSERT_GT(count, 50);
  EXPECT_LE(std::exp(sum / count), 1.1);
}

TEST(CorpusTest, MostProgramsAreExecuted) {
  if (Programs().empty()) GTEST_SKIP() << "no corpora";
  int executed = 0;
  for (const Program& program : Programs()) executed += program.executed;
  EXPECT_GE(executed, 40) << "of " << Programs().size();
}

}  // namespace
}  // namespace hlokit
