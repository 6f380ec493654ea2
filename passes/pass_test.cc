#include "passes/pass.h"

#include <sstream>
#include <string>
#include <vector>

#include "base/activity.h"
#include "base/file_system.h"
#include "base/status.h"
#include "base/test_tool.h"
#include "dump/dumper.h"
#include "flags/debug_options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/verifier.h"
#include "passes/dump_observer.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kModule[] = R"(
HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] exponential(p)
  b = f32[4] exponential(p)
  ROOT r = f32[4] add(a, b)
})";

class Recorder : public PassObserver {
 public:
  absl::Status OnStep(const Step& step, const Module&) override {
    steps.push_back(absl::StrCat(step.pipeline, ":", step.previous, ">",
                                 step.next, step.changed ? "+" : ""));
    return result;
  }
  void OnNoFixedPoint(absl::string_view pipeline, int rounds,
                      bool circle) override {
    notices.push_back(
        absl::StrCat(pipeline, " ", rounds, circle ? " circle" : " limit"));
  }
  std::vector<std::string> steps, notices;
  absl::Status result;
};

void AddPasses(Pipeline* pipeline, std::vector<std::string> names) {
  for (const std::string& name : names) {
    auto pass = CreatePass(name);
    ASSERT_TRUE(pass.ok()) << pass.status();
    pipeline->AddPass(*std::move(pass));
  }
}

TEST(PipelineTest, TellsObserversWhatRanAndWhatFollows) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("simplify");
  AddPasses(&pipeline, {"cse", "dce"});
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  ASSERT_TRUE(*pipeline.Run(module.get()));
  EXPECT_THAT(recorder.steps,
              ElementsAre("simplify:pipeline-start>cse+", "simplify:cse>dce+",
                          "simplify:dce>pipeline-end"));
}

TEST(PipelineTest, AnEmptyPipelineHasOneStep) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("empty");
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  EXPECT_FALSE(*pipeline.Run(module.get()));
  EXPECT_THAT(recorder.steps,
              ElementsAre("empty:pipeline-start>pipeline-end+"));
}

TEST(PipelineTest, LeavesOutDisabledPasses) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"cse", "dce"});
  PassSelection selection;
  selection.disabled = {"cse"};
  pipeline.set_selection(selection);
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  EXPECT_FALSE(*pipeline.Run(module.get()));
  EXPECT_THAT(recorder.steps, ElementsAre("p:pipeline-start>dce+",
                                          "p:dce>pipeline-end"));
}

TEST(PipelineTest, RunsOnlyTheEnabledPassesWhenSomeAreNamed) {
  PassSelection selection;
  selection.enabled_only = {"dce"};
  EXPECT_TRUE(selection.Runs("dce"));
  EXPECT_FALSE(selection.Runs("cse"));
  selection.disable_all = true;
  EXPECT_FALSE(selection.Runs("dce"));
}

TEST(PipelineTest, StopsAtAnObserversError) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"cse"});
  Recorder recorder;
  recorder.result = absl::InternalError("enough");
  pipeline.AddObserver(&recorder);
  EXPECT_EQ(pipeline.Run(module.get()).status().message(), "enough");
  EXPECT_EQ(recorder.steps.size(), 1u);
}

TEST(PipelineTest, ObserversSeeNestedPipelines) {
  auto module = ParseOrDie(kModule);
  Pipeline outer("outer");
  auto* inner = outer.Add<Pipeline>("inner");
  AddPasses(inner, {"cse"});
  Recorder recorder;
  outer.AddObserver(&recorder);
  ASSERT_TRUE(*outer.Run(module.get()));
  EXPECT_THAT(recorder.steps,
              ElementsAre("outer:pipeline-start>inner+",
                          "inner:pipeline-start>cse+",
                          "inner:cse>pipeline-end+",
                          "outer:inner>pipeline-end+"));
}

TEST(PipelineTest, RunsToAFixedPoint) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] sine(p)
  b = f32[4] sine(p)
  ta = (f32[4]) tuple(a)
  tb = (f32[4]) tuple(b)
  ga = f32[4] get-tuple-element(ta), index=0
  gb = f32[4] get-tuple-element(tb), index=0
  ca = f32[4] cosine(ga)
  cb = f32[4] cosine(gb)
  ROOT r = f32[4] add(ca, cb)
})");
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"tuple-simplifier", "cse", "dce"});
  pipeline.RunToFixedPoint();
  ASSERT_TRUE(*pipeline.Run(module.get()));
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine cosine add");
}

