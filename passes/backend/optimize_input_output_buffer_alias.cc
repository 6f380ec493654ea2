#include "passes/backend/optimize_input_output_buffer_alias.h"

#include <vector>

#include "absl/algorithm/container.h"

namespace hlokit {
namespace {

bool IsAliased(const Module& module, const ShapeIndex& output) {
  return absl::c_any_of(module.input_output_aliases,
                        [&](const InputOutputAlias& alias) {
                          return alias.output_index == output;
                        });
}

bool ParameterIsAliased(const Module& module, const BufferDonor& donor) {
  return absl::c_any_of(module.input_output_aliases,
                        [&](const InputOutputAlias& alias) {
                          return alias.parameter == donor.parameter &&
                                 alias.parameter_index ==
                                     donor.parameter_index;
                        });
}

// A donor of the type, or the end.
std::vector<BufferDonor>::iterator FindDonor(Module* module,
                                             const Shape& shape) {
  return absl::c_find_if(module->buffer_donors, [&](const BufferDonor& donor) {
    const Computation& entry = *module->entry();
    if (donor.parameter < 0 || donor.parameter >= entry.parameter_count() ||
        entry.parameter(donor.parameter) == nullptr) {
      return false;
    }
    const Shape& whole = entry.parameter(donor.parameter)->shape();
    return whole.IndexIsValid(donor.parameter_index) &&
           whole.Subshape(donor.parameter_index) == shape &&
           !ParameterIsAliased(*module, donor);
  });
}

}  // namespace

absl::StatusOr<bool> OptimizeInputOutputBufferAlias::Run(Module* module) {
  bool changed = false;
  const Shape result = module->entry()->root()->shape();
  ForEachLeaf(result, [&](const Shape& leaf, const ShapeIndex& index) {
    if (!leaf.IsArray() || IsAliased(*module, index)) return;
    const auto donor = FindDonor(module, leaf);
    if (donor == module->buffer_donors.end()) return;
    module->input_output_aliases.push_back(
        {index, donor->parameter, donor->parameter_index,
         InputOutputAlias::kMayAlias});
    module->buffer_donors.erase(donor);
    changed = true;
  });
  absl::c_sort(module->input_output_aliases,
               [](const InputOutputAlias& a, const InputOutputAlias& b) {
                 return a.output_index < b.output_index;
               });
  return changed;
}

}  // namespace hlokit
