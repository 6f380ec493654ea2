#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "base/suggest.h"
#include "passes/pass.h"
#include "passes/backend/alias_passthrough_params.h"
#include "passes/backend/apply_xla_transforms.h"
#include "passes/backend/copy_insertion.h"
#include "passes/backend/cpu_parallel_task_assigner.h"
#include "passes/backend/defuser.h"
#include "passes/backend/despecializer.h"
#include "passes/backend/fusion.h"
#include "passes/backend/fusion_constant_sinking.h"
#include "passes/backend/fusion_wrapper.h"
#include "passes/backend/hlo_descheduler.h"
#include "passes/backend/hlo_memory_scheduler.h"
#include "passes/backend/hlo_trivial_scheduler.h"
#include "passes/backend/hlo_verifier.h"
#include "passes/backend/instruction_hoister.h"
#include "passes/backend/layout_assignment.h"
#include "passes/backend/multi_output_fusion.h"
#include "passes/backend/optimize_input_output_buffer_alias.h"
#include "passes/backend/reduce_decomposer.h"
#include "passes/backend/rematerialization.h"
#include "passes/backend/reshape_decomposer.h"
#include "passes/backend/root_instruction_sinker.h"
#include "passes/backend/small_while_loop_hoisting.h"
#include "passes/collectives/all_reduce_contiguous.h"
#include "passes/collectives/all_reduce_folder.h"
#include "passes/collectives/all_reduce_simplifier.h"
#include "passes/collectives/async_collective_replacer.h"
#include "passes/collectives/collective_combiner.h"
#include "passes/collectives/convert_async_collectives_to_sync.h"
#include "passes/control/call_inliner.h"
#include "passes/control/conditional_canonicalizer.h"
#include "passes/control/conditional_to_select.h"
#include "passes/control/flatten_call_graph.h"
#include "passes/control/map_inline.h"
#include "passes/control/propagate_call_metadata.h"
#include "passes/control/simplify_conditional.h"
#include "passes/control/simplify_while_loops.h"
#include "passes/control/while_loop_constant_sinking.h"
#include "passes/control/while_loop_invariant_code_motion.h"
#include "passes/control/while_loop_trip_count_annotator.h"
#include "passes/control/while_loop_unroller.h"
#include "passes/dots/batch_dot_simplification.h"
#include "passes/dots/convolution_canonicalization.h"
#include "passes/dots/dot_decomposer.h"
#include "passes/dots/dot_dimension_merger.h"
#include "passes/dots/dot_dimension_sorter.h"
#include "passes/dots/dot_merger.h"
#include "passes/dots/dot_normalizer.h"
#include "passes/dots/gemv_rewriter.h"
#include "passes/dots/transpose_folding.h"
#include "passes/expand/all_to_all_decomposer.h"
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
#include "passes/expand/gpu_scatter_expander.h"
#include "passes/expand/logistic_expander.h"
#include "passes/expand/qr_expander.h"
#include "passes/expand/ragged_dot_rewriter.h"
#include "passes/expand/real_imag_expander.h"
#include "passes/expand/reduce_window_resizer.h"
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
#include "passes/expand/topk_splitter.h"
#include "passes/expand/triangular_solve_expander.h"
#include "passes/library_calls/library_call_expander.h"
#include "passes/simplify/add_original_value.h"
#include "passes/simplify/algsimp.h"
#include "passes/simplify/assume_gather_indices_in_bound_rewrite_to_copy.h"
#include "passes/simplify/batched_gather_scatter_normalizer.h"
#include "passes/simplify/broadcast_canonicalizer.h"
#include "passes/simplify/computation_deduplicator.h"
#include "passes/simplify/constant_folding.h"
#include "passes/simplify/control_dep_remover.h"
#include "passes/simplify/control_dep_rewriter.h"
#include "passes/simplify/convert_mover.h"
#include "passes/simplify/cse.h"
#include "passes/simplify/dce.h"
#include "passes/simplify/dynamic_dimension_simplifier.h"
#include "passes/simplify/dynamic_padder.h"
#include "passes/simplify/gather_simplifier.h"
#include "passes/simplify/hlo_constant_splitter.h"
#include "passes/simplify/literal_canonicalizer.h"
#include "passes/simplify/reduction_degenerate_dim_remover.h"
#include "passes/simplify/reduction_dimension_grouper.h"
#include "passes/simplify/reshape_mover.h"
#include "passes/simplify/scatter_simplifier.h"
#include "passes/simplify/shape_canonicalizer.h"
#include "passes/simplify/sharding_remover.h"
#include "passes/simplify/simplify_sorts.h"
#include "passes/simplify/slice_sinker.h"
#include "passes/simplify/strip_memory_placement_annotations.h"
#include "passes/simplify/tree_reduction_rewriter.h"
#include "passes/simplify/tuple_simplifier.h"
#include "passes/simplify/zero_sized_hlo_elimination.h"
#include "passes/types/all_reduce_promotion.h"
#include "passes/types/bf16_mixed_precision_removal.h"
#include "passes/types/bfloat16_fold.h"
#include "passes/types/bfloat16_propagation.h"
#include "passes/types/change_op_data_type.h"
#include "passes/types/convert_operand_folding.h"
#include "passes/types/element_type_converter.h"
#include "passes/types/float_normalization.h"
#include "passes/types/operand_upcaster.h"
#include "passes/types/result_caster.h"
#include "passes/types/simplify_fp_conversions.h"
#include "passes/types/sub_byte_size_removal.h"
#include "passes/types/sub_byte_size_setter.h"

