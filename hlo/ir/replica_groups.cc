#include "hlo/ir/replica_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status.h"
#include "hlo/ir/append_text.h"
#include "hlo/ir/sharding.h"

namespace hlokit {
namespace {

absl::Status TooMany(int64_t max_devices) {
  return ResourceExhausted("replica groups over more than %d devices",
                           max_devices);
}

// False when a size is below 1 or the product above `limit`.
Int64ListList Cut(const Int64List& flat, int64_t size) {
  Int64ListList groups;
  for (size_t i = 0; i < flat.size(); i += size) {
    groups.emplace_back(flat.begin() + i, flat.begin() + i + size);
  }
  return groups;
}

Int64List ExpandIota(const Int64List& reshape_dims,
                     const Int64List& transpose_perm) {
  TileAssignment tiles;
  tiles.is_iota = true;
  tiles.reshape_dims = reshape_dims;
  tiles.transpose_perm = transpose_perm;
  return tiles.Expand();
}

Int64List MeshDevices(const Mesh& mesh, int64_t count) {
  if (mesh.has_devices || mesh.maximal) return mesh.devices;
  if (mesh.has_transform) {
    return ExpandIota(mesh.reshape_dims, mesh.transpose_perm);
  }
  Int64List devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

// The mesh with every axis cut where a reference begins or ends.
struct CutMesh {
  Int64List sizes;
  // Positions in `sizes` that the references cover, in their order.
  Int64List listed;
};

CutMesh CutAtReferences(const Mesh& mesh, const AxisRefs& axes) {
  // For each axis the products of sizes before each cut: 1, ..., size.
  std::vector<Int64List> cuts(mesh.axes.size());
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    cuts[i] = {1, mesh.axes[i].size};
  }
  for (const AxisRef& ref : axes) {
    if (!ref.has_sub_axis) continue;
    cuts[ref.axis].push_back(ref.pre_size);
    cuts[ref.axis].push_back(ref.pre_size * ref.size);
  }
  CutMesh result;
  std::vector<int64_t> first(mesh.axes.size());
  for (size_t i = 0; i < cuts.size(); ++i) {
    std::sort(cuts[i].begin(), cuts[i].end());
    cuts[i].erase(std::unique(cuts[i].begin(), cuts[i].end()), cuts[i].end());
    first[i] = result.sizes.size();
    for (size_t k = 1; k < cuts[i].size(); ++k) {
      result.sizes.push_back(cuts[i][k] / cuts[i][k - 1]);
    }
  }
  for (const AxisRef& ref : axes) {
    const int64_t begin = ref.has_sub_axis ? ref.pre_size : 1;
    const int64_t end = ref.has_sub_axis ? ref.pre_size * ref.size
                                         : mesh.axes[ref.axis].size;
    const Int64List& c = cuts[ref.axis];
    for (size_t k = 1; k < c.size(); ++k) {
      if (c[k - 1] >= begin && c[k] <= end) {
        result.listed.push_back(first[ref.axis] + k - 1);
      }
    }
  }
  return result;
}

// Cuts of one axis must divide each other, or the parts overlap.
bool CutsDivide(const Mesh& mesh, const CutMesh& cut) {
  int64_t product = 1;
  for (int64_t size : cut.sizes) product *= size;
  int64_t count = 1;
  for (const MeshAxis& axis : mesh.axes) count *= axis.size;
  return product == count;
}

absl::StatusOr<Int64ListList> ExpandMesh(const Mesh& mesh, const AxisRefs& axes,
                                         int64_t max_devices) {
  HLOKIT_RETURN_IF_ERROR(CheckMesh(mesh));
  HLOKIT_RETURN_IF_ERROR(CheckAxisRefs(mesh, axes));
  Int64List axis_sizes;
  for (const MeshAxis& axis : mesh.axes) axis_sizes.push_back(axis.size);
  int64_t count;
  if (!ProductWithin(axis_sizes, max_devices, &count)) {
    return TooMany(max_devices);
  }
  const CutMesh cut = CutAtReferences(mesh, axes);
  std::vector<bool> is_listed(cut.sizes.size(), false);
  for (int64_t i : cut.listed) {
    if (is_listed[i]) return InvalidArgument("an axis is listed twice");
    is_listed[i] = true;
  }
  if (!CutsDivide(mesh, cut)) {
    return InvalidArgument("sub-axes of one axis overlap");
  }
  TileAssignment order;
  order.dimensions = cut.sizes;
  order.devices = MeshDevices(mesh, count);
  Int64List perm;
  for (size_t i = 0; i < cut.sizes.size(); ++i) {
    if (!is_listed[i]) perm.push_back(i);
  }
  int64_t group_size = 1;
  for (int64_t i : cut.listed) {
    perm.push_back(i);
    group_size *= cut.sizes[i];
  }
  order.Transpose(perm);
  return Cut(order.devices, group_size);
}

}  // namespace

absl::StatusOr<Int64ListList> ReplicaGroups::Expand(
    int64_t max_devices) const {
  if (form == kList) return groups;
  if (form == kMesh) return ExpandMesh(mesh, axes, max_devices);
  int64_t count;
  int64_t reshaped;
  if (!ProductWithin({group_count, group_size}, max_devices, &count)) {
    return TooMany(max_devices);
  }
  if (!ProductWithin(reshape_dims, max_devices, &reshaped) ||
      reshaped != count) {
    return InvalidArgument("the iota's sizes do not make %d x %d devices",
                           group_count, group_size);
  }
  return Cut(ExpandIota(reshape_dims, transpose_perm), group_size);
}

ReplicaGroups ReplicaGroups::WithoutSubAxes() const {
  if (form != kMesh || !CheckMesh(mesh).ok() || !CheckAxisRefs(mesh, axes).ok()) {
    return *this;
  }
  const CutMesh cut = CutAtReferences(mesh, axes);
  if (!CutsDivide(mesh, cut)) return *this;
  ReplicaGroups result = *this;
  result.mesh.axes.clear();
  result.axes.clear();
  size_t next = 0;
  for (const MeshAxis& axis : mesh.axes) {
    int64_t left = axis.size;
    for (int part = 0; left > 1 || part == 0; ++part) {
      const int64_t size = axis.size == 1 ? 1 : cut.sizes[next++];
      left /= size;
      const bool whole = part == 0 && left == 1;
      result.mesh.axes.push_back(
          {whole ? axis.name : absl::StrCat(axis.name, "_", part), size});
    }
  }
  // Axes of size 1 have no part in `cut`, so positions shift behind them.
  Int64List position;
  for (size_t i = 0; i < result.mesh.axes.size(); ++i) {
    if (result.mesh.axes[i].size > 1) position.push_back(i);
  }
  for (int64_t i : cut.listed) result.axes.push_back({.axis = position[i]});
  return result;
}

void ReplicaGroups::AppendTo(std::string* out, bool full) const {
  if (full && form != kList) {
    if (auto expanded = Expand(); expanded.ok()) {
      ReplicaGroups list;
      list.groups = *std::move(expanded);
      return list.AppendTo(out);
    }
  }
  switch (form) {
    case kList:
      out->push_back('{');
      for (size_t i = 0; i < groups.size(); ++i) {
        if (i > 0) out->push_back(',');
        AppendIntList(groups[i], out);
      }
      out->push_back('}');
      return;
    case kIota:
      out->push_back('[');
      AppendInt(group_count, out);
      out->push_back(',');
      AppendInt(group_size, out);
      AppendText("]<=[", out);
      AppendInts(reshape_dims, out);
      out->push_back(']');
      if (transpose_perm.size() > 1) {
        AppendText("T(", out);
        AppendInts(transpose_perm, out);
        out->push_back(')');
      }
      return;
    case kMesh:
      AppendMesh(mesh, out);
      out->push_back(' ');
      AppendAxisRefs(mesh, axes, out, ",");
      return;
  }
}

std::string ReplicaGroups::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

}  // namespace hlokit
