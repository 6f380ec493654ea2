// Runs one module on given arguments: on the backend under test, then a clone
// on the reference backend, and compares.
#ifndef HLOKIT_REPLAY_RUNNER_H_
#define HLOKIT_REPLAY_RUNNER_H_

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "base/terminal.h"
#include "dump/dumper.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "replay/compare.h"

namespace hlokit {

// What became of one side; the words are those of XLA's tables.
enum class RunWord {
  kMatched,
  kRan,
  kSkipped,
  kDidntRun,
  kOtherError,
  kCompilationError,
  kRuntimeError,
  kMismatch,
};
inline constexpr int kRunWords = 8;
absl::string_view RunWordText(RunWord word);  // "DIDN'T RUN"

struct RunSide {
  Backend* backend = nullptr;  // null: no such run
  std::string label;           // as the user calls it
  bool run_passes = true;
};

struct RunSettings {
  RunSide test;
  RunSide reference;
  // run_passes and artifact are set for each side.
  CompileOptions compile;
  ExecuteOptions execute;
  ErrorSpec spec;
  // May be null. The module and a snapshot of each run on the test side go to
  // the dumper, with `run` as the number of the run.
  Dumper* dumper = nullptr;
  int64_t run = 1;
  ProgressLine* progress = nullptr;
  // Gets the lines about time; null: none.
  std::ostream* log = nullptr;
};

struct RunOutcome {
  RunWord test_word = RunWord::kDidntRun;
  RunWord reference_word = RunWord::kDidntRun;
  // Of whichever step failed; OK also when the results differ.
  absl::Status status;
  std::optional<Literal> test_result;
  std::optional<Literal> reference_result;
  double test_seconds = 0;  // compilation and execution
  double reference_seconds = 0;
  std::optional<Comparison> comparison;
};

RunOutcome RunAndCompare(const Module& module,
                         absl::Span<const Literal> arguments,
                         const RunSettings& settings);

// OK when the backend can run the module as far as can be told beforehand.
// Else names the custom-calls that it does not know, and how to go on.
absl::Status CheckCanRun(const Module& module, const Backend& backend);
// "%name" of each call of a Python function without results, which runs do not
// make.
std::vector<std::string> CallbacksPassedOver(const Module& module);

// What takes the place of custom-calls: a value of --custom_call_stub.
struct CustomCallStub {
  enum Kind { kZeros, kIdentity, kValue };
  // Target, or name of an instruction; empty: of all that no backend knows.
  std::string name;
  Kind kind = kZeros;
  std::string file;  // of kValue
  Literal value;
};

// "zeros", "identity", "NAME=zeros", "NAME=identity", "NAME=FILE.npy" (the file
// is not read).
absl::StatusOr<CustomCallStub> ParseCustomCallStub(absl::string_view text);

// Puts the stub in the place of the custom-calls that it is for. `backends` are
// those that are to run the module. Returns the targets, each once.
absl::StatusOr<std::vector<std::string>> StubCustomCalls(
    Module* module, const CustomCallStub& stub,
    absl::Span<const Backend* const> backends);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_RUNNER_H_
