#include "graph_tools/overlay_file.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "base/status.h"

namespace hlokit {
namespace {

std::string InstructionName(absl::string_view name) {
  name = absl::StripAsciiWhitespace(name);
  absl::ConsumePrefix(&name, "%");
  return std::string(name);
}

bool IsJson(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  return !text.empty() && text[0] == '{';
}

absl::Status ReadValues(const google::protobuf::Struct& values,
                        absl::string_view file, PageOverlay* overlay) {
  for (const auto& [name, value] : values.fields()) {
    double number = value.number_value();
    if (value.kind_case() == google::protobuf::Value::kStringValue) {
      if (!absl::SimpleAtod(value.string_value(), &number)) {
        return InvalidArgument("%s: the value of '%s' is no number", file,
                               name);
      }
    } else if (value.kind_case() != google::protobuf::Value::kNumberValue) {
      return InvalidArgument("%s: the value of '%s' is no number", file, name);
    }
    overlay->values.emplace_back(InstructionName(name), number);
  }
  return absl::OkStatus();
}

absl::Status ReadJson(absl::string_view text, absl::string_view file,
                      PageOverlay* overlay) {
  google::protobuf::Struct root;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(text.data(), text.size()), &root);
  if (!status.ok()) {
    return InvalidArgument(
        "%s: no JSON object: %s", file,
        absl::string_view(status.message().data(), status.message().size()));
  }
  const auto& fields = root.fields();
  const auto values = fields.find("values");
  if (values == fields.end() || !values->second.has_struct_value()) {
    return ReadValues(root, file, overlay);
  }
  if (const auto it = fields.find("title"); it != fields.end()) {
    overlay->title = it->second.string_value();
  }
  if (const auto it = fields.find("unit"); it != fields.end()) {
    overlay->unit = it->second.string_value();
  }
  return ReadValues(values->second.struct_value(), file, overlay);
}

// "time (us)" -> title and unit.
void ReadHeading(absl::string_view heading, PageOverlay* overlay) {
  heading = absl::StripAsciiWhitespace(heading);
  const size_t open = heading.rfind('(');
  if (open != absl::string_view::npos && heading.back() == ')') {
    overlay->unit =
        std::string(heading.substr(open + 1, heading.size() - open - 2));
    heading = absl::StripTrailingAsciiWhitespace(heading.substr(0, open));
  }
  overlay->title = std::string(heading);
}

absl::Status ReadLines(absl::string_view text, absl::string_view file,
                       PageOverlay* overlay) {
  int64_t number = 0;
  bool first = true;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    size_t cut = line.find('\t');
    if (cut == absl::string_view::npos) cut = line.rfind(',');
    double value = 0;
    const bool is_number =
        cut != absl::string_view::npos &&
        absl::SimpleAtod(absl::StripAsciiWhitespace(line.substr(cut + 1)),
                         &value);
    if (is_number) {
      overlay->values.emplace_back(InstructionName(line.substr(0, cut)), value);
    } else if (first && cut != absl::string_view::npos) {
      ReadHeading(line.substr(cut + 1), overlay);
    } else {
      return InvalidArgument("%s:%d: expected NAME,NUMBER, found '%s'", file,
                             number, line);
    }
    first = false;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PageOverlay> ParseOverlay(absl::string_view text,
                                         absl::string_view file) {
  PageOverlay overlay;
  overlay.title = std::string(BaseName(file));
  HLOKIT_RETURN_IF_ERROR(IsJson(text) ? ReadJson(text, file, &overlay)
                                      : ReadLines(text, file, &overlay));
  // Maps of JSON come in any order.
  std::stable_sort(
      overlay.values.begin(), overlay.values.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  return overlay;
}

absl::flat_hash_map<const Instruction*, NodeMark> MarksOf(
    const PageOverlay& overlay, const Module& module) {
  absl::flat_hash_map<absl::string_view, double> values;
  double max = 0;
  for (const auto& [name, value] : overlay.values) {
    values[name] = value;
    if (std::isfinite(value)) max = std::max(max, std::abs(value));
  }
  absl::flat_hash_map<const Instruction*, NodeMark> marks;
  for (const auto& computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      const auto it = values.find(instruction->name());
      if (it == values.end()) continue;
      NodeMark& mark = marks[instruction];
      mark.color = std::isfinite(it->second)
                       ? std::string(HeatRamp()[HeatStep(std::abs(it->second),
                                                         max)])
                       : "#ce93d8";
      mark.line = absl::StrCat(overlay.title, ": ", it->second,
                               overlay.unit.empty() ? "" : " ", overlay.unit);
    }
  }
  return marks;
}

}  // namespace hlokit
