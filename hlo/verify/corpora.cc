#include "hlo/verify/corpora.h"

#include "absl/strings/match.h"

namespace hlokit {
namespace {

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

bool IsUnsoundUpstream(const std::string& file) {
  for (const char* name : kUnsoundUpstream) {
    if (absl::StrContains(file, name)) return true;
  }
  return false;
}

}  // namespace hlokit
