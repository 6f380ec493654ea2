#include "hlo/print/attribute_printer.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/escape.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/sharding.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/json_sort.h"

namespace hlokit {
namespace {

// For what appends to a string.
template <typename T, typename... Options>
void AppendThrough(const T& value, TextSink* out, Options... options) {
  out->Through([&](std::string* text) { value.AppendTo(text, options...); });
}

void AppendList(absl::Span<const int64_t> values, TextSink* out) {
  out->Append('{');
  out->AppendInts(values);
  out->Append('}');
}

void AppendIndex(const ShapeIndex& index, TextSink* out) {
  AppendList(index, out);
}

// One part of a window: nothing when no dimension differs from the default.
template <typename IsDefault, typename AppendOne>
void AppendWindowPart(const Window& window, absl::string_view name,
                      IsDefault is_default, AppendOne append,
                      TextSink* out) {
  if (std::all_of(window.dimensions.begin(), window.dimensions.end(),
                  is_default)) {
    return;
  }
  out->AppendAll(name);
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (i > 0) out->Append('x');
    append(window.dimensions[i]);
  }
}

void AppendWindow(const Window& window, TextSink* out) {
  using D = WindowDimension;
  if (window.dimensions.empty()) return out->Append("{}");
  out->AppendAll("{size=");
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    out->AppendAll(i > 0 ? "x" : "", window.dimensions[i].size);
  }
  AppendWindowPart(
      window, " stride=", [](const D& d) { return d.stride == 1; },
      [&](const D& d) { out->AppendAll(d.stride); }, out);
  AppendWindowPart(
      window, " pad=",
      [](const D& d) { return d.padding_low == 0 && d.padding_high == 0; },
      [&](const D& d) {
        out->AppendAll(d.padding_low, "_", d.padding_high);
      },
      out);
  AppendWindowPart(
      window, " lhs_dilate=", [](const D& d) { return d.base_dilation == 1; },
      [&](const D& d) { out->AppendAll(d.base_dilation); }, out);
  AppendWindowPart(
      window, " rhs_dilate=", [](const D& d) { return d.window_dilation == 1; },
      [&](const D& d) { out->AppendAll(d.window_dilation); }, out);
  AppendWindowPart(
      window, " rhs_reversal=", [](const D& d) { return !d.window_reversal; },
      [&](const D& d) { out->Append(d.window_reversal ? '1' : '0'); }, out);
  out->Append('}');
}

// One third of dim_labels: letters and spatial numbers in dimension order, '?'
// where nothing names the dimension.
void AppendLabels(int64_t first, char first_letter, int64_t second,
                  char second_letter, absl::Span<const int64_t> spatial,
                  TextSink* out) {
  int64_t size = std::max(first, second) + 1;
  for (int64_t d : spatial) size = std::max(size, d + 1);
  size = std::min<int64_t>(size, 1 << 16);
  std::vector<std::string> labels(std::max<int64_t>(size, 0), "?");
  auto set = [&](int64_t d, std::string label) {
    if (d >= 0 && d < size) labels[d] = std::move(label);
  };
  set(first, std::string(1, first_letter));
  set(second, std::string(1, second_letter));
  for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], absl::StrCat(i));
  for (const std::string& label : labels) out->Append(label);
}

void AppendDimLabels(const ConvolutionDims& d, TextSink* out) {
  AppendLabels(d.input_batch_dimension, 'b', d.input_feature_dimension, 'f',
               d.input_spatial_dimensions, out);
  out->Append('_');
  AppendLabels(d.kernel_input_feature_dimension, 'i',
               d.kernel_output_feature_dimension, 'o',
               d.kernel_spatial_dimensions, out);
  out->Append("->");
  AppendLabels(d.output_batch_dimension, 'b', d.output_feature_dimension, 'f',
               d.output_spatial_dimensions, out);
}

void AppendSparsity(const TensorSparsity& s, TextSink* out) {
  out->AppendAll("{sparsity=", s.num_non_zero, "x", s.block_size,
                  " dimension=", s.dimension, " stride=", s.stride, "}");
}

