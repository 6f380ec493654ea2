#include "hlo_opt/hlo_opt.h"

#include <ostream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/interpreter/evaluator.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text_table.h"
#include "dump/dumper.h"
#include "flags/resolve.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "hlo_opt/check_values.h"
#include "hlo_opt/emit_checks.h"
#include "hlo_opt/observers.h"
#include "hlo_opt/stages.h"
#include "passes/constant_evaluator.h"
#include "passes/dump_observer.h"
#include "passes/pass.h"
#include "passes/pipelines.h"

namespace hlokit {
namespace {

constexpr absl::string_view kTool = "hlo-opt";

absl::string_view PurposeOf(absl::string_view name) {
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name == name) return pass.purpose;
  }
  return "";
}

// Every pass; of the platform cpu its pipelines' places in order.
void ListPasses(const HloOptOptions& options, bool cpu, const ToolIo& io) {
  TextTable table(cpu ? std::vector<TextTable::Column>{{""}, {""}, {""}}
                      : std::vector<TextTable::Column>{{""}, {""}});
  JsonWriter json(io.out);
  if (options.json) json.BeginArray();
  auto add = [&](const std::string& pipeline, absl::string_view name,
                 absl::string_view purpose, bool present) {
    if (options.json) {
      json.BeginObject();
      json.Member("name", name).Member("purpose", purpose);
      if (cpu) json.Member("pipeline", pipeline).Member("present", present);
      json.EndObject();
      return;
    }
    std::vector<std::string> row = {
        std::string(name),
        present ? std::string(purpose) : "(not here yet: left out)"};
    if (cpu) row.insert(row.begin(), pipeline);
    table.AddRow(std::move(row));
  };
  if (cpu) {
    for (const PipelineEntry& entry : CpuPipelineEntries()) {
      add(entry.pipeline, entry.pass, PurposeOf(entry.pass), entry.present);
    }
  } else {
    for (const PassInfo& pass : AllPasses()) {
      add("", pass.name, pass.purpose, true);
    }
  }
  if (options.json) {
    json.EndArray();
    *io.out << "\n";
  } else {
    *io.out << table.ToString();
  }
}

HonestyChecks HonestyOf(const xla::DebugOptions& debug) {
  HonestyChecks checks;
  checks.silent_change =
      debug.xla_unsupported_crash_on_hlo_pass_silent_hlo_change();
  checks.noop_change = debug.xla_unsupported_crash_on_hlo_pass_noop_change();
  checks.fixed_point_limit =
      debug.xla_unsupported_crash_on_hlo_pass_fix_max_iterations();
  return checks;
}

PassSelection SelectionOf(const xla::DebugOptions& debug) {
  PassSelection selection;
  selection.disabled.assign(debug.xla_disable_hlo_passes().begin(),
                            debug.xla_disable_hlo_passes().end());
  selection.enabled_only.assign(debug.xla_enable_hlo_passes_only().begin(),
                                debug.xla_enable_hlo_passes_only().end());
  selection.disable_all = debug.xla_disable_all_hlo_passes();
  return selection;
}

class HloOpt {
 public:
  HloOpt(const HloOptOptions& options, const ToolIo& io)
      : options_(options), io_(io) {}

  absl::Status Run(const CommandLine& line) {
    HLOKIT_ASSIGN_OR_RETURN(const Platform* platform,
                            FindPlatform(options_.platform));
    if (options_.list_stages) {
      *io_.out << absl::StrJoin(platform->stages, "\n") << "\n";
      return absl::OkStatus();
    }
    if (options_.list_passes) {
      ListPasses(options_, IsCpu(), io_);
      return absl::OkStatus();
    }
    HLOKIT_RETURN_IF_ERROR(CheckStage(*platform, options_.stage));
    HLOKIT_ASSIGN_OR_RETURN(stats_, StatsChoice::Parse(options_.stats));
    SetConstantEvaluator(&interpreter::EvaluateConstant);
    HLOKIT_RETURN_IF_ERROR(PrepareOutput());
    HLOKIT_ASSIGN_OR_RETURN(debug_, ResolveDebugOptions(line, io_));
    *io_.err << debug_.warnings;
    // A wrong pass name is told before any file is read.
    for (const std::string& name : options_.passes) {
      HLOKIT_RETURN_IF_ERROR(CreatePass(name).status());
    }
    HLOKIT_RETURN_IF_ERROR(Load(line.positional[0]));
    if (options_.emit_checks) {
      for (const LoadedModule& loaded : modules_) {
        inputs_.push_back(CheckedInput(loaded));
      }
    }
    if (!options_.passes.empty() || IsCpu() || stats_.any()) {
      HLOKIT_RETURN_IF_ERROR(RunPasses());
    }
    return Emit();
  }

