#include "hlo/ir/sharding.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"

namespace hlokit {
namespace {

// More devices than any machine has; keeps expansions small.
constexpr int64_t kMaxDevices = int64_t{1} << 24;

// False when a size is below 1 or the product above `limit`.
absl::Status CheckTiles(const TileAssignment& tiles, size_t subgroup_count) {
  int64_t count;
  if (tiles.dimensions.empty()) {
    return InvalidArgument("a tiled sharding needs tile dimensions");
  }
  if (!ProductWithin(tiles.dimensions, kMaxDevices, &count)) {
    return InvalidArgument(
        "tile dimensions must be 1 or more and at most %d devices in all",
        kMaxDevices);
  }
  if (subgroup_count > tiles.dimensions.size()) {
    return InvalidArgument("%d sub-groups for %d tile dimensions",
                           subgroup_count, tiles.dimensions.size());
  }
  if (!tiles.is_iota) {
    if (static_cast<int64_t>(tiles.devices.size()) != count) {
      return InvalidArgument("%d devices for %d tiles", tiles.devices.size(),
                             count);
    }
    return absl::OkStatus();
  }
  int64_t reshaped;
  if (!ProductWithin(tiles.reshape_dims, kMaxDevices, &reshaped) ||
      reshaped != count) {
    return InvalidArgument("the iota's sizes do not make %d devices", count);
  }
  if (!IsPermutation(tiles.transpose_perm, tiles.reshape_dims.size())) {
    return InvalidArgument("T(...) is no permutation of the iota's dimensions");
  }
  return absl::OkStatus();
}

absl::Status CheckDevices(const Int64List& devices, int64_t device_count) {
  absl::flat_hash_set<int64_t> seen;
  for (int64_t device : devices) {
    if (device < 0 || (device_count > 0 && device >= device_count)) {
      return InvalidArgument("device %d is not one of %d", device,
                             device_count);
    }
    if (!seen.insert(device).second) {
      return InvalidArgument("device %d is named twice", device);
    }
  }
  if (device_count > 0 && static_cast<int64_t>(devices.size()) != device_count) {
    return InvalidArgument("%d devices are used, the module has %d",
                           devices.size(), device_count);
  }
  return absl::OkStatus();
}

// Leaves of a shape as shardings count them: an empty tuple has one.
int64_t ShardingLeaves(const Shape& shape) {
  return std::max<int64_t>(1, LeafCount(shape));
}

bool ReplicatedLast(Sharding::Kind a, Sharding::Kind b) {
  if (a == Sharding::kReplicated || b == Sharding::kReplicated) {
    return b == Sharding::kReplicated && a != Sharding::kReplicated;
  }
  return a < b;
}

// Merges, drops and sorts the sub-groups. Afterwards every kind occurs once.
void MergeSubgroups(TileAssignment* tiles, std::vector<Sharding::Kind>* kinds) {
  const int64_t data = tiles->dimensions.size() - kinds->size();
  std::map<Sharding::Kind, std::vector<int64_t>, decltype(&ReplicatedLast)>
      dims_of(&ReplicatedLast);
  for (size_t i = 0; i < kinds->size(); ++i) {
    if (tiles->dimensions[data + i] > 1) {
      dims_of[(*kinds)[i]].push_back(data + i);
    }
  }
  Int64List perm;
  for (int64_t i = 0; i < data; ++i) perm.push_back(i);
  Int64List merged(tiles->dimensions.begin(), tiles->dimensions.begin() + data);
  std::vector<Sharding::Kind> merged_kinds;
  for (const auto& [kind, dims] : dims_of) {
    int64_t size = 1;
    for (int64_t dim : dims) {
      perm.push_back(dim);
      size *= tiles->dimensions[dim];
    }
    merged.push_back(size);
    merged_kinds.push_back(kind);
  }
  // Those of size 1 hang on at the end: they move nothing.
  for (size_t i = data; i < tiles->dimensions.size(); ++i) {
    if (tiles->dimensions[i] == 1) perm.push_back(i);
  }
  if (!std::is_sorted(perm.begin(), perm.end())) tiles->Transpose(perm);
  tiles->dimensions = std::move(merged);
  *kinds = std::move(merged_kinds);
}

void SortGroups(TileAssignment* tiles) {
  const int64_t size = tiles->dimensions.back();
  for (size_t i = 0; i < tiles->devices.size(); i += size) {
    std::sort(tiles->devices.begin() + i, tiles->devices.begin() + i + size);
  }
}

// Whether `axes` is every axis of the mesh, whole and in order.
bool IsWholeMesh(const Mesh& mesh, const AxisRefs& axes) {
  if (axes.empty() || axes.size() != mesh.axes.size()) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].axis != static_cast<int64_t>(i) || axes[i].has_sub_axis) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::Status CheckMesh(const Mesh& mesh) {
  if (mesh.maximal) {
    if (mesh.devices.size() == 1 && mesh.axes.empty()) return absl::OkStatus();
    return InvalidArgument("a maximal mesh has one device and no axes");
  }
  Int64List sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  int64_t count;
  if (!ProductWithin(sizes, int64_t{1} << 31, &count)) {
    return InvalidArgument(
        "sizes of mesh axes must be 1 or more, the product below 2^31");
  }
  if (mesh.has_devices && static_cast<int64_t>(mesh.devices.size()) != count) {
    return InvalidArgument("%d device ids for a mesh of %d",
                           mesh.devices.size(), count);
  }
  if (mesh.has_transform) {
    int64_t reshaped;
    if (!ProductWithin(mesh.reshape_dims, int64_t{1} << 31, &reshaped) ||
        reshaped != count ||
        !IsPermutation(mesh.transpose_perm, mesh.reshape_dims.size())) {
      return InvalidArgument("the device order does not fit a mesh of %d",
                             count);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAxisRefs(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  for (const AxisRef& ref : axes) {
    if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(mesh.axes.size())) {
      return InvalidArgument("axis %d of a mesh of %d axes", ref.axis,
                             mesh.axes.size());
    }
    if (!ref.has_sub_axis) continue;
    const MeshAxis& axis = mesh.axes[ref.axis];
    if (ref.pre_size < 1 || ref.size < 1 || ref.pre_size > axis.size ||
        ref.size > axis.size || axis.size % (ref.pre_size * ref.size) != 0) {
      return InvalidArgument("sub-axis (%d)%d does not divide axis '%s' of %d",
                             ref.pre_size, ref.size, axis.name, axis.size);
    }
  }
  return absl::OkStatus();
}

absl::Status Sharding::CheckForm() const {
  switch (kind) {
    case kTuple:
      for (const Sharding& element : elements) {
        if (element.IsTuple()) {
          return InvalidArgument("a tuple sharding holds another one");
        }
        HLOKIT_RETURN_IF_ERROR(element.CheckForm());
      }
      return absl::OkStatus();
    case kTiled:
      return CheckTiles(tiles, replicate_on_last_tile_dim
                                   ? 1
                                   : last_tile_dims.size());
    case kNamed:
      HLOKIT_RETURN_IF_ERROR(CheckMesh(named.mesh));
      for (const NamedSharding::Dimension& dimension : named.dimensions) {
        HLOKIT_RETURN_IF_ERROR(CheckAxisRefs(named.mesh, dimension.axes));
      }
      HLOKIT_RETURN_IF_ERROR(CheckAxisRefs(named.mesh, named.replicated));
      HLOKIT_RETURN_IF_ERROR(CheckAxisRefs(named.mesh, named.unreduced));
      return CheckAxisRefs(named.mesh, named.manual);
    default:
      return absl::OkStatus();
  }
}

void Sharding::Normalize() {
  for (Sharding& element : elements) element.Normalize();
  if (kind != kTiled) return;
  if (replicate_on_last_tile_dim) last_tile_dims = {kReplicated};
  replicate_on_last_tile_dim = false;
  if (!last_tile_dims.empty()) MergeSubgroups(&tiles, &last_tile_dims);
  if (!last_tile_dims.empty() && last_tile_dims.back() == kReplicated) {
    SortGroups(&tiles);
  }
  int64_t data_tiles = 1;
  const size_t data = tiles.dimensions.size() - last_tile_dims.size();
  for (size_t i = 0; i < data; ++i) data_tiles *= tiles.dimensions[i];
  auto become = [this](Kind whole) {
    kind = whole;
    tiles = TileAssignment();
    last_tile_dims.clear();
  };
  if (last_tile_dims.empty()) {
    if (data_tiles == 1) become(kReplicated);
  } else if (last_tile_dims.size() == 1) {
    const Kind only = last_tile_dims[0];
    if (data_tiles == 1 && only != kMaximal) {
      become(only);
    } else if (only == kReplicated) {
      replicate_on_last_tile_dim = true;
      last_tile_dims.clear();
    }
  }
  tiles.Canonicalize();
}

Sharding Sharding::ForShape(const Shape& shape) const {
  if (!shape.IsTuple() || IsTuple()) return *this;
  Sharding tuple = Of(kTuple);
  tuple.elements.assign(ShardingLeaves(shape), *this);
  return tuple;
}

absl::Status Sharding::Validate(const Shape& shape,
                                int64_t device_count) const {
  HLOKIT_RETURN_IF_ERROR(CheckForm());
  if (IsTuple() || shape.IsTuple()) {
    if (!IsTuple() || !shape.IsTuple()) {
      return InvalidArgument("sharding %s does not fit type %s", ToString(false),
                             shape.ToString());
    }
    const int64_t leaves = ShardingLeaves(shape);
    if (static_cast<int64_t>(elements.size()) != leaves) {
      return InvalidArgument("tuple sharding of %d elements for a type with %d",
                             elements.size(), leaves);
    }
    absl::Status status;
    size_t next = 0;
    ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex& index) {
      absl::Status s = elements[next++].Validate(leaf, device_count);
      if (status.ok() && !s.ok()) {
        status = Annotate(s, absl::StrCat("at ", ShapeIndexToString(index)));
      }
    });
    return status;
  }
  if (kind == kMaximal) {
    if (device < 0 || (device_count > 0 && device >= device_count)) {
      return InvalidArgument("device %d is not one of %d", device,
                             device_count);
    }
    return absl::OkStatus();
  }
  if (kind == kNamed) {
    if (!named.mesh.maximal && !named.dimensions.empty() &&
        static_cast<int64_t>(named.dimensions.size()) != shape.rank()) {
      return InvalidArgument("sharding of %d dimensions for type %s",
                             named.dimensions.size(), shape.ToString());
    }
    return absl::OkStatus();
  }
  if (kind != kTiled) return absl::OkStatus();
  const int64_t tile_rank =
      static_cast<int64_t>(tiles.dimensions.size()) -
      static_cast<int64_t>(last_tile_dims.size()) -
      (replicate_on_last_tile_dim ? 1 : 0);
  if (tile_rank != shape.rank()) {
    return InvalidArgument("sharding of %d dimensions for type %s", tile_rank,
                           shape.ToString());
  }
  if (tiles.is_iota) {
    if (device_count > 0 && tiles.device_count() != device_count) {
      return InvalidArgument("%d devices are used, the module has %d",
                             tiles.device_count(), device_count);
    }
    return absl::OkStatus();
  }
  return CheckDevices(tiles.devices, device_count);
}

bool IsReplicatedOverMesh(const NamedSharding& named) {
  return named.dimensions.empty() && named.replicated.empty() &&
         named.unreduced.empty() && named.manual.empty();
}

bool IsManualOverMesh(const NamedSharding& named) {
  return named.dimensions.empty() && named.replicated.empty() &&
         named.unreduced.empty() && IsWholeMesh(named.mesh, named.manual);
}

bool IsUnreducedOverMesh(const NamedSharding& named) {
  return named.dimensions.empty() && named.replicated.empty() &&
         named.manual.empty() && IsWholeMesh(named.mesh, named.unreduced);
}

}  // namespace hlokit
