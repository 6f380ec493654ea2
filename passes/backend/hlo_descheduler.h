// hlo-descheduler: forgets the schedule.
#ifndef HLOKIT_PASSES_BACKEND_HLO_DESCHEDULER_H_
#define HLOKIT_PASSES_BACKEND_HLO_DESCHEDULER_H_

#include "passes/pass.h"

namespace hlokit {

class HloDescheduler : public Pass {
 public:
  absl::string_view name() const override { return "hlo-descheduler"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_HLO_DESCHEDULER_H_