void AppendSparsityConfig(const SparsityConfig& config, TextSink* out) {
  out->Append('{');
  if (config.has_lhs) {
    out->Append("lhs=");
    AppendSparsity(config.lhs, out);
  }
  if (config.has_rhs) {
    out->Append(config.has_lhs ? " rhs=" : "rhs=");
    AppendSparsity(config.rhs, out);
  }
  out->Append('}');
}

void AppendSlice(const SliceRanges& ranges, TextSink* out) {
  const bool strides = std::any_of(ranges.begin(), ranges.end(),
                                   [](const SliceRange& r) {
                                     return r.stride != 1;
                                   });
  out->Append('{');
  for (size_t i = 0; i < ranges.size(); ++i) {
    out->AppendAll(i > 0 ? ", " : "", "[", ranges[i].start, ":",
                    ranges[i].limit);
    if (strides) out->AppendAll(":", ranges[i].stride);
    out->Append(']');
  }
  out->Append('}');
}

void AppendPadding(const PaddingConfig& padding, TextSink* out) {
  const auto& dims = padding.dimensions;
  const bool interior =
      std::any_of(dims.begin(), dims.end(),
                  [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < dims.size(); ++i) {
    out->AppendAll(i > 0 ? "x" : "", dims[i].low, "_", dims[i].high);
    if (interior) out->AppendAll("_", dims[i].interior);
  }
}

void AppendAliasing(const AliasingList& aliases, TextSink* out) {
  out->Append('{');
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i > 0) out->Append(", ");
    AppendIndex(aliases[i].output_index, out);
    out->AppendAll(": (", aliases[i].operand, ", ");
    AppendIndex(aliases[i].operand_index, out);
    out->Append(')');
  }
  out->Append('}');
}

void AppendDomain(const DomainShardings& domain, TextSink* out) {
  auto append = [&](const std::shared_ptr<const Sharding>& sharding) {
    if (sharding != nullptr) {
      AppendThrough(*sharding, out, /*include_metadata=*/true);
    } else {
      out->Append("{}");
    }
  };
  out->Append("{kind=\"sharding\", entry=");
  append(domain.entry);
  out->Append(", exit=");
  append(domain.exit);
  out->Append('}');
}

void AppendReplicaGroups(const ReplicaGroups& groups,
                         const PrintOptions& options, TextSink* out) {
  if (options.print_replica_groups_without_subaxes &&
      groups.form == ReplicaGroups::kMesh) {
    AppendThrough(groups.WithoutSubAxes(), out,
                  options.print_full_replica_group_list);
  } else {
    AppendThrough(groups, out, options.print_full_replica_group_list);
  }
}

// Lists that XLA prints even when they are empty.
bool PrintsEmptyList(const Instruction& i, AttrId id) {
  switch (id) {
    case AttrId::kDimensions:
      // all-to-all and ragged-all-to-all print theirs only when there is one.
      return i.opcode() != Opcode::kAllToAll &&
             i.opcode() != Opcode::kRaggedAllToAll;
    case AttrId::kFftLength:
    case AttrId::kDynamicSliceSizes:
    case AttrId::kSliceSizes:
    case AttrId::kLhsContractingDims:
    case AttrId::kRhsContractingDims:
    case AttrId::kOffsetDims:
    case AttrId::kCollapsedSliceDims:
    case AttrId::kStartIndexMap:
    case AttrId::kUpdateWindowDims:
    case AttrId::kInsertedWindowDims:
    case AttrId::kScatterDimsToOperandDims:
      return true;
    default:
      return false;
  }
}

// The value of an attribute that is not stored but prints all the same.
std::optional<absl::string_view> TextOfAbsent(const Instruction& i,
                                              AttrId id) {
  switch (id) {
    case AttrId::kSlice:
    case AttrId::kSourceTargetPairs:
    case AttrId::kReplicaGroups:
      return "{}";
    case AttrId::kPadding:
      return "";
    default:
      if (PrintsEmptyList(i, id)) return "{}";
      return std::nullopt;
  }
}

