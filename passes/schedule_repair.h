// Keeping a schedule in step with a module that a pass has changed.
#ifndef HLOKIT_PASSES_SCHEDULE_REPAIR_H_
#define HLOKIT_PASSES_SCHEDULE_REPAIR_H_

#include "hlo/ir/module.h"

namespace hlokit {

// Does nothing to modules without schedule. Else every computation that is not
// inside a fusion gets a sequence: the instructions that it had in their old
// order, each new one right before the first that needs it, what nobody needs
// at the end; computations that are gone leave the schedule.
void RepairSchedule(Module* module);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SCHEDULE_REPAIR_H_