 private:
  absl::Status PrepareOutput() {
    HLOKIT_ASSIGN_OR_RETURN(emit_.print_options,
                            ParsePrintOptions(options_.print_options));
    emit_.message = options_.message;
    switch (options_.emit) {
      case EmitForm::kText: emit_.encoding = Encoding::kHloText; break;
      case EmitForm::kPb: emit_.encoding = Encoding::kBinaryProto; break;
      case EmitForm::kPbtxt: emit_.encoding = Encoding::kTextProto; break;
      case EmitForm::kJson: emit_.encoding = Encoding::kJsonProto; break;
      case EmitForm::kSnapshot:
        emit_.encoding = Encoding::kBinaryProto;
        emit_.message = MessageKind::kHloSnapshot;
        break;
    }
    if (options_.emit_proto) emit_.encoding = Encoding::kTextProto;
    return absl::OkStatus();
  }

  absl::Status Load(const std::string& path) {
    LoadOptions load;
    load.format = options_.format;
    load.split_input = options_.split_input_file;
    load.verify = options_.verify;
    HLOKIT_ASSIGN_OR_RETURN(LoadResult result, LoadInput(path, load));
    for (const std::string& note : result.notes) {
      *io_.err << note << "\n";
    }
    modules_ = std::move(result.modules);
    return absl::OkStatus();
  }

  // Checks are written around the text as it came.
  absl::StatusOr<LoadResult> LoadInput(const std::string& path,
                                       const LoadOptions& load) {
    if (!options_.emit_checks) return LoadFile(io_, path, load);
    HLOKIT_ASSIGN_OR_RETURN(input_, ReadInput(io_, path));
    return LoadModules(input_, InputName(path), load);
  }

  bool IsCpu() const {
    return absl::EqualsIgnoreCase(options_.platform, "cpu") ||
           absl::EqualsIgnoreCase(options_.platform, "host");
  }