// Changes the root's opcode to and fro.
class Flipper : public Pass {
 public:
  absl::string_view name() const override { return "flipper"; }
  absl::StatusOr<bool> Run(Module* module) override {
    Computation* entry = module->entry();
    Instruction* old = entry->root();
    const Opcode other =
        old->opcode() == Opcode::kAdd ? Opcode::kSubtract : Opcode::kAdd;
    Instruction* root = entry->Add(other, old->shape(), old->operands(), "r");
    entry->Replace(old, root);
    ++runs;
    return true;
  }
  int runs = 0;
};

TEST(PipelineTest, AnInvariantIsCheckedFirstAndAfterChangingPasses) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"dce", "cse", "dce"});
  int checks = 0;
  pipeline.AddInvariant([&](const Module& m) {
    ++checks;
    return m.instruction_count() < 4 ? absl::InternalError("too small")
                                     : absl::OkStatus();
  });
  const absl::Status status = pipeline.Run(module.get()).status();
  EXPECT_EQ(checks, 2);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("too small\nFailed after cse"));
}

TEST(PipelineTest, AFixedPointThatGoesInCirclesEnds) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  auto* flipper = pipeline.Add<Flipper>();
  pipeline.RunToFixedPoint(1000);
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_LT(flipper->runs, 1000);
  EXPECT_TRUE(pipeline.found_cycle());
  EXPECT_THAT(recorder.notices,
              ElementsAre(absl::StrCat("p ", pipeline.rounds(), " circle")));
  const int late = flipper->runs;
  HonestyChecks checks;
  checks.detect_cycles = true;
  pipeline.set_honesty_checks(checks);
  flipper->runs = 0;
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_LT(flipper->runs, late) << "looked from the first round on";
}

TEST(PipelineTest, AFixedPointEndsAtItsLimit) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  auto* flipper = pipeline.Add<Flipper>();
  pipeline.RunToFixedPoint(3);
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_EQ(flipper->runs, 3);
  EXPECT_THAT(recorder.notices, ElementsAre("p 3 limit"));
  HonestyChecks checks;
  checks.fixed_point_limit = true;
  pipeline.set_honesty_checks(checks);
  EXPECT_THAT(std::string(pipeline.Run(module.get()).status().message()),
              HasSubstr("still changes the module after 3 rounds"));
}

// Says the opposite of what it does.
class Liar : public Pass {
 public:
  explicit Liar(bool changes) : changes_(changes) {}
  absl::string_view name() const override { return "liar"; }
  absl::StatusOr<bool> Run(Module* module) override {
    if (changes_) module->set_name(module->name() + "x");
    return !changes_;
  }

 private:
  bool changes_;
};

TEST(PipelineTest, HonestyChecksFindPassesThatLie) {
  HonestyChecks checks;
  checks.silent_change = checks.noop_change = true;
  for (bool changes : {false, true}) {
    auto module = ParseOrDie(kModule);
    Pipeline pipeline("p");
    pipeline.Add<Liar>(changes);
    EXPECT_TRUE(pipeline.Run(module.get()).ok());
    pipeline.set_honesty_checks(checks);
    EXPECT_THAT(std::string(pipeline.Run(module.get()).status().message()),
                HasSubstr("pass liar"));
  }
}

TEST(PipelineTest, TheScheduleStaysInStep) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[4] parameter(0)
  c = f32[4] cosine(p)
  a = f32[4] sine(p)
  z = f32[] constant(3)
  b = f32[4] broadcast(z), dimensions={}
  d = f32[4] divide(a, b)
  ROOT r = f32[4] add(d, c)
})");
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"algsimp", "dce"});
  ASSERT_TRUE(*pipeline.Run(module.get()));
  const absl::Status verified = VerifyModule(*module);
  EXPECT_TRUE(verified.ok()) << verified;
  std::string order;
  for (const Instruction* i : module->ExecutionOrder(*module->entry())) {
    absl::StrAppend(&order, OpcodeName(i->opcode()), " ");
  }
  EXPECT_EQ(order,
            "parameter cosine sine constant broadcast multiply add ");
}

TEST(PipelineTest, PassesWorkOnTheThreadsTheyAreGiven) {
  auto module = ParseOrDie(kModule);
  class Probe : public Pass {
   public:
    absl::string_view name() const override { return "probe"; }
    absl::StatusOr<bool> Run(Module* m) override {
      count = Computations(m).size();
      return false;
    }
    size_t count = 0;
  };
  Pipeline pipeline("p");
  auto* probe = pipeline.Add<Probe>();
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_EQ(probe->count, 1u);
  pipeline.set_threads_of_all({"host"});
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_EQ(probe->count, 0u);
  pipeline.set_threads_of_all({"main"});
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_EQ(probe->count, 1u);
}

