#include "hlo/ir/op_attributes.h"

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/append_text.h"

namespace hlokit {
namespace {

// Appends the items one after another, blanks between them.
class MetadataItems {
 public:
  explicit MetadataItems(std::string* out) : out_(out) {}
  void Quoted(absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    Key(key);
    AppendQuoted(value, out_);
  }
  void Raw(absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    Key(key);
    out_->push_back('"');
    AppendText(value, out_);
    out_->push_back('"');
  }
  void Number(absl::string_view key, int64_t value) {
    if (value == 0) return;
    Key(key);
    AppendInt(value, out_);
  }
  void Numbers(absl::string_view key, absl::Span<const int64_t> values) {
    if (values.empty()) return;
    Key(key);
    AppendIntList(values, out_);
  }

 private:
  void Key(absl::string_view key) {
    if (!first_) out_->push_back(' ');
    first_ = false;
    AppendText(key, out_);
  }
  std::string* out_;
  bool first_ = true;
};

}  // namespace

void AppendOpMetadata(const OpMetadata& metadata, std::string* out) {
  MetadataItems items(out);
  items.Quoted("op_type=", metadata.op_type);
  items.Quoted("op_name=", metadata.op_name);
  items.Quoted("source_file=", metadata.source_file);
  items.Number("source_line=", metadata.source_line);
  items.Number("source_end_line=", metadata.source_end_line);
  items.Number("source_column=", metadata.source_column);
  items.Number("source_end_column=", metadata.source_end_column);
  items.Numbers("profile_type=", metadata.profile_type);
  items.Quoted("deduplicated_name=", metadata.deduplicated_name);
  // Upstream does not escape this one.
  items.Raw("scheduling_name=", metadata.scheduling_name);
  items.Number("stack_frame_id=", metadata.stack_frame_id);
  items.Quoted("metadata_payload=", metadata.metadata_payload);
}

}  // namespace hlokit
