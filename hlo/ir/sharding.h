// Shardings: how a value is spread over devices. Tile assignments (V1: a list of
// devices, V2: an iota), sub-groups, tuples, and named shardings over a mesh.
#ifndef HLOKIT_HLO_IR_SHARDING_H_
#define HLOKIT_HLO_IR_SHARDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/shape.h"

namespace hlokit {

// The product of sizes in `*product`; false where a size is below 1 or the
// product above `limit`.
bool ProductWithin(absl::Span<const int64_t> sizes, int64_t limit,
                   int64_t* product);
// Whether `perm` holds each of 0 .. rank-1 once.
bool IsPermutation(absl::Span<const int64_t> perm, size_t rank);
// The shortest form of iota(product).reshape(dims).transpose(perm): no dimension
// of size 1, none that could be one with its neighbour; one dimension at least.
// Nothing changes unless `perm` is a permutation of the dimensions and their
// product fits.
void CanonicalizeIota(Int64List* dims, Int64List* perm);

// Devices in row-major order of `dimensions`: either listed, or
// iota(product).reshape(reshape_dims).transpose(transpose_perm).
struct TileAssignment {
  Int64List dimensions;
  bool is_iota = false;
  Int64List devices;         // when not iota
  Int64List reshape_dims;    // when iota
  Int64List transpose_perm;  // when iota; {0} for one reshape dimension
  int64_t device_count() const;
  // The devices, expanded. At most `device_count()` of them.
  Int64List Expand() const;
  // Iotas in their shortest form: no dimensions of size 1, none that could be
  // one. Lists stay.
  void Canonicalize();
  // Dimension i becomes the old dimension perm[i]. Iotas stay iotas when the
  // sizes allow it. The assignment must be sound (Sharding::CheckForm).
  void Transpose(absl::Span<const int64_t> perm);
  bool operator==(const TileAssignment&) const = default;
};

struct MeshAxis {
  std::string name;
  int64_t size = 0;
  bool operator==(const MeshAxis&) const = default;
};

// mesh['x'=2,'y'=4], its devices in order of the axes.
struct Mesh {
  bool maximal = false;  // maximal_mesh[device_id=...]: devices has one entry
  std::vector<MeshAxis> axes;
  // Device order; plain iota unless given.
  bool has_devices = false;      // device_ids=(list)
  Int64List devices;
  bool has_transform = false;    // device_ids=([dims]T(perm))
  Int64List reshape_dims;
  Int64List transpose_perm;
  // The transform in its shortest form; none if it is the plain iota of all.
  void Canonicalize();
  bool operator==(const Mesh&) const = default;
};

// An axis of a mesh or a part of it: 'x' or 'x':(2)4.
struct AxisRef {
  int64_t axis = 0;  // index in Mesh::axes
  bool has_sub_axis = false;
  int64_t pre_size = 0;
  int64_t size = 0;
  bool operator==(const AxisRef&) const = default;
};
using AxisRefs = std::vector<AxisRef>;

struct NamedSharding {
  struct Dimension {
    AxisRefs axes;
    bool open = false;  // "?" in text; proto is_closed = !open
    bool operator==(const Dimension&) const = default;
  };
  Mesh mesh;
  std::vector<Dimension> dimensions;
  AxisRefs replicated;
  AxisRefs unreduced;
  AxisRefs manual;
  int64_t reduction_op = 0;  // 0 sum, 1 max, 2 min
  bool operator==(const NamedSharding&) const = default;
};

class Sharding {
 public:
  // The numbers of xla.OpSharding.Type; kNamed is ours (the proto says so by
  // setting named_sharding).
  enum Kind {
    kReplicated = 0, kMaximal = 1, kTuple = 2, kTiled = 3, kManual = 4,
    kUnknown = 5, kUnreduced = 6, kNamed = 100,
  };
  enum ShardGroup { kNoGroup, kShardAs, kShardLike };

  Kind kind = kReplicated;
  int64_t device = 0;            // kMaximal
  TileAssignment tiles;          // kTiled
  bool replicate_on_last_tile_dim = false;
  std::vector<Kind> last_tile_dims;  // sub-groups: replicated, manual, ...
  std::vector<Sharding> elements;    // kTuple: one a leaf, depth first
  NamedSharding named;               // kNamed
  ShardGroup shard_group = kNoGroup;
  int64_t shard_group_id = 0;
  std::vector<OpMetadata> metadata;

  static Sharding Replicated() { return Sharding(); }
  static Sharding Manual() { return Of(kManual); }
  static Sharding Maximal(int64_t device) {
    Sharding s = Of(kMaximal);
    s.device = device;
    return s;
  }
  static Sharding Of(Kind kind) {
    Sharding s;
    s.kind = kind;
    return s;
  }

  bool IsTuple() const { return kind == kTuple; }
  // Metadata compared too.
  bool operator==(const Sharding&) const = default;

  // What XLA makes of tiled shardings when it reads them: sub-groups of one
  // kind are merged, of size 1 dropped, sorted (replicated last);
  // last_tile_dims={replicated} becomes replicate_on_last_tile_dim with devices
  // sorted in each group; nothing but sub-groups of one kind becomes
  // replicated, manual or unreduced; a tiled sharding over one device
  // replicated; iotas their shortest form. Of tuples each element.
  void Normalize();
  // One sharding a leaf for tuple shapes: a single one is repeated.
  Sharding ForShape(const Shape& shape) const;
  // Whether the parts fit each other, for readers: as many devices as tiles,
  // permutations that are some, axes that the mesh has, sizes that do not
  // overflow. What Normalize, Expand and the printers rely on.
  absl::Status CheckForm() const;
  // Fits the shape (tuple element count, tile rank) and device count (0: not
  // checked).
  absl::Status Validate(const Shape& shape, int64_t device_count) const;

  // "{devices=[2,1]<=[2]}"; metadata only on request.
  void AppendTo(std::string* out, bool include_metadata) const;
  std::string ToString(bool include_metadata = true) const;
};

// Whether the mesh and references to its axes are sound; the devices at most
// 2^31.
absl::Status CheckMesh(const Mesh& mesh);
absl::Status CheckAxisRefs(const Mesh& mesh, absl::Span<const AxisRef> axes);

// Named shardings that text writes in one word: replicated (nothing is named),
// manual or unreduced (over every axis in order, nothing else).
bool IsReplicatedOverMesh(const NamedSharding& named);
bool IsManualOverMesh(const NamedSharding& named);
bool IsUnreducedOverMesh(const NamedSharding& named);

// Shared pieces of the text form of meshes.
void AppendMesh(const Mesh& mesh, std::string* out);
void AppendAxisRefs(const Mesh& mesh, absl::Span<const AxisRef> axes,
                    std::string* out, absl::string_view separator = ", ");

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_SHARDING_H_
