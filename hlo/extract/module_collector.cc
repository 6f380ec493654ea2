#include "hlo/extract/module_collector.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "hlo/extract/line_shapes.h"

namespace hlokit {
namespace {

// Narrower terminals are rare.
constexpr size_t kMinWrapWidth = 40;

// The width at which lines were cut; 0 when they were not.
size_t WrapWidth(const std::vector<absl::string_view>& lines) {
  size_t width = 0;
  for (absl::string_view line : lines) width = std::max(width, line.size());
  const int64_t count =
      std::count_if(lines.begin(), lines.end(), [&](absl::string_view line) {
        return line.size() == width;
      });
  return width >= kMinWrapWidth && count >= 2 ? width : 0;
}

// Joins the lines that are as wide as the widest with those that follow.
std::string JoinWrapped(absl::string_view text, std::vector<LineShift>* map) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const size_t width = WrapWidth(lines);
  if (width == 0) return std::string(text);
  std::string joined;
  std::vector<LineShift> joined_map;
  int64_t number = 0;
  auto run = map->begin();
  bool starts_line = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto line = static_cast<int64_t>(i);
    while (run + 1 != map->end() && (run + 1)->line <= line) ++run;
    if (starts_line && run != map->end()) {
      joined_map.push_back(
          {number, run->file_line + line - run->line, run->shift});
    }
    starts_line = lines[i].size() != width;
    absl::StrAppend(&joined, lines[i]);
    if (starts_line && i + 1 < lines.size()) {
      joined += '\n';
      ++number;
    }
  }
  *map = std::move(joined_map);
  return joined;
}

}  // namespace

void ModuleCollector::Own() {
  if (is_owned_) return;
  owned_ = std::string(view_);
  is_owned_ = true;
}

void ModuleCollector::MapLine(const TextLine& line, int64_t shift) {
  if (lines_ == 0) module_.first_line = line.number;
  if (!module_.lines.empty()) {
    const LineShift& last = module_.lines.back();
    if (last.shift == shift &&
        last.file_line + (lines_ - last.line) == line.number) {
      return;
    }
  }
  module_.lines.push_back({lines_, line.number, shift});
}

void ModuleCollector::Add(absl::string_view text, const TextLine& line,
                          bool joined) {
  has_text_ |= !IsBlankOrComment(text);
  if (!joins_) {
    MapLine(line, line.shift + (text.data() - line.text.data()));
    ++lines_;
  }
  const bool as_is = !line.whole.empty() &&
                     text.data() == line.text.data() &&
                     text.size() == line.text.size();
  if (!is_owned_ && as_is && !joined &&
      (view_.empty() || view_.data() + view_.size() == line.whole.data())) {
    view_ = absl::string_view(view_.empty() ? line.whole.data() : view_.data(),
                              view_.size() + line.whole.size());
    return;
  }
  Own();
  absl::StrAppend(&owned_, text, joined ? "" : "\n");
  joins_ = joined;
}

ModuleText ModuleCollector::Take(bool join_wrapped) {
  if (join_wrapped) {
    Own();
    owned_ = JoinWrapped(owned_, &module_.lines);
  }
  if (is_owned_) {
    module_.owned = std::make_shared<const std::string>(std::move(owned_));
    view_ = *module_.owned;
  }
  module_.text = view_;
  return std::move(module_);
}

}  // namespace hlokit
