#include "absl/strings/numbers.h"
#include "base/status.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

// --check-values, --check-values=N, --check-values=false.
absl::Status StoreSets(absl::string_view text, HloOptOptions* options) {
  int sets = 0;
  if (text == "true" || text == "false") {
    sets = text == "true" ? 1 : 0;
  } else if (!absl::SimpleAtoi(text, &sets) || sets < 0 || sets > 1000) {
    return InvalidArgument("a number of sets, 0 to 1000");
  }
  options->check_values = sets;
  options->checks_values = sets > 0;
  return absl::OkStatus();
}

}  // namespace

void AddUnknownOptions(bool* lenient, bool* strict, OptionSet* set) {
  set->Add("lenient", lenient, OptionGroup::kInput,
           "Keep opcodes, element types and words of attributes that this "
           "version does not know, as a newer XLA writes them; unknown "
           "attributes and fields are kept in any case");
  set->Add("strict", strict, OptionGroup::kInput,
           "Refuse everything that this version does not know");
}

absl::StatusOr<UnknownPolicy> UnknownPolicyOf(bool lenient, bool strict) {
  if (lenient && strict) {
    return InvalidArgument("--lenient and --strict exclude each other");
  }
  return strict    ? UnknownPolicy::kRefuse
         : lenient ? UnknownPolicy::kKeepAll
                   : UnknownPolicy::kKeepAttributes;
}

