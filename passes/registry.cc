#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/suggest.h"
#include "passes/pass.h"
#include "passes/control/call_inliner.h"
#include "passes/control/conditional_canonicalizer.h"
#include "passes/control/conditional_to_select.h"
#include "passes/control/flatten_call_graph.h"
#include "passes/control/map_inline.h"
#include "passes/control/simplify_conditional.h"
#include "passes/control/simplify_while_loops.h"
#include "passes/control/while_loop_constant_sinking.h"
#include "passes/control/while_loop_invariant_code_motion.h"
#include "passes/control/while_loop_trip_count_annotator.h"
#include "passes/dots/batch_dot_simplification.h"
#include "passes/dots/dot_decomposer.h"
#include "passes/dots/dot_merger.h"
#include "passes/dots/transpose_folding.h"
#include "passes/expand/associative_scan_rewriter.h"
#include "passes/expand/assume_gather_indices_in_bound_rewrite_to_copy.h"
#include "passes/expand/batched_gather_scatter_normalizer.h"
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
#include "passes/expand/gpu_scatter_expander.h"
#include "passes/expand/logistic_expander.h"
#include "passes/expand/qr_expander.h"
#include "passes/expand/ragged_dot_rewriter.h"
#include "passes/expand/real_imag_expander.h"
#include "passes/expand/reduce_window_rewriter.h"
#include "passes/expand/reduce_window_to_reduce_and_broadcast.h"
#include "passes/expand/rng_bit_generator_expander.h"
#include "passes/expand/rng_expander.h"
#include "passes/expand/scan_expander.h"
#include "passes/expand/scatter_determinism_expander.h"
#include "passes/expand/scatter_expander.h"
#include "passes/expand/select_and_scatter_expander.h"
#include "passes/expand/stable_sort_expander.h"
#include "passes/expand/stochastic_convert_decomposer.h"
#include "passes/expand/topk_decomposer.h"
#include "passes/expand/topk_rewriter.h"
#include "passes/expand/triangular_solve_expander.h"
#include "passes/simplify/algsimp.h"
#include "passes/simplify/constant_folding.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "passes/simplify/tuple_simplifier.h"
#include "passes/simplify/zero_sized_hlo_elimination.h"
#include "passes/types/change_op_data_type.h"
#include "passes/types/element_type_converter.h"
#include "passes/types/float_normalization.h"
#include "passes/types/operand_upcaster.h"
#include "passes/types/result_caster.h"
#include "passes/types/simplify_fp_conversions.h"

namespace hlokit {
namespace {

const std::vector<PassInfo>& Passes() {
  static const auto* passes = [] {
    auto* rows = new std::vector<PassInfo>{
#define HLO_PASS(name, purpose, header, Class, ...)                  \
  {name, purpose, header, +[]() -> std::unique_ptr<Pass> {           \
     return std::make_unique<Class>(__VA_ARGS__);                    \
   }},
#include "passes/passes.def"
    };
    std::sort(rows->begin(), rows->end(),
              [](const PassInfo& a, const PassInfo& b) {
                return a.name < b.name;
              });
    return rows;
  }();
  return *passes;
}

}  // namespace

absl::Span<const PassInfo> AllPasses() { return Passes(); }

absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const PassInfo& info : Passes()) {
    if (info.name == name) return info.create();
    names.push_back(info.name);
  }
  return NotFound("no pass is called '%s'%s", name, DidYouMean(name, names));
}

}  // namespace hlokit
