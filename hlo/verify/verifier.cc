#include "hlo/verify/verifier.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit {
namespace verify {
namespace {

// Which instructions a rule looks at: those of `opcodes`, or those that the
// predicate takes.
struct InstructionRule {
  InstructionCheck check;
  std::vector<Opcode> opcodes;
  bool (*applies)(Opcode) = nullptr;
};

bool Always(Opcode) { return true; }

const std::vector<InstructionRule>& InstructionRules() {
  using O = Opcode;
  static const auto& rules = *new std::vector<InstructionRule>{
      {CheckShape, {}, Always},
      {CheckUnbounded, {}, Always},
      {CheckMixedPrecision, {}, Always},
      {CheckSharding, {}, Always},
      {CheckOriginalValue, {}, Always},
      {CheckBuffers, {}, Always},
      {CheckLayoutChange, {}, Always},
      {CheckHostMemory, {}, Always},
      {CheckElementwise, {}, IsElementwise},
      {CheckReplicaGroups, {}, IsCollective},
      {CheckCompare, {O::kCompare}},
      {CheckBroadcast, {O::kBroadcast}},
      {CheckReshape, {O::kReshape}},
      {CheckConstant, {O::kConstant}},
      {CheckSort, {O::kSort}},
      {CheckMulhi, {O::kMulhi}},
      {CheckScan, {O::kScan}},
      {CheckBitcast, {O::kBitcast}},
      {CheckCopy, {O::kCopy}},
      {CheckReducerTypes, {O::kReduce, O::kReduceWindow, O::kMap}},
      {CheckThreads, {O::kWhile, O::kConditional, O::kFusion}},
      {CheckCall, {O::kCall}},
      {CheckWhile, {O::kWhile}},
      {CheckConditional, {O::kConditional}},
      {CheckFusion, {O::kFusion}},
      {CheckCustomCall, {O::kCustomCall}},
      {CheckOutputAliasing, {O::kCustomCall, O::kFusion, O::kAsyncStart}},
      {CheckGroupSize,
       {O::kAllGather, O::kAllGatherStart, O::kReduceScatter, O::kAllToAll}},
      {CheckPermute, {O::kCollectivePermute, O::kCollectivePermuteStart}},
      {CheckCollectiveReducer,
       {O::kAllReduce, O::kAllReduceStart, O::kReduceScatter}},
      {CheckAsyncStart, {O::kAsyncStart}},
      {CheckAsyncUpdate, {O::kAsyncUpdate}},
      {CheckAsyncDone, {O::kAsyncDone}},
      {CheckStart,
       {O::kAllGatherStart, O::kAllReduceStart, O::kCollectivePermuteStart,
        O::kCopyStart, O::kRecv, O::kSend}},
      {CheckDone,
       {O::kAllGatherDone, O::kAllReduceDone, O::kCollectivePermuteDone,
        O::kCopyDone, O::kRecvDone, O::kSendDone}},
      {CheckChannelUse, {O::kSend, O::kRecv}},
  };
  return rules;
}

// Rules on the module as a whole, after those on instructions.
constexpr ModuleCheck kModuleRules[] = {
    CheckHostChannels, CheckConstrainLayout, CheckEntryLayout, CheckAliases,
    CheckSchedule,
};

using ChecksByOpcode = std::array<std::vector<InstructionCheck>, kOpcodeCount>;

const ChecksByOpcode& Checks() {
  static const ChecksByOpcode& checks = *[] {
    auto* result = new ChecksByOpcode;
    for (const InstructionRule& rule : InstructionRules()) {
      for (const OpcodeInfo& info : AllOpcodes()) {
        bool listed = rule.applies != nullptr && rule.applies(info.opcode);
        for (Opcode opcode : rule.opcodes) {
          listed = listed || opcode == info.opcode;
        }
        if (listed) {
          (*result)[static_cast<int>(info.opcode)].push_back(rule.check);
        }
      }
    }
    return result;
  }();
  return checks;
}

void Run(Checker& checker) {
  CheckStructure(checker);
  if (checker.unsound() || checker.full()) return;
  const ChecksByOpcode& checks = Checks();
  for (const auto& computation : checker.module().computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (checker.IsBroken(i)) continue;
      for (InstructionCheck check : checks[static_cast<int>(i->opcode())]) {
        check(*i, checker);
      }
      if (checker.full()) return;
    }
  }
  for (ModuleCheck check : kModuleRules) {
    check(checker);
    if (checker.full()) return;
  }
}

}  // namespace

void Checker::Report(const Instruction* instruction, absl::string_view rule,
                     std::string message) {
  if (full()) return;
  findings_.push_back({instruction, std::string(rule), std::move(message)});
}

std::string Brief(const Instruction& instruction) {
  constexpr int64_t kMostOperands = 8;
  std::string text =
      absl::StrCat("%", instruction.name(), " = ",
                   infer::TypeText(instruction.shape()), " ",
                   OpcodeName(instruction.opcode()), "(");
  int64_t count = instruction.operand_count();
  for (int64_t n = 0; n < count && n < kMostOperands; ++n) {
    const Instruction* operand = instruction.operand(n);
    absl::StrAppend(&text, n == 0 ? "" : ", ", "%",
                    operand == nullptr ? "?" : operand->name());
  }
  if (count > kMostOperands) text += ", ...";
  if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(&text, instruction.parameter_number());
  }
  text += ")";
  return text;
}

}  // namespace verify

std::vector<VerifierFinding> Verify(const Module& module,
                                    const VerifierOptions& options) {
  verify::Checker checker(module, options);
  verify::Run(checker);
  return checker.Take();
}

std::string FindingsText(const std::vector<VerifierFinding>& findings) {
  return absl::StrJoin(
      findings, "\n", [](std::string* out, const VerifierFinding& finding) {
        absl::StrAppend(out,
                        finding.instruction == nullptr
                            ? std::string("module")
                            : verify::Brief(*finding.instruction),
                        ": ", finding.rule, ": ", finding.message);
      });
}

absl::Status VerifyModule(const Module& module,
                          const VerifierOptions& options) {
  const std::vector<VerifierFinding> findings = Verify(module, options);
  if (findings.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(FindingsText(findings));
}

}  // namespace hlokit
