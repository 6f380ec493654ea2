// What the parts of one run_hlo_module share: options, streams, backends, and
// how failures and differences are told.
#ifndef HLOKIT_REPLAY_SESSION_H_
#define HLOKIT_REPLAY_SESSION_H_

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "base/terminal.h"
#include "dump/dumper.h"
#include "hlo/ir/literal.h"
#include "replay/fake_data.h"
#include "replay/report.h"
#include "replay/run_hlo_module.h"
#include "replay/runner.h"

namespace hlokit {

class Session {
 public:
  // All must outlive this object.
  Session(const RunHloModuleOptions& options,
          absl::Span<const std::string> arguments, const ToolIo& io);

  // Finds the backends. Errors are mistakes on the command line.
  absl::Status FindBackends();

  const RunHloModuleOptions& options() const { return options_; }
  const ToolIo& io() const { return io_; }
  // Standard output, or the error stream when standard output is for JSON.
  std::ostream& out() const { return out_; }
  std::ostream& err() const { return *io_.err; }
  RunSettings& settings() { return settings_; }
  ProgressLine& progress() { return progress_; }
  FakeDataEngine& engine() { return engine_; }
  FakeDataEngine* engine_or_null() {
    return options_.random_init_input_literals ? &engine_ : nullptr;
  }
  FakeDataOptions fake_data_options() const {
    return {options_.use_large_float_range};
  }

  // The worst exit code so far.
  int exit_code() const { return exit_code_; }
  void Note(int code);
  // Prints an error and notes the code.
  void Fail(absl::string_view where, const absl::Status& status, int code);
  // The same for a run, whose record becomes "error".
  void Fail(RunRecord* record, const absl::Status& status, int code);

  RunRecord NewRecord(absl::string_view label, absl::string_view module,
                      int64_t iteration) const;
  // JSON, when wanted.
  void BeginRecords();
  void Write(const RunRecord& record);
  void EndRecords();

  // Adds a comparison to the record; of a difference tells everything.
  void AddCheck(ResultCheck check, const Literal& expected,
                const Literal& actual, RunRecord* record);

  // Tells whether the difference from the reference that was added last is a
  // matter of rounding, where that can be found out.
  void CheckRoundingOf(const Module& module,
                       absl::Span<const Literal> arguments,
                       const RunOutcome& outcome, RunRecord* record);

  // Where to write what differs; empty: nowhere.
  std::string MismatchFolder() const;

 private:
  void WriteMismatch(const RunRecord& record, absl::string_view against,
                     const Literal& expected, const Literal& actual);

  const RunHloModuleOptions& options_;
  const absl::Span<const std::string> arguments_;
  const ToolIo& io_;
  std::ostream& out_;
  ProgressLine progress_;
  std::optional<JsonWriter> json_;
  RunSettings settings_;
  FakeDataEngine engine_;
  int exit_code_ = kOk;
};

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_SESSION_H_
