// Instructions and computations by the names that people type.
#ifndef HLOKIT_GRAPH_TOOLS_MODULE_NAMES_H_
#define HLOKIT_GRAPH_TOOLS_MODULE_NAMES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Names are found in any case, with or without a leading %. The module must
// outlive this object and keep its instructions.
class ModuleNames {
 public:
  explicit ModuleNames(const Module& module);

  // Null when there is none.
  const Instruction* FindInstruction(absl::string_view name) const;
  const Computation* FindComputation(absl::string_view name) const;
  // NotFound with near names.
  absl::StatusOr<const Instruction*> NeedInstruction(
      absl::string_view name) const;
  absl::StatusOr<const Computation*> NeedComputation(
      absl::string_view name) const;

  // Every name that starts so, sorted: for completion.
  std::vector<std::string> StartingWith(absl::string_view prefix,
                                        size_t limit) const;

 private:
  absl::flat_hash_map<std::string, const Instruction*> instructions_;
  absl::flat_hash_map<std::string, const Computation*> computations_;
  std::vector<std::string> names_;  // as they are, sorted
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_MODULE_NAMES_H_
