#include "replay/run_hlo_module.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/custom_call/options.h"
#include "backends/debug_flags.h"
#include "base/guarded.h"
#include "base/status.h"
#include "dump/dumper.h"
#include "flags/resolve.h"
#include "hlo/ir/unknown.h"
#include "hlo/wire/proto_convert.h"
#include "hlo_opt/hlo_opt.h"
#include "replay/argument_source.h"
#include "replay/inputs.h"
#include "replay/isolate_run.h"
#include "replay/session.h"

namespace hlokit {
namespace {

constexpr absl::string_view kTool = "run_hlo_module";

// Mistakes on the command line that no single option shows.
absl::Status CheckOptions(const RunHloModuleOptions& o, size_t files) {
  const int sources = !o.input_literals_file.empty() + !o.inputs.empty() +
                      !o.input.empty() + o.force_fake_data;
  if (sources > 1) {
    return InvalidArgument(
        "only one of --input_literals_file, --inputs, --input and "
        "--force_fake_data can say where the arguments come from");
  }
  const bool writes = !o.output.empty() || !o.outputs.empty();
  if (o.isolate_instructions &&
      (writes || !o.input_literals_file.empty() || !o.inputs.empty() ||
       !o.input.empty() || !o.output_literals_file.empty() ||
       !o.expected.empty())) {
    return InvalidArgument(
        "--isolate_instructions makes its own arguments and has no result to "
        "write or compare: it does not go with literal and NumPy files");
  }
  if (files > 1 && (writes || !o.output_literals_file.empty())) {
    return InvalidArgument("results of one FILE only can be written");
  }
  if (o.iterations > 1 && writes) {
    return InvalidArgument(
        "--output and --outputs hold the result of one iteration; "
        "--output_literals_file holds those of all");
  }
  return absl::OkStatus();
}

bool TellsOfElidedConstants(absl::Span<const std::string> notes) {
  return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return absl::StrContains(note, "{...}") ||
           absl::StrContains(note, "elided");
  });
}

class Replay {
 public:
  Replay(const RunHloModuleOptions& options,
         absl::Span<const std::string> arguments, const ToolIo& io)
      : o_(options), session_(options, arguments, io), source_(&session_) {}

  int Run(const CommandLine& line) {
    absl::Status status = CheckOptions(o_, line.positional.size());
    if (status.ok()) status = ParseStubs();
    if (status.ok()) status = session_.FindBackends();
    absl::StatusOr<ResolvedDebugOptions> debug;
    if (status.ok()) {
      debug = ResolveDebugOptions(line, io());
      status = debug.status();
    }
    if (!status.ok()) {
      FinishTool(io(), kTool, status);
      return kUsage;
    }
    session_.err() << debug->warnings;
    for (const std::string& warning : FlagWarnings(debug->options)) {
      session_.err() << "warning: " << warning << "\n";
    }
    status = ReadFiles();
    if (status.ok()) {
      status = custom_call::UseCustomCallOptions(o_.custom_call_library,
                                                 o_.custom_call);
    }
    if (!status.ok()) return FinishTool(io(), kTool, status);
    std::vector<std::string> warnings;
    DumpOptions dump = MakeDumpOptions(debug->options, io().getenv, &warnings);
    Dumper dumper(std::move(dump), io(), warnings);
    if (dumper.options().enabled()) session_.settings().dumper = &dumper;
    UseDebugOptions(debug->options, &session_.settings().compile);
    UseDebugOptions(debug->options, &session_.settings().execute);
    session_.BeginRecords();
    for (const std::string& file : line.positional) RunFile(file);
    session_.EndRecords();
    const int written = FinishTool(io(), kTool, absl::OkStatus());
    return written != kOk ? written : session_.exit_code();
  }

 private:
  const ToolIo& io() const { return session_.io(); }

  absl::Status ParseStubs() {
    for (const auto& [option, texts] :
         {std::make_pair("--custom_call_stub", &o_.custom_call_stub),
          std::make_pair("--stand_in", &o_.stand_in)}) {
      for (const std::string& text : *texts) {
        absl::StatusOr<CustomCallStub> stub = ParseCustomCallStub(text);
        if (!stub.ok()) return Annotate(stub.status(), option);
        stubs_.push_back(*std::move(stub));
      }
    }
    return absl::OkStatus();
  }

