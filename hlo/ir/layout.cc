#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/ir/shape.h"

namespace hlokit {
namespace {

void AppendTile(const Tile& tile, std::string* out) {
  out->push_back('(');
  absl::string_view separator;
  for (int64_t size : tile.dimensions) {
    absl::StrAppend(out, separator);
    if (size == Tile::kCombine) {
      out->push_back('*');
    } else {
      absl::StrAppend(out, size);
    }
    separator = ",";
  }
  out->push_back(')');
}

// Index and pointer types must be integers; XLA prints others as invalid.
absl::string_view IntegerTypeName(PrimitiveType type) {
  return IsIntegerType(type) ? PrimitiveTypeName(type) : "invalid";
}

// Writes the words of a layout, each followed by the unknown ones behind it.
class WordWriter {
 public:
  explicit WordWriter(const Layout& layout) : layout_(layout) { Unknown(""); }

  template <typename... Parts>
  void Word(bool present, absl::string_view word, const Parts&... parts) {
    if (present) absl::StrAppend(&text_, word, parts...);
    Unknown(word);
  }
  std::string Take() { return std::move(text_); }

 private:
  void Unknown(absl::string_view after) {
    for (const UnknownLayoutWord& word : layout_.unknown_words) {
      if (word.after == after) text_ += word.text;
    }
  }

  const Layout& layout_;
  std::string text_;
};

// The parts behind the colon, in the one order that the parser accepts.
std::string AttributesText(const Layout& layout) {
  std::string tiles, splits;
  for (const Tile& tile : layout.tiles) AppendTile(tile, &tiles);
  for (const SplitConfig& split : layout.split_configs) {
    absl::StrAppend(&splits, "(", split.dimension, ":",
                    absl::StrJoin(split.split_indices, ","), ")");
  }
  WordWriter out(layout);
  out.Word(!tiles.empty(), "T", tiles);
  out.Word(layout.tail_padding_alignment_in_elements != 1, "L", "(",
           layout.tail_padding_alignment_in_elements, ")");
  out.Word(layout.index_primitive_type != kInvalid, "#", "(",
           IntegerTypeName(layout.index_primitive_type), ")");
  out.Word(layout.pointer_primitive_type != kInvalid, "*", "(",
           IntegerTypeName(layout.pointer_primitive_type), ")");
  out.Word(layout.element_size_in_bits != 0, "E", "(",
           layout.element_size_in_bits, ")");
  out.Word(layout.memory_space != 0, "S", "(", layout.memory_space, ")");
  out.Word(!splits.empty(), "SC", splits);
  if (layout.physical_shape != nullptr) {
    out.Word(true, "P", "(", layout.physical_shape->ToString(), ")");
  }
  out.Word(layout.dynamic_shape_metadata_prefix_bytes > 0, "M", "(",
           layout.dynamic_shape_metadata_prefix_bytes, ")");
  return out.Take();
}

bool SamePhysicalShape(const Layout& a, const Layout& b) {
  if (a.physical_shape == b.physical_shape) return true;
  return a.physical_shape != nullptr && b.physical_shape != nullptr &&
         *a.physical_shape == *b.physical_shape;
}

}  // namespace

Layout Layout::Descending(int64_t rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (int64_t i = 0; i < rank; ++i) layout.minor_to_major[i] = rank - 1 - i;
  return layout;
}

bool Layout::IsDescending() const {
  const int64_t rank = minor_to_major.size();
  for (int64_t i = 0; i < rank; ++i) {
    if (minor_to_major[i] != rank - 1 - i) return false;
  }
  return true;
}

bool Layout::IsPlain() const {
  return tiles.empty() && tail_padding_alignment_in_elements == 1 &&
         index_primitive_type == kInvalid &&
         pointer_primitive_type == kInvalid && element_size_in_bits == 0 &&
         memory_space == 0 && split_configs.empty() &&
         dynamic_shape_metadata_prefix_bytes == 0 &&
         physical_shape == nullptr && unknown_words.empty();
}

void Layout::DeleteDimension(int64_t i) {
  auto& order = minor_to_major;
  order.erase(std::remove(order.begin(), order.end(), i), order.end());
  for (int64_t& dimension : order) dimension -= dimension > i;
  split_configs.erase(
      std::remove_if(split_configs.begin(), split_configs.end(),
                     [&](const SplitConfig& s) { return s.dimension == i; }),
      split_configs.end());
  for (SplitConfig& split : split_configs) {
    split.dimension -= split.dimension > i;
  }
}

bool Layout::operator==(const Layout& other) const {
  if (this == &other) return true;
  return minor_to_major == other.minor_to_major && tiles == other.tiles &&
         tail_padding_alignment_in_elements ==
             other.tail_padding_alignment_in_elements &&
         index_primitive_type == other.index_primitive_type &&
         pointer_primitive_type == other.pointer_primitive_type &&
         element_size_in_bits == other.element_size_in_bits &&
         memory_space == other.memory_space &&
         split_configs == other.split_configs &&
         dynamic_shape_metadata_prefix_bytes ==
             other.dynamic_shape_metadata_prefix_bytes &&
         unknown_words == other.unknown_words &&
         SamePhysicalShape(*this, other);
}

void Layout::AppendTo(std::string* out) const {
  absl::StrAppend(out, "{", absl::StrJoin(minor_to_major, ","));
  if (!IsPlain()) {
    std::string attributes = AttributesText(*this);
    if (!attributes.empty()) absl::StrAppend(out, ":", attributes);
  }
  out->push_back('}');
}

std::string Layout::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

}  // namespace hlokit
