// Every module that XLA itself accepts must hold; runs over the optional
// corpora beside the project.
#include <algorithm>
#include <string>
#include <vector>

#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/corpora.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Expects no findings in any of the files.
void ExpectSound(const std::vector<std::string>& files,
                 const VerifierOptions& options) {
  if (files.empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  for (const std::string& file : files) {
    EXPECT_EQ(Findings(ReadCorpusFile(file), options), "") << file;
  }
}

VerifierOptions AnyDimension() {
  VerifierOptions options;
  options.allow_unbounded_dynamism = true;
  return options;
}

std::vector<std::string> UpstreamFiles() {
  return CorpusFiles("upstream_hlo_golden/xla",
                     {".golden.txt", ".golden.txt.zst"});
}

std::vector<std::string> JaxFiles(const std::string& stage) {
  return CorpusFiles("jax_dumps", {"/" + stage + ".txt",
                                   "/" + stage + ".txt.zst"});
}

TEST(VerifyCorpus, UpstreamModulesHold) {
  std::vector<std::string> files = UpstreamFiles();
  files.erase(std::remove_if(files.begin(), files.end(), IsUnsoundUpstream),
              files.end());
  ExpectSound(files, AnyDimension());
}

TEST(VerifyCorpus, UnsoundUpstreamModulesAreRefused) {
  std::vector<std::string> files = UpstreamFiles();
  if (files.empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  int seen = 0;
  for (const std::string& file : files) {
    if (!IsUnsoundUpstream(file)) continue;
    ++seen;
    EXPECT_NE(Findings(ReadCorpusFile(file), AnyDimension()), "") << file;
  }
  EXPECT_EQ(seen, 14);
}

TEST(VerifyCorpus, OpModulesHold) {
  ExpectSound(CorpusFiles("hlo_ops", {".hlo"}), {});
}

TEST(VerifyCorpus, JaxModulesHoldBeforeOptimization) {
  ExpectSound(JaxFiles("before_optimizations"), {});
}

TEST(VerifyCorpus, JaxModulesHoldAfterOptimization) {
  ExpectSound(JaxFiles("cpu_after_optimizations"), {});
}

TEST(VerifyCorpus, JaxModulesHoldInLayoutModeAfterOptimization) {
  ExpectSound(JaxFiles("cpu_after_optimizations"), LayoutMode());
}

TEST(VerifyCorpus, FieldCasesWithWrongTypesAreRefused) {
  std::string folder = Corpora() + "field_cases";
  if (CorpusFiles("field_cases", {".hlo"}).empty()) GTEST_SKIP() << "no corpora in " << Corpora();
  EXPECT_THAT(Findings(ReadCorpusFile(folder + "/shape_mismatch_add.hlo")),
              AllOf(HasSubstr("f32[]"), HasSubstr("f64[1]")));
  EXPECT_THAT(Findings(ReadCorpusFile(folder + "/parameter_numbers_gap.hlo")),
              HasSubstr("parameter 1"));
}

}  // namespace
}  // namespace hlokit
