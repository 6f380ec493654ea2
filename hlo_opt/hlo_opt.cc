#include "hlo_opt/hlo_opt.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/custom_call/options.h"
#include "backends/interpreter/evaluator.h"
#include "base/escape.h"
#include "base/guarded.h"
#include "base/status.h"
#include "flags/resolve.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/printer.h"
#include "hlo_opt/emit_checks.h"
#include "hlo_opt/observers.h"
#include "hlo_opt/pass_runner.h"
#include "hlo_opt/stages.h"
#include "passes/constant_evaluator.h"
#include "passes/pass.h"

namespace hlokit {
namespace {

constexpr absl::string_view kTool = "hlo-opt";

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
      ListPasses(options_, io_);
      return absl::OkStatus();
    }
    HLOKIT_RETURN_IF_ERROR(CheckStage(*platform, options_.stage));
    HLOKIT_ASSIGN_OR_RETURN(stats_, StatsChoice::Parse(options_.stats));
    SetConstantEvaluator(&interpreter::EvaluateConstant);
    HLOKIT_RETURN_IF_ERROR(PrepareOutput());
    HLOKIT_RETURN_IF_ERROR(custom_call::UseCustomCallOptions(
        options_.custom_call_library, options_.custom_call));
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
    if (!options_.passes.empty() || IsCpuPlatform(options_.platform) ||
        stats_.any()) {
      absl::Status only;
      const bool several = modules_.size() > 1 && !options_.emit_checks;
      PassRunner(options_, debug_.options, stats_, io_)
          .Run(&modules_, [&](const LoadedModule& loaded, absl::Status status) {
            if (several) return Fail(loaded, status);
            only.Update(std::move(status));
          });
      HLOKIT_RETURN_IF_ERROR(only);
      if (modules_.empty()) return absl::OkStatus();
    }
    return Emit();
  }

  // The exit code for modules of several that failed while others went on.
  int exit_code() const { return exit_code_; }

 private:
  // Reports the error of one of several modules.
  void Fail(const LoadedModule& loaded, const absl::Status& status) {
    *io_.err << kTool << ": error: " << loaded.file << ": module "
             << loaded.module->name() << ": " << status.message() << "\n";
    exit_code_ = std::max<int>(exit_code_, ExitCodeFor(status));
  }

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
    load.module = options_.module;
    load.split_input = options_.split_input_file;
    load.verify = Verification();
    load.keep_elided_constants = !Computes();
    HLOKIT_ASSIGN_OR_RETURN(
        load.unknown, UnknownPolicyOf(options_.lenient, options_.strict));
    load.xla_literal_quirks = options_.literal_quirks;
    HLOKIT_ASSIGN_OR_RETURN(LoadResult result, LoadInput(path, load));
    for (const std::string& note : result.notes) {
      *io_.err << Printable(note) << "\n";
    }
    modules_ = std::move(result.modules);
    return Computes() ? CheckMeaning() : absl::OkStatus();
  }

  // Whether more than a conversion or a picture is asked for.
  bool Computes() const {
    return !options_.passes.empty() || IsCpuPlatform(options_.platform) ||
           stats_.any() || IsBackendStage(options_.stage) ||
           options_.check_values > 0;
  }

  VerifyMode Verification() const {
    switch (options_.verify) {
      case VerifyChoice::kOff: return VerifyMode::kOff;
      case VerifyChoice::kWarn: return VerifyMode::kWarn;
      case VerifyChoice::kError: return VerifyMode::kError;
      case VerifyChoice::kAuto: break;
    }
    if (Computes()) return VerifyMode::kError;
    return options_.lenient ? VerifyMode::kWarn : VerifyMode::kTypes;
  }

  // Passes take an unknown opcode for a call that must stay as it is. They cannot
  // do without the rest.
  absl::Status CheckMeaning() const {
    for (const LoadedModule& loaded : modules_) {
      for (const auto& computation : loaded.module->computations()) {
        for (const Instruction* i : computation->instructions()) {
          if (!UnknownOpcode(*i).empty()) continue;
          const std::string what = UnknownMeaning(*i);
          if (what.empty()) continue;
          return InvalidArgument(
              "%s: instruction '%s' has the %s; passes need to know it",
              loaded.file, i->name(), what);
        }
      }
    }
    return absl::OkStatus();
  }

  // Checks are written around the text as it came.
  absl::StatusOr<LoadResult> LoadInput(const std::string& path,
                                       const LoadOptions& load) {
    if (!options_.emit_checks) return LoadFile(io_, path, load);
    HLOKIT_ASSIGN_OR_RETURN(input_, ReadInput(io_, path));
    return LoadModules(input_, InputName(path), load);
  }

  bool EmitsBuffers() const {
    return options_.passes.empty() && options_.stage == "buffer-assignment";
  }
  bool EmitsCode() const {
    return options_.passes.empty() && IsCodeStage(options_.stage);
  }
  // Whether the output is HLO text.
  bool EmitsHloText() const {
    return emit_.encoding == Encoding::kHloText && !EmitsBuffers() &&
           !EmitsCode() && !IsPictureStage(options_.stage);
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
    const std::string name = loaded.module->name();
    return Guarded("writing", name, [&] { return OutputOf(loaded); });
  }

  absl::StatusOr<std::string> OutputOf(const LoadedModule& loaded) const {
    if (EmitsBuffers()) {
      return BufferStageText(loaded);
    }
    if (EmitsCode()) {
      return CodeStageText(*loaded.module, options_.stage, debug_.options,
                           options_.exact_arithmetic);
    }
    if (IsPictureStage(options_.stage)) {
      return PictureStageText(*loaded.module, options_.stage, debug_.options);
    }
    std::vector<std::string> warnings;
    EmitOptions emit = emit_;
    emit.warnings = &warnings;
    absl::StatusOr<std::string> output = EmitModule(loaded, emit);
    for (const std::string& line : warnings) *io_.err << line << "\n";
    return output;
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
        (IsPictureStage(options_.stage) || IsCodeStage(options_.stage) ||
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
      HLOKIT_ASSIGN_OR_RETURN(const wire::LargeMessage message,
                              EmitMessage(modules_[0], emit_.message));
      return io_.files->WritePieces(
          options_.output, [&](auto emit) { message.Emit(emit); });
    }
    if (modules_.size() == 1 && EmitsHloText()) {
      return EmitText(*modules_[0].module);
    }
    std::string output;
    for (const LoadedModule& loaded : modules_) {
      absl::StatusOr<std::string> text = EmitOne(loaded);
      if (!text.ok()) {
        if (modules_.size() == 1) return text.status();
        Fail(loaded, text.status());
        continue;
      }
      if (!output.empty()) output += "// -----\n\n";
      output += *text;
    }
    return WriteOutput(io_, options_.output, output,
                       binary ? OutputKind::kBinary : OutputKind::kText);
  }

  const HloOptOptions& options_;
  const ToolIo& io_;
  EmitOptions emit_;
  ResolvedDebugOptions debug_;
  StatsChoice stats_;
  int exit_code_ = kOk;
  std::vector<LoadedModule> modules_;
  std::string input_;                // for --emit-checks
  std::vector<std::string> inputs_;  // of each module
};

}  // namespace

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
  HloOpt tool(options, io);
  const int finished = FinishTool(io, kTool, tool.Run(line));
  return std::max(finished, tool.exit_code());
}

}  // namespace hlokit