// What the released printers do not write although it is stored.
bool IsHidden(const Instruction& i, AttrId id, const PrintOptions& options) {
  const AttributeSet& attrs = i.attrs();
  switch (id) {
    case AttrId::kIsStable:  // topk: the default is not printed
      return i.opcode() == Opcode::kTopK && attrs.GetBool(id, true);
    case AttrId::kHasDynamicRoot:
      return !attrs.GetBool(id);
    case AttrId::kInfeedConfig:
    case AttrId::kOutfeedConfig:
      return !options.print_infeed_outfeed_config;
    case AttrId::kLiteral:  // a constant's stands in its parentheses
      return i.opcode() == Opcode::kConstant;
    case AttrId::kParameterReplication:
      return !options.print_ids;
    case AttrId::kResultAccuracy:  // printed with the common blocks
      return true;
    default:
      return false;
  }
}

// The word, or the number of one that this version does not know.
void AppendEnum(AttrId id, int64_t number, TextSink* out) {
  const absl::string_view word = EnumWord(id, number);
  if (word.empty()) return out->AppendInt(number);
  out->Append(word);
}

void AppendValue(const Instruction& i, AttrId id, const AttrValue& value,
                 const PrintOptions& options, TextSink* out) {
  const AttributeSet& attrs = i.attrs();
  switch (InfoOf(id).kind) {
    case AttrKind::kBool:
      out->AppendAll(attrs.GetBool(id) ? "true" : "false");
      break;
    case AttrKind::kInt64:
      if (id == AttrId::kChannelId && !options.print_channel_id) {
        out->Append('_');
      } else {
        out->AppendAll(attrs.GetInt(id));
      }
      break;
    case AttrKind::kFloat:
      // The proto holds a float.
      out->AppendAll(static_cast<float>(attrs.GetDouble(id)));
      break;
    case AttrKind::kEnum:
      AppendEnum(id, attrs.GetInt(id), out);
      break;
    case AttrKind::kTriState:
      out->AppendAll(attrs.GetInt(id) ==
                                   static_cast<int64_t>(TriState::kTrue)
                               ? "true"
                               : "false");
      break;
    case AttrKind::kString:
      out->AppendQuoted(attrs.GetString(id));
      break;
    case AttrKind::kInt64List:
      AppendList(attrs.GetList(id), out);
      break;
    case AttrKind::kEnumList: {
      out->Append('{');
      bool first = true;
      for (int64_t number : attrs.GetList(id)) {
        out->Append(first ? "" : ",");
        AppendEnum(id, number, out);
        first = false;
      }
      out->Append('}');
      break;
    }
    case AttrKind::kBoolList: {
      out->Append('{');
      bool first = true;
      for (int64_t flag : attrs.GetList(id)) {
        out->AppendAll(first ? "" : ",", flag ? "true" : "false");
        first = false;
      }
      out->Append('}');
      break;
    }
    case AttrKind::kInt64ListList: {
      const auto* lists = attrs.Get<Int64ListList>(id);
      out->Append('{');
      for (size_t k = 0; k < lists->size(); ++k) {
        if (k > 0) out->Append(',');
        AppendList((*lists)[k], out);
      }
      out->Append('}');
      break;
    }
    case AttrKind::kPairList: {
      const auto* pairs = attrs.Get<PairList>(id);
      out->Append('{');
      for (size_t k = 0; k < pairs->size(); ++k) {
        out->AppendAll(k > 0 ? "," : "", "{", (*pairs)[k].first, ",",
                        (*pairs)[k].second, "}");
      }
      out->Append('}');
      break;
    }
    case AttrKind::kWindow:
      AppendWindow(*attrs.Get<Window>(id), out);
      break;
    case AttrKind::kDimLabels:
      AppendDimLabels(*attrs.Get<ConvolutionDims>(id), out);
      break;
    case AttrKind::kSparsityConfig:
      AppendSparsityConfig(*attrs.Get<SparsityConfig>(id), out);
      break;
    case AttrKind::kSliceRanges:
      AppendSlice(*attrs.Get<SliceRanges>(id), out);
      break;
    case AttrKind::kPadding:
      AppendPadding(*attrs.Get<PaddingConfig>(id), out);
      break;
    case AttrKind::kReplicaGroups:
      AppendReplicaGroups(*attrs.Get<ReplicaGroups>(id), options, out);
      break;
    case AttrKind::kShapeList: {
      const auto* shapes = attrs.Get<ShapeList>(id);
      out->Append('{');
      for (size_t k = 0; k < shapes->size(); ++k) {
        if (k > 0) out->Append(", ");
        AppendThrough((*shapes)[k], out);
      }
      out->Append('}');
      break;
    }
    case AttrKind::kShape:
      AppendThrough(*attrs.Get<Shape>(id), out);
      break;
    case AttrKind::kLiteral:
      attrs.Get<Literal>(id)->AppendTypedTo(out);
      break;
    case AttrKind::kAliasing:
      AppendAliasing(*attrs.Get<AliasingList>(id), out);
      break;
    case AttrKind::kDomain:
      AppendDomain(*attrs.Get<DomainShardings>(id), out);
      break;
    default:
      break;
  }
}

