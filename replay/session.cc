#include "replay/session.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/guarded.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr absl::string_view kReportedTool = "run_hlo_module";

}  // namespace

Session::Session(const RunHloModuleOptions& options,
                 absl::Span<const std::string> arguments, const ToolIo& io)
    : options_(options),
      arguments_(arguments),
      io_(io),
      out_(options.json ? *io.err : *io.out),
      progress_(io) {
  if (options.json) json_.emplace(io.out, 2);
  settings_.log = io.err;
  settings_.progress = &progress_;
  settings_.spec = {options.abs_error_bound, options.rel_error_bound};
  settings_.execute.flush_denormals = options.flush_denormals;
  settings_.execute.max_steps = options.max_steps;
  settings_.compile.cache_dir = options.cache_dir;
  settings_.compile.passes.exact_arithmetic = options.exact_arithmetic;
  settings_.execute.check_instructions = options.check_instructions;
}

absl::Status Session::FindBackends() {
  if (options_.platform.empty()) {
    return InvalidArgument("--platform is required; there are: %s",
                           absl::StrJoin(BackendNames(), ", "));
  }
  absl::StatusOr<Backend*> test = BackendByName(options_.platform);
  if (!test.ok()) return Annotate(test.status(), "--platform");
  settings_.test = {*test, options_.platform, options_.run_test_hlo_passes};
  if (options_.reference_platform.empty()) return absl::OkStatus();
  const bool is_default =
      absl::EqualsIgnoreCase(options_.reference_platform, "default");
  const std::string name =
      is_default ? "Interpreter" : options_.reference_platform;
  absl::StatusOr<Backend*> reference = BackendByName(name);
  if (!reference.ok()) {
    return Annotate(reference.status(), "--reference_platform");
  }
  settings_.reference = {*reference, name, options_.run_reference_hlo_passes};
  return absl::OkStatus();
}

void Session::Note(int code) { exit_code_ = std::max(exit_code_, code); }

void Session::Fail(absl::string_view where, const absl::Status& status,
                   int code) {
  progress_.Clear();
  // Diagnostics carry their place themselves; internal errors only say "error".
  const bool has_place = (absl::StrContains(status.message(), "error: ") &&
                          !absl::IsInternal(status)) ||
                         absl::StartsWith(status.message(), where);
  *io_.err << kReportedTool << ": error: "
           << (has_place ? "" : absl::StrCat(where, ": ")) << status.message()
           << "\n";
  Note(code);
}

void Session::Fail(RunRecord* record, const absl::Status& status, int code) {
  record->status = "error";
  record->error = std::string(status.message());
  Fail(record->file, status, code);
}

RunRecord Session::NewRecord(absl::string_view label, absl::string_view module,
                             int64_t iteration) const {
  RunRecord record;
  record.file = std::string(label);
  record.module = std::string(module);
  record.iteration = iteration;
  record.test = settings_.test.label;
  if (settings_.reference.backend != nullptr) {
    record.reference = settings_.reference.label;
  }
  return record;
}

void Session::BeginRecords() {
  if (json_.has_value()) json_->BeginArray();
}

void Session::Write(const RunRecord& record) {
  if (json_.has_value()) AppendJson(record, &*json_);
}

void Session::EndRecords() {
  progress_.Clear();
  if (!json_.has_value()) return;
  json_->EndArray();
  *io_.out << "\n";
}

void Session::AddCheck(ResultCheck check, const Literal& expected,
                       const Literal& actual, RunRecord* record) {
  if (!check.comparison.equal) {
    if (record->status == "ok") record->status = "mismatch";
    Note(kDifferent);
    progress_.Clear();
    *io_.err << record->file << ": the result on " << record->test
             << " differs from " << check.against << ":\n"
             << Describe(check.comparison, expected, actual, settings_.spec);
    WriteMismatch(*record, check.against, expected, actual);
    *io_.err << "To repeat: " << ShellCommand(kReportedTool, arguments_) << "\n";
  }
  record->checks.push_back(std::move(check));
}

void Session::CheckRoundingOf(const Module& module,
                              absl::Span<const Literal> arguments,
                              const RunOutcome& outcome, RunRecord* record) {
  const int runs = options_.rounding_runs;
  const RunSide& reference = settings_.reference;
  if (outcome.comparison->equal || !outcome.comparison->shape_error.empty() ||
      runs == 0 || reference.backend->name() != "interpreter") {
    return;
  }
  progress_.Update(
      absl::StrCat("running ", reference.label, " with other roundings"));
  CompileOptions compile = settings_.compile;
  compile.run_passes = reference.run_passes;
  const auto run = [&]() -> absl::StatusOr<RoundingCheck> {
    HLOKIT_ASSIGN_OR_RETURN(
        auto executable, reference.backend->Compile(module.Clone(), compile));
    return CheckRounding(executable.get(), arguments, settings_.execute,
                         *outcome.reference_result, *outcome.test_result,
                         settings_.spec, runs);
  };
  const auto check = Guarded("executing", module.name(), run);
  progress_.Clear();
  if (!check.ok()) {
    *io_.err << "With other roundings " << reference.label
             << " fails: " << check.status().message() << "\n";
    return;
  }
  *io_.err << RoundingLine(*check) << "\n";
  record->checks.back().rounding = *check;
}

std::string Session::MismatchFolder() const {
  if (!options_.mismatch_dir.empty()) return options_.mismatch_dir;
  const char* folder =
      io_.getenv ? io_.getenv("TEST_UNDECLARED_OUTPUTS_DIR") : nullptr;
  return folder == nullptr ? "" : folder;
}

void Session::WriteMismatch(const RunRecord& record, absl::string_view against,
                            const Literal& expected, const Literal& actual) {
  const std::string folder = MismatchFolder();
  if (folder.empty()) {
    *io_.err << "--mismatch_dir=DIR writes the expected, actual and "
                "mismatching elements to files\n";
    return;
  }
  // XLA's names where XLA's variable says where to, else telling ones.
  const std::string stem =
      options_.mismatch_dir.empty()
          ? absl::StrCat("tempfile-", absl::ToUnixMicros(absl::Now()))
          : FileStem(absl::StrCat(record.module, ".iteration",
                                  record.iteration, ".vs_",
                                  BaseName(against)));
  absl::StatusOr<std::vector<std::string>> paths = WriteMismatchFiles(
      io_.files, folder, stem, expected, actual, settings_.spec);
  if (!paths.ok()) {
    Fail(record.file, paths.status(), ExitCodeFor(paths.status()));
    return;
  }
  *io_.err << "Written: " << absl::StrJoin(*paths, ", ") << " (and .pb)\n";
}

}  // namespace hlokit
