#include "hlo/ir/op_attributes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/escape.h"

namespace hlokit {

void AppendOpMetadata(const OpMetadata& m, std::string* out) {
  absl::string_view separator = "";
  auto text = [&](absl::string_view name, const std::string& value) {
    if (value.empty()) return;
    absl::StrAppend(out, separator, name, "=\"", CEscape(value), "\"");
    separator = " ";
  };
  auto number = [&](absl::string_view name, int32_t value) {
    if (value == 0) return;
    absl::StrAppend(out, separator, name, "=", value);
    separator = " ";
  };
  text("op_type", m.op_type);
  text("op_name", m.op_name);
  text("source_file", m.source_file);
  number("source_line", m.source_line);
  number("source_end_line", m.source_end_line);
  number("source_column", m.source_column);
  number("source_end_column", m.source_end_column);
  if (!m.profile_type.empty()) {
    absl::StrAppend(out, separator, "profile_type={",
                    absl::StrJoin(m.profile_type, ","), "}");
    separator = " ";
  }
  text("deduplicated_name", m.deduplicated_name);
  if (!m.scheduling_name.empty()) {
    // XLA does not escape this one.
    absl::StrAppend(out, separator, "scheduling_name=\"", m.scheduling_name,
                    "\"");
    separator = " ";
  }
  number("stack_frame_id", m.stack_frame_id);
  text("metadata_payload", m.metadata_payload);
}

}  // namespace hlokit
