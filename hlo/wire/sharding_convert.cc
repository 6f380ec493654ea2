// OpSharding, MeshProto, AxisRefProto, and the three forms of replica groups.
#include <utility>

#include "base/status.h"
#include "google/protobuf/unknown_field_set.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"

namespace hlokit {
namespace wire {
namespace {

Mesh ReadMesh(const xla::MeshProto& proto) {
  Mesh mesh;
  for (const auto& axis : proto.axes()) {
    mesh.axes.push_back({axis.name(), axis.size()});
  }
  mesh.devices = ToList<Int64List>(proto.device_ids());
  mesh.maximal = mesh.axes.empty() && mesh.devices.size() == 1;
  mesh.has_devices = !mesh.maximal && !mesh.devices.empty();
  if (proto.has_iota_transform()) {
    mesh.has_transform = true;
    mesh.reshape_dims =
        ToList<Int64List>(proto.iota_transform().reshape_dims());
    mesh.transpose_perm =
        ToList<Int64List>(proto.iota_transform().transpose_perm());
    mesh.Canonicalize();
  }
  return mesh;
}

void WriteMesh(const Mesh& mesh, xla::MeshProto* proto) {
  for (const MeshAxis& axis : mesh.axes) {
    auto* out = proto->add_axes();
    out->set_name(axis.name);
    out->set_size(axis.size);
  }
  if (mesh.maximal || mesh.has_devices) {
    SetField(mesh.devices, proto->mutable_device_ids());
  }
  if (mesh.has_transform) {
    auto* out = proto->mutable_iota_transform();
    SetField(mesh.reshape_dims, out->mutable_reshape_dims());
    SetField(mesh.transpose_perm, out->mutable_transpose_perm());
  }
}

using AxisRefField = google::protobuf::RepeatedPtrField<xla::AxisRefProto>;

AxisRefs ReadAxisRefs(const AxisRefField& field) {
  AxisRefs refs;
  for (const xla::AxisRefProto& proto : field) {
    AxisRef ref;
    ref.axis = proto.mesh_axis_index();
    if (proto.has_sub_axis_info()) {
      ref.has_sub_axis = true;
      ref.pre_size = proto.sub_axis_info().pre_size();
      ref.size = proto.sub_axis_info().size();
    }
    refs.push_back(ref);
  }
  return refs;
}

void WriteAxisRefs(const AxisRefs& refs, AxisRefField* field) {
  for (const AxisRef& ref : refs) {
    xla::AxisRefProto* proto = field->Add();
    proto->set_mesh_axis_index(ref.axis);
    if (!ref.has_sub_axis) continue;
    proto->mutable_sub_axis_info()->set_pre_size(ref.pre_size);
    proto->mutable_sub_axis_info()->set_size(ref.size);
  }
}

NamedSharding ReadNamed(const xla::NamedShardingProto& proto) {
  NamedSharding named;
  named.mesh = ReadMesh(proto.mesh());
  for (const auto& dimension : proto.dim_shardings()) {
    named.dimensions.push_back(
        {ReadAxisRefs(dimension.axes()), !dimension.is_closed()});
  }
  named.replicated = ReadAxisRefs(proto.replicated_axes());
  named.unreduced = ReadAxisRefs(proto.unreduced_axes());
  named.manual = ReadAxisRefs(proto.manual_axes());
  named.reduction_op = proto.reduction_op();
  return named;
}

void WriteNamed(const Sharding& sharding, xla::NamedShardingProto* proto) {
  const NamedSharding& named = sharding.named;
  WriteMesh(named.mesh, proto->mutable_mesh());
  for (const NamedSharding::Dimension& dimension : named.dimensions) {
    auto* out = proto->add_dim_shardings();
    WriteAxisRefs(dimension.axes, out->mutable_axes());
    out->set_is_closed(!dimension.open);
  }
  WriteAxisRefs(named.replicated, proto->mutable_replicated_axes());
  WriteAxisRefs(named.unreduced, proto->mutable_unreduced_axes());
  WriteAxisRefs(named.manual, proto->mutable_manual_axes());
  proto->set_reduction_op(
      static_cast<xla::NamedShardingProto::ReductionOpProto>(
          named.reduction_op));
  for (const OpMetadata& m : sharding.metadata) {
    WriteMetadata(m, proto->add_metadata());
  }
}

absl::Status ReadMetadataList(
    const google::protobuf::RepeatedPtrField<xla::OpMetadata>& field,
    std::vector<OpMetadata>* list) {
  static const google::protobuf::RepeatedPtrField<std::string>* no_payloads =
      new google::protobuf::RepeatedPtrField<std::string>;
  for (const xla::OpMetadata& proto : field) {
    HLOKIT_ASSIGN_OR_RETURN(OpMetadata metadata,
                            ReadMetadata(proto, *no_payloads));
    list->push_back(std::move(metadata));
  }
  return absl::OkStatus();
}

absl::Status ReadTiles(const xla::OpSharding& proto, Sharding* s) {
  s->tiles.dimensions = ToList<Int64List>(proto.tile_assignment_dimensions());
  s->tiles.devices = ToList<Int64List>(proto.tile_assignment_devices());
  if (proto.iota_reshape_dims_size() > 0) {
    s->tiles.is_iota = true;
    s->tiles.reshape_dims = ToList<Int64List>(proto.iota_reshape_dims());
    s->tiles.transpose_perm = ToList<Int64List>(proto.iota_transpose_perm());
    if (!s->tiles.devices.empty()) {
      return InvalidArgument("a sharding has both a device list and an iota");
    }
  }
  s->replicate_on_last_tile_dim = proto.replicate_on_last_tile_dim();
  for (int type : proto.last_tile_dims()) {
    if (type != Sharding::kReplicated && type != Sharding::kMaximal &&
        type != Sharding::kManual && type != Sharding::kUnreduced) {
      return InvalidArgument("sub-group type %d of a sharding is unknown",
                             type);
    }
    s->last_tile_dims.push_back(static_cast<Sharding::Kind>(type));
  }
  // Old writers say "one device" in this way.
  if (s->tiles.devices.size() == 1 && !s->tiles.is_iota) {
    s->kind = Sharding::kReplicated;
    s->tiles = TileAssignment();
    s->last_tile_dims.clear();
    s->replicate_on_last_tile_dim = false;
  }
  return absl::OkStatus();
}

void ReadShardGroup(const xla::OpSharding& proto, Sharding* s) {
  if (!proto.is_shard_group()) return;
  s->shard_group = proto.shard_group_type() == xla::OpSharding::LIKE
                       ? Sharding::kShardLike
                       : Sharding::kShardAs;
  s->shard_group_id = proto.shard_group_id();
}

absl::StatusOr<Sharding> ReadSharding(const xla::OpSharding& proto,
                                      bool in_tuple) {
  HLOKIT_RETURN_IF_ERROR(CheckFields(proto));
  Sharding s;
  ReadShardGroup(proto, &s);
  if (proto.has_named_sharding()) {
    s.kind = Sharding::kNamed;
    s.named = ReadNamed(proto.named_sharding());
    HLOKIT_RETURN_IF_ERROR(
        ReadMetadataList(proto.named_sharding().metadata(), &s.metadata));
    return s;
  }
  HLOKIT_RETURN_IF_ERROR(ReadMetadataList(proto.metadata(), &s.metadata));
  switch (static_cast<int>(proto.type())) {
    case Sharding::kTuple:
      if (in_tuple) return InvalidArgument("a tuple sharding holds another one");
      s.kind = Sharding::kTuple;
      for (const xla::OpSharding& element : proto.tuple_shardings()) {
        HLOKIT_ASSIGN_OR_RETURN(Sharding e, ReadSharding(element, true));
        s.elements.push_back(std::move(e));
      }
      return s;
    case Sharding::kMaximal:
      s.kind = Sharding::kMaximal;
      if (proto.tile_assignment_devices_size() != 1) {
        return InvalidArgument("a maximal sharding has %d devices, wants 1",
                               proto.tile_assignment_devices_size());
      }
      s.device = proto.tile_assignment_devices(0);
      return s;
    case Sharding::kTiled:
      s.kind = Sharding::kTiled;
      HLOKIT_RETURN_IF_ERROR(ReadTiles(proto, &s));
      return s;
    case Sharding::kReplicated:
    case Sharding::kManual:
    case Sharding::kUnknown:
    case Sharding::kUnreduced:
      s.kind = static_cast<Sharding::Kind>(proto.type());
      return s;
    default:
      return InvalidArgument("sharding type %d is unknown", proto.type());
  }
}

// Writers of 2024 and 2025 kept iota groups in field 2 of the device list.
const google::protobuf::UnknownField* FindOldIota(
    const xla::CollectiveDeviceListProto& proto) {
  const google::protobuf::UnknownFieldSet& fields =
      proto.GetReflection()->GetUnknownFields(proto);
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == 2 &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      return &field;
    }
  }
  return nullptr;
}

void ReadIota(const xla::IotaReplicaGroupListProto& proto, ReplicaGroups* g) {
  g->form = ReplicaGroups::kIota;
  g->group_count = proto.num_replica_groups();
  g->group_size = proto.num_devices_per_group();
  g->reshape_dims = ToList<Int64List>(proto.iota_reshape_dims());
  g->transpose_perm = ToList<Int64List>(proto.iota_transpose_perm());
  CanonicalizeIota(&g->reshape_dims, &g->transpose_perm);
}

void ReadGroups(
    const google::protobuf::RepeatedPtrField<xla::ReplicaGroup>& field,
    ReplicaGroups* g) {
  for (const xla::ReplicaGroup& group : field) {
    g->groups.push_back(ToList<Int64List>(group.replica_ids()));
  }
}

}  // namespace