// Changes the name of the module while it is told to, and counts.
class Renamer : public Pass {
 public:
  explicit Renamer(int changes = 0) : changes_(changes) {}
  absl::string_view name() const override { return "renamer"; }
  absl::StatusOr<bool> Run(Module* module) override {
    ++runs;
    if (changes_-- <= 0) return false;
    module->set_name(module->name() + "'");
    return true;
  }
  int runs = 0;

 private:
  int changes_;
};

TEST(PipelineTest, APassThatFoundNothingRunsAgainOnlyAfterAChange) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  auto* first = pipeline.Add<Renamer>();
  auto* changing = pipeline.Add<Renamer>(1);
  auto* last = pipeline.Add<Renamer>();
  pipeline.RunToFixedPoint();
  Recorder recorder;
  pipeline.AddObserver(&recorder);
  ASSERT_TRUE(*pipeline.Run(module.get()));
  EXPECT_EQ(pipeline.rounds(), 2);
  EXPECT_EQ(first->runs, 2);
  EXPECT_EQ(changing->runs, 2);
  EXPECT_EQ(last->runs, 1) << "nothing had changed since its first run";
  EXPECT_EQ(recorder.steps.size(), 8u) << "observers hear of all of them";
  // Whoever has the module between two runs may change it.
  ASSERT_FALSE(*pipeline.Run(module.get()));
  EXPECT_EQ(last->runs, 2);
}

TEST(PipelineTest, PassesOfOneIdentityRunOnceBetweenChanges) {
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("outer");
  auto* first = pipeline.Add<Renamer>();
  first->set_identity("same");
  auto* inner = pipeline.Add<Pipeline>("inner");
  auto* second = inner->Add<Renamer>();
  second->set_identity("same");
  auto* on_threads = inner->Add<Renamer>();
  on_threads->set_identity("same");
  on_threads->set_execution_threads({"host"});
  auto* other = inner->Add<Renamer>();
  other->set_identity("other");
  ASSERT_FALSE(*pipeline.Run(module.get()));
  EXPECT_EQ(first->runs, 1);
  EXPECT_EQ(second->runs, 0);
  EXPECT_EQ(on_threads->runs, 1) << "it works on other computations";
  EXPECT_EQ(other->runs, 1);
  inner->Add<Renamer>(1);
  auto* third = pipeline.Add<Renamer>();
  third->set_identity("same");
  ASSERT_TRUE(*pipeline.Run(module.get()));
  EXPECT_EQ(third->runs, 1) << "something had changed";
}

TEST(PipelineTest, APassRunsWhenTheModuleHoldsWhatItWorksOn) {
  auto runs = [](absl::string_view words) {
    auto module = ParseOrDie(kModule);
    Pipeline pipeline("p");
    auto* pass = pipeline.Add<Renamer>();
    pass->set_works_on(Contents::OfWords(words));
    EXPECT_FALSE(*pipeline.Run(module.get()));
    return pass->runs;
  };
  EXPECT_EQ(runs("gather exponential"), 1);
  EXPECT_EQ(runs("gather f64 empty dynamic"), 0);
  EXPECT_EQ(runs("f32"), 1);
}

TEST(PipelineTest, WhatAPassMakesTheNextOneFinds) {
  class Negater : public Pass {
   public:
    absl::string_view name() const override { return "negater"; }
    absl::StatusOr<bool> Run(Module* module) override {
      Computation* entry = module->entry();
      entry->set_root(entry->Add(Opcode::kNegate, entry->root()->shape(),
                                 {entry->root()}));
      return true;
    }
  };
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  std::vector<Renamer*> finders;
  for (int k = 0; k < 2; ++k) {
    finders.push_back(pipeline.Add<Renamer>());
    finders[k]->set_works_on(Contents::OfWords("negate"));
    pipeline.Add<Negater>();
  }
  ASSERT_TRUE(*pipeline.Run(module.get()));
  EXPECT_EQ(finders[0]->runs, 0);
  EXPECT_EQ(finders[1]->runs, 1);
}

TEST(ContentsTest, SeesElementsOfTuplesAndFusions) {
  auto module = ParseOrDie(R"(
f {
  p = f32[4] parameter(0)
  ROOT r = f32[4] cosine(p)
}
ENTRY e {
  p = (f32[4], (s4[2,0], f32[<=3])) parameter(0)
  g = f32[4] get-tuple-element(p), index=0
  ROOT f = f32[4] fusion(g), kind=kLoop, calls=f
})");
  const Contents contents(*module);
  for (const char* word : {"cosine", "fusion", "s4", "empty", "dynamic"}) {
    EXPECT_TRUE(contents.HasAnyOf(Contents::OfWords(word))) << word;
  }
  EXPECT_FALSE(contents.HasAnyOf(Contents::OfWords("sine u4 add")));
}

