#include "passes/dump_observer.h"

#include "passes/fusion_pass.h"

namespace hlokit {
namespace {

void SetRecorder(const Pipeline& pipeline, FusionRecorder* recorder) {
  for (const auto& pass : pipeline.passes()) {
    if (pass->IsPipeline()) {
      SetRecorder(static_cast<const Pipeline&>(*pass), recorder);
    } else if (auto* fusion = dynamic_cast<FusionPass*>(pass.get())) {
      fusion->set_recorder(recorder);
    }
  }
}

}  // namespace

void DumpObserver::Attach(Pipeline* pipeline, const Module& module) {
  pipeline->AddObserver(this);
  SetRecorder(*pipeline, dumper_->Fusions(module));
}

absl::Status DumpObserver::OnStep(const Step& step, const Module& module) {
  dumper_->DumpPass(module, step.pipeline, step.previous, step.next,
                    step.changed);
  return absl::OkStatus();
}

}  // namespace hlokit