absl::StatusOr<ReplicaGroups> ReadReplicaGroups(
    const xla::HloInstructionProto& proto) {
  ReplicaGroups g;
  // The old field wins, as upstream has it.
  if (proto.replica_groups_size() > 0) {
    ReadGroups(proto.replica_groups(), &g);
    return g;
  }
  switch (proto.replica_group_list_case()) {
    case xla::HloInstructionProto::kCollectiveDeviceList: {
      const auto& list = proto.collective_device_list();
      ReadGroups(list.replica_groups(), &g);
      if (const auto* old = FindOldIota(list); old != nullptr) {
        xla::IotaReplicaGroupListProto iota;
        if (!iota.ParseFromString(old->length_delimited())) {
          return InvalidArgument("replica groups: field 2 is no iota");
        }
        g.groups.clear();
        ReadIota(iota, &g);
      }
      break;
    }
    case xla::HloInstructionProto::kIotaCollectiveDeviceList:
      ReadIota(proto.iota_collective_device_list(), &g);
      break;
    case xla::HloInstructionProto::kMeshAxesReplicaGroupList:
      g.form = ReplicaGroups::kMesh;
      g.mesh = ReadMesh(proto.mesh_axes_replica_group_list().mesh());
      g.axes = ReadAxisRefs(proto.mesh_axes_replica_group_list().axes());
      break;
    default:
      break;
  }
  if (g.form == ReplicaGroups::kMesh) {
    HLOKIT_RETURN_IF_ERROR(CheckMesh(g.mesh));
    HLOKIT_RETURN_IF_ERROR(CheckAxisRefs(g.mesh, g.axes));
  }
  return g;
}

