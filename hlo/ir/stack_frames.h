// Tables of call stacks (Module::stack_frames) as XLA keeps them.
#ifndef HLOKIT_HLO_IR_STACK_FRAMES_H_
#define HLOKIT_HLO_IR_STACK_FRAMES_H_

#include "hlo/ir/module.h"

namespace hlokit {

// Deals the frames anew, for readers of text and protos: only frames that
// instructions reach stay, numbered in the order met (computations in module
// order, their instructions in id order, outer frames before inner ones), equal
// entries once. Instructions' stack_frame_ids change with them; ids that no
// frame has, also among the outer frames, and frames that are their own outer
// frames become 0.
void CompactStackFrames(Module* module);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_STACK_FRAMES_H_
