#include "replay/runner.h"

#include <ostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/guarded.h"
#include "base/status.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/dump_observer.h"

namespace hlokit {
namespace {

// The name of the dump after a backend's passes.
std::string AfterPasses(const Backend& backend) {
  return backend.name() == "interpreter"
             ? "after_optimizations"
             : absl::StrCat(backend.name(), "_after_optimizations");
}

class SideRun {
 public:
  SideRun(const RunSide& side, const RunSettings& settings)
      : side_(side), settings_(settings) {}

  // Compiles and executes; `word` says which of the two failed.
  absl::StatusOr<Literal> Run(std::unique_ptr<Module> module,
                              absl::Span<const Literal> arguments,
                              RunWord* word, double* seconds) {
    const absl::Time start = absl::Now();
    Dump(*module, "before_optimizations");
    DumpInputs(*module, arguments);
    Show(absl::StrCat("compiling ", module->name(), " for ", side_.label));
    CompileOptions compile = settings_.compile;
    compile.run_passes = side_.run_passes;
    // The reference is exact, as XLA's.
    if (&side_ == &settings_.reference) compile.fast_math = {};
    const Module* before = module.get();
    if (settings_.dumper != nullptr &&
        settings_.dumper->DumpsModule(module->name())) {
      compile.artifact = [this, before](absl::string_view suffix,
                                        absl::string_view contents) {
        settings_.dumper->DumpArtifact(*before, suffix, contents,
                                       absl::EndsWith(suffix, ".o"));
      };
    }
    DumpObserver passes(settings_.dumper);
    if (settings_.dumper != nullptr) {
      compile.on_pipeline = [&](Pipeline* pipeline, const Module& running) {
        passes.Attach(pipeline, running);
      };
    }
    const int64_t total = module->entry()->instruction_count();
    const std::string name = module->name();
    auto executable = Guarded("compiling", name, [&] {
      return side_.backend->Compile(std::move(module), compile);
    });
    if (!executable.ok()) {
      *word = RunWord::kCompilationError;
      return executable.status();
    }
    if (&(*executable)->module() == before) {
      DumpOptimized((*executable)->module());
      if (settings_.dumper != nullptr) {
        settings_.dumper->DumpFusionVisualization((*executable)->module());
      }
    }
    DumpArguments((*executable)->module(), arguments);
    auto result = Guarded("executing", name, [&] {
      return (*executable)->Execute(arguments, Options(total));
    });
    *seconds = absl::ToDoubleSeconds(absl::Now() - start);
    if (settings_.progress != nullptr) settings_.progress->Clear();
    if (!result.ok()) {
      Forget((*executable)->module());
      *word = RunWord::kRuntimeError;
      return result.status();
    }
    if (settings_.log != nullptr) {
      *settings_.log << absl::StrFormat("... compiled and ran in %gs.\n",
                                        *seconds);
    }
    Snapshot((*executable)->module(), arguments, result->value);
    *word = RunWord::kRan;
    return std::move(result->value);
  }

 private:
  void Show(absl::string_view text) {
    if (settings_.progress != nullptr) settings_.progress->Update(text);
  }

  ExecuteOptions Options(int64_t total) {
    ExecuteOptions options = settings_.execute;
    if (settings_.progress != nullptr && settings_.progress->enabled()) {
      options.observer = [this, total, done = int64_t{0}](
                             const Instruction& instruction,
                             const Literal&) mutable {
        Show(absl::StrCat(side_.label, ": ", ++done, " of ", total, ": ",
                          instruction.name()));
        return absl::OkStatus();
      };
    }
    return options;
  }

  void Dump(const Module& module, absl::string_view suffix) {
    if (settings_.dumper != nullptr) settings_.dumper->DumpModule(module, suffix);
  }

  // With the places in memory, where the compiler gave values any.
  void DumpOptimized(const Module& module) {
    if (settings_.dumper == nullptr) return;
    const std::string suffix = AfterPasses(*side_.backend);
    if (module.is_scheduled() &&
        settings_.dumper->DumpsModule(module.name())) {
      const auto assignment = AssignBuffers(module);
      if (assignment.ok()) {
        const xla::BufferAssignmentProto proto = assignment->ToProto();
        BufferReports reports;
        reports.assignment = &proto;
        reports.values = BufferValuesText(*assignment);
        reports.live_range = LiveRangeText(*assignment);
        settings_.dumper->DumpModule(module, suffix, &reports);
        return;
      }
    }
    settings_.dumper->DumpModule(module, suffix);
  }

  // What a compiler that crashes was given.
  void DumpInputs(const Module& module, absl::Span<const Literal> arguments) {
    if (settings_.dumper == nullptr) return;
    settings_.dumper->DumpUnoptimizedSnapshot(
        module, {{arguments.begin(), arguments.end()}});
  }

  // What a program that crashes was given.
  void DumpArguments(const Module& module,
                     absl::Span<const Literal> arguments) {
    if (settings_.dumper == nullptr) return;
    settings_.dumper->DumpSnapshotArguments(
        module, arguments, side_.backend->name(), settings_.run);
  }

  void Snapshot(const Module& module, absl::Span<const Literal> arguments,
                const Literal& result) {
    if (settings_.dumper == nullptr) return;
    settings_.dumper->DumpSnapshot(module, arguments, result,
                                   side_.backend->name(), settings_.run);
    Forget(module);
  }

  void Forget(const Module& module) {
    if (settings_.dumper != nullptr) settings_.dumper->Forget(module);
  }

  const RunSide& side_;
  const RunSettings& settings_;
};

}  // namespace

absl::string_view RunWordText(RunWord word) {
  static constexpr absl::string_view kWords[kRunWords] = {
      "MATCHED",     "RAN",
      "SKIPPED",     "DIDN'T RUN",
      "OTHER ERROR", "COMPILATION ERROR",
      "RUNTIME ERROR", "MISMATCH"};
  return kWords[static_cast<int>(word)];
}

RunOutcome RunAndCompare(const Module& module,
                         absl::Span<const Literal> arguments,
                         const RunSettings& settings) {
  RunOutcome outcome;
  absl::StatusOr<Literal> test =
      SideRun(settings.test, settings)
          .Run(module.Clone(), arguments, &outcome.test_word,
               &outcome.test_seconds);
  if (!test.ok()) {
    outcome.status = Annotate(test.status(), settings.test.label);
    return outcome;
  }
  outcome.test_result = *std::move(test);
  if (settings.reference.backend == nullptr) {
    outcome.reference_word = RunWord::kSkipped;
    return outcome;
  }
  std::unique_ptr<Module> clone = module.Clone();
  clone->set_name(absl::StrCat(module.name(), "-reference"));
  absl::StatusOr<Literal> reference =
      SideRun(settings.reference, settings)
          .Run(std::move(clone), arguments, &outcome.reference_word,
               &outcome.reference_seconds);
  if (!reference.ok()) {
    outcome.status =
        Annotate(reference.status(),
                 absl::StrCat(settings.reference.label, " (reference)"));
    return outcome;
  }
  outcome.reference_result = *std::move(reference);
  outcome.comparison = Compare(*outcome.reference_result,
                               *outcome.test_result, settings.spec);
  outcome.test_word = outcome.reference_word =
      outcome.comparison->equal ? RunWord::kMatched : RunWord::kMismatch;
  return outcome;
}

}  // namespace hlokit
