#include "passes/dump_observer.h"

namespace hlokit {

absl::Status DumpObserver::OnStep(const Step& step, const Module& module) {
  dumper_->DumpPass(module, step.pipeline, step.previous, step.next,
                    step.changed);
  return absl::OkStatus();
}

}  // namespace hlokit