namespace hlokit {
namespace {

const std::vector<PassInfo>& Passes() {
  static const auto* passes = [] {
    auto* rows = new std::vector<PassInfo>{
#define HLO_PASS(name, purpose, header, Class, ...)      \
  {name, purpose, header, WorksOn(name),                 \
   +[]() -> std::unique_ptr<Pass> {                      \
     return std::make_unique<Class>(__VA_ARGS__);        \
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

// Passes with other options than their rows', as pipelines run them.
struct Variant {
  absl::string_view name;
  std::unique_ptr<Pass> (*create)();
};
constexpr Variant kVariants[] = {
    {"algsimp:layout",
     +[]() -> std::unique_ptr<Pass> {
       return std::make_unique<AlgebraicSimplifier>(/*layout_sensitive=*/true);
     }},
    {"call-inliner:single",
     +[]() -> std::unique_ptr<Pass> {
       return std::make_unique<CallInliner>(/*single_call_site=*/true);
     }},
    {"cse:layout",
     +[]() -> std::unique_ptr<Pass> {
       return std::make_unique<CommonSubexpressionElimination>(
           /*layout_sensitive=*/true);
     }},
};

std::unique_ptr<Pass> Identified(std::unique_ptr<Pass> pass,
                                 absl::string_view row) {
  pass->set_identity(std::string(row));
  const absl::string_view words = WorksOn(pass->name());
  if (!words.empty()) pass->set_works_on(Contents::OfWords(words));
  return pass;
}

}  // namespace

absl::Span<const PassInfo> AllPasses() { return Passes(); }

absl::StatusOr<std::unique_ptr<Pass>> CreatePass(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const PassInfo& info : Passes()) {
    if (info.name == name) return Identified(info.create(), name);
    names.push_back(info.name);
  }
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return Identified(variant.create(), name);
    names.push_back(variant.name);
  }
  if (IsAbsentPass(name)) {
    return NotFound("pass %s is one of XLA's that hlokit does not have", name);
  }
  const std::string near = DidYouMean(name, names);
  return NotFound("no pass is called '%s'%s", name,
                  near.empty() ? "; hlo-opt --list-passes lists them" : near);
}

bool IsAbsentPass(absl::string_view name) {
  static constexpr absl::string_view kAbsent[] = {
#define HLO_ABSENT_PASS(name) name,
#include "passes/absent_passes.def"
  };
  return absl::c_linear_search(kAbsent, name);
}

}  // namespace hlokit
