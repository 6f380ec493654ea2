#include "graph_tools/module_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/suggest.h"

namespace hlokit {
namespace {

std::string Key(absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  return absl::AsciiStrToLower(name);
}

}  // namespace

ModuleNames::ModuleNames(const Module& module) {
  for (const auto& computation : module.computations()) {
    computations_.try_emplace(Key(computation->name()), computation.get());
    names_.emplace_back(computation->name());
    for (const Instruction* instruction : computation->instructions()) {
      instructions_.try_emplace(Key(instruction->name()), instruction);
      names_.emplace_back(instruction->name());
    }
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

const Instruction* ModuleNames::FindInstruction(absl::string_view name) const {
  const auto it = instructions_.find(Key(name));
  return it == instructions_.end() ? nullptr : it->second;
}

const Computation* ModuleNames::FindComputation(absl::string_view name) const {
  const auto it = computations_.find(Key(name));
  return it == computations_.end() ? nullptr : it->second;
}

absl::StatusOr<const Instruction*> ModuleNames::NeedInstruction(
    absl::string_view name) const {
  if (const Instruction* found = FindInstruction(name)) return found;
  return NotFound("no instruction is called '%s'%s", name,
                  DidYouMean(name, names_));
}

absl::StatusOr<const Computation*> ModuleNames::NeedComputation(
    absl::string_view name) const {
  if (const Computation* found = FindComputation(name)) return found;
  return NotFound("no computation is called '%s'%s", name,
                  DidYouMean(name, names_));
}

std::vector<std::string> ModuleNames::StartingWith(absl::string_view prefix,
                                                   size_t limit) const {
  absl::ConsumePrefix(&prefix, "%");
  std::vector<std::string> found;
  for (auto it = std::lower_bound(names_.begin(), names_.end(), prefix);
       it != names_.end() && absl::StartsWith(*it, prefix) &&
       found.size() < limit;
       ++it) {
    found.push_back(*it);
  }
  return found;
}

}  // namespace hlokit
