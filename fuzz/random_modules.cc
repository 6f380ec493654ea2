// Random modules on the interpreter and on the CPU backend: the same results?
//
// Prints seed and text of each module whose results differ, and the first
// instruction whose kernel computes something else. Ends with 1 if there was
// one.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "backends/backend.h"
#include "backends/cpu/compiler.h"
#include "backends/interpreter/evaluator.h"
#include "base/status.h"
#include "fuzz/random_module.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"

namespace hlokit {
namespace {

constexpr absl::string_view kHelp =
    R"(Usage: random_modules [--first=N] [--seeds=N | --seed=N] [--small] [--print]

Runs random modules on the interpreter and on the CPU backend, as they are or
after the CPU's passes, and compares the results.

  --seeds=N   so many modules (1500; or the variable HLOKIT_RANDOM_MODULES)
  --first=N   the seed of the first (1)
  --seed=N    this one alone
  --passes=0  none through the passes; 1: all. Else those of every other 32 seeds
  --level=N   xla_backend_optimization_level; else it changes with the seed
  --small     only small modules: several times as many a second
  --max_failures=N  stop after so many (10)
  --print     print the modules
)";

struct Flags {
  uint64_t first = 1, seeds = 1500;
  int passes = -1, level = -1;
  int64_t max_failures = 10;
  bool print = false, small = false;
};

// For the handler of signals.
uint64_t seed_now = 0;

void TellSeed(int signal) {
  char text[64];
  const int n = std::snprintf(text, sizeof(text),
                              "\nsignal %d at seed %llu\n", signal,
                              static_cast<unsigned long long>(seed_now));
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, n);
  _exit(1);
}

absl::StatusOr<Literal> RunOn(absl::string_view name, const RandomModule& m,
                              const CompileOptions& options, bool check) {
  HLOKIT_ASSIGN_OR_RETURN(Backend * backend, BackendByName(name));
  HLOKIT_ASSIGN_OR_RETURN(auto executable,
                          backend->Compile(m.module->Clone(), options));
  ExecuteOptions execute;
  execute.check_instructions = check;
  execute.max_steps = 1'000'000;
  HLOKIT_ASSIGN_OR_RETURN(ExecutionResult result,
                          executable->Execute(m.arguments, execute));
  return std::move(result.value);
}

bool RunsPasses(uint64_t seed, const Flags& flags) {
  return flags.passes >= 0 ? flags.passes == 1 : seed / 32 % 2 == 0;
}

// Whether the passes alone change the results, told by the interpreter: "" or
// how.
std::string FaultOfPasses(const RandomModule& m, const Literal& want) {
  std::unique_ptr<Module> module = m.module->Clone();
  const absl::Status optimized = cpu::OptimizeForCpu(module.get());
  if (!optimized.ok()) return std::string(optimized.message());
  const absl::Status valid = VerifyModule(*module);
  if (!valid.ok()) return absl::StrCat("not valid: ", valid.message());
  const auto got = interpreter::Evaluate(*module, m.arguments);
  if (!got.ok()) return std::string(got.status().message());
  return DifferenceOf(m, got->value, want);
}

// "" or what is wrong.
std::string Fault(const RandomModule& m, uint64_t seed, const Flags& flags) {
  const absl::Status valid = VerifyModule(*m.module);
  if (!valid.ok()) return absl::StrCat("not valid: ", valid.message());
  const auto want = RunOn("interpreter", m, {}, false);
  if (!want.ok()) return absl::StrCat("interpreter: ", want.status().message());
  CompileOptions options;
  options.run_passes = RunsPasses(seed, flags);
  options.optimization_level = flags.level >= 0 ? flags.level
                               : seed / 2 % 4 == 0 ? 3
                                                   : 1;
  const auto got = RunOn("cpu", m, options, false);
  const std::string how = options.run_passes ? "cpu" : "cpu without passes";
  if (!got.ok()) return absl::StrCat(how, ": ", got.status().message());
  const std::string difference = DifferenceOf(m, *got, *want);
  if (difference.empty()) return "";
  if (options.run_passes) {
    const std::string passes = FaultOfPasses(m, *want);
    if (!passes.empty()) {
      return absl::StrCat(how, ": ", difference, "\nthe passes: ", passes);
    }
  }
  const auto checked = RunOn("cpu", m, options, true);
  return absl::StrCat(how, ": ", difference, "\nfirst: ",
                      checked.ok() ? "no single instruction"
                                   : checked.status().message());
}

bool ParseFlags(int argc, char** argv, Flags* flags) {
  if (const char* count = std::getenv("HLOKIT_RANDOM_MODULES")) {
    if (!absl::SimpleAtoi(count, &flags->seeds)) return false;
  }
  for (int k = 1; k < argc; ++k) {
    absl::string_view arg = argv[k];
    if (arg == "--print") {
      flags->print = true;
    } else if (arg == "--small") {
      flags->small = true;
    } else if (absl::ConsumePrefix(&arg, "--seeds=")) {
      if (!absl::SimpleAtoi(arg, &flags->seeds)) return false;
    } else if (absl::ConsumePrefix(&arg, "--first=")) {
      if (!absl::SimpleAtoi(arg, &flags->first)) return false;
    } else if (absl::ConsumePrefix(&arg, "--seed=")) {
      if (!absl::SimpleAtoi(arg, &flags->first)) return false;
      flags->seeds = 1;
    } else if (absl::ConsumePrefix(&arg, "--passes=")) {
      if (!absl::SimpleAtoi(arg, &flags->passes)) return false;
    } else if (absl::ConsumePrefix(&arg, "--level=")) {
      if (!absl::SimpleAtoi(arg, &flags->level)) return false;
    } else if (absl::ConsumePrefix(&arg, "--max_failures=")) {
      if (!absl::SimpleAtoi(arg, &flags->max_failures)) return false;
    } else {
      return false;
    }
  }
  return true;
}

int Main(int argc, char** argv) {
  Flags flags;
  if (!ParseFlags(argc, argv, &flags)) {
    std::fputs(std::string(kHelp).c_str(), stderr);
    return 2;
  }
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    signal(number, TellSeed);
  }
  PrintOptions full;
  full.print_large_constants = true;
  int64_t failures = 0, instructions = 0;
  uint64_t done = 0;
  while (done < flags.seeds && failures < flags.max_failures) {
    const uint64_t seed = seed_now = flags.first + done++;
    RandomModuleOptions options =
        OptionsOfSeed(seed, RunsPasses(seed, flags));
    if (flags.small) MakeSmall(&options);
    const RandomModule m = MakeRandomModule(seed, options);
    instructions += m.module->instruction_count();
    if (flags.print) absl::PrintF("%s\n", ToString(*m.module, full));
    const std::string fault = Fault(m, seed, flags);
    if (fault.empty()) continue;
    ++failures;
    absl::PrintF("seed %d: %s\n", seed, fault);
    if (!flags.print) absl::PrintF("%s\n", ToString(*m.module, full));
    std::fflush(stdout);
  }
  absl::PrintF("%d modules from seed %d, %d instructions: %d differ\n", done,
               flags.first, instructions, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hlokit

int main(int argc, char** argv) { return hlokit::Main(argc, argv); }
