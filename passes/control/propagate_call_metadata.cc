#include "passes/control/propagate_call_metadata.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/analysis/call_graph.h"

namespace hlokit {
namespace {

// Puts call stacks into one another. Frames that are there are used again.
class StackFrameJoiner {
 public:
  explicit StackFrameJoiner(StackFrameIndex* index) : index_(index) {
    for (size_t k = 0; k < index->stack_frames.size(); ++k) {
      const auto& frame = index->stack_frames[k];
      ids_.try_emplace({frame.file_location_id, frame.parent_frame_id}, k + 1);
    }
  }

  // The frames of `inner` called from `outer`; `inner` itself when its stack
  // goes through `outer` already.
  int32_t Join(int32_t outer, int32_t inner) {
    if (!IsFrame(outer)) return inner;
    std::vector<int32_t> chain;  // from the innermost
    for (int32_t id = inner; IsFrame(id); id = FrameOf(id).parent_frame_id) {
      if (id == outer) return inner;
      chain.push_back(FrameOf(id).file_location_id);
      if (chain.size() > index_->stack_frames.size()) return inner;
    }
    int32_t joined = outer;
    for (size_t k = chain.size(); k-- > 0;) joined = Inside(joined, chain[k]);
    return joined;
  }

 private:
  bool IsFrame(int32_t id) const {
    return id > 0 && id <= static_cast<int32_t>(index_->stack_frames.size());
  }
  const StackFrameIndex::StackFrame& FrameOf(int32_t id) const {
    return index_->stack_frames[id - 1];
  }
  int32_t Inside(int32_t parent, int32_t location) {
    const auto [it, is_new] = ids_.try_emplace(
        {location, parent}, index_->stack_frames.size() + 1);
    if (is_new) index_->stack_frames.push_back({location, parent});
    return it->second;
  }

  StackFrameIndex* index_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> ids_;
};

bool BeginsWithPath(absl::string_view path, absl::string_view prefix) {
  return absl::StartsWith(path, prefix) &&
         (path.size() == prefix.size() || path[prefix.size()] == '/');
}

bool Propagate(const OpMetadata& from, Instruction* to,
               StackFrameJoiner* joiner) {
  OpMetadata metadata = to->metadata();
  bool changed = false;
  if (!from.op_name.empty() &&
      !BeginsWithPath(metadata.op_name, from.op_name)) {
    metadata.op_name =
        metadata.op_name.empty()
            ? from.op_name
            : absl::StrCat(from.op_name, "/", metadata.op_name);
    changed = true;
  }
  const int32_t frame =
      joiner->Join(from.stack_frame_id, metadata.stack_frame_id);
  changed |= frame != metadata.stack_frame_id;
  metadata.stack_frame_id = frame;
  if (changed) to->set_metadata(std::move(metadata));
  return changed;
}

bool Propagates(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kConditional ||
         opcode == Opcode::kWhile;
}

}  // namespace

absl::StatusOr<bool> PropagateCallMetadata::Run(Module* module) {
  StackFrameJoiner joiner(&module->stack_frames);
  std::vector<Computation*> order = Computations(module);
  bool changed = false;
  for (size_t k = order.size(); k-- > 0;) {
    const Instruction* caller = OnlyCaller(*order[k]);
    if (caller == nullptr || !Propagates(caller->opcode())) continue;
    const OpMetadata from = caller->metadata();
    for (Instruction* i : order[k]->instructions()) {
      changed |= Propagate(from, i, &joiner);
    }
  }
  return changed;
}

}  // namespace hlokit
