#include "hlo/print/attribute_printer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/escape.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/sharding.h"
#include "hlo/print/json_sort.h"

namespace hlokit {
namespace {

void AppendNumbers(absl::Span<const int64_t> values, absl::string_view separator,
                   std::string* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) absl::StrAppend(out, separator);
    absl::StrAppend(out, values[i]);
  }
}

void AppendList(absl::Span<const int64_t> values, std::string* out) {
  *out += '{';
  AppendNumbers(values, ",", out);
  *out += '}';
}

void AppendIndex(const ShapeIndex& index, std::string* out) {
  AppendList(index, out);
}

// One part of a window: nothing when no dimension differs from the default.
template <typename IsDefault, typename AppendOne>
void AppendWindowPart(const Window& window, absl::string_view name,
                      IsDefault is_default, AppendOne append,
                      std::string* out) {
  if (std::all_of(window.dimensions.begin(), window.dimensions.end(),
                  is_default)) {
    return;
  }
  absl::StrAppend(out, name);
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (i > 0) *out += 'x';
    append(window.dimensions[i]);
  }
}

void AppendWindow(const Window& window, std::string* out) {
  using D = WindowDimension;
  absl::StrAppend(out, "{size=");
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "x" : "", window.dimensions[i].size);
  }
  AppendWindowPart(
      window, " stride=", [](const D& d) { return d.stride == 1; },
      [&](const D& d) { absl::StrAppend(out, d.stride); }, out);
  AppendWindowPart(
      window, " pad=",
      [](const D& d) { return d.padding_low == 0 && d.padding_high == 0; },
      [&](const D& d) {
        absl::StrAppend(out, d.padding_low, "_", d.padding_high);
      },
      out);
  AppendWindowPart(
      window, " lhs_dilate=", [](const D& d) { return d.base_dilation == 1; },
      [&](const D& d) { absl::StrAppend(out, d.base_dilation); }, out);
  AppendWindowPart(
      window, " rhs_dilate=", [](const D& d) { return d.window_dilation == 1; },
      [&](const D& d) { absl::StrAppend(out, d.window_dilation); }, out);
  AppendWindowPart(
      window, " rhs_reversal=", [](const D& d) { return !d.window_reversal; },
      [&](const D& d) { *out += d.window_reversal ? '1' : '0'; }, out);
  *out += '}';
}

// One third of dim_labels: letters and spatial numbers in dimension order, '?'
// where nothing names the dimension.
void AppendLabels(int64_t first, char first_letter, int64_t second,
                  char second_letter, absl::Span<const int64_t> spatial,
                  std::string* out) {
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
  for (const std::string& label : labels) *out += label;
}

void AppendDimLabels(const ConvolutionDims& d, std::string* out) {
  AppendLabels(d.input_batch_dimension, 'b', d.input_feature_dimension, 'f',
               d.input_spatial_dimensions, out);
  *out += '_';
  AppendLabels(d.kernel_input_feature_dimension, 'i',
               d.kernel_output_feature_dimension, 'o',
               d.kernel_spatial_dimensions, out);
  *out += "->";
  AppendLabels(d.output_batch_dimension, 'b', d.output_feature_dimension, 'f',
               d.output_spatial_dimensions, out);
}

void AppendSparsity(const TensorSparsity& s, std::string* out) {
  absl::StrAppend(out, "{sparsity=", s.num_non_zero, "x", s.block_size,
                  " dimension=", s.dimension, " stride=", s.stride, "}");
}

void AppendSparsityConfig(const SparsityConfig& config, std::string* out) {
  *out += '{';
  if (config.has_lhs) {
    *out += "lhs=";
    AppendSparsity(config.lhs, out);
  }
  if (config.has_rhs) {
    *out += config.has_lhs ? " rhs=" : "rhs=";
    AppendSparsity(config.rhs, out);
  }
  *out += '}';
}

void AppendSlice(const SliceRanges& ranges, std::string* out) {
  const bool strides = std::any_of(ranges.begin(), ranges.end(),
                                   [](const SliceRange& r) {
                                     return r.stride != 1;
                                   });
  *out += '{';
  for (size_t i = 0; i < ranges.size(); ++i) {
    absl::StrAppend(out, i > 0 ? ", " : "", "[", ranges[i].start, ":",
                    ranges[i].limit);
    if (strides) absl::StrAppend(out, ":", ranges[i].stride);
    *out += ']';
  }
  *out += '}';
}

void AppendPadding(const PaddingConfig& padding, std::string* out) {
  const auto& dims = padding.dimensions;
  const bool interior =
      std::any_of(dims.begin(), dims.end(),
                  [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < dims.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "x" : "", dims[i].low, "_", dims[i].high);
    if (interior) absl::StrAppend(out, "_", dims[i].interior);
  }
}

