// Helpers for tests of passes: text in, text out.
#ifndef HLOKIT_PASSES_TEST_UTIL_H_
#define HLOKIT_PASSES_TEST_UTIL_H_

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "hlo/ir/module.h"
#include "hlo/parse/parser.h"
#include "hlo/print/printer.h"
#include "hlo/verify/verifier.h"
#include "passes/pass.h"

namespace hlokit {

inline std::unique_ptr<Module> ParseOrDie(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

// Runs the pass, expects it to say `changed`, the module to verify and a second
// run to change nothing.
inline void RunPass(Pass* pass, Module* module, bool changed) {
  absl::StatusOr<bool> result = pass->Run(module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, changed);
  const absl::Status verified = VerifyModule(*module);
  EXPECT_TRUE(verified.ok()) << verified;
  const std::string once = ToString(*module);
  result = pass->Run(module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(*result) << "a second run changed the module again";
  EXPECT_EQ(ToString(*module), once);
}

// The opcodes of the entry in print order, "parameter add ROOT tuple" style.
inline std::string EntryOpcodes(const Module& module) {
  std::string text;
  for (const Instruction* i : module.entry()->PostOrder()) {
    if (!text.empty()) text += ' ';
    text.append(OpcodeName(i->opcode()).data(), OpcodeName(i->opcode()).size());
  }
  return text;
}

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TEST_UTIL_H_
