#include "passes/test_util.h"

#include <limits>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"

namespace hlokit {

std::unique_ptr<Module> ParseOrDie(absl::string_view text) {
  UseInterpreterForConstants();
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

bool IsKnownWork(absl::string_view pass, const Contents& before) {
  const absl::string_view words = WorksOn(pass);
  return words.empty() || before.HasAnyOf(Contents::OfWords(words));
}

namespace {

// Names of passes that RunPass has seen do so.
std::set<std::string>& SeenChanging() {
  static auto* names = new std::set<std::string>;
  return *names;
}
std::set<std::string>& SeenIdle() {
  static auto* names = new std::set<std::string>;
  return *names;
}

class Coverage : public ::testing::Environment {
 public:
  Coverage(std::string folder, std::vector<std::string> odd)
      : folder_(std::move(folder)), odd_(std::move(odd)) {}
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;
    const std::pair<absl::string_view, absl::string_view> rows[] = {
#define HLO_PASS(name, purpose, header, ...) {name, header},
#include "passes/passes.def"
    };
    int passes = 0;
    for (const auto& [view, header] : rows) {
      const std::string name(view);
      if (!absl::StartsWith(header, folder_)) continue;
      ++passes;
      EXPECT_TRUE(SeenChanging().count(name) ||
                  absl::c_linear_search(odd_, name))
          << "no test sees pass " << name << " change a module";
      EXPECT_TRUE(SeenIdle().count(name))
          << "no test sees pass " << name << " leave a module alone";
    }
    EXPECT_GT(passes, 0) << folder_;
  }

 private:
  const std::string folder_;
  const std::vector<std::string> odd_;
};

}  // namespace

bool ExpectAllPassesTested(std::string folder, std::vector<std::string> odd) {
  return ::testing::AddGlobalTestEnvironment(
             new Coverage(std::move(folder), std::move(odd))) != nullptr;
}

void RunPass(Pass* pass, Module* module, bool changed) {
  UseInterpreterForConstants();
  const Contents contents(*module);
  absl::StatusOr<bool> result = RunGuarded(pass, module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, changed);
  (*result ? SeenChanging() : SeenIdle()).emplace(pass->name());
  EXPECT_TRUE(!*result || IsKnownWork(pass->name(), contents)) << pass->name();
  const absl::Status verified = VerifyModule(*module);
  EXPECT_TRUE(verified.ok()) << verified;
  const std::string once = ToString(*module);
  result = RunGuarded(pass, module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(*result) << "a second run changed the module again\n"
                        << once << "\nto\n"
                        << ToString(*module);
  EXPECT_EQ(ToString(*module), once);
}

void ExpectSameValues(const Module& before, const Module& after,
                      double tolerance) {
  for (int seed = 0; seed < 3; ++seed) {
    const std::vector<Literal> arguments = FakeArguments(before, seed);
    const absl::StatusOr<Literal> expected =
        ExecuteModule(before, arguments, 10'000'000);
    ASSERT_TRUE(expected.ok()) << "before: " << expected.status();
    const absl::StatusOr<Literal> actual =
        ExecuteModule(after, arguments, 10'000'000);
    ASSERT_TRUE(actual.ok()) << "after: " << actual.status() << "\n"
                             << ToString(after);
    EXPECT_EQ(ValueDifference(*expected, *actual, tolerance), "")
        << ToString(after);
  }
}

void ExpectSameValues(absl::string_view before_text, const Module& after,
                      double tolerance) {
  auto before = ParseOrDie(before_text);
  ASSERT_NE(before, nullptr);
  ExpectSameValues(*before, after, tolerance);
}

std::unique_ptr<Module> Transformed(Pass* pass, absl::string_view text,
                                    double tolerance) {
  auto module = ParseOrDie(text);
  if (module == nullptr) return std::make_unique<Module>("unreadable");
  RunPass(pass, module.get(), true);
  ExpectSameValues(text, *module, tolerance);
  return module;
}

void ExpectUnchanged(Pass* pass, absl::string_view text) {
  auto module = ParseOrDie(text);
  ASSERT_NE(module, nullptr);
  const std::string before = ToString(*module);
  RunPass(pass, module.get(), false);
  EXPECT_EQ(ToString(*module), before);
}

std::string OpcodesOf(const Computation& computation) {
  std::string text;
  for (const Instruction* i : computation.PostOrder()) {
    if (!text.empty()) text += ' ';
    text.append(OpcodeName(i->opcode()).data(), OpcodeName(i->opcode()).size());
  }
  return text;
}

std::string EntryOpcodes(const Module& module) {
  return module.entry() == nullptr ? "" : OpcodesOf(*module.entry());
}

int64_t CountOf(const Module& module, Opcode opcode) {
  int64_t count = 0;
  for (const auto& c : module.computations()) {
    for (const Instruction* i : c->instructions()) {
      count += i->opcode() == opcode;
    }
  }
  return count;
}

}  // namespace hlokit
