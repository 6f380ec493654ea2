#include "backends/opcode_cases.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hlo/parse/parser.h"
#include "hlo/verify/verifier.h"

namespace hlokit {
namespace {

Backend& Interpreter() { return **BackendByName("interpreter"); }

const OpcodeCase* FirstCaseOf(Opcode opcode) {
  for (const OpcodeCase& c : OpcodeCases()) {
    if (c.opcode == opcode) return &c;
  }
  return nullptr;
}

// Letters of the kinds for which the opcode has cases.
std::set<char> KindsOf(Opcode opcode) {
  std::set<char> kinds;
  for (const OpcodeCase& c : OpcodeCases()) {
    if (c.opcode != opcode) continue;
    for (const PrimitiveType type : CaseTypes(c)) {
      switch (InfoOf(type).kind) {
        case TypeKind::kPred: kinds.insert('p'); break;
        case TypeKind::kSigned: kinds.insert('s'); break;
        case TypeKind::kUnsigned: kinds.insert('u'); break;
        case TypeKind::kFloat: kinds.insert('f'); break;
        case TypeKind::kComplex: kinds.insert('c'); break;
        case TypeKind::kNone: kinds.insert('t'); break;
      }
    }
  }
  return kinds;
}

// Whether parser, verifier or backend refuses the case for this type.
bool IsRefused(const OpcodeCase& c, PrimitiveType type) {
  auto module = ParseModule(CaseText(c, type));
  if (!module.ok() || !VerifyModule(**module).ok()) return true;
  // Not: a result, be it the wrong one.
  const absl::Status status = RunCase(c, type, Interpreter());
  return !status.ok() && !absl::IsFailedPrecondition(status);
}

TEST(OpcodeCases, AreThereForEveryOpcode) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_NE(FirstCaseOf(opcode), nullptr) << OpcodeName(opcode);
  }
}

TEST(OpcodeCases, ExecuteTheOpcodeThatTheyName) {
  for (const OpcodeCase& c : OpcodeCases()) {
    const std::string text = CaseText(c, CaseTypes(c)[0]);
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    bool found = false;
    for (const auto& instruction : (*module)->entry()->instructions()) {
      found |= instruction->opcode() == c.opcode;
    }
    EXPECT_TRUE(found) << OpcodeName(c.opcode) << "\n" << text;
  }
}

TEST(OpcodeCases, HoldInTheInterpreterForEveryKindOfElementType) {
  for (const OpcodeCase& c : OpcodeCases()) {
    for (const PrimitiveType type : CaseTypes(c)) {
      EXPECT_EQ(RunCase(c, type, Interpreter()), absl::OkStatus())
          << CaseText(c, type);
    }
  }
}

TEST(OpcodeCases, HoldOnCpuForEveryKindOfElementType) {
  Backend& cpu = **BackendByName("cpu");
  for (const OpcodeCase& c : OpcodeCases()) {
    for (const PrimitiveType type : CaseTypes(c)) {
      EXPECT_EQ(RunCase(c, type, cpu), absl::OkStatus()) << CaseText(c, type);
    }
  }
}

TEST(OpcodeCases, OtherKindsAreRefused) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    const std::set<char> kinds = KindsOf(opcode);
    if (kinds.contains('t') || FirstCaseOf(opcode) == nullptr) continue;
    for (const char kind : kElementKinds) {
      if (kinds.contains(kind)) continue;
      const PrimitiveType type = TypesOfKind(kind).back();
      EXPECT_TRUE(IsRefused(*FirstCaseOf(opcode), type))
          << CaseText(*FirstCaseOf(opcode), type);
    }
  }
}

}  // namespace
}  // namespace hlokit
