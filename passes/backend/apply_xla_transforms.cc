#include "passes/backend/apply_xla_transforms.h"

#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/status.h"

namespace hlokit {
namespace {

struct TransformList {
  absl::Mutex mutex;
  std::vector<ModuleTransform> transforms;
};

TransformList& Transforms() {
  static auto* list = new TransformList;
  return *list;
}

}  // namespace

void RegisterTransform(ModuleTransform transform) {
  absl::MutexLock lock(&Transforms().mutex);
  Transforms().transforms.push_back(std::move(transform));
}

void ClearTransforms() {
  absl::MutexLock lock(&Transforms().mutex);
  Transforms().transforms.clear();
}

absl::StatusOr<bool> ApplyXlaTransforms::Run(Module* module) {
  std::vector<ModuleTransform> transforms;
  {
    absl::MutexLock lock(&Transforms().mutex);
    transforms = Transforms().transforms;
  }
  bool changed = false;
  for (const ModuleTransform& transform : transforms) {
    HLOKIT_ASSIGN_OR_RETURN(const bool this_changed, transform(module));
    changed |= this_changed;
  }
  return changed;
}

}  // namespace hlokit
