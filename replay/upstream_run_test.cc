// The modules of XLA's own tree that can run, on the interpreter and on the CPU
// backend, with made-up arguments: the same results? Those that cannot run, or
// would take too long here, are counted by reason; set HLOKIT_PRINT_SKIPPED to
// see which. Lies beside the source tree; skipped without it.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "base/test_corpora.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo_opt/loader.h"
#include "passes/analysis/cost.h"
#include "replay/compare.h"
#include "replay/fake_data.h"
#include "replay/runner.h"

namespace hlokit {
namespace {

constexpr double kMaxFlops = 3e7;
constexpr double kMaxBytes = 3e7;
constexpr int64_t kMaxSteps = 30'000;

// What an error says about why a module cannot run on one device. The first
// that is found in the message counts.
struct Reason {
  absl::string_view words;
  absl::string_view reason;
};
constexpr Reason kReasons[] = {
    {"cannot run the custom-call", "unknown custom-call"},
    {"device", "needs several devices"},
    {"more than", "too many steps"},
    {"stopped after", "too many steps"},
    {"unbounded", "unbounded dimensions"},
    {"cannot execute", "no meaning on one device"},
};

class UpstreamRun {
 public:
  void File(const std::string& name, const std::string& bytes) {
    LoadOptions options;
    options.split_input = true;
    const auto loaded = LoadModules(bytes, name, options);
    if (!loaded.ok()) {
      Skip(name, "not valid, or made to be refused");
      return;
    }
    for (const LoadedModule& part : loaded->modules) {
      RunModule(absl::StrCat(name, "#", part.part + 1), *part.module);
    }
  }

  int64_t ran() const { return ran_; }
  const std::map<std::string, std::set<std::string>>& skipped() const {
    return skipped_;
  }

 private:
  void Skip(const std::string& name, absl::string_view reason) {
    skipped_[std::string(reason)].insert(name);
  }

  void SkipFor(const std::string& name, const absl::Status& status) {
    for (const Reason& row : kReasons) {
      if (absl::StrContains(status.message(), row.words)) {
        Skip(name, row.reason);
        return;
      }
    }
    Skip(name, absl::StrCat("interpreter: ", status.message().substr(0, 120)));
  }

  void RunModule(const std::string& name, const Module& module) {
    const Cost cost = CostOf(module);
    if (cost.flops + 10 * cost.transcendentals > kMaxFlops ||
        cost.bytes > kMaxBytes) {
      Skip(name, "too much work for a test");
      return;
    }
    if (HasInstruction(module, [](const Instruction& i) {
          return i.opcode() == Opcode::kRng;
        })) {
      Skip(name, "random numbers, other ones on each backend");
      return;
    }
    Backend& interpreter = **BackendByName("interpreter");
    Backend& cpu = **BackendByName("cpu");
    const absl::Status can = CheckCanRun(module, interpreter);
    if (!can.ok()) return SkipFor(name, can);
    FakeDataEngine engine;
    const auto arguments = MakeFakeArguments(module, &engine);
    if (!arguments.ok()) {
      Skip(name, "no arguments can be made up");
      return;
    }
    const auto want = Result(interpreter, module, *arguments);
    if (!want.ok()) return SkipFor(name, want.status());
    const auto got = Result(cpu, module, *arguments);
    ASSERT_TRUE(got.ok()) << name << ": " << got.status();
    // Sums of narrow floats depend on their order.
    const ErrorSpec spec{1e-3, RelativeBound(module)};
    const Comparison comparison = Compare(*want, *got, spec);
    EXPECT_TRUE(comparison.equal)
        << name << "\n"
        << Describe(comparison, *want, *got, spec).substr(0, 2000);
    ++ran_;
  }

  static bool HasInstruction(
      const Module& module, absl::FunctionRef<bool(const Instruction&)> is) {
    for (const auto& computation : module.computations()) {
      for (const Instruction* i : computation->instructions()) {
        if (is(*i)) return true;
      }
    }
    return false;
  }

  // A few roundings of the narrowest float.
  static double RelativeBound(const Module& module) {
    double bound = 1e-3;
    for (const auto& computation : module.computations()) {
      for (const Instruction* i : computation->instructions()) {
        const PrimitiveType type = i->shape().element_type();
        if (!IsFloatType(type)) continue;
        const int bits = SignificandBits(type);
        bound = std::max(bound, std::ldexp(bits > 8 ? 16 : 2.1, -bits));
      }
    }
    return bound;
  }

  static absl::StatusOr<Literal> Result(Backend& backend, const Module& module,
                                        absl::Span<const Literal> arguments) {
    auto executable = backend.Compile(module.Clone(), {});
    if (!executable.ok()) return executable.status();
    ExecuteOptions options;
    options.max_steps = kMaxSteps;
    auto result = (*executable)->Execute(arguments, options);
    if (!result.ok()) return result.status();
    return std::move(result->value);
  }

  int64_t ran_ = 0;
  std::map<std::string, std::set<std::string>> skipped_;
};

TEST(UpstreamModules, InterpreterAndCpuAgree) {
  const std::string folder = Corpora() + "upstream_hlo/";
  UpstreamRun run;
  for (const CorpusRow& row : CorpusTable(folder + "MANIFEST.tsv")) {
    const std::string path = row.at("upstream_path");
    if (!absl::EndsWith(path, ".hlo")) continue;
    if (row.at("kind") == "comments_only") continue;
    run.File(path, ReadCorpusFile(folder + path));
  }
  if (run.ran() + run.skipped().size() == 0) GTEST_SKIP() << "no corpus";
  std::cout << run.ran() << " modules ran\n";
  for (const auto& [reason, names] : run.skipped()) {
    std::cout << names.size() << " not: " << reason << "\n";
    if (std::getenv("HLOKIT_PRINT_SKIPPED") == nullptr) continue;
    for (const std::string& name : names) std::cout << "    " << name << "\n";
  }
}

}  // namespace
}  // namespace hlokit
