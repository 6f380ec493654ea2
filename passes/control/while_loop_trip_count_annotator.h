// while-loop-trip-count-annotator: writes into a counting loop's backend_config
// how often it runs.
//
// {"known_trip_count":{"n":"10"},"known_init_step":{"init":"0","step":"1"},
//  "known_induction_variable":{"tuple_index":"0"},"dynamic_variables":[]}.
// Loops whose count is not known, and those that say it already, stay.
#ifndef HLOKIT_PASSES_CONTROL_WHILE_LOOP_TRIP_COUNT_ANNOTATOR_H_
#define HLOKIT_PASSES_CONTROL_WHILE_LOOP_TRIP_COUNT_ANNOTATOR_H_

#include "passes/pass.h"

namespace hlokit {

class WhileLoopTripCountAnnotator : public Pass {
 public:
  absl::string_view name() const override {
    return "while-loop-trip-count-annotator";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_WHILE_LOOP_TRIP_COUNT_ANNOTATOR_H_
