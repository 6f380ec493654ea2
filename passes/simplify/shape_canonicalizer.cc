#include "passes/simplify/shape_canonicalizer.h"

#include "absl/container/flat_hash_set.h"

namespace hlokit {

absl::StatusOr<bool> ShapeCanonicalizer::Run(Module* module) {
  absl::flat_hash_set<Shape> shapes;
  for (const auto& computation : module->computations()) {
    if (!RunsOn(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      i->set_shape(*shapes.insert(i->shape()).first);
    }
  }
  return false;
}

}  // namespace hlokit