absl::string_view SkipBlanksAndComments(absl::string_view text) {
  for (;;) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (absl::StartsWith(text, "//")) {
      text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
    } else if (absl::StartsWith(text, "/*")) {
      const size_t end = text.find("*/", 2);
      if (end == absl::string_view::npos) return text;
      text.remove_prefix(end + 2);
    } else {
      return text;
    }
  }
}

class OriginPrinter {
 public:
  OriginPrinter(const OriginalValue& value, TextSink* out)
      : value_(value), out_(out) {}
  void Append(const Shape& tree) {
    if (!tree.IsTuple()) {
      const bool present =
          next_ < value_.leaves.size() && value_.leaves[next_].present;
      if (present) {
        AppendOriginalArray(value_.leaves[next_].array, out_);
      } else {
        out_->Append("{}");
      }
      ++next_;
      return;
    }
    out_->Append('(');
    for (size_t i = 0; i < tree.tuple_shapes().size(); ++i) {
      if (i > 0) out_->Append(", ");
      Append(tree.tuple_shapes()[i]);
    }
    out_->Append(')');
  }

 private:
  const OriginalValue& value_;
  TextSink* out_;
  size_t next_ = 0;
};

}  // namespace

void AppendOwnAttribute(const Instruction& i, AttrId id,
                        const PrintOptions& options, TextSink* out) {
  if (IsHidden(i, id, options)) return;
  if (id == AttrId::kIndex) {
    out->AppendAll(", index=", i.tuple_index());
    return;
  }
  const AttrValue* value = i.attrs().Find(id);
  std::optional<absl::string_view> absent;
  if (value == nullptr) {
    absent = TextOfAbsent(i, id);
    if (!absent) return;
  }
  out->Append(", ");
  out->Append(AttributeName(id));
  out->Append('=');
  if (value == nullptr) {
    out->Append(*absent);
  } else {
    AppendValue(i, id, *value, options, out);
  }
}

void AppendSharding(const Instruction& i, const PrintOptions& options,
                    TextSink* out) {
  if (const Sharding* sharding = i.sharding()) {
    out->Append(", sharding=");
    AppendThrough(*sharding, out, options.print_metadata);
  }
}

void AppendFrontendAttributes(const FrontendAttributes& attributes,
                              TextSink* out) {
  const auto is_hidden = [](const auto& entry) {
    return IsUnknownKey(entry.first) &&
           !absl::StartsWith(entry.first, kUnknownFieldsKey);
  };
  if (std::all_of(attributes.begin(), attributes.end(), is_hidden)) return;
  out->Append(", frontend_attributes={");
  bool first = true;
  for (const auto& entry : attributes) {
    const auto& [key, value] = entry;
    if (is_hidden(entry)) continue;
    out->AppendAll(first ? "" : ",", key, "=");
    first = false;
    if (IsJsonDictionary(value)) {
      out->Append(value);
    } else {
      out->AppendQuoted(value);
    }
  }
  out->Append('}');
}

