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
    {"XLA_FLAGS", VariableKind::kXlaFlags, "XLA", "", "",
     "Give XLA its flags, or name a file that holds them",
     "Flags are --name=value apart by blanks. It is read once, at the first "
     "compilation; `hlo-flags check` tells what XLA makes of it."},
};

constexpr LibtpuFlag kLibtpuFlags[] = {
    {"tpu_enable_kernel_profiling", "Profile kernels",
     "a key of JAX's ProfileOptions.advanced_configuration, not a flag"},
    {"tpu_enable_periodic_counter_sampling", "Sample performance counters",
     "a key of JAX's ProfileOptions.advanced_configuration, not a flag"},
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
    {"xla_mosaic_dump_to",
     "Write each Pallas kernel after each stage of Mosaic into this folder, as "
     "NNNN-mosaic-dump-<kernel>-post-<stage>.txt; nothing for plain HLO",
     ""},
    {"xla_tpu_bundle_instrumentation_options",
     "Set trace_best_effort_frequency and trace_guaranteed_frequency", ""},
    {"xla_tpu_scoped_vmem_limit_kib",
     "Limit the vector memory that one operation may use for itself", ""},
    {"xla_xprof_enable_custom_call_tracing",
     "Trace the inside of custom calls at run time",
     "libtpu before 0.0.44 ends the process for it"},
    {"xla_xprof_register_llo_debug_info",
     "Register LLO debug information for the profiler",
     "needs libtpu 0.0.42 or newer"},
};

constexpr absl::string_view kLibtpuPrefixes[] = {"xla_tpu_", "xla_jf_",
                                                 "xla_mosaic_", "xla_xprof_"};

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
      case VariableKind::kLibtpuFlags: CheckLibtpu(value); break;
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

  void CheckLibtpu(absl::string_view value) {
    for (absl::string_view token :
         absl::StrSplit(value, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
      absl::string_view name = token.substr(0, token.find('='));
      if (!absl::StartsWith(name, "--")) {
        Add(Severity::kError,
            absl::StrCat("'", token, "' does not start with two dashes"));
        continue;
      }
      name.remove_prefix(2);
      CheckLibtpuFlag(name, token);
    }
  }

  void CheckLibtpuFlag(absl::string_view name, absl::string_view token) {
    const DebugFlag* xla = FindDebugFlag(name);
    if (const LibtpuFlag* flag = FindLibtpuFlag(name)) {
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

std::vector<VariableFinding> CheckVariable(
    const EnvironmentVariable& variable, absl::string_view value,
    const std::function<const char*(const char*)>& getenv) {
  return VariableChecker(variable, getenv).Check(value);
}

}  // namespace hlokit