  // What is to run on a module: --passes, else the platform's pipelines unless
  // the module is scheduled (then it is through with them).
  absl::StatusOr<std::vector<std::unique_ptr<Pipeline>>> MakePipelines(
      const Module& module) const {
    std::vector<std::unique_ptr<Pipeline>> pipelines;
    if (!options_.passes.empty()) {
      auto pipeline = std::make_unique<Pipeline>("transforms_pipeline");
      for (const std::string& name : options_.passes) {
        HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Pass> pass, CreatePass(name));
        pipeline->AddPass(std::move(pass));
      }
      pipelines.push_back(std::move(pipeline));
    } else if (IsCpu() && !module.is_scheduled()) {
      pipelines = CpuPipelines();
      if (IsBackendStage(options_.stage)) {
        for (auto& pipeline : CpuBackendPipelines()) {
          pipelines.push_back(std::move(pipeline));
        }
      }
    }
    return pipelines;
  }

  // Passes build on the rules of HLO; a module that breaks them is an error
  // even when it may be loaded.
  static absl::Status CheckSound(const LoadedModule& loaded) {
    const absl::Status status = VerifyModule(*loaded.module);
    if (status.ok()) return status;
    return Annotate(status, absl::StrCat(loaded.file,
                                         ": passes need a sound module"));
  }

  absl::Status RunPasses() {
    std::vector<std::string> warnings;
    DumpOptions dump = MakeDumpOptions(debug_.options, io_.getenv, &warnings);
    Dumper dumper(std::move(dump), io_, warnings);
    DumpObserver dump_observer(&dumper);
    VerifyObserver verify_observer;
    TimeObserver time_observer;
    for (LoadedModule& loaded : modules_) {
      PrintChangedObserver print_observer(io_.err);
      CheckValuesObserver value_observer(
          io_, options_.check_values,
          absl::StrCat(kTool, " --check-values=", options_.check_values));
      HLOKIT_ASSIGN_OR_RETURN(auto pipelines, MakePipelines(*loaded.module));
      if (!pipelines.empty() && options_.verify != VerifyMode::kError) {
        HLOKIT_RETURN_IF_ERROR(CheckSound(loaded));
      }
      ModuleStats before;
      if (stats_.any()) before = StatsOf(*loaded.module);
      // XLA's names, for pass lists and for compilations.
      const bool compiles = options_.passes.empty() && IsCpu();
      dumper.DumpModule(*loaded.module, compiles ? "before_optimizations"
                                                 : "before_optimization");
      for (auto& pipeline : pipelines) {
        pipeline->set_selection(SelectionOf(debug_.options));
        pipeline->set_honesty_checks(HonestyOf(debug_.options));
        pipeline->AddObserver(&dump_observer);
        if (options_.verify_each) pipeline->AddObserver(&verify_observer);
        if (options_.time_passes) pipeline->AddObserver(&time_observer);
        if (options_.print_changed) pipeline->AddObserver(&print_observer);
        if (options_.check_values > 0) pipeline->AddObserver(&value_observer);
        HLOKIT_RETURN_IF_ERROR(pipeline->Run(loaded.module.get()).status());
      }
      dumper.DumpFusionVisualization(*loaded.module);
      // It describes the module as it was.
      if (!pipelines.empty()) loaded.buffer_assignment = nullptr;
      if (compiles && IsBackendStage(options_.stage)) {
        BufferReports reports;
        HLOKIT_RETURN_IF_ERROR(AssignBuffersTo(
            &loaded, dumper.DumpsModule(loaded.module->name()), &reports));
        dumper.DumpModule(*loaded.module, "cpu_after_optimizations", &reports);
      } else {
        dumper.DumpModule(*loaded.module, compiles ? "after_optimizations"
                                                   : "after_optimization");
      }
      if (stats_.any()) ShowStats(before, StatsOf(*loaded.module));
    }
    if (options_.time_passes) *io_.err << time_observer.ToString();
    return absl::OkStatus();
  }

  // On standard error: standard output is the module's.
  void ShowStats(const ModuleStats& before, const ModuleStats& after) {
    if (!options_.json) {
      *io_.err << StatsTable(before, after, stats_);
      return;
    }
    JsonWriter json(io_.err);
    WriteStatsJson(before, after, stats_, &json);
    *io_.err << "\n";
  }

  bool EmitsBuffers() const {
    return options_.passes.empty() && options_.stage == "buffer-assignment";
  }
  // Whether the output is HLO text.
  bool EmitsHloText() const {
    return emit_.encoding == Encoding::kHloText && !EmitsBuffers() &&
           !IsPictureStage(options_.stage);
  }

  // Piece by piece: the text may be larger than the module.
  absl::Status EmitText(const Module& module) {
    auto print = [&](FileSystem::EmitPiece emit) {
      Print(module, emit_.print_options, emit);
    };
    if (options_.output != "-") {
      return io_.files->WritePieces(options_.output, print);
    }
    print([&](absl::string_view piece) {
      io_.out->write(piece.data(), piece.size());
    });
    return FlushOutput(io_);
  }

  // The output of one module at the stage that is asked for.
  absl::StatusOr<std::string> EmitOne(const LoadedModule& loaded) const {
    if (EmitsBuffers()) {
      return BufferStageText(loaded);
    }
    if (IsPictureStage(options_.stage)) {
      return PictureStageText(*loaded.module, options_.stage, debug_.options);
    }
    return EmitModule(loaded, emit_);
  }

  // The text as it came, where it holds one module; else printed.
  std::string CheckedInput(const LoadedModule& loaded) const {
    if (modules_.size() == 1 && loaded.encoding == Encoding::kHloText &&
        absl::StrContains(input_, "ENTRY")) {
      return input_;
    }
    return ToString(*loaded.module, PrintOptions::Dump());
  }

  absl::Status EmitChecks() {
    std::vector<std::string> outputs;
    for (const LoadedModule& loaded : modules_) {
      HLOKIT_ASSIGN_OR_RETURN(outputs.emplace_back(), EmitOne(loaded));
    }
    return WriteOutput(
        io_, options_.output,
        TestWithChecks(RunLine(options_.arguments), inputs_, outputs),
        OutputKind::kText);
  }

  absl::Status Emit() {
    if (options_.emit_checks) return EmitChecks();
    if (emit_.encoding != Encoding::kHloText &&
        (IsPictureStage(options_.stage) ||
         options_.stage == "buffer-assignment")) {
      return InvalidArgument("--stage=%s is text; --emit is for modules",
                             options_.stage);
    }
    if (IsPictureStage(options_.stage) && modules_.size() > 1) {
      return InvalidArgument("the input holds %d modules; a picture shows one",
                             modules_.size());
    }
    const bool binary = emit_.encoding == Encoding::kBinaryProto;
    if (modules_.size() > 1 && emit_.encoding != Encoding::kHloText) {
      return InvalidArgument(
          "the input holds %d modules; several fit only into text "
          "(--emit=text)",
          modules_.size());
    }
    if (binary && modules_.size() == 1 && options_.output != "-") {
      const wire::LargeMessage message =
          EmitMessage(modules_[0], emit_.message);
      return io_.files->WritePieces(
          options_.output, [&](auto emit) { message.Emit(emit); });
    }
    if (modules_.size() == 1 && EmitsHloText()) {
      return EmitText(*modules_[0].module);
    }
    std::string output;
    for (size_t i = 0; i < modules_.size(); ++i) {
      if (i > 0) output += "// -----\n\n";
      HLOKIT_ASSIGN_OR_RETURN(const std::string text,
                              EmitOne(modules_[i]));
      output += text;
    }
    return WriteOutput(io_, options_.output, output,
                       binary ? OutputKind::kBinary : OutputKind::kText);
  }

  const HloOptOptions& options_;
  const ToolIo& io_;
  EmitOptions emit_;
  ResolvedDebugOptions debug_;
  StatsChoice stats_;
  std::vector<LoadedModule> modules_;
  std::string input_;                // for --emit-checks
  std::vector<std::string> inputs_;  // of each module
};

