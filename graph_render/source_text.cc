#include "graph_render/source_text.h"

#include "absl/strings/str_cat.h"
#include "hlo/ir/module.h"

namespace hlokit {
namespace {

// Ids count from 1.
template <typename T>
const T* At(const std::vector<T>& list, int64_t id) {
  return id > 0 && id <= static_cast<int64_t>(list.size()) ? &list[id - 1]
                                                           : nullptr;
}

const StackFrameIndex::FileLocation* LocationOf(const StackFrameIndex& index,
                                                int64_t frame_id) {
  const StackFrameIndex::StackFrame* frame =
      At(index.stack_frames, frame_id);
  return frame == nullptr
             ? nullptr
             : At(index.file_locations, frame->file_location_id);
}

std::string PlaceText(const StackFrameIndex& index,
                      const StackFrameIndex::FileLocation& location) {
  const std::string* file = At(index.file_names, location.file_name_id);
  return absl::StrCat(file == nullptr ? "?" : *file, ":", location.line);
}

}  // namespace

std::string SourceText(const Instruction& instruction) {
  const OpMetadata& metadata = instruction.metadata();
  if (!metadata.source_file.empty()) {
    return absl::StrCat(metadata.source_file, ":", metadata.source_line);
  }
  const StackFrameIndex& index = instruction.module()->stack_frames;
  const auto* location = LocationOf(index, metadata.stack_frame_id);
  return location == nullptr ? "" : PlaceText(index, *location);
}

std::vector<std::string> StackFrameTexts(const Instruction& instruction) {
  const StackFrameIndex& index = instruction.module()->stack_frames;
  std::vector<std::string> texts;
  int64_t frame = instruction.metadata().stack_frame_id;
  for (size_t n = 0; n < index.stack_frames.size(); ++n) {
    const auto* location = LocationOf(index, frame);
    if (location == nullptr) break;
    const std::string* function =
        At(index.function_names, location->function_name_id);
    texts.push_back(absl::StrCat(PlaceText(index, *location), " ",
                                 function == nullptr ? "" : *function));
    frame = index.stack_frames[frame - 1].parent_frame_id;
  }
  return texts;
}

}  // namespace hlokit
