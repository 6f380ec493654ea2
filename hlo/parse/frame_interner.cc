// Keeps of the stack frames in the text those that instructions refer to, and
// numbers them anew in the order in which they are met: callers before callees.
#include "absl/container/flat_hash_map.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

using Location = StackFrameIndex::FileLocation;

class FrameInterner {
 public:
  explicit FrameInterner(const StackFrameIndex& from) : from_(from) {
    frames_.assign(from.stack_frames.size() + 1, kUnseen);
  }

  // The new number of frame `id`; 0 where the id or a caller's is bad.
  int32_t Intern(int32_t id) {
    // The callers of the frame up to one that is known.
    std::vector<int32_t> chain;
    while (IsFrame(id) && frames_[id] == kUnseen) {
      frames_[id] = kOpen;
      chain.push_back(id);
      id = from_.stack_frames[id - 1].parent_frame_id;
    }
    const bool bad = id != 0 && (!IsFrame(id) || frames_[id] <= kOpen);
    int32_t parent = IsFrame(id) && !bad ? frames_[id] : 0;
    // A caller that is itself known to be bad.
    bool broken = bad || (IsFrame(id) && parent == 0);
    while (!chain.empty()) {
      const int32_t frame = chain.back();
      chain.pop_back();
      int32_t location = 0;
      if (!broken) {
        location = InternLocation(
            from_.stack_frames[frame - 1].file_location_id);
        broken = location == 0;
      }
      if (broken) {
        frames_[frame] = 0;
      } else {
        to_.stack_frames.push_back({location, parent});
        frames_[frame] = static_cast<int32_t>(to_.stack_frames.size());
      }
      parent = frames_[frame];
    }
    return broken ? 0 : parent;
  }

  StackFrameIndex Take() { return std::move(to_); }

 private:
  static constexpr int32_t kUnseen = -1;
  static constexpr int32_t kOpen = -2;

  bool IsFrame(int32_t id) const {
    return id > 0 && id < static_cast<int32_t>(frames_.size());
  }

  static int32_t InternName(const std::vector<std::string>& from, int32_t id,
                            absl::flat_hash_map<std::string, int32_t>* known,
                            std::vector<std::string>* to) {
    if (id < 1 || id > static_cast<int32_t>(from.size())) return 0;
    const std::string& name = from[id - 1];
    auto [it, fresh] = known->try_emplace(name, to->size() + 1);
    if (fresh) to->push_back(name);
    return it->second;
  }

  int32_t InternLocation(int32_t id) {
    if (id < 1 || id > static_cast<int32_t>(from_.file_locations.size())) {
      return 0;
    }
    auto [it, fresh] = locations_.try_emplace(id, 0);
    if (!fresh) return it->second;
    Location location = from_.file_locations[id - 1];
    location.file_name_id = InternName(from_.file_names, location.file_name_id,
                                       &files_, &to_.file_names);
    location.function_name_id =
        InternName(from_.function_names, location.function_name_id, &functions_,
                   &to_.function_names);
    if (location.file_name_id == 0 || location.function_name_id == 0) return 0;
    to_.file_locations.push_back(location);
    return it->second = static_cast<int32_t>(to_.file_locations.size());
  }

  const StackFrameIndex& from_;
  StackFrameIndex to_;
  std::vector<int32_t> frames_;  // by old id
  absl::flat_hash_map<int32_t, int32_t> locations_;
  absl::flat_hash_map<std::string, int32_t> files_;
  absl::flat_hash_map<std::string, int32_t> functions_;
};

}  // namespace

void ModuleParser::ReinternFrames() {
  if (!has_frame_ids_) {
    module_->stack_frames = {};
    return;
  }
  const StackFrameIndex from = std::move(module_->stack_frames);
  FrameInterner interner(from);
  // Instructions share their metadata.
  absl::flat_hash_map<const OpMetadata*, std::shared_ptr<const OpMetadata>>
      renumbered;
  for (const auto& computation : module_->computations()) {
    for (Instruction* instruction : computation->instructions()) {
      const std::shared_ptr<const OpMetadata> old =
          instruction->shared_metadata();
      if (old == nullptr || old->stack_frame_id == 0) continue;
      std::shared_ptr<const OpMetadata>& fresh = renumbered[old.get()];
      if (fresh == nullptr) {
        fresh = old;
        const int32_t id = interner.Intern(old->stack_frame_id);
        if (id != old->stack_frame_id) {
          auto changed = std::make_shared<OpMetadata>(*old);
          changed->stack_frame_id = id;
          fresh = std::move(changed);
        }
        // Keeps the key alive.
        kept_metadata_.push_back(old);
      }
      instruction->set_metadata(fresh);
    }
  }
  kept_metadata_.clear();
  module_->stack_frames = interner.Take();
}

}  // namespace hlokit::parse