// --check-values, --check-values=N, --check-values=false.
absl::Status StoreSets(absl::string_view text, HloOptOptions* options) {
  int sets = 0;
  if (text == "true" || text == "false") {
    sets = text == "true" ? 1 : 0;
  } else if (!absl::SimpleAtoi(text, &sets) || sets < 0 || sets > 1000) {
    return InvalidArgument("a number of sets, 0 to 1000");
  }
  options->check_values = sets;
  return absl::OkStatus();
}

}  // namespace

OptionSet MakeHloOptOptions(HloOptOptions* o) {
  OptionSet set(kTool, "[OPTION...] FILE",
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
  set.AddEnum("verify", &o->verify, OptionGroup::kInput,
              "Check the rules of HLO when a module is loaded",
              {{"off", VerifyMode::kOff},
               {"warn", VerifyMode::kWarn},
               {"error", VerifyMode::kError}});
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
  static bool unused = false;
  set.Add("check-values", &unused, OptionGroup::kDiagnostics,
          "Execute the module before and after each pass on N sets of "
          "arguments (1) and stop at the first pass that changes results")
      .Value("N")
      .store = [o](absl::string_view text) { return StoreSets(text, o); };
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

int RunHloOpt(absl::Span<const std::string> arguments, const ToolIo& io) {
  HloOptOptions options;
  OptionSet set = MakeHloOptOptions(&options);
  // Lists need no input file.
  const bool lists = absl::c_any_of(arguments, [](const std::string& argument) {
    return absl::StartsWith(argument, "--list-");
  });
  if (lists) set.Positional(0, 1);
  const CommandLine line = set.ParseMain(arguments, io);
  if (line.exit_code.has_value()) return *line.exit_code;
  options.arguments.assign(arguments.begin(), arguments.end());
  return FinishTool(io, kTool, HloOpt(options, io).Run(line));
}

}  // namespace hlokit
