// Every expander on small modules of the corpora: what changes still verifies,
// is not changed by a second run and computes the same.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/expand/associative_scan_rewriter.h"
#include "passes/expand/batchnorm_expander.h"
#include "passes/expand/bitcast_dtypes_expander.h"
#include "passes/expand/cholesky_expander.h"
#include "passes/expand/comparison_expander.h"
#include "passes/expand/convolution_4d_expander.h"
#include "passes/expand/convolution_group_converter.h"
#include "passes/expand/convolution_pred_expander.h"
#include "passes/expand/convolution_type_canonicalizer.h"
#include "passes/expand/cse_barrier_expander.h"
#include "passes/expand/dynamic_index_splitter.h"
#include "passes/expand/eigh_expander.h"
#include "passes/expand/gather_expander.h"
#include "passes/expand/logistic_expander.h"
#include "passes/expand/qr_expander.h"
#include "passes/expand/ragged_dot_rewriter.h"
#include "passes/expand/real_imag_expander.h"
#include "passes/expand/reduce_window_rewriter.h"
#include "passes/expand/reduce_window_to_reduce_and_broadcast.h"
#include "passes/expand/rng_bit_generator_expander.h"
#include "passes/expand/rng_expander.h"
#include "passes/expand/scan_expander.h"
#include "passes/expand/scatter_expander.h"
#include "passes/expand/select_and_scatter_expander.h"
#include "passes/expand/stable_sort_expander.h"
#include "passes/expand/stochastic_convert_decomposer.h"
#include "passes/expand/topk_decomposer.h"
#include "passes/expand/topk_rewriter.h"
#include "passes/expand/triangular_solve_expander.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// Larger ones would take long here.
constexpr int64_t kMaxInstructions = 500;
constexpr int64_t kMaxSteps = 10'000;

std::vector<std::unique_ptr<Pass>> Expanders() {
  std::vector<std::unique_ptr<Pass>> passes;
  const auto add = [&](auto pass) {
    passes.push_back(std::make_unique<decltype(pass)>(std::move(pass)));
  };
  add(AssociativeScanRewriter());
  add(BatchNormExpander());
  add(BitcastDtypesExpander());
  add(CholeskyExpander());
  add(ComparisonExpander());
  add(Convolution4DExpander());
  add(ConvolutionGroupConverter());
  add(ConvolutionPredExpander());
  add(ConvolutionTypeCanonicalizer());
  add(CseBarrierExpander());
  add(DynamicIndexSplitter());
  add(EighExpander());
  add(GatherExpander(GatherExpander::kAll));
  add(LogisticExpander());
  add(QrExpander());
  add(RaggedDotRewriter());
  add(RealImagExpander());
  add(ReduceWindowRewriter());
  add(ReduceWindowToReduceAndBroadcast());
  add(RngBitGeneratorExpander());
  add(RngExpander());
  add(ScanExpander());
  add(ScatterExpander());
  add(SelectAndScatterExpander());
  add(StableSortExpander());
  add(StochasticConvertDecomposer());
  add(TopKDecomposer());
  add(TopKRewriter());
  add(TriangularSolveExpander());
  return passes;
}

struct Counts {
  int changed = 0;
  int executed = 0;
};

bool HasLargeArrays(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->shape().IsArray() && ElementsIn(i->shape()) > 50'000) return true;
    }
  }
  return false;
}

// Runs the pass; compares values where the module can be executed. Whether it
// changed.
bool Try(Pass* pass, absl::string_view text, Module* module, Counts* counts) {
  const absl::StatusOr<bool> changed = RunGuarded(pass, module);
  EXPECT_TRUE(changed.ok()) << changed.status();
  if (!changed.ok() || !*changed) return false;
  ++counts->changed;
  EXPECT_TRUE(VerifyModule(*module).ok())
      << VerifyModule(*module) << ToString(*module);
  const absl::StatusOr<bool> again = RunGuarded(pass, module);
  EXPECT_TRUE(again.ok() && !*again) << "changed twice";
  // These draw other numbers, or leave vectors free in their signs.
  if (pass->name() == "rng-expander" || pass->name() == "eigh_expander") {
    return true;
  }
  const auto original = ParseOrDie(text);
  if (HasLargeArrays(*original)) return true;
  const std::vector<Literal> arguments = FakeArguments(*original, 1);
  const auto before = ExecuteModule(*original, arguments, kMaxSteps);
  if (!before.ok()) return true;
  ++counts->executed;
  const auto after = ExecuteModule(*module, arguments, 1000 * kMaxSteps);
  EXPECT_TRUE(after.ok()) << after.status();
  if (!after.ok()) return true;
  EXPECT_EQ(ValueDifference(*before, *after, 5e-3), "");
  return true;
}

TEST(ExpandCorpusTest, KeepsTheMeaningOfSmallModules) {
  std::vector<std::string> files;
  for (const char* folder : {"hlo_ops", "field_cases", "upstream_hlo"}) {
    for (std::string& file : CorpusFiles(folder, {".hlo", ".txt"})) {
      files.push_back(std::move(file));
    }
  }
  if (files.empty()) GTEST_SKIP() << "no corpora";
  UseInterpreterForConstants();
  auto passes = Expanders();
  std::vector<Counts> counts(passes.size());
  for (const std::string& file : files) {
    const std::string text = ReadCorpusFile(file);
    if (text.size() > (1 << 20)) continue;
    for (const ModuleText& part : SplitModules(text)) {
      auto module = ParseModule(part.text);
      if (!module.ok() || (*module)->instruction_count() > kMaxInstructions ||
          !VerifyModule(**module).ok()) {
        continue;
      }
      for (size_t i = 0; i < passes.size(); ++i) {
        SCOPED_TRACE(absl::StrCat(passes[i]->name(), " on ", file, " ",
                                  part.name));
        if (Try(passes[i].get(), part.text, module->get(), &counts[i])) {
          module = ParseModule(part.text);
        }
      }
    }
  }
  int changed = 0, executed = 0;
  for (size_t i = 0; i < passes.size(); ++i) {
    changed += counts[i].changed;
    executed += counts[i].executed;
    printf("%-34s changed %4d  executed %4d\n", passes[i]->name().data(),
           counts[i].changed, counts[i].executed);
  }
  EXPECT_GT(changed, 60);
  EXPECT_GT(executed, 50);
}

}  // namespace
}  // namespace hlokit
