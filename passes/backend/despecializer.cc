#include "passes/backend/despecializer.h"

#include "passes/backend/defuser.h"
#include "passes/backend/hlo_descheduler.h"
#include "passes/simplify/control_dep_remover.h"

namespace hlokit {

absl::StatusOr<bool> Despecializer::Run(Module* module) {
  Pipeline pipeline("despecializer");
  pipeline.Add<HloDescheduler>();
  pipeline.Add<ControlDepRemover>();
  pipeline.Add<Defuser>();
  pipeline.set_threads_of_all(execution_threads());
  return pipeline.Run(module);
}

}  // namespace hlokit
