#include "passes/pipelines.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace hlokit {
namespace {

// A pipeline: its passes blank-separated in order, as CreatePass names them.
// "{x}" stands for the nested pipeline x. A pipeline none of whose passes is
// here is only listed.
struct PipelineRow {
  absl::string_view name;
  bool fixed_point;
  bool nested;
  absl::string_view passes;
};

constexpr absl::string_view kSimplification =
    "algsimp simplify-sorts dce gather_expander gather_simplifier "
    "tree_reduction_rewriter zero_sized_hlo_elimination "
    "while-loop-invariant-code-motion tuple-simplifier "
    "while-loop-constant-sinking simplify-while-loops dce reshape-mover "
    "constant_folding simplify-conditional";

constexpr PipelineRow kCpu[] = {
    {"async-collective", false, false, "async-collective-replacer"},
    {"pre-spmd-partitioner", false, false,
     "strip-memory-placement-annotations"},
    {"spmd-partitioner", false, false,
     "shardy-xla sharding-propagation spmd-partitioning"},
    {"sharding-removal", false, false,
     "flatten-call-graph sharding-remover control-dep-rewriter dce"},
    {"SubbytePacker pipeline", false, false, "sub-byte-size-setter"},
    {"HLO passes through layout assignment", false, false,
     "batched_gather_scatter_normalizer result_caster dot_decomposer "
     "operand_upcaster rng-expander rng-bit-generator-expander "
     "zero_sized_hlo_elimination dynamic-index-splitter conditional-to-select "
     "map-inline topk-decomposer comparison-expander cholesky_expander "
     "qr_expander eigh_expander triangular_solve_expander "
     "all_to_all_decomposer stochastic_convert_decomposer "
     "call-inliner:single batch-dot-simplification dot_decomposer "
     "all-reduce-promotion float-normalization-bf16 "
     "float-normalization-f8e5m2 float-normalization-f8e4m3 "
     "float-normalization-f8e4m3fn float-normalization-f8e4m3b11fnuz "
     "float-normalization-f8e5m2fnuz float-normalization-f8e4m3fnuz "
     "float-normalization-f8e3m4 float-normalization-s4 "
     "float-normalization-u4 float-normalization-f4e2m1fn "
     "float-normalization-f8e8m0fnu batch-dot-simplification "
     "convolution-group-converter convolution-group-converter "
     "batchnorm_expander logistic-expander conditional-canonicalizer "
     "dynamic-dimension-simplifier associative-scan-rewriter "
     "{reduce-window} scan_expander dynamic_padder "
     "convolution-canonicalization change-op-data-type {simplification} "
     "select_and_scatter_expander scatter_expander scatter_simplifier "
     "{post_scatter_expansion_simplification} gemv-rewriter "
     "bitcast_dtypes_expander topk-rewriter transpose-folding cse "
     "cse_barrier_expander tuple-simplifier while-loop-trip-count-annotator "
     "flatten-call-graph layout-assignment sub-byte-size-setter "
     "shape-canonicalizer literal-canonicalizer"},
    {"reduce-window", true, true,
     "reduce-window-rewriter reduce-window-resizer"},
    {"simplification", true, true, kSimplification},
    {"post_scatter_expansion_simplification", true, true, kSimplification},
    {"hlo normalization", false, false,
     "reshape-decomposer reduce-decomposer broadcast_canonicalizer"},
    {"dot-library-passes", false, false, "dot-library-rewriter"},
    {"HLO passes after layout assignment", false, false,
     "{after layout assignment} reshape-decomposer fusion fusion-wrapper "
     "cpu-all-reduce-combiner tuple-simplifier "
     "{simplification after layout assignment} "
     "cpu-parallel-task-assigner dce "
     "optimize_input_output_buffer_alias copy-insertion "
     "small-while-loop-hoisting propagate-call-metadata "
     "apply-xla-transforms dce"},
    {"after layout assignment", false, true, ""},
    {"simplification after layout assignment", true, true,
     "algsimp:layout dce cse:layout"},
};

constexpr PipelineRow kCpuBackend[] = {
    {"scheduling", false, false, "hlo-memory-scheduler"},
    {"HLO passes after scheduling", false, false, "apply-xla-transforms"},
};

const PipelineRow* FindRow(absl::string_view name) {
  for (const PipelineRow& row : kCpu) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// The words of a row; those of nested pipelines may hold blanks.
std::vector<absl::string_view> Words(absl::string_view passes) {
  std::vector<absl::string_view> words;
  while (!passes.empty()) {
    const bool nested = passes[0] == '{';
    const size_t end = passes.find(nested ? '}' : ' ');
    const absl::string_view word = passes.substr(0, end);
    if (!word.empty()) words.push_back(word);
    passes = end == absl::string_view::npos ? "" : passes.substr(end + 1);
  }
  return words;
}

// Adds the row's passes to `pipeline` and lists them in `entries`.
void Fill(const PipelineRow& row, absl::string_view path, Pipeline* pipeline,
          std::vector<PipelineEntry>* entries) {
  if (row.fixed_point) pipeline->RunToFixedPoint();
  for (absl::string_view word : Words(row.passes)) {
    if (absl::ConsumePrefix(&word, "{")) {
      Fill(*FindRow(word), absl::StrCat(path, "/", word),
           pipeline->Add<Pipeline>(std::string(word)), entries);
      continue;
    }
    absl::StatusOr<std::unique_ptr<Pass>> pass = CreatePass(word);
    const absl::string_view name = word.substr(0, word.find(':'));
    entries->push_back({std::string(path), std::string(name), pass.ok()});
    if (pass.ok()) pipeline->AddPass(*std::move(pass));
  }
}

std::vector<std::unique_ptr<Pipeline>> Make(
    absl::Span<const PipelineRow> rows, std::vector<PipelineEntry>* entries) {
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  for (const PipelineRow& row : rows) {
    if (row.nested) continue;
    auto pipeline = std::make_unique<Pipeline>(std::string(row.name));
    Fill(row, row.name, pipeline.get(), entries);
    if (pipeline->passes().empty()) continue;
    pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

}  // namespace

std::vector<PipelineEntry> CpuPipelineEntries() {
  std::vector<PipelineEntry> entries;
  Make(kCpu, &entries);
  Make(kCpuBackend, &entries);
  return entries;
}

std::vector<std::unique_ptr<Pipeline>> CpuPipelines() {
  std::vector<PipelineEntry> entries;
  return Make(kCpu, &entries);
}

std::vector<std::unique_ptr<Pipeline>> CpuBackendPipelines() {
  std::vector<PipelineEntry> entries;
  return Make(kCpuBackend, &entries);
}

}  // namespace hlokit
