#include "hlo/ir/op_attributes.h"

#include <tuple>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/text_sink.h"

namespace hlokit {
namespace {

// Appends the items one after another, blanks between them.
class MetadataItems {
 public:
  explicit MetadataItems(TextSink* out) : out_(out) {}
  void Quoted(absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    Key(key);
    out_->AppendQuoted(value);
  }
  void Raw(absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    Key(key);
    out_->Append('"');
    out_->Append(value);
    out_->Append('"');
  }
  void Text(absl::string_view items) {
    if (!items.empty()) Key(items);
  }
  void Number(absl::string_view key, int64_t value) {
    if (value == 0) return;
    Key(key);
    out_->AppendInt(value);
  }
  void Numbers(absl::string_view key, absl::Span<const int64_t> values) {
    if (values.empty()) return;
    Key(key);
    out_->Append('{');
    out_->AppendInts(values);
    out_->Append('}');
  }

 private:
  void Key(absl::string_view key) {
    if (!first_) out_->Append(' ');
    first_ = false;
    out_->Append(key);
  }
  TextSink* out_;
  bool first_ = true;
};

}  // namespace

void AppendOpMetadata(const OpMetadata& metadata, TextSink* out) {
  MetadataItems items(out);
  items.Quoted("op_type=", metadata.op_type);
  items.Quoted("op_name=", metadata.op_name);
  items.Quoted("source_file=", metadata.source_file);
  items.Number("source_line=", metadata.source_line);
  items.Number("source_end_line=", metadata.source_end_line);
  items.Number("source_column=", metadata.source_column);
  items.Number("source_end_column=", metadata.source_end_column);
  const OpMetadata::Rare& rare = metadata.rare();
  items.Numbers("profile_type=", rare.profile_type);
  items.Quoted("deduplicated_name=", rare.deduplicated_name);
  // Upstream does not escape this one.
  items.Raw("scheduling_name=", rare.scheduling_name);
  items.Number("stack_frame_id=", metadata.stack_frame_id);
  items.Quoted("metadata_payload=", rare.metadata_payload);
  items.Text(rare.unknown_items);
}

void AppendOpMetadata(const OpMetadata& metadata, std::string* out) {
  TextSink sink(out);
  AppendOpMetadata(metadata, &sink);
}

const OpMetadata::Rare& OpMetadata::rare() const {
  static const Rare* const none = new Rare;
  return rare_ == nullptr ? *none : *rare_;
}

OpMetadata::Rare& OpMetadata::mutable_rare() {
  auto mine = std::make_shared<Rare>(rare());
  Rare& result = *mine;
  rare_ = std::move(mine);
  return result;
}

bool OpMetadata::operator==(const OpMetadata& other) const {
  auto plain = [](const OpMetadata& m) {
    return std::tie(m.op_type, m.op_name, m.source_file, m.source_line,
                    m.source_end_line, m.source_column, m.source_end_column,
                    m.stack_frame_id);
  };
  return plain(*this) == plain(other) && rare() == other.rare();
}

namespace {

// The tree of leaves whose indices agree before `depth`. `budget` counts the
// elements that may still be made.
bool MakeOriginTree(absl::Span<const OriginalValue::Leaf> leaves, size_t depth,
                    int64_t* budget, Shape* tree) {
  constexpr size_t kMaxDepth = 2048;
  if (leaves.size() == 1 && leaves[0].index.size() == depth) {
    *tree = Shape::Opaque();
    return true;
  }
  if (depth > kMaxDepth) return false;
  std::vector<Shape> elements;
  for (size_t begin = 0, end; begin < leaves.size(); begin = end) {
    if (leaves[begin].index.size() <= depth) return false;
    const int64_t place = leaves[begin].index[depth];
    const int64_t size = elements.size();
    if (place < size || place - size > *budget) return false;
    *budget -= place - size;
    elements.resize(place, Shape::Tuple({}));
    end = begin;
    while (end < leaves.size() && leaves[end].index.size() > depth &&
           leaves[end].index[depth] == place) {
      ++end;
    }
    if (!MakeOriginTree(leaves.subspan(begin, end - begin), depth + 1, budget,
                        &elements.emplace_back())) {
      return false;
    }
  }
  *tree = Shape::Tuple(std::move(elements));
  return true;
}

}  // namespace

bool OriginalValue::MakeTree() {
  int64_t budget = 1 << 16;
  Shape made;
  if (!MakeOriginTree(leaves, 0, &budget, &made)) return false;
  tree = std::move(made);
  return true;
}

}  // namespace hlokit