void AppendAliasing(const AliasingList& aliases, std::string* out) {
  *out += '{';
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i > 0) *out += ", ";
    AppendIndex(aliases[i].output_index, out);
    absl::StrAppend(out, ": (", aliases[i].operand, ", ");
    AppendIndex(aliases[i].operand_index, out);
    *out += ')';
  }
  *out += '}';
}

void AppendDomain(const DomainShardings& domain, std::string* out) {
  auto append = [&](const std::shared_ptr<const Sharding>& sharding) {
    if (sharding != nullptr) {
      sharding->AppendTo(out, /*include_metadata=*/true);
    } else {
      *out += "{}";
    }
  };
  *out += "{kind=\"sharding\", entry=";
  append(domain.entry);
  *out += ", exit=";
  append(domain.exit);
  *out += '}';
}

void AppendReplicaGroups(const ReplicaGroups& groups,
                         const PrintOptions& options, std::string* out) {
  if (options.print_replica_groups_without_subaxes &&
      groups.form == ReplicaGroups::kMesh) {
    groups.WithoutSubAxes().AppendTo(out, options.print_full_replica_group_list);
  } else {
    groups.AppendTo(out, options.print_full_replica_group_list);
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

// The value of an attribute that is not stored but prints all the same. False:
// prints nothing.
bool AppendAbsent(const Instruction& i, AttrId id, std::string* out) {
  switch (id) {
    case AttrId::kSlice:
      *out += "{}";
      return true;
    case AttrId::kSourceTargetPairs:
      *out += "{}";
      return true;
    case AttrId::kReplicaGroups:
      *out += "{}";
      return true;
    case AttrId::kPadding:
      return true;
    default:
      if (!PrintsEmptyList(i, id)) return false;
      *out += "{}";
      return true;
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

void AppendValue(const Instruction& i, AttrId id, const AttrValue& value,
                 const PrintOptions& options, std::string* out) {
  const AttributeSet& attrs = i.attrs();
  switch (InfoOf(id).kind) {
    case AttrKind::kBool:
      absl::StrAppend(out, attrs.GetBool(id) ? "true" : "false");
      break;
    case AttrKind::kInt64:
      if (id == AttrId::kChannelId && !options.print_channel_id) {
        *out += '_';
      } else {
        absl::StrAppend(out, attrs.GetInt(id));
      }
      break;
    case AttrKind::kFloat:
      // The proto holds a float.
      absl::StrAppend(out, static_cast<float>(attrs.GetDouble(id)));
      break;
    case AttrKind::kEnum:
      absl::StrAppend(out, EnumWord(id, attrs.GetInt(id)));
      break;
    case AttrKind::kTriState:
      absl::StrAppend(out, attrs.GetInt(id) ==
                                   static_cast<int64_t>(TriState::kTrue)
                               ? "true"
                               : "false");
      break;
    case AttrKind::kString:
      absl::StrAppend(out, "\"", CEscape(attrs.GetString(id)), "\"");
      break;
    case AttrKind::kInt64List:
      AppendList(attrs.GetList(id), out);
      break;
    case AttrKind::kEnumList: {
      *out += '{';
      bool first = true;
      for (int64_t number : attrs.GetList(id)) {
        absl::StrAppend(out, first ? "" : ",", EnumWord(id, number));
        first = false;
      }
      *out += '}';
      break;
    }
    case AttrKind::kBoolList: {
      *out += '{';
      bool first = true;
      for (int64_t flag : attrs.GetList(id)) {
        absl::StrAppend(out, first ? "" : ",", flag ? "true" : "false");
        first = false;
      }
      *out += '}';
      break;
    }
    case AttrKind::kInt64ListList: {
      const auto* lists = attrs.Get<Int64ListList>(id);
      *out += '{';
      for (size_t k = 0; k < lists->size(); ++k) {
        if (k > 0) *out += ',';
        AppendList((*lists)[k], out);
      }
      *out += '}';
      break;
    }
    case AttrKind::kPairList: {
      const auto* pairs = attrs.Get<PairList>(id);
      *out += '{';
      for (size_t k = 0; k < pairs->size(); ++k) {
        absl::StrAppend(out, k > 0 ? "," : "", "{", (*pairs)[k].first, ",",
                        (*pairs)[k].second, "}");
      }
      *out += '}';
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
      *out += '{';
      for (size_t k = 0; k < shapes->size(); ++k) {
        if (k > 0) *out += ", ";
        (*shapes)[k].AppendTo(out);
      }
      *out += '}';
      break;
    }
    case AttrKind::kShape:
      attrs.Get<Shape>(id)->AppendTo(out);
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
  OriginPrinter(const OriginalValue& value, std::string* out)
      : value_(value), out_(out) {}
  void Append(const Shape& tree) {
    if (!tree.IsTuple()) {
      const bool present =
          next_ < value_.leaves.size() && value_.leaves[next_].present;
      if (present) {
        AppendOriginalArray(value_.leaves[next_].array, out_);
      } else {
        *out_ += "{}";
      }
      ++next_;
      return;
    }
    *out_ += '(';
    for (size_t i = 0; i < tree.tuple_shapes().size(); ++i) {
      if (i > 0) *out_ += ", ";
      Append(tree.tuple_shapes()[i]);
    }
    *out_ += ')';
  }

 private:
  const OriginalValue& value_;
  std::string* out_;
  size_t next_ = 0;
};

}  // namespace

void AppendOwnAttribute(const Instruction& i, AttrId id,
                        const PrintOptions& options, std::string* out) {
  if (IsHidden(i, id, options)) return;
  if (id == AttrId::kIndex) {
    absl::StrAppend(out, ", index=", i.tuple_index());
    return;
  }
  const size_t start = out->size();
  absl::StrAppend(out, ", ", AttributeName(id), "=");
  if (const AttrValue* value = i.attrs().Find(id)) {
    AppendValue(i, id, *value, options, out);
  } else if (!AppendAbsent(i, id, out)) {
    out->resize(start);
  }
}

void AppendSharding(const Instruction& i, const PrintOptions& options,
                    std::string* out) {
  if (const Sharding* sharding = i.sharding()) {
    *out += ", sharding=";
    sharding->AppendTo(out, options.print_metadata);
  }
}

void AppendFrontendAttributes(const FrontendAttributes& attributes,
                              std::string* out) {
  *out += ", frontend_attributes={";
  bool first = true;
  for (const auto& [key, value] : attributes) {
    absl::StrAppend(out, first ? "" : ",", key, "=");
    first = false;
    if (IsJsonDictionary(value)) {
      *out += value;
    } else {
      absl::StrAppend(out, "\"", CEscape(value), "\"");
    }
  }
  *out += '}';
}

void AppendStatistics(const Instruction& i, std::string* out) {
  const auto* statistics = i.attrs().Get<Statistics>(AttrId::kStatistics);
  if (statistics == nullptr) return;
  absl::StrAppend(out, ", statistics={visualizing_index=",
                  statistics->visualizing_index);
  for (const auto& [name, value] : statistics->values) {
    absl::StrAppend(out, ",", name, "=", value);
  }
  *out += '}';
}

void AppendResultAccuracy(const Instruction& i, std::string* out) {
  const auto* accuracy =
      i.attrs().Get<ResultAccuracy>(AttrId::kResultAccuracy);
  if (accuracy == nullptr) return;
  if (accuracy->has_tolerance) {
    absl::StrAppend(out, ", result_accuracy={tolerance={atol=", accuracy->atol,
                    ",rtol=", accuracy->rtol, ",ulps=", accuracy->ulps, "}}");
  } else {
    absl::StrAppend(out, ", result_accuracy={mode=",
                    accuracy->mode == 1 ? "highest" : "default", "}");
  }
}

void AppendOriginalArray(const OriginalArray& array, std::string* out) {
  absl::StrAppend(out, "{\"", array.instruction_name, "\"");
  if (!array.shape_index.empty()) {
    *out += ' ';
    AppendIndex(array.shape_index, out);
  }
  *out += '}';
}

void AppendOriginalValue(const Instruction& i, std::string* out) {
  const auto* origin = i.attrs().Get<OriginalValue>(AttrId::kOrigin);
  if (origin == nullptr) return;
  *out += ", origin={";
  if (origin->is_synthetic_call) {
    *out += "[synthetic_call]";
  } else {
    OriginPrinter(*origin, out).Append(
        origin->tree.IsValid() ? origin->tree : i.shape());
  }
  *out += '}';
}

void AppendMetadata(const Instruction& i, const PrintOptions& options,
                    std::string* out) {
  if (!i.has_metadata()) return;
  const OpMetadata& metadata = i.metadata();
  if (metadata.op_type.empty() && metadata.op_name.empty() &&
      metadata.source_file.empty() && metadata.scheduling_name.empty() &&
      metadata.stack_frame_id == 0 && metadata.metadata_payload.empty()) {
    return;
  }
  *out += ", metadata={";
  if (options.print_metadata_only_op_name) {
    if (!metadata.op_name.empty()) {
      absl::StrAppend(out, "op_name=\"", CEscape(metadata.op_name), "\"");
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
  *out += '}';
}

void AppendBackendConfig(const Instruction& i, const PrintOptions& options,
                         std::string* out) {
  const absl::string_view config = i.backend_config();
  if (config.empty()) return;
  *out += ", backend_config=";
  if (!IsJsonDictionary(config)) {
    absl::StrAppend(out, "\"", CEscape(config), "\"");
  } else if (options.sort_backend_config) {
    *out += SortJsonKeys(config);
  } else {
    out->append(config.data(), config.size());
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
