// Tables of call stacks (Module::stack_frames) as XLA keeps them.
#ifndef HLOKIT_HLO_IR_STACK_FRAMES_H_
#define HLOKIT_HLO_IR_STACK_FRAMES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Deals frames anew in the order in which they are asked for, outer frames
// before inner ones, equal entries once.
class StackFrameCompactor {
 public:
  explicit StackFrameCompactor(StackFrameIndex old);

  // The new id of old frame `id`; 0 for ids that no frame has, also among the
  // outer frames, and for frames that are their own outer frame.
  int32_t Frame(int32_t id);

  // The frames asked for. Nothing may be asked for afterwards.
  StackFrameIndex Take() { return std::move(fresh_); }

 private:
  bool IsFrame(int32_t id) const {
    return id > 0 && id <= static_cast<int32_t>(old_.stack_frames.size());
  }
  const StackFrameIndex::StackFrame& OldFrame(int32_t id) const {
    return old_.stack_frames[id - 1];
  }
  bool HasLocation(const StackFrameIndex::StackFrame& frame) const;
  // Of a frame that has one.
  int32_t Location(int32_t id);
  int32_t Add(int32_t location, int32_t parent);

  StackFrameIndex old_;
  StackFrameIndex fresh_;
  std::vector<int32_t> new_ids_;
  absl::flat_hash_map<std::string, int32_t> files_;
  absl::flat_hash_map<std::string, int32_t> functions_;
  absl::flat_hash_map<
      std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t>, int32_t>
      locations_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> frames_;
};

// For readers of text and protos: only frames that instructions reach stay,
// numbered as StackFrameCompactor does in the order met (computations in module
// order, their instructions in id order). Instructions' stack_frame_ids change
// with them.
void CompactStackFrames(Module* module);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_STACK_FRAMES_H_
