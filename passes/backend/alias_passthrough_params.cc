#include "passes/backend/alias_passthrough_params.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"

namespace hlokit {
namespace {

bool OutputIsAliased(const Module& module, const ShapeIndex& index) {
  return absl::c_any_of(
      module.input_output_aliases,
      [&](const InputOutputAlias& a) { return a.output_index == index; });
}

bool ParameterIsAliased(const Module& module, int64_t number) {
  return absl::c_any_of(
      module.input_output_aliases,
      [&](const InputOutputAlias& a) { return a.parameter == number; });
}

}  // namespace

absl::StatusOr<bool> AliasPassthroughParams::Run(Module* module) {
  bool changed = false;
  const Instruction* root = module->entry()->root();
  const bool tuple = root->opcode() == Opcode::kTuple;
  const int64_t count = tuple ? root->operand_count() : 1;
  for (int64_t k = 0; k < count; ++k) {
    const Instruction* part = tuple ? root->operand(k) : root;
    const ShapeIndex index = tuple ? ShapeIndex{k} : ShapeIndex{};
    if (part->opcode() != Opcode::kParameter || !part->shape().IsArray() ||
        OutputIsAliased(*module, index) ||
        ParameterIsAliased(*module, part->parameter_number())) {
      continue;
    }
    module->input_output_aliases.push_back(
        {index, part->parameter_number(), {}, InputOutputAlias::kMayAlias});
    changed = true;
  }
  absl::c_sort(module->input_output_aliases,
               [](const InputOutputAlias& a, const InputOutputAlias& b) {
                 return a.output_index < b.output_index;
               });
  return changed;
}

}  // namespace hlokit
