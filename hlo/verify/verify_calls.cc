#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "hlo/ir/sharding.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

// Instructions that hold the same value: those with a sharding must agree.
class ShardingAgreement {
 public:
  ShardingAgreement(const Instruction& reporter, absl::string_view rule,
                    Checker& checker)
      : reporter_(reporter), rule_(rule), checker_(checker) {}

  void Add(const Instruction& i) {
    if (i.sharding() == nullptr) return;
    std::string text = i.sharding()->ToString(/*include_metadata=*/false);
    if (first_ == nullptr) {
      first_ = &i;
      first_text_ = std::move(text);
    } else if (text != first_text_) {
      checker_.Reportf(&reporter_, rule_,
                       "shardings must agree: %%%s has %s, %%%s has %s",
                       first_->name(), first_text_, i.name(), text);
    }
  }

 private:
  const Instruction& reporter_;
  absl::string_view rule_;
  Checker& checker_;
  const Instruction* first_ = nullptr;
  std::string first_text_;
};

void CheckComposite(const Instruction& i, Checker& checker) {
  const FrontendAttributes* attributes =
      i.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  auto value = [&](const char* key) -> const std::string* {
    if (attributes == nullptr) return nullptr;
    auto it = attributes->find(key);
    return it == attributes->end() ? nullptr : &it->second;
  };
  const std::string* name = value("composite.name");
  if (name == nullptr || name->empty()) {
    checker.Report(&i, "call",
                   "a composite needs the frontend attribute composite.name");
  }
  const std::string* details = value("composite.attributes");
  if (details != nullptr && details->empty()) {
    checker.Report(&i, "call", "composite.attributes must not be empty");
  }
  const std::string* version = value("composite.version");
  int64_t number = 0;
  if (version == nullptr || !absl::SimpleAtoi(*version, &number) ||
      number < 0) {
    checker.Reportf(&i, "call",
                    "composite.version must be an integer of 0 or more, found "
                    "\"%s\"",
                    version == nullptr ? "" : *version);
  }
}

// Element types of reducer parameters must be those of the operands when
// precisions may not mix. (That they agree at all is part of inference.)
void CheckParameterType(const Instruction& i, const Computation& callee,
                        int64_t parameter, PrimitiveType wanted,
                        Checker& checker) {
  if (parameter >= callee.parameter_count()) return;
  PrimitiveType found = callee.parameter(parameter)->shape().element_type();
  if (found == wanted) return;
  checker.Reportf(&i, "mixed precision",
                  "parameter %d of %s must be %s as the operand, found %s",
                  parameter, callee.name(), PrimitiveTypeName(wanted),
                  PrimitiveTypeName(found));
}

}  // namespace

void CheckThreads(const Instruction& i, Checker& checker) {
  for (const Computation* callee : i.called_computations()) {
    if (callee->execution_thread() == i.parent()->execution_thread()) continue;
    checker.Reportf(&i, "thread",
                    "computation %s runs on thread \"%s\", expected \"%s\"",
                    callee->name(), callee->execution_thread(),
                    i.parent()->execution_thread());
  }
}

void CheckReducerTypes(const Instruction& i, Checker& checker) {
  if (checker.options().allow_mixed_precision) return;
  const Computation& callee = *i.to_apply();
  int64_t count = i.operand_count();
  bool is_map = i.opcode() == Opcode::kMap;
  for (int64_t n = 0; n < count; ++n) {
    // reduce(arrays, inits) takes parameters (accumulators, elements).
    int64_t parameter = is_map ? n : (n + count / 2) % count;
    CheckParameterType(i, callee, parameter,
                       i.operand(n)->shape().element_type(), checker);
  }
}

void CheckCall(const Instruction& i, Checker& checker) {
  if (i.attrs().GetBool(AttrId::kIsComposite)) CheckComposite(i, checker);
}

void CheckWhile(const Instruction& i, Checker& checker) {
  ShardingAgreement agreement(i, "while", checker);
  agreement.Add(i);
  agreement.Add(*i.while_body()->root());
  for (const Computation* callee : i.called_computations()) {
    if (callee->parameter_count() == 1) agreement.Add(*callee->parameter(0));
  }
}

void CheckConditional(const Instruction& i, Checker& checker) {
  ShardingAgreement agreement(i, "conditional", checker);
  agreement.Add(i);
  for (const Computation* branch : i.called_computations()) {
    agreement.Add(*branch->root());
  }
}

// Operations that run other computations as steps of a program, or talk to
// other programs: a fusion is one kernel and has no steps.
bool IsControlFlow(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
      return true;
    default:
      return false;
  }
}

void CheckFusion(const Instruction& i, Checker& checker) {
  const Computation& fused = *i.to_apply();
  int64_t owners = 0;
  for (const Instruction* caller : fused.callers()) {
    if (caller != nullptr) ++owners;
  }
  if (owners > 1) {
    checker.Reportf(&i, "fusion", "the body %s has %d owners, expected one",
                    fused.name(), owners);
  }
  for (const Instruction* inner : fused.instructions()) {
    if (IsControlFlow(inner->opcode())) {
      checker.Reportf(&i, "fusion", "%%%s in %s is a %s, which a fusion cannot "
                      "contain", inner->name(), fused.name(),
                      OpcodeName(inner->opcode()));
    }
    if (inner == fused.root() || inner->user_count() > 0) continue;
    if (inner->opcode() == Opcode::kParameter || inner->HasSideEffect()) {
      continue;
    }
    checker.Reportf(&i, "fusion", "%%%s in %s has no users", inner->name(),
                    fused.name());
  }
}

}  // namespace hlokit::verify