  // Files that serve all modules.
  absl::Status ReadFiles() {
    for (CustomCallStub& stub : stubs_) {
      if (stub.kind != CustomCallStub::kValue) continue;
      HLOKIT_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadInput(io(), stub.file));
      absl::StatusOr<NpyArray> array = ParseNpy(bytes);
      if (!array.ok()) return Annotate(array.status(), stub.file);
      HLOKIT_ASSIGN_OR_RETURN(stub.value, NpyToLiteral(*array));
    }
    if (!o_.expected.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(expected_, ReadInput(io(), o_.expected));
    }
    return source_.ReadFiles();
  }

  void RunFile(const std::string& file) {
    const std::string name = InputName(file);
    session_.out() << "\n ** Running " << file << "** \n";
    session_.out().flush();
    absl::StatusOr<LoadResult> loaded =
        Guarded("reading", file, [&] { return Load(file); });
    if (!loaded.ok()) {
      FailModule(name, "", loaded.status());
      return;
    }
    for (const std::string& note : loaded->notes) {
      session_.err() << note << "\n";
    }
    if (TellsOfElidedConstants(loaded->notes)) WarnOfElided(name);
    for (LoadedModule& module : loaded->modules) {
      const std::string label =
          loaded->modules.size() == 1
              ? name
              : absl::StrCat(name, "#", module.part + 1);
      const absl::Status status = Guarded("running", label, [&] {
        RunModule(module, label);
        return absl::OkStatus();
      });
      if (!status.ok()) FailModule(label, module.module->name(), status);
    }
  }

  absl::StatusOr<LoadResult> Load(const std::string& file) {
    LoadOptions load;
    load.format = o_.input_format;
    load.module = o_.module;
    load.verify = o_.verify;
    HLOKIT_ASSIGN_OR_RETURN(load.unknown,
                            UnknownPolicyOf(o_.lenient, o_.strict));
    load.split_input = true;  // each module of a file is run
    return LoadFile(io(), file, load);
  }

  void WarnOfElided(absl::string_view name) {
    session_.err()
        << "\n*** WARNING: the text of " << name
        << " leaves out the values of constants ({...}).\n"
        << "*** Made-up values take their place: the results are not those of "
           "the program that was dumped.\n"
        << "*** Replay the proto of the same dump (.hlo.pb, "
           "--xla_dump_hlo_as_proto), or dump with "
           "--xla_dump_large_constants.\n\n";
  }

  // Nothing of the module runs.
  void FailModule(const std::string& label, absl::string_view module,
                  const absl::Status& status) {
    RunRecord record = session_.NewRecord(label, module, 1);
    session_.Fail(&record, status, ExitCodeFor(status));
    session_.Write(record);
  }

  void RunModule(LoadedModule& loaded, const std::string& label) {
    Module& module = *loaded.module;
    if (module.num_partitions > 1) {
      session_.err() << label << ": note: the module is for "
                     << module.num_partitions
                     << " partitions; one device runs it, as partition 0 of "
                        "1\n";
    }
    absl::Status status = UseStubs(&module);
    if (status.ok()) {
      const std::string unknown = UnknownMeaning(module);
      if (!unknown.empty()) {
        status = InvalidArgument("%s: %s; it cannot be run", label, unknown);
      }
    }
    const RunSettings& settings = session_.settings();
    for (const RunSide* side : {&settings.test, &settings.reference}) {
      if (status.ok() && side->backend != nullptr) {
        status = CheckCanRun(module, *side->backend);
      }
    }
    if (!status.ok()) {
      FailModule(label, module.name(), status);
      return;
    }
    for (const std::string& name : CallbacksPassedOver(module)) {
      session_.err() << label << ": note: " << name
                     << " calls a Python function for its effect; the run goes "
                        "on without it\n";
    }
    session_.engine().seed(
        static_cast<FakeDataEngine::result_type>(o_.fake_data_seed));
    if (o_.isolate_instructions) {
      RunPieces(module, label, &session_);
      return;
    }
    if (settings.reference.backend == settings.test.backend) {
      session_.err() << label
                     << ": note: the reference is the backend under test: "
                        "this compares "
                     << settings.test.backend->name() << " with itself\n";
    }
    RunIterations(loaded, label);
  }

  absl::Status UseStubs(Module* module) {
    std::vector<const Backend*> backends = {session_.settings().test.backend};
    if (session_.settings().reference.backend != nullptr) {
      backends.push_back(session_.settings().reference.backend);
    }
    for (const CustomCallStub& stub : stubs_) {
      HLOKIT_ASSIGN_OR_RETURN(const std::vector<std::string> targets,
                              StubCustomCalls(module, stub, backends));
      if (targets.empty() && stub.name.empty()) continue;
      static constexpr absl::string_view kWhat[] = {"zeros", "identity",
                                                    "a file"};
      session_.err() << "warning: " << kWhat[stub.kind]
                     << " stands in for the custom-calls of module "
                     << module->name() << " with "
                     << (targets.empty()
                             ? absl::StrCat("name or target ", stub.name,
                                            ", of which there are none")
                             : absl::StrCat("target ",
                                            absl::StrJoin(targets, ", ")))
                     << "\n";
    }
    return absl::OkStatus();
  }

  void RunIterations(const LoadedModule& loaded, const std::string& label) {
    xla::RunHloModuleLiterals literals;
    int failed = 0;
    bool compared = false;
    for (int64_t i = 1; i <= o_.iterations; ++i) {
      if (o_.iterations != 1) session_.err() << "\n=== Iteration " << i << "\n";
      RunRecord record =
          session_.NewRecord(label, loaded.module->name(), i);
      RunIteration(loaded, literals.add_iterations(), &record);
      if (o_.output_literals_file.empty()) literals.Clear();
      failed += record.status != "ok";
      compared |= !record.checks.empty() || !record.reference.empty();
      session_.Write(record);
    }
    if (compared) {
      session_.err() << failed << "/" << o_.iterations << " runs failed.\n";
    }
    if (o_.output_literals_file.empty()) return;
    const absl::Status written =
        WriteOutput(io(), o_.output_literals_file,
                    SerializeDeterministic(literals), OutputKind::kBinary);
    if (!written.ok()) session_.Fail(label, written, ExitCodeFor(written));
  }

  void RunIteration(const LoadedModule& loaded,
                    xla::RunHloModuleIterationLiterals* literals,
                    RunRecord* record) {
    absl::StatusOr<std::vector<Literal>> arguments =
        source_.Arguments(loaded, record->iteration, &record->inputs);
    if (!arguments.ok()) {
      session_.Fail(record, arguments.status(),
                    ExitCodeFor(arguments.status()));
      return;
    }
    if (o_.print_literals) PrintArguments(loaded, *arguments, *record);
    RunSettings& settings = session_.settings();
    settings.run = record->iteration;
    settings.execute.seed = o_.different_random_seeds ? record->iteration : 42;
    const RunOutcome outcome =
        RunAndCompare(*loaded.module, *arguments, settings);
    record->seconds = outcome.test_seconds;
    record->reference_seconds = outcome.reference_seconds;
    if (!o_.output_literals_file.empty()) Keep(*arguments, outcome, literals);
    if (o_.print_literals) PrintResults(outcome, *record);
    record->status = "ok";
    if (outcome.test_result.has_value()) {
      const Literal& result = *outcome.test_result;
      const absl::Status written = WriteResult(result);
      if (!written.ok()) session_.Fail(record, written, ExitCodeFor(written));
      CheckRecorded(loaded, result, record);
      CheckExpected(result, record);
    }
    if (!outcome.status.ok()) {
      session_.Fail(record, outcome.status, kDifferent);
      return;
    }
    CheckReference(*loaded.module, *arguments, outcome, record);
  }

  void Keep(absl::Span<const Literal> arguments, const RunOutcome& outcome,
            xla::RunHloModuleIterationLiterals* literals) {
    for (const Literal& argument : arguments) {
      LiteralToProto(argument, literals->add_arguments());
    }
    if (outcome.test_result.has_value()) {
      LiteralToProto(*outcome.test_result, literals->mutable_result());
    }
    if (outcome.reference_result.has_value()) {
      LiteralToProto(*outcome.reference_result,
                     literals->mutable_reference_result());
    }
  }

  absl::Status WriteResult(const Literal& result) {
    if (!o_.output.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(const std::string bytes, ResultToNpy(result));
      HLOKIT_RETURN_IF_ERROR(
          WriteOutput(io(), o_.output, bytes, OutputKind::kBinary));
    }
    if (!o_.outputs.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(
          const std::string bytes,
          LiteralsToNpz(absl::MakeConstSpan(&result, 1), "r"));
      HLOKIT_RETURN_IF_ERROR(
          WriteOutput(io(), o_.outputs, bytes, OutputKind::kBinary));
    }
    return absl::OkStatus();
  }

  void PrintLiteral(absl::string_view title, const Literal& literal) {
    std::string text;
    literal.AppendTypedTo(&text);
    session_.out() << "** " << title << ": " << text << "\n";
  }

  void PrintArguments(const LoadedModule& loaded,
                      absl::Span<const Literal> arguments,
                      const RunRecord& record) {
    if (loaded.buffer_assignment != nullptr && record.iteration == 1) {
      session_.out() << "** Buffer assignment:\n"
                     << loaded.buffer_assignment->DebugString();
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      PrintLiteral(absl::StrCat("Argument ", i, " (", record.inputs, ")"),
                   arguments[i]);
    }
  }

  void PrintResults(const RunOutcome& outcome, const RunRecord& record) {
    if (outcome.test_result.has_value()) {
      PrintLiteral(absl::StrCat("Result on ", record.test),
                   *outcome.test_result);
    }
    if (outcome.reference_result.has_value()) {
      PrintLiteral(absl::StrCat("Result on ", record.reference),
                   *outcome.reference_result);
    }
  }

  void CheckReference(const Module& module, absl::Span<const Literal> arguments,
                      const RunOutcome& outcome, RunRecord* record) {
    if (!outcome.comparison.has_value()) {
      session_.err() << "Skipping reference runner\n";
      return;
    }
    if (outcome.comparison->equal) {
      session_.err() << "** Results on " << record->test << " and "
                     << record->reference << " are close enough. **\n";
    }
    session_.AddCheck({record->reference, *outcome.comparison},
                      *outcome.reference_result, *outcome.test_result, record);
    session_.CheckRoundingOf(module, arguments, outcome, record);
  }

  // The result that a snapshot holds.
  void CheckRecorded(const LoadedModule& loaded, const Literal& result,
                     RunRecord* record) {
    if (record->inputs != "snapshot" || !loaded.result.has_value()) return;
    // XLA writes the snapshot before the run too, with an empty tuple.
    if (loaded.result->shape().IsTuple() && loaded.result->elements().empty() &&
        LeafCount(result.shape()) > 0) {
      session_.err() << record->file << ": note: the snapshot holds no "
                     << "result\n";
      return;
    }
    absl::StatusOr<Literal> recorded =
        FitResult(result.shape(), *loaded.result);
    if (!recorded.ok()) {
      session_.Fail(record, recorded.status(), kDifferent);
      return;
    }
    Comparison comparison =
        Compare(*recorded, result, session_.settings().spec);
    if (comparison.equal) {
      session_.err() << "** Result matches the one recorded in the snapshot. "
                        "**\n";
    }
    session_.AddCheck({"snapshot", std::move(comparison)}, *recorded, result,
                      record);
  }

  void CheckExpected(const Literal& result, RunRecord* record) {
    if (o_.expected.empty()) return;
    absl::StatusOr<Literal> expected =
        absl::StartsWith(expected_, "\x93NUMPY")
            ? ResultFromNpy(result.shape(), expected_)
            : ResultFromNpz(result.shape(), expected_);
    if (!expected.ok()) {
      const absl::Status status = Annotate(expected.status(), o_.expected);
      session_.Fail(record, status, ExitCodeFor(status));
      return;
    }
    Comparison comparison =
        Compare(*expected, result, session_.settings().spec);
    if (comparison.equal) {
      session_.err() << "** Result matches " << o_.expected << ". **\n";
    }
    session_.AddCheck({o_.expected, std::move(comparison)}, *expected, result,
                      record);
  }

  const RunHloModuleOptions& o_;
  Session session_;
  ArgumentSource source_;
  std::vector<CustomCallStub> stubs_;
  std::string expected_;
};

}  // namespace

int RunRunHloModule(absl::Span<const std::string> arguments,
                    const ToolIo& io) {
  RunHloModuleOptions options;
  OptionSet set = MakeRunHloModuleOptions(&options);
  const CommandLine line = set.ParseMain(arguments, io);
  if (line.exit_code.has_value()) return *line.exit_code;
  return Replay(options, arguments, io).Run(line);
}

}  // namespace hlokit
