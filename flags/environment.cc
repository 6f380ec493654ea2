#include "flags/environment.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/suggest.h"
#include "flags/debug_options.h"
#include "flags/removed_flags.h"
#include "flags/value_text.h"

namespace hlokit {
namespace {

using Severity = VariableFinding::Severity;

constexpr EnvironmentVariable kVariables[] = {
    {"JAX_COMPILER_DETAILED_LOGGING_MIN_OPS", VariableKind::kInt, "JAX", "10",
     "",
     "Set xla_detailed_logging=false for modules with fewer operations",
     "It does not choose which modules are dumped: small ones are dumped too. "
     "Use --xla_dump_hlo_module_re in XLA_FLAGS for that."},
    {"JAX_DISABLE_MOST_OPTIMIZATIONS", VariableKind::kBool, "JAX", "false", "",
     "Lower the optimisation level in the compile options", ""},
    {"JAX_DUMP_IR_MODES", VariableKind::kWords, "JAX", "stablehlo",
     "stablehlo jaxpr jaxpr_html eqn_count_pprof",
     "Choose the forms that JAX_DUMP_IR_TO writes",
     "Files: jax_ir0000_jit_f_compile.mlir (stablehlo), "
     "jax_000000_f.jaxpr.txt, jax_000000_f.jaxpr.html, "
     "jax_000000_f.eqn_count_pprof."},
    {"JAX_DUMP_IR_TO", VariableKind::kFolder, "JAX", "", "",
     "Write what JAX hands to the compiler into this folder",
     "The folder is made when it is not there. This is StableHLO or jaxpr, not "
     "HLO; for HLO use --xla_dump_to in XLA_FLAGS."},
    {"JAX_EXPLAIN_CACHE_MISSES", VariableKind::kBool, "JAX", "false", "",
     "Log why something was traced or compiled again", ""},
    {"JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX", VariableKind::kText, "JAX",
     "", "", "Cut this out of the source file names in the metadata", ""},
    {"JAX_INCLUDE_DEBUG_INFO_IN_DUMPS", VariableKind::kBool, "JAX", "true", "",
     "Keep source locations in the files of JAX_DUMP_IR_TO", ""},
    {"JAX_INCLUDE_FULL_TRACEBACKS_IN_LOCATIONS", VariableKind::kBool, "JAX",
     "true", "", "Put whole call stacks into the metadata", ""},
    {"JAX_LOG_COMPILES", VariableKind::kBool, "JAX", "false", "",
     "Log each compilation", ""},
    {"JAX_TRACEBACK_IN_LOCATIONS_LIMIT", VariableKind::kInt, "JAX", "100", "",
     "Keep at most this many frames of a call stack in the metadata", ""},
    {"LIBTPU_INIT_ARGS", VariableKind::kLibtpuFlags, "libtpu", "", "",
     "Give libtpu its own flags (--xla_mosaic_dump_to, --xla_jf_dump_to, "
     "--xla_tpu_...)",
     "Flags are apart by blanks. libtpu ends the process for a flag that it "
     "does not know, --xla_dump_to among them: that one belongs into "
     "XLA_FLAGS. It is read once, at the first import of jax."},
    {"TEST_UNDECLARED_OUTPUTS_DIR", VariableKind::kText, "XLA and JAX", "", "",
     "Name the folder that 'sponge' stands for in --xla_dump_to and "
     "JAX_DUMP_IR_TO",
     ""},
    {"TF_XLA_FLAGS", VariableKind::kTfXlaFlags, "TensorFlow", "", "",
     "Give TensorFlow its flags for XLA (--tf_xla_auto_jit=2, ...)",
     "Flags are --name=value apart by blanks. TensorFlow ends the process for "
     "a flag that it does not know, --xla_dump_to among them: that one belongs "
     "into XLA_FLAGS."},
    {"XLA_FLAGS", VariableKind::kXlaFlags, "XLA", "", "",
     "Give XLA its flags, or name a file that holds them",
     "Flags are --name=value apart by blanks. It is read once, at the first "
     "compilation; `hlo-flags check` tells what XLA makes of it."},
};

constexpr LibtpuFlag kLibtpuFlags[] = {
    {"megascale_graph_hang_threshold",
     "Report a hang between slices only after this time", ""},
    {"megascale_grpc_premap_memory_bytes",
     "Map this much memory for transfers between slices", ""},
    {"tpu_enable_kernel_profiling", "Profile kernels",
     "a key of JAX's ProfileOptions.advanced_configuration, not a flag"},
    {"tpu_enable_periodic_counter_sampling", "Sample performance counters",
     "a key of JAX's ProfileOptions.advanced_configuration, not a flag"},
    {"xla_enable_all_gather_3d_emitter",
     "Emit all-gathers for a 3D torus", ""},
    {"xla_enable_async_all_gather",
     "Run all-gathers asynchronously", ""},
    {"xla_enable_async_all_reduce",
     "Run all-reduces asynchronously", ""},
    {"xla_enable_async_collective_permute",
     "Run collective-permutes asynchronously", ""},
    {"xla_enable_custom_call_region_trace",
     "Trace named regions of custom calls",
     "an older name; newer libtpu has --xla_xprof_enable_custom_call_tracing"},
    {"xla_jf_dump_debug_info", "Write debug information beside the LLO dumps",
     ""},
    {"xla_jf_dump_hlo_text", "Write HLO text beside the LLO dumps", ""},
    {"xla_jf_dump_isa_program_proto", "Write the machine program as a proto",
     ""},
    {"xla_jf_dump_llo_html", "Write LLO stages as HTML", ""},
    {"xla_jf_dump_llo_proto", "Write LLO as llo_module.pb", ""},
    {"xla_jf_dump_llo_static_gaps", "Write gaps in the static schedule", ""},
    {"xla_jf_dump_llo_text",
     "Write about 80 numbered LLO stages of each computation as text", ""},
    {"xla_jf_dump_to",
     "Write LLO (the TPU's low-level form) into this folder; needs one of the "
     "xla_jf_dump_llo_... flags",
     ""},
    {"xla_jf_dump_top_level_info", "Write top-level information",
     "libtpu dropped this flag"},
    {"xla_latency_hiding_scheduler_rerun",
     "Repeat scheduling with a smaller memory limit this often", ""},
    {"xla_max_concurrent_host_send_recv",
     "Limit concurrent transfers with the host", ""},
    {"xla_mosaic_dump_to",
     "Write each Pallas kernel after each stage of Mosaic into this folder, as "
     "NNNN-mosaic-dump-<kernel>-post-<stage>.txt; nothing for plain HLO",
     ""},
    {"xla_sc_disable_megacore_partitioning",
     "Do not split SparseCore work over megacores", ""},
    {"xla_should_add_loop_invariant_op_in_chain",
     "Pipeline loop-invariant operations with collectives", ""},
    {"xla_should_allow_loop_variant_parameter_in_chain",
     "Pipeline operations on loop-variant parameters", ""},
    {"xla_tpu_bundle_instrumentation_options",
     "Set trace_best_effort_frequency and trace_guaranteed_frequency", ""},
    {"xla_tpu_data_parallel_opt_different_sized_ops",
     "Pipeline data-parallel all-reduces of different sizes", ""},
    {"xla_tpu_decompose_all_gather_einsum",
     "Decompose an all-gather before a dot", ""},
    {"xla_tpu_enable_all_experimental_scheduler_features",
     "Turn on all experimental features of the scheduler", ""},
    {"xla_tpu_enable_async_collective_fusion",
     "Fuse asynchronous collectives with computations", ""},
    {"xla_tpu_enable_async_collective_fusion_fuse_all_gather",
     "Fuse asynchronous all-gathers with computations", ""},
    {"xla_tpu_enable_async_collective_fusion_multiple_steps",
     "Spread a fused collective over several steps", ""},
    {"xla_tpu_enable_data_parallel_all_reduce_opt",
     "Overlap data-parallel all-reduces", ""},
    {"xla_tpu_enable_latency_hiding_scheduler",
     "Schedule to hide latency", ""},
    {"xla_tpu_enable_sparse_core_collective_offload_all_gather",
     "Run all-gathers on SparseCore", ""},
    {"xla_tpu_enable_sparse_core_collective_offload_all_reduce",
     "Run all-reduces on SparseCore", ""},
    {"xla_tpu_megacore_fusion_allow_ags",
     "Let megacore fusion take all-gathers", ""},
    {"xla_tpu_overlap_compute_collective_tc",
     "Overlap computations and collectives on the TensorCore", ""},
    {"xla_tpu_scoped_vmem_limit_kib",
     "Limit the vector memory that one operation may use for itself", ""},
    {"xla_tpu_spmd_rng_bit_generator_unsafe",
     "Let each partition generate its own random bits", ""},
    {"xla_xprof_enable_custom_call_tracing",
     "Trace the inside of custom calls at run time",
     "libtpu before 0.0.44 ends the process for it"},
    {"xla_xprof_register_llo_debug_info",
     "Register LLO debug information for the profiler",
     "needs libtpu 0.0.42 or newer"},
};

constexpr absl::string_view kLibtpuPrefixes[] = {
    "xla_tpu_", "xla_jf_", "xla_mosaic_", "xla_xprof_", "xla_sc_",
    "xla_llo_", "xla_msa_", "megascale_", "deepsea_"};

using TfKind = TfFlagKind;

constexpr TfXlaFlag kTfXlaFlags[] = {
    {"tf_introduce_floating_point_jitter_amount", TfKind::kText,
     "Add jitter of this size to the tensors"},
    {"tf_introduce_floating_point_jitter_to_tensors", TfKind::kText,
     "Add jitter to these tensors"},
    {"tf_mlir_enable_merge_control_flow_pass", TfKind::kBool,
     "Merge control flow with the same condition"},
    {"tf_mlir_enable_mlir_bridge", TfKind::kBool,
     "Use the MLIR bridge between TensorFlow and XLA"},
    {"tf_xla_always_defer_compilation", TfKind::kBool,
     "Never compile a cluster at its first run"},
    {"tf_xla_async_compilation", TfKind::kBool,
     "Compile in the background and run without XLA until then"},
    {"tf_xla_auto_jit", TfKind::kAutoJit,
     "Choose what is compiled without a request: -1 off, 1 and 2 on, "
     "single-gpu(N)"},
    {"tf_xla_call_module_disabled_checks", TfKind::kText,
     "Turn off these checks of XlaCallModule"},
    {"tf_xla_check_cluster_input_numerics", TfKind::kBool,
     "Check the inputs of clusters for NaN and infinity"},
    {"tf_xla_check_cluster_output_numerics", TfKind::kBool,
     "Check the outputs of clusters for NaN and infinity"},
    {"tf_xla_cluster_exclude_ops", TfKind::kText,
     "Keep these operations out of clusters"},
    {"tf_xla_clustering_debug", TfKind::kBool, "Dump graphs while clustering"},
    {"tf_xla_clustering_fuel", TfKind::kInt,
     "Put at most this many operations into clusters"},
    {"tf_xla_compile_on_demand", TfKind::kBool,
     "Compile single operations when they run"},
    {"tf_xla_cpu_global_jit", TfKind::kBool,
     "Let the global setting of auto-clustering count for the CPU"},
    {"tf_xla_deterministic_cluster_names", TfKind::kBool,
     "Give clusters the same names in each run"},
    {"tf_xla_disable_constant_folding", TfKind::kBool,
     "Fold no constants before compilation"},
    {"tf_xla_disable_deadness_safety_checks_for_debugging", TfKind::kBool,
     "Leave out the checks of deadness; unsafe"},
    {"tf_xla_disable_resource_variable_safety_checks_for_debugging",
     TfKind::kBool, "Leave out the checks of resource variables; unsafe"},
    {"tf_xla_disable_strict_signature_checks", TfKind::kBool,
     "Do not compare signatures of cached executables"},
    {"tf_xla_enable_xla_devices", TfKind::kBool, "Make XLA_CPU and XLA_GPU"},
    {"tf_xla_max_cluster_size", TfKind::kInt,
     "Limit the operations in a cluster"},
    {"tf_xla_min_cluster_size", TfKind::kInt,
     "Make no cluster of fewer operations"},
    {"tf_xla_ops_to_cluster", TfKind::kText,
     "Put only these operations into clusters"},
    {"tf_xla_persistent_cache_device_types", TfKind::kText,
     "Cache executables of these devices only"},
    {"tf_xla_persistent_cache_directory", TfKind::kText,
     "Cache executables in this folder"},
    {"tf_xla_persistent_cache_prefix", TfKind::kText,
     "Begin the names of cached executables with this"},
    {"tf_xla_persistent_cache_read_only", TfKind::kBool,
     "Only read the cache of executables"},
    {"tf_xla_sparse_core_disable_table_stacking", TfKind::kBool,
     "Stack no tables of SparseCore"},
    {"tf_xla_use_device_api", TfKind::kBool, "Use the PJRT device API"},
    {"tf_xla_use_device_api_for_auto_jit", TfKind::kBool,
     "Use the PJRT device API for auto-clustering"},
    {"tf_xla_use_device_api_for_compile_on_demand", TfKind::kBool,
     "Use the PJRT device API for single operations"},
    {"tf_xla_use_device_api_for_xla_launch", TfKind::kBool,
     "Use the PJRT device API for requested compilations"},
};

template <typename T, size_t N>
const T* FindByName(const T (&table)[N], absl::string_view name) {
  for (const T& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool IsJaxBool(absl::string_view value) {
  static constexpr absl::string_view kWords[] = {
      "y", "yes", "t", "true", "on", "1", "n", "no", "f", "false", "off", "0"};
  const std::string lower = absl::AsciiStrToLower(value);
  return std::find(std::begin(kWords), std::end(kWords), lower) !=
         std::end(kWords);
}

class VariableChecker {
 public:
  VariableChecker(const EnvironmentVariable& variable,
                  const std::function<const char*(const char*)>& getenv)
      : variable_(variable), getenv_(getenv) {}

  std::vector<VariableFinding> Check(absl::string_view value) {
    switch (variable_.kind) {
      case VariableKind::kLibtpuFlags:
        CheckTokens(value, [&](absl::string_view name, absl::string_view token,
                               bool) { CheckLibtpuFlag(name, token); });
        break;
      case VariableKind::kTfXlaFlags:
        CheckTokens(value,
                    [&](absl::string_view name, absl::string_view token,
                        bool has_value) {
                      CheckTfXlaFlag(name, token, has_value);
                    });
        break;
      case VariableKind::kFolder: CheckFolder(value); break;
      case VariableKind::kWords: CheckWords(value); break;
      case VariableKind::kBool:
        if (!IsJaxBool(value)) {
          Add(Severity::kError, absl::StrFormat("'%s' is not true or false",
                                                value));
        }
        break;
      case VariableKind::kInt: {
        int64_t number;
        if (!absl::SimpleAtoi(value, &number)) {
          Add(Severity::kError,
              absl::StrFormat("'%s' is not a whole number", value));
        }
        break;
      }
      case VariableKind::kXlaFlags:
      case VariableKind::kText:
        break;
    }
    if (!variable_.more.empty()) {
      Add(Severity::kNote, std::string(variable_.more));
    }
    return std::move(findings_);
  }

 private:
  void Add(Severity severity, std::string message) {
    findings_.push_back({severity, std::move(message)});
  }

  void CheckFolder(absl::string_view value) {
    if (value == "sponge") {
      if (!getenv_ || getenv_("TEST_UNDECLARED_OUTPUTS_DIR") == nullptr) {
        Add(Severity::kError,
            "'sponge' needs TEST_UNDECLARED_OUTPUTS_DIR, which is not set");
      }
    } else if (absl::StartsWith(value, "~") || absl::StrContains(value, "$")) {
      Add(Severity::kWarning, "'~' and '$' are not expanded here");
    }
  }

  void CheckWords(absl::string_view value) {
    const std::vector<absl::string_view> known =
        absl::StrSplit(variable_.words, ' ');
    for (absl::string_view word : absl::StrSplit(value, ',')) {
      if (std::find(known.begin(), known.end(), word) != known.end()) continue;
      Add(Severity::kWarning,
          absl::StrCat("'", word, "' is not one of ", variable_.words,
                       DidYouMean(word, known)));
    }
  }

  // Calls check(name, token, has_value) for each flag.
  template <typename Check>
  void CheckTokens(absl::string_view value, Check check) {
    for (absl::string_view token :
         absl::StrSplit(value, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
      absl::string_view name = token.substr(0, token.find('='));
      if (!absl::StartsWith(name, "--")) {
        Add(Severity::kError,
            absl::StrCat("'", token, "' does not start with two dashes"));
        continue;
      }
      check(name.substr(2), token, name.size() < token.size());
    }
  }

  void CheckTfXlaFlag(absl::string_view name, absl::string_view token,
                      bool has_value) {
    const TfXlaFlag* flag = FindTfXlaFlag(name);
    if (flag == nullptr) {
      if (FindDebugFlag(name) != nullptr || FindRemovedFlag(name) != nullptr) {
        Add(Severity::kError,
            absl::StrCat(token, " belongs into XLA_FLAGS; TensorFlow ends the "
                                "process for it"));
        return;
      }
      std::vector<absl::string_view> names;
      for (const TfXlaFlag& one : kTfXlaFlags) names.push_back(one.name);
      // Newer TensorFlow has flags that are not in the table.
      Add(absl::StartsWith(name, "tf_") ? Severity::kWarning : Severity::kError,
          absl::StrCat("--", name, " is not known here",
                       DidYouMean(name, names),
                       "; TensorFlow ends the process for unknown flags"));
      return;
    }
    const absl::string_view value =
        has_value ? token.substr(token.find('=') + 1) : "true";
    bool boolean;
    int64_t number;
    if (!has_value && flag->kind != TfFlagKind::kBool) {
      Add(Severity::kError,
          absl::StrCat("it needs a value: --", name, "=VALUE"));
    } else if (flag->kind == TfFlagKind::kBool &&
               !ParseBoolText(value, &boolean)) {
      Add(Severity::kError, absl::StrCat("--", name, ": '", value,
                                         "' is not true or false"));
    } else if ((flag->kind == TfFlagKind::kInt ||
                (flag->kind == TfFlagKind::kAutoJit && value != "fusible" &&
                 !absl::StartsWith(value, "single-gpu("))) &&
               !absl::SimpleAtoi(value, &number)) {
      Add(Severity::kError, absl::StrCat("--", name, ": '", value,
                                         "' is not a whole number"));
    } else {
      Add(Severity::kNote, absl::StrCat("--", name, ": ", flag->help));
    }
  }

  void CheckLibtpuFlag(absl::string_view name, absl::string_view token) {
    const DebugFlag* xla = FindDebugFlag(name);
    if (FindTfXlaFlag(name) != nullptr) {
      Add(Severity::kError,
          absl::StrCat(token, " belongs into TF_XLA_FLAGS; libtpu ends the "
                              "process for it"));
    } else if (const LibtpuFlag* flag = FindLibtpuFlag(name)) {
      Add(flag->trouble.empty() ? Severity::kNote : Severity::kWarning,
          absl::StrCat("--", name, ": ",
                       flag->trouble.empty() ? flag->help : flag->trouble));
    } else if (xla != nullptr && !absl::StartsWith(name, "xla_tpu_")) {
      const bool known_refusal = absl::StartsWith(name, "xla_dump_");
      Add(known_refusal ? Severity::kError : Severity::kWarning,
          absl::StrCat(token, " belongs into XLA_FLAGS",
                       known_refusal ? "; libtpu ends the process for it"
                                     : ""));
    } else if (LooksLikeLibtpuFlag(name)) {
      Add(Severity::kNote,
          absl::StrCat("--", name, " is left to libtpu; it is not known here"));
    } else {
      std::vector<absl::string_view> names;
      for (const LibtpuFlag& one : kLibtpuFlags) names.push_back(one.name);
      Add(Severity::kWarning,
          absl::StrCat("--", name, " is not known here",
                       DidYouMean(name, names),
                       "; libtpu ends the process for unknown flags"));
    }
  }

  const EnvironmentVariable& variable_;
  const std::function<const char*(const char*)>& getenv_;
  std::vector<VariableFinding> findings_;
};

}  // namespace

absl::Span<const EnvironmentVariable> EnvironmentVariables() {
  return kVariables;
}

const EnvironmentVariable* FindEnvironmentVariable(absl::string_view name) {
  if (absl::StartsWith(name, "jax_")) {
    return FindByName(kVariables, absl::AsciiStrToUpper(name));
  }
  return FindByName(kVariables, name);
}

absl::Span<const LibtpuFlag> LibtpuFlags() { return kLibtpuFlags; }

const LibtpuFlag* FindLibtpuFlag(absl::string_view name) {
  return FindByName(kLibtpuFlags, name);
}

bool LooksLikeLibtpuFlag(absl::string_view name) {
  return std::any_of(std::begin(kLibtpuPrefixes), std::end(kLibtpuPrefixes),
                     [&](absl::string_view prefix) {
                       return absl::StartsWith(name, prefix);
                     });
}

absl::Span<const TfXlaFlag> TfXlaFlags() { return kTfXlaFlags; }

const TfXlaFlag* FindTfXlaFlag(absl::string_view name) {
  return FindByName(kTfXlaFlags, name);
}

std::vector<VariableFinding> CheckVariable(
    const EnvironmentVariable& variable, absl::string_view value,
    const std::function<const char*(const char*)>& getenv) {
  return VariableChecker(variable, getenv).Check(value);
}

}  // namespace hlokit