OptionSet MakeHloOptOptions(HloOptOptions* o) {
  OptionSet set("hlo-opt", "[OPTION...] FILE",
                "Convert HLO modules between text and protos, run passes on "
                "them, and print what comes out. The input's format is found "
                "by its content, gzip and zstd included; - reads standard "
                "input.");
  set.Add("format", &o->format, OptionGroup::kInput,
          "Take the input for this format instead of looking at it")
      .OneOf({"hlo", "txt", "pb", "pbtxt", "textproto", "json"})
      .Default("by content");
  set.Add("split-input-file", &o->split_input_file, OptionGroup::kInput,
          "Cut the input at lines that are // ----- and take each piece alone");
  set.Add("module", &o->module, OptionGroup::kInput,
          "Take the module of this name out of a file with several, such as a "
          "log; NAME#2 is the second of that name")
      .Value("NAME");
  set.AddEnum("verify", &o->verify, OptionGroup::kInput,
              "Check the rules of HLO when a module is loaded. Without this "
              "option, findings are errors before passes and warnings before "
              "a conversion, unless types contradict each other",
              {{"auto", VerifyChoice::kAuto},
               {"off", VerifyChoice::kOff},
               {"warn", VerifyChoice::kWarn},
               {"error", VerifyChoice::kError}});
  AddUnknownOptions(&o->lenient, &o->strict, &set);
  set.Add("literal-quirks", &o->literal_quirks, OptionGroup::kInput,
          "Read constants in HLO text with the losses of XLA's own reader: -0 "
          "in a float becomes 0, (nan, 0) becomes (nan, nan)");
  set.Add("o", &o->output, OptionGroup::kOutput,
          "Write the result to this file, - for standard output")
      .Value("FILE");
  set.AddEnum("emit", &o->emit, OptionGroup::kOutput,
              "Choose the form of the result: HLO text, a binary, text or JSON "
              "proto, or a binary HloSnapshot",
              {{"text", EmitForm::kText},
               {"pb", EmitForm::kPb},
               {"pbtxt", EmitForm::kPbtxt},
               {"json", EmitForm::kJson},
               {"snapshot", EmitForm::kSnapshot}});
  set.AddEnum("message", &o->message, OptionGroup::kOutput,
              "Choose the message that a proto result holds",
              {{"HloProto", MessageKind::kNone},
               {"HloModuleProto", MessageKind::kHloModuleProto},
               {"HloSnapshot", MessageKind::kHloSnapshot},
               {"HloUnoptimizedSnapshot",
                MessageKind::kHloUnoptimizedSnapshot},
               {"HloModuleProtoWithConfig",
                MessageKind::kHloModuleProtoWithConfig}});
  set.Add("emit-proto", &o->emit_proto, OptionGroup::kOutput,
          "Same as --emit=pbtxt");
  set.Add("emit-checks", &o->emit_checks, OptionGroup::kOutput,
          "Write a test for FileCheck: the input, the command, and a check of "
          "every line of the output");
  set.Add("print_options", &o->print_options, OptionGroup::kOutput,
          "Choose what text shows: dump, default, short_parsable, canonical, "
          "fingerprint, or single options such as print_percent=false")
      .Value("NAME,...");
  set.Add("json", &o->json, OptionGroup::kOutput,
          "Write lists (--list-passes) as JSON");
  set.Add("passes", &o->passes, OptionGroup::kPasses,
          "Run these passes in the order given")
      .Value("NAME,...");
  set.Add("list-passes", &o->list_passes, OptionGroup::kPasses,
          "List the passes and what they do");
  set.Add("exact_arithmetic", &o->exact_arithmetic, OptionGroup::kPasses,
          "Leave out the rewrites that can change values of floats; see "
          "docs/rewrites.md");
  set.Add("platform", &o->platform, OptionGroup::kPasses,
          "Choose whose stages and passes are meant")
      .Value("NAME");
  set.Add("stage", &o->stage, OptionGroup::kPasses,
          "Print the module as it is after this stage")
      .Value("NAME");
  set.Add("list-stages", &o->list_stages, OptionGroup::kPasses,
          "List the stages of the platform");
  set.Add("verify-each", &o->verify_each, OptionGroup::kPasses,
          "Check the rules of HLO after each pass");
  set.Add("time-passes", &o->time_passes, OptionGroup::kDiagnostics,
          "Tell on standard error how long each pass took");
  set.Add("print-changed", &o->print_changed, OptionGroup::kDiagnostics,
          "Print the module on standard error after each pass that changed it");
  set.Add("check-values", &o->checks_values, OptionGroup::kDiagnostics,
          "Execute the module before and after each pass on N sets of "
          "arguments (1) and stop at the first pass that changes results")
      .Value("N")
      .store = [o](absl::string_view text) { return StoreSets(text, o); };
  set.Add("custom_call_library", &o->custom_call_library,
          OptionGroup::kDiagnostics,
          "Let --check-values run custom-calls with the functions in these "
          "shared libraries")
      .Value("FILE.so,...");
  set.Add("custom_call", &o->custom_call, OptionGroup::kDiagnostics,
          "Run custom-calls of this target with that function of a library")
      .Value("TARGET=SYMBOL[@FILE.so]")
      .OneElementEach();
  set.Add("stats", &o->stats, OptionGroup::kDiagnostics,
          "Tell on standard error how many operations, flops and bytes there "
          "are before and after")
      .Value("ops,cost,memory");
  set.Positional(1, 1);
  set.AcceptDebugOptions();
  set.Example("hlo-opt module.hlo --emit=pb --o module.hlo.pb",
              "text to proto");
  set.Example("hlo-opt module.hlo.pb.gz", "a compressed proto as text");
  set.Example("hlo-opt module.txt --passes=tuple-simplifier,dce",
              "run two passes");
  set.Example(
      "hlo-opt module.txt --passes=cse --xla_dump_to=/tmp/d "
      "--xla_dump_hlo_pass_re=.*",
      "dump the module before and after each pass");
  set.Example("hlo-opt module.txt --platform=cpu --check-values",
              "run the CPU pipeline and watch the results");
  set.Example("hlo-opt module.txt --platform=cpu --stage=buffer-assignment",
              "see how much memory the compiled program needs for what");
  set.Example("hlo-opt module.txt --passes=algsimp --emit-checks --o=test.hlo",
              "make a test of what a pass does");
  set.ExitCode(1, "a pass failed or changed results");
  set.ExitCode(3, "the input is wrong");
  set.ExitCode(4, "the environment lacks something");
  return set;
}

}  // namespace hlokit