void WriteReplicaGroups(const ReplicaGroups* groups,
                        xla::HloInstructionProto* proto) {
  if (groups == nullptr || groups->form == ReplicaGroups::kList) {
    auto* list = proto->mutable_collective_device_list();
    if (groups == nullptr) return;
    for (const Int64List& group : groups->groups) {
      SetField(group, list->add_replica_groups()->mutable_replica_ids());
    }
  } else if (groups->form == ReplicaGroups::kIota) {
    auto* iota = proto->mutable_iota_collective_device_list();
    iota->set_num_replica_groups(groups->group_count);
    iota->set_num_devices_per_group(groups->group_size);
    SetField(groups->reshape_dims, iota->mutable_iota_reshape_dims());
    SetField(groups->transpose_perm, iota->mutable_iota_transpose_perm());
  } else {
    auto* mesh = proto->mutable_mesh_axes_replica_group_list();
    WriteMesh(groups->mesh, mesh->mutable_mesh());
    WriteAxisRefs(groups->axes, mesh->mutable_axes());
  }
}

}  // namespace wire

absl::StatusOr<Sharding> ShardingFromProto(const xla::OpSharding& proto) {
  HLOKIT_ASSIGN_OR_RETURN(Sharding sharding,
                          wire::ReadSharding(proto, /*in_tuple=*/false));
  HLOKIT_RETURN_IF_ERROR(sharding.CheckForm());
  sharding.Normalize();
  return sharding;
}

void ShardingToProto(const Sharding& s, xla::OpSharding* proto) {
  if (s.shard_group != Sharding::kNoGroup) {
    proto->set_is_shard_group(true);
    proto->set_shard_group_id(s.shard_group_id);
    proto->set_shard_group_type(s.shard_group == Sharding::kShardLike
                                    ? xla::OpSharding::LIKE
                                    : xla::OpSharding::AS);
  }
  if (s.kind == Sharding::kNamed) {
    wire::WriteNamed(s, proto->mutable_named_sharding());
    return;
  }
  for (const OpMetadata& m : s.metadata) {
    wire::WriteMetadata(m, proto->add_metadata());
  }
  proto->set_type(static_cast<xla::OpSharding::Type>(s.kind));
  if (s.kind == Sharding::kMaximal) {
    proto->add_tile_assignment_devices(s.device);
  }
  for (const Sharding& element : s.elements) {
    ShardingToProto(element, proto->add_tuple_shardings());
  }
  if (s.kind != Sharding::kTiled) return;
  wire::SetField(s.tiles.dimensions,
                 proto->mutable_tile_assignment_dimensions());
  wire::SetField(s.tiles.devices, proto->mutable_tile_assignment_devices());
  if (s.tiles.is_iota) {
    wire::SetField(s.tiles.reshape_dims, proto->mutable_iota_reshape_dims());
    wire::SetField(s.tiles.transpose_perm,
                   proto->mutable_iota_transpose_perm());
  }
  proto->set_replicate_on_last_tile_dim(s.replicate_on_last_tile_dim);
  for (Sharding::Kind kind : s.last_tile_dims) {
    proto->add_last_tile_dims(static_cast<xla::OpSharding::Type>(kind));
  }
}

}  // namespace hlokit
