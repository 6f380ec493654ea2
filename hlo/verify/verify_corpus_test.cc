// Every module that XLA itself accepts must hold; runs over the optional
// corpora beside the project.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/compression.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"
#include "hlo/verify/test_modules.h"

namespace hlokit {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kCorpora[] = HLOKIT_SOURCE_DIR "/../shared/corpora/";

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)),
                    std::istreambuf_iterator<char>());
  auto plain = Decompress(bytes);
  return plain.ok() ? *plain : "";
}

std::vector<fs::path> FilesUnder(const std::string& folder,
                                 std::vector<std::string> endings) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    for (const std::string& ending : endings) {
      if (absl::EndsWith(entry.path().string(), ending)) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Expects no findings in any of the files; files in which a name of
// `exceptions` occurs are left out.
void ExpectSound(const std::vector<fs::path>& files,
                 const VerifierOptions& options,
                 const std::vector<std::string>& exceptions = {}) {
  if (files.empty()) GTEST_SKIP() << "no corpora in " << kCorpora;
  for (const fs::path& file : files) {
    bool excepted = false;
    for (const std::string& name : exceptions) {
      excepted = excepted || absl::StrContains(file.string(), name);
    }
    if (excepted) continue;
    EXPECT_EQ(Findings(ReadAll(file), options), "") << file;
  }
}

VerifierOptions AnyDimension(VerifierOptions options = {}) {
  options.allow_unbounded_dynamism = true;
  return options;
}

TEST(VerifyCorpus, UpstreamModulesHold) {
  ExpectSound(FilesUnder(std::string(kCorpora) + "upstream_hlo_golden/xla",
                         {".golden.txt", ".golden.txt.zst"}),
              AnyDimension());
}

TEST(VerifyCorpus, OpModulesHold) {
  ExpectSound(FilesUnder(std::string(kCorpora) + "hlo_ops", {".hlo"}), {});
}

TEST(VerifyCorpus, JaxModulesHoldBeforeOptimization) {
  ExpectSound(FilesUnder(std::string(kCorpora) + "jax_dumps",
                         {"/before_optimizations.txt",
                          "/before_optimizations.txt.zst"}),
              {});
}

TEST(VerifyCorpus, JaxModulesHoldAfterOptimization) {
  ExpectSound(FilesUnder(std::string(kCorpora) + "jax_dumps",
                         {"/cpu_after_optimizations.txt",
                          "/cpu_after_optimizations.txt.zst"}),
              {});
}

TEST(VerifyCorpus, JaxModulesHoldInLayoutModeAfterOptimization) {
  ExpectSound(FilesUnder(std::string(kCorpora) + "jax_dumps",
                         {"/cpu_after_optimizations.txt",
                          "/cpu_after_optimizations.txt.zst"}),
              LayoutMode());
}

TEST(VerifyCorpus, FieldCasesWithWrongTypesAreRefused) {
  std::string folder = std::string(kCorpora) + "field_cases/";
  if (!fs::exists(folder)) GTEST_SKIP() << "no corpora in " << kCorpora;
  EXPECT_THAT(Findings(ReadAll(folder + "shape_mismatch_add.hlo")),
              AllOf(HasSubstr("f32[]"), HasSubstr("f64[1]")));
  EXPECT_THAT(Findings(ReadAll(folder + "parameter_numbers_gap.hlo")),
              HasSubstr("parameter 1"));
}

}  // namespace
}  // namespace hlokit
