#include "hlo/ir/stack_frames.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace hlokit {
namespace {

using FileLocation = StackFrameIndex::FileLocation;
using StackFrame = StackFrameIndex::StackFrame;

constexpr int32_t kUnknown = -1;
constexpr int32_t kOpen = -2;
constexpr int32_t kBad = -3;

// 1-based position of `value` in `list`, appended when new.
template <typename Key, typename T>
int32_t Intern(absl::flat_hash_map<Key, int32_t>* ids, const Key& key,
               const T& value, std::vector<T>* list) {
  auto [it, is_new] = ids->try_emplace(key, list->size() + 1);
  if (is_new) list->push_back(value);
  return it->second;
}

int32_t InternText(const std::string& text,
                   absl::flat_hash_map<std::string, int32_t>* ids,
                   std::vector<std::string>* list) {
  return Intern(ids, text, text, list);
}

}  // namespace

StackFrameCompactor::StackFrameCompactor(StackFrameIndex old)
    : old_(std::move(old)), new_ids_(old_.stack_frames.size(), kUnknown) {}

int32_t StackFrameCompactor::Frame(int32_t id) {
  if (IsFrame(id) && new_ids_[id - 1] > 0) return new_ids_[id - 1];
  // From the frame outwards to one that is done, then back.
  std::vector<int32_t> chain;
  int32_t parent = 0;
  for (int32_t at = id; at != 0; at = OldFrame(at).parent_frame_id) {
    const int32_t known = IsFrame(at) ? new_ids_[at - 1] : kBad;
    if (known == kBad || known == kOpen) {
      for (int32_t member : chain) new_ids_[member - 1] = kBad;
      return 0;
    }
    if (known != kUnknown) {
      parent = known;
      break;
    }
    new_ids_[at - 1] = kOpen;
    chain.push_back(at);
  }
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    if (HasLocation(OldFrame(*it))) continue;
    // Neither this frame nor those that it calls. Its callers are kept only
    // when somebody else asks for them.
    for (auto outer = chain.rbegin(); outer != it; ++outer) {
      new_ids_[*outer - 1] = kUnknown;
    }
    for (; it != chain.rend(); ++it) new_ids_[*it - 1] = kBad;
    return 0;
  }
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    parent = Add(Location(OldFrame(*it).file_location_id), parent);
    new_ids_[*it - 1] = parent;
  }
  return parent;
}

bool StackFrameCompactor::HasLocation(const StackFrame& frame) const {
  const int32_t id = frame.file_location_id;
  if (id <= 0 || id > static_cast<int32_t>(old_.file_locations.size())) {
    return false;
  }
  const FileLocation& l = old_.file_locations[id - 1];
  return l.file_name_id > 0 && l.function_name_id > 0 &&
         l.file_name_id <= static_cast<int32_t>(old_.file_names.size()) &&
         l.function_name_id <= static_cast<int32_t>(old_.function_names.size());
}

int32_t StackFrameCompactor::Location(int32_t id) {
  FileLocation l = old_.file_locations[id - 1];
  l.file_name_id = InternText(old_.file_names[l.file_name_id - 1], &files_,
                              &fresh_.file_names);
  l.function_name_id = InternText(old_.function_names[l.function_name_id - 1],
                                  &functions_, &fresh_.function_names);
  return Intern(&locations_,
                {l.file_name_id, l.function_name_id, l.line, l.end_line,
                 l.column, l.end_column},
                l, &fresh_.file_locations);
}

int32_t StackFrameCompactor::Add(int32_t location, int32_t parent) {
  return Intern(&frames_, {location, parent},
                StackFrame{.file_location_id = location,
                           .parent_frame_id = parent},
                &fresh_.stack_frames);
}

void CompactStackFrames(Module* module) {
  StackFrameCompactor compactor(std::move(module->stack_frames));
  // By themselves first: these loads miss the cache, and here nothing waits for
  // them.
  std::vector<std::pair<Instruction*, int32_t>> framed;
  for (const auto& computation : module->computations()) {
    for (Instruction* instruction : computation->instructions()) {
      const int32_t id = instruction->metadata().stack_frame_id;
      if (id != 0) framed.emplace_back(instruction, id);
    }
  }
  // Instructions that share metadata go on sharing it. The old ones live on, so
  // that their places stay theirs.
  using Metadata = std::shared_ptr<const OpMetadata>;
  absl::flat_hash_map<const OpMetadata*, std::pair<Metadata, Metadata>> changed;
  for (const auto& [instruction, id] : framed) {
    const int32_t fresh = compactor.Frame(id);
    if (fresh == id) continue;
    auto& [old_metadata, metadata] =
        changed[&instruction->metadata()];
    if (metadata == nullptr) {
      OpMetadata copy = instruction->metadata();
      copy.stack_frame_id = fresh;
      metadata = std::make_shared<const OpMetadata>(std::move(copy));
      old_metadata = instruction->shared_metadata();
    }
    instruction->set_metadata(metadata);
  }
  module->stack_frames = compactor.Take();
}

}  // namespace hlokit
