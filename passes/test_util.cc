#include "passes/test_util.h"

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

void RunPass(Pass* pass, Module* module, bool changed) {
  UseInterpreterForConstants();
  absl::StatusOr<bool> result = pass->Run(module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, changed);
  const absl::Status verified = VerifyModule(*module);
  EXPECT_TRUE(verified.ok()) << verified;
  const std::string once = ToString(*module);
  result = pass->Run(module);
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
