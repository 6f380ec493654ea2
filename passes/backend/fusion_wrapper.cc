#include "passes/backend/fusion_wrapper.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "passes/analysis/call_graph.h"

namespace hlokit {
namespace {

bool IsWrapped(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReverse:
    case Opcode::kScatter:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    case Opcode::kMulhi:
    case Opcode::kStochasticConvert:
      return false;
    default:
      return IsElementwise(opcode);
  }
}

bool Applies(const Instruction& i) {
  return IsWrapped(i.opcode()) && i.shape().IsArray() &&
         i.shape().is_static() && !i.HasSideEffect();
}

void Wrap(Instruction* i) {
  Computation* computation = i->parent();
  Module* module = computation->module();
  const std::string name = absl::StrCat("wrapped_", OpcodeName(i->opcode()));
  auto body = Computation::Create(module, absl::StrCat(name, "_computation"));
  std::vector<Instruction*> operands, inputs;
  for (Instruction* operand : i->operands()) {
    const auto it = absl::c_find(operands, operand);
    if (it != operands.end()) {
      inputs.push_back(body->parameter(it - operands.begin()));
      continue;
    }
    inputs.push_back(
        body->AddParameter(operands.size(), operand->shape(),
                           absl::StrCat("param_", operands.size())));
    operands.push_back(operand);
  }
  Instruction* copy = body->AddClone(*i, i->shape(), inputs);
  copy->mutable_attrs().Erase(AttrId::kSharding);
  body->set_root(copy);
  Computation* joined = module->AddComputation(std::move(body));
  Instruction* fusion =
      computation->Add(Opcode::kFusion, i->shape(), operands, name);
  fusion->mutable_attrs().Set(AttrId::kFusionKind,
                              static_cast<int64_t>(FusionKind::kLoop));
  if (const AttrValue* sharding = i->attrs().Find(AttrId::kSharding)) {
    fusion->mutable_attrs().Set(AttrId::kSharding, *sharding);
  }
  fusion->set_called_computations({joined});
  fusion->set_metadata(i->shared_metadata());
  computation->Replace(i, fusion);
}

}  // namespace

absl::StatusOr<bool> FusionWrapper::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!RunsAsAWhole(*computation)) continue;
    for (Instruction* i : computation->PostOrder()) {
      if (!Applies(*i) || (i->users().empty() && !i->IsRoot())) continue;
      Wrap(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
