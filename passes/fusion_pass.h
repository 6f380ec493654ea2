// Passes that fuse tell what they decided.
#ifndef HLOKIT_PASSES_FUSION_PASS_H_
#define HLOKIT_PASSES_FUSION_PASS_H_

#include "dump/fusion_recorder.h"
#include "passes/pass.h"

namespace hlokit {

class FusionPass : public Pass {
 public:
  // Not owned; null for none.
  void set_recorder(FusionRecorder* recorder) { recorder_ = recorder; }

 protected:
  FusionRecorder* recorder() const { return recorder_; }

 private:
  FusionRecorder* recorder_ = nullptr;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_FUSION_PASS_H_