TEST(PipelineTest, ObserversCanMakeAPassAgain) {
  class Rows : public PassObserver {
   public:
    absl::Status OnStep(const Step& step, const Module&) override {
      rows.push_back(absl::StrCat(step.previous_row, ">", step.next_row));
      return absl::OkStatus();
    }
    std::vector<std::string> rows;
  };
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"cse:layout"});
  pipeline.Add<Renamer>();
  Rows rows;
  pipeline.AddObserver(&rows);
  ASSERT_TRUE(pipeline.Run(module.get()).ok());
  EXPECT_THAT(rows.rows, ElementsAre("pipeline-start>cse:layout",
                                     "cse:layout>renamer",
                                     "renamer>pipeline-end"));
}

TEST(RegistryTest, NamesTheNearestPass) {
  EXPECT_THAT(std::string(CreatePass("tuple-simplifer").status().message()),
              HasSubstr("tuple-simplifier"));
}

std::vector<std::string> DumpedNames(const std::string& pass_re) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("d");
  debug.set_xla_dump_hlo_pass_re(pass_re);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io, warnings);
  auto module = ParseOrDie(kModule);
  Pipeline pipeline("p");
  AddPasses(&pipeline, {"cse", "dce"});
  DumpObserver observer(&dumper);
  observer.Attach(&pipeline, *module);
  EXPECT_TRUE(pipeline.Run(module.get()).ok());
  std::vector<std::string> names;
  for (const auto& [path, contents] : files.Files()) {
    names.push_back(std::string(BaseName(path)));
  }
  EXPECT_EQ(err.str(), "");
  return names;
}

// Fails a check when it comes to an instruction of the name "bad".
class FailingPass : public Pass {
 public:
  absl::string_view name() const override { return "failing"; }
  absl::StatusOr<bool> Run(Module* module) override {
    Activity activity("simplifying");
    for (const Instruction* i : module->entry()->instructions()) {
      activity.set_object(i->name());
      HLOKIT_CHECK(i->name() != "bad");
    }
    return false;
  }
};

TEST(PipelineTest, AFailedCheckIsAnErrorThatNamesPassAndInstruction) {
  auto module = ParseOrDie("ENTRY e { good = f32[] parameter(0)\n"
                           "ROOT bad = f32[] negate(good) }");
  Pipeline pipeline("p");
  pipeline.Add<FailingPass>();
  const absl::Status status = pipeline.Run(module.get()).status();
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith("pass failing: internal error: "),
                    HasSubstr("while simplifying bad, running pass failing"),
                    HasSubstr("please report")));
}

TEST(DumpObserverTest, NumbersTheFilesOfEachPass) {
  EXPECT_THAT(
      DumpedNames("."),
      ElementsAre("module_0000.m.0000.p.after_pipeline-start.before_cse.txt",
                  "module_0000.m.0001.p.after_cse.before_dce.txt",
                  "module_0000.m.0002.p.after_dce.before_pipeline-end.txt"));
}

TEST(DumpObserverTest, DotStarLeavesOutPassesThatChangedNothing) {
  EXPECT_THAT(
      DumpedNames(".*"),
      ElementsAre("module_0000.m.0000.p.after_pipeline-start.before_cse.txt",
                  "module_0000.m.0001.p.after_cse.before_dce.txt"));
}

TEST(DumpObserverTest, MatchesEitherNeighbour) {
  EXPECT_THAT(
      DumpedNames("pipeline-end"),
      ElementsAre("module_0000.m.0000.p.after_dce.before_pipeline-end.txt"));
}

TEST(DumpObserverTest, WhatPassesFuseIsTold) {
  MemoryIo memory;
  auto& [files, out, err, io] = memory;
  xla::DebugOptions debug = DefaultDebugOptions();
  debug.set_xla_dump_to("d");
  debug.set_xla_dump_fusion_visualization(true);
  std::vector<std::string> warnings;
  Dumper dumper(MakeDumpOptions(debug, nullptr, &warnings), io, warnings);
  auto module = ParseOrDie(R"(
HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  ROOT b = f32[4] abs(a)
})");
  Pipeline pipeline("p");
  AddPasses(pipeline.Add<Pipeline>("inner"), {"fusion"});
  DumpObserver observer(&dumper);
  observer.Attach(&pipeline, *module);
  EXPECT_TRUE(pipeline.Run(module.get()).ok());
  const auto& steps = dumper.Fusions(*module)->steps();
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps.at("e")[0].text, "fusion: a into b: abs_fusion");
  dumper.DumpFusionVisualization(*module);
  EXPECT_TRUE(files.Exists("d/e.module_0000.m._fusion.html"));
}

}  // namespace
}  // namespace hlokit
