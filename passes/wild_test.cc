// Every pass on modules of all kinds: no crash, no broken rule, no lie about
// changes; and on small modules of every operation and type, the same values.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/pass.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

VerifierOptions AnyDimension() {
  VerifierOptions options;
  options.allow_unbounded_dynamism = true;
  return options;
}

struct Sample {
  std::string name, text;
};

// The modules of files that are sound before any pass.
std::vector<Sample> Sound(const std::vector<std::string>& files) {
  std::vector<Sample> samples;
  for (const std::string& file : files) {
    int part = 0;
    const std::string bytes = ReadCorpusFile(file);
    for (const ModuleText& piece : SplitModules(bytes)) {
      auto module = ParseModule(piece.text);
      if (!module.ok() || (*module)->entry() == nullptr ||
          (*module)->instruction_count() > 20000 ||
          !VerifyModule(**module, AnyDimension()).ok()) {
        continue;
      }
      samples.push_back(
          {absl::StrCat(file, " ", part++), std::string(piece.text)});
    }
  }
  return samples;
}

std::string Fault(const PassInfo& info, Module* module) {
  HonestyChecks honesty;
  honesty.silent_change = honesty.noop_change = true;
  Pipeline pipeline("p");
  pipeline.AddPass(info.create());
  pipeline.set_honesty_checks(honesty);
  const Contents contents(*module);
  const auto changed = pipeline.Run(module);
  if (!changed.ok()) return absl::StrCat(changed.status().message());
  const absl::Status verified = VerifyModule(*module, AnyDimension());
  if (!verified.ok()) return absl::StrCat(verified.message());
  if (!*changed) return "";
  if (!IsKnownWork(info.name, contents)) return "works_on.def forgets this";
  const auto again = info.create()->Run(module);
  if (!again.ok()) return absl::StrCat("again: ", again.status().message());
  return *again ? "changes what it has changed once more" : "";
}

void ExpectNoFaults(const std::vector<std::string>& files) {
  UseInterpreterForConstants();
  const std::vector<Sample> samples = Sound(files);
  if (samples.empty()) GTEST_SKIP() << "no corpora";
  for (const PassInfo& info : AllPasses()) {
    int faults = 0;
    for (const Sample& sample : samples) {
      // The pass hlo-verifier knows no unbounded dimensions, as XLA's.
      if (info.name == "hlo-verifier" &&
          absl::StrContains(sample.text, "[?")) {
        continue;
      }
      auto module = ParseModule(sample.text);
      ASSERT_TRUE(module.ok());
      const std::string fault = Fault(info, module->get());
      EXPECT_EQ(fault, "") << info.name << " on " << sample.name;
      faults += !fault.empty();
      if (faults > 3) break;
    }
  }
}

TEST(WildTest, UpstreamModules) {
  ExpectNoFaults(CorpusFiles("upstream_hlo_golden/xla",
                             {".golden.txt", ".golden.txt.zst"}));
}

TEST(WildTest, OptimizedModules) {
  ExpectNoFaults(CorpusFiles("jax_dumps", {"/cpu_after_optimizations.txt"}));
}

// What belongs to the module and not to a computation. (copy-insertion flattens
// the call graph first.)
bool KnowsNoThreads(absl::string_view pass) {
  for (absl::string_view whole :
       {"alias_passthrough_params", "copy-insertion", "despecializer",
        "flatten-call-graph", "optimize_input_output_buffer_alias",
        "sub-byte-size-removal", "sub-byte-size-setter"}) {
    if (pass == whole) return true;
  }
  return absl::StrContains(pass, "schedule");
}

TEST(WildTest, PassesLeaveOtherThreadsAlone) {
  UseInterpreterForConstants();
  const std::vector<Sample> samples =
      Sound(CorpusFiles("jax_dumps", {"/before_optimizations.txt",
                                      "/cpu_after_optimizations.txt"}));
  if (samples.empty()) GTEST_SKIP() << "no corpora";
  for (const PassInfo& info : AllPasses()) {
    if (KnowsNoThreads(info.name)) continue;
    for (const Sample& sample : samples) {
      if (sample.text.size() > 200'000) continue;
      auto module = ParseModule(sample.text);
      ASSERT_TRUE(module.ok());
      auto pass = info.create();
      pass->set_execution_threads({"nobody"});
      const auto changed = pass->Run(module->get());
      const bool idle = changed.ok() && !*changed;
      EXPECT_TRUE(idle) << info.name << " on " << sample.name;
      if (!idle) break;
    }
  }
}

TEST(WildTest, EveryOperationAndTypeKeepsItsValues) {
  UseInterpreterForConstants();
  const std::vector<Sample> samples = Sound(CorpusFiles("hlo_ops", {".hlo"}));
  if (samples.empty()) GTEST_SKIP() << "no corpora";
  int executed = 0;
  for (const Sample& sample : samples) {
    auto before = ParseModule(sample.text);
    ASSERT_TRUE(before.ok());
    const auto arguments = FakeArguments(**before, 5);
    const auto expected = ExecuteModule(**before, arguments, 100'000);
    executed += expected.ok();
    for (const PassInfo& info : AllPasses()) {
      auto module = (*before)->Clone();
      EXPECT_EQ(Fault(info, module.get()), "")
          << info.name << " on " << sample.name;
      if (!expected.ok()) continue;
      const auto actual = ExecuteModule(*module, arguments);
      ASSERT_TRUE(actual.ok())
          << actual.status() << info.name << " on " << sample.name;
      EXPECT_EQ(ValueDifference(*expected, *actual, 0.02), "")
          << info.name << " on " << sample.name << "\n"
          << ToString(*module);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(executed, 40);
}

}  // namespace
}  // namespace hlokit
