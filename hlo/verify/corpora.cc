#include "hlo/verify/corpora.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "base/compression.h"

namespace hlokit {
namespace {

namespace fs = std::filesystem;

const char* const kUnsoundUpstream[] = {
    // The entry layout has other element types.
    "builder/tests/math_next_after.hlo.part1.",
    "hlo_to_mhlo/tests/layouts_and_names.hlo.part1.",
    // Operands that do not fit the called computation.
    "tools/tests/generate_hlo_test_checks_test_input.hlo.part4.",
    "tools/tests/generate_hlo_test_checks_test_output.hlo.part4.",
    "xla/tools/print_indexing_test.hlo.",
    // Results of the wrong rank or size.
    "transforms/tests/operand_upcaster.hlo.",
    "transforms/tests/rewrite_bf16_conv_to_onednn.hlo.part1.",
    "hlo_to_mhlo/tests/while.hlo.",
    "data/invalid_concat.hlo.",
    // rng with a third operand.
    "transforms/tests/rng_expander.hlo.part",
    // Reducers and comparators that give tuples, windows of the wrong size.
    "hlo_to_mhlo/tests/import.hlo.",
    // Starts without the tuple that they must give.
    "hlo_to_mhlo/tests/import_async.hlo.part1.",
    "hlo_to_mhlo/tests/import_async.hlo.part10.",
    "hlo_to_mhlo/tests/import_async.hlo.part3.",
    // An alias of a whole tuple.
    "hlo_to_mhlo/tests/module_attributes.hlo.",
};

}  // namespace

std::string ReadCorpusFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)),
                    std::istreambuf_iterator<char>());
  auto plain = Decompress(bytes);
  return plain.ok() ? *plain : "";
}

std::vector<fs::path> CorpusFiles(const std::string& folder,
                                  const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  std::string root = kCorpora + folder;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    for (const std::string& ending : endings) {
      if (absl::EndsWith(entry.path().string(), ending)) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool IsUnsoundUpstream(const fs::path& file) {
  for (const char* name : kUnsoundUpstream) {
    if (absl::StrContains(file.string(), name)) return true;
  }
  return false;
}

}  // namespace hlokit
