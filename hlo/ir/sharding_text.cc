// Text form of shardings and meshes.
#include <string>

#include "hlo/ir/append_text.h"
#include "hlo/ir/sharding.h"

namespace hlokit {
namespace {

absl::string_view KindWord(Sharding::Kind kind) {
  switch (kind) {
    case Sharding::kReplicated:
      return "replicated";
    case Sharding::kMaximal:
      return "maximal";
    case Sharding::kManual:
      return "manual";
    case Sharding::kUnreduced:
      return "unreduced";
    default:
      return "unknown";
  }
}

// "[2,4]T(1,0)"; of one dimension no T.
void AppendIota(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm,
                std::string* out) {
  out->push_back('[');
  AppendInts(dims, out);
  out->push_back(']');
  if (perm.size() <= 1) return;
  AppendText("T(", out);
  AppendInts(perm, out);
  out->push_back(')');
}

void AppendTiles(const Sharding& s, std::string* out) {
  AppendText("devices=[", out);
  AppendInts(s.tiles.dimensions, out);
  out->push_back(']');
  if (s.tiles.is_iota) {
    AppendText("<=", out);
    AppendIota(s.tiles.reshape_dims, s.tiles.transpose_perm, out);
  } else {
    AppendInts(s.tiles.devices, out);
  }
  if (s.replicate_on_last_tile_dim) AppendText(" last_tile_dim_replicate", out);
  if (s.last_tile_dims.empty()) return;
  AppendText(" last_tile_dims={", out);
  for (size_t i = 0; i < s.last_tile_dims.size(); ++i) {
    if (i > 0) AppendText(", ", out);
    AppendText(KindWord(s.last_tile_dims[i]), out);
  }
  out->push_back('}');
}

// "metadata={op_name="a"}" or "metadata={{..}, {..}}".
void AppendMetadataList(absl::Span<const OpMetadata> list, bool always_double,
                        std::string* out) {
  AppendText("metadata={", out);
  const bool doubled = always_double || list.size() > 1;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) AppendText(", ", out);
    if (doubled) out->push_back('{');
    AppendOpMetadata(list[i], out);
    if (doubled) out->push_back('}');
  }
  out->push_back('}');
}

// In single quotes. XLA writes the name as it is; a quote or a backslash in it
// would then not be read back, so these two (and line ends) are escaped here.
void AppendAxisName(absl::string_view name, std::string* out) {
  out->push_back('\'');
  for (const char c : name) {
    if (c == '\n') {
      AppendText("\\n", out);
      continue;
    }
    if (c == '\'' || c == '\\') out->push_back('\\');
    out->push_back(c);
  }
  out->push_back('\'');
}

absl::string_view ReductionWord(int64_t op) {
  return op == 1 ? "max" : op == 2 ? "min" : "";
}

void AppendNamedDimensions(const NamedSharding& named, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < named.dimensions.size(); ++i) {
    if (i > 0) AppendText(", ", out);
    const NamedSharding::Dimension& dimension = named.dimensions[i];
    AppendAxisRefs(named.mesh, dimension.axes, out);
    if (!dimension.open) continue;
    out->pop_back();  // the closing brace
    AppendText(dimension.axes.empty() ? "?}" : ", ?}", out);
  }
  out->push_back(']');
}

void AppendNamed(const NamedSharding& named, std::string* out) {
  AppendMesh(named.mesh, out);
  if (named.mesh.maximal) return;
  AppendText(", ", out);
  const absl::string_view reduction = ReductionWord(named.reduction_op);
  if (IsReplicatedOverMesh(named)) return AppendText("replicated", out);
  if (IsManualOverMesh(named)) return AppendText("manual", out);
  if (IsUnreducedOverMesh(named)) {
    AppendText("unreduced", out);
    if (!reduction.empty()) out->push_back('=');
    return AppendText(reduction, out);
  }
  AppendNamedDimensions(named, out);
  if (!named.replicated.empty()) {
    AppendText(", replicated=", out);
    AppendAxisRefs(named.mesh, named.replicated, out);
  }
  if (!named.unreduced.empty()) {
    AppendText(", unreduced=", out);
    AppendText(reduction, out);
    AppendAxisRefs(named.mesh, named.unreduced, out);
  }
  if (!named.manual.empty()) {
    AppendText(", manual=", out);
    AppendAxisRefs(named.mesh, named.manual, out);
  }
}

void AppendTupleElements(absl::Span<const Sharding> elements,
                         bool include_metadata, std::string* out) {
  // Long tuples are hard to count in, so every fifth element is numbered.
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) AppendText(", ", out);
    if (i > 0 && i % 5 == 0) {
      AppendText("/*index=", out);
      AppendInt(i, out);
      AppendText("*/", out);
    }
    elements[i].AppendTo(out, include_metadata);
  }
}

}  // namespace

void AppendMesh(const Mesh& mesh, std::string* out) {
  if (mesh.maximal) {
    AppendText("maximal_mesh[device_id=", out);
    AppendInt(mesh.devices.empty() ? 0 : mesh.devices[0], out);
    out->push_back(']');
    return;
  }
  AppendText("mesh[", out);
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendAxisName(mesh.axes[i].name, out);
    out->push_back('=');
    AppendInt(mesh.axes[i].size, out);
  }
  out->push_back(']');
  if (!mesh.has_devices && !mesh.has_transform) return;
  AppendText(", device_ids=(", out);
  if (mesh.has_transform) {
    AppendIota(mesh.reshape_dims, mesh.transpose_perm, out);
  } else {
    AppendInts(mesh.devices, out);
  }
  out->push_back(')');
}

void AppendAxisRefs(const Mesh& mesh, absl::Span<const AxisRef> axes,
                    std::string* out, absl::string_view separator) {
  out->push_back('{');
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) AppendText(separator, out);
    const AxisRef& ref = axes[i];
    if (ref.axis >= 0 && ref.axis < static_cast<int64_t>(mesh.axes.size())) {
      AppendAxisName(mesh.axes[ref.axis].name, out);
    } else {
      AppendAxisName(std::to_string(ref.axis), out);
    }
    if (!ref.has_sub_axis) continue;
    AppendText(":(", out);
    AppendInt(ref.pre_size, out);
    out->push_back(')');
    AppendInt(ref.size, out);
  }
  out->push_back('}');
}

void Sharding::AppendTo(std::string* out, bool include_metadata) const {
  out->push_back('{');
  switch (kind) {
    case kTuple:
      AppendTupleElements(elements, include_metadata, out);
      break;
    case kMaximal:
      AppendText("maximal device=", out);
      AppendInt(device, out);
      break;
    case kTiled:
      AppendTiles(*this, out);
      break;
    case kNamed:
      AppendNamed(named, out);
      break;
    default:
      AppendText(KindWord(kind), out);
  }
  if (shard_group != kNoGroup) {
    AppendText(shard_group == kShardAs ? " shard_as " : " shard_like ", out);
    AppendInt(shard_group_id, out);
  }
  if (include_metadata && !metadata.empty()) {
    AppendText(kind == kNamed ? ", " : " ", out);
    AppendMetadataList(metadata, /*always_double=*/kind == kNamed, out);
  }
  out->push_back('}');
}

std::string Sharding::ToString(bool include_metadata) const {
  std::string out;
  AppendTo(&out, include_metadata);
  return out;
}

}  // namespace hlokit