void AppendStatistics(const Instruction& i, TextSink* out) {
  const auto* statistics = i.attrs().Get<Statistics>(AttrId::kStatistics);
  if (statistics == nullptr || statistics->values.empty()) return;
  out->AppendAll(", statistics={visualizing_index=",
                  statistics->visualizing_index);
  for (const auto& [name, value] : statistics->values) {
    out->AppendAll(",", name, "=", value);
  }
  out->Append('}');
}

void AppendResultAccuracy(const Instruction& i, TextSink* out) {
  const auto* accuracy =
      i.attrs().Get<ResultAccuracy>(AttrId::kResultAccuracy);
  if (accuracy == nullptr) return;
  if (accuracy->has_tolerance) {
    out->AppendAll(", result_accuracy={tolerance={atol=", accuracy->atol,
                    ",rtol=", accuracy->rtol, ",ulps=", accuracy->ulps, "}}");
  } else {
    out->AppendAll(", result_accuracy={mode=",
                    accuracy->mode == 1 ? "highest" : "default", "}");
  }
}

void AppendOriginalArray(const OriginalArray& array, TextSink* out) {
  out->AppendAll("{\"", array.instruction_name, "\"");
  if (!array.shape_index.empty()) {
    out->Append(' ');
    AppendIndex(array.shape_index, out);
  }
  out->Append('}');
}

void AppendOriginalValue(const Instruction& i, TextSink* out) {
  const auto* origin = i.attrs().Get<OriginalValue>(AttrId::kOrigin);
  if (origin == nullptr) return;
  out->Append(", origin={");
  if (origin->is_synthetic_call) {
    out->Append("[synthetic_call]");
  } else {
    OriginPrinter(*origin, out).Append(
        origin->tree.IsValid() ? origin->tree : i.shape());
  }
  out->Append('}');
}

void AppendMetadata(const Instruction& i, const PrintOptions& options,
                    TextSink* out) {
  if (!i.has_metadata()) return;
  const OpMetadata& metadata = i.metadata();
  if (metadata.op_type.empty() && metadata.op_name.empty() &&
      metadata.source_file.empty() && metadata.rare().scheduling_name.empty() &&
      metadata.stack_frame_id == 0 &&
      metadata.rare().metadata_payload.empty() &&
      metadata.rare().unknown_items.empty()) {
    return;
  }
  out->Append(", metadata={");
  if (options.print_metadata_only_op_name) {
    if (!metadata.op_name.empty()) {
      out->AppendAll("op_name=\"", CEscape(metadata.op_name), "\"");
    }
  } else if (options.print_inline_stack_frames &&
             metadata.stack_frame_id != 0) {
    const StackFrameIndex& frames = i.module()->stack_frames;
    OpMetadata inlined = metadata;
    inlined.stack_frame_id = 0;
    const size_t frame = metadata.stack_frame_id - 1;
    if (frame < frames.stack_frames.size()) {
      const size_t at = frames.stack_frames[frame].file_location_id - 1;
      if (at < frames.file_locations.size()) {
        const auto& location = frames.file_locations[at];
        const size_t file = location.file_name_id - 1;
        if (file < frames.file_names.size()) {
          inlined.source_file = frames.file_names[file];
        }
        inlined.source_line = location.line;
        inlined.source_end_line = location.end_line;
        inlined.source_column = location.column;
        inlined.source_end_column = location.end_column;
      }
    }
    AppendOpMetadata(inlined, out);
  } else {
    AppendOpMetadata(metadata, out);
  }
  out->Append('}');
}

void AppendBackendConfig(const Instruction& i, const PrintOptions& options,
                         TextSink* out) {
  const absl::string_view config = i.backend_config();
  if (config.empty()) return;
  out->Append(", backend_config=");
  if (!IsJsonDictionary(config)) {
    out->AppendQuoted(config);
  } else if (options.sort_backend_config) {
    out->Append(SortJsonKeys(config));
  } else {
    out->Append(config);
  }
}

bool IsJsonDictionary(absl::string_view text) {
  text = SkipBlanksAndComments(text);
  if (text.empty() || text[0] != '{') return false;
  int64_t depth = 0;
  bool quoted = false;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') {
        ++k;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return SkipBlanksAndComments(text.substr(k + 1)).empty();
    }
  }
  return false;
}

}  // namespace hlokit
