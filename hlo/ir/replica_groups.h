// Which devices take part in a collective together, in one of three forms: a
// list of groups (V1), an iota (V2), or axes of a mesh (V3). The form is kept.
#ifndef HLOKIT_HLO_IR_REPLICA_GROUPS_H_
#define HLOKIT_HLO_IR_REPLICA_GROUPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/sharding.h"

namespace hlokit {

class ReplicaGroups {
 public:
  enum Form { kList, kIota, kMesh };
  Form form = kList;
  Int64ListList groups;  // kList; empty: everybody
  // kIota: [group_count, group_size]<=[reshape_dims]T(transpose_perm)
  int64_t group_count = 0;
  int64_t group_size = 0;
  Int64List reshape_dims;
  Int64List transpose_perm;
  // kMesh
  Mesh mesh;
  AxisRefs axes;

  // The groups spelled out; an error if the total exceeds `max_devices`.
  absl::StatusOr<Int64ListList> Expand(int64_t max_devices = 1 << 22) const;
  bool empty() const { return form == kList && groups.empty(); }
  bool operator==(const ReplicaGroups&) const = default;

  // The mesh form with axes cut so that no reference is to a part of one: parts
  // of axis 'x' are called 'x_0', 'x_1', ... Other forms stay.
  ReplicaGroups WithoutSubAxes() const;

  // "{{0,1},{2,3}}", "[2,2]<=[4]", "mesh['x'=2] {'x'}". `full`: always the
  // first form.
  void AppendTo(std::string* out, bool full = false) const;
  std::string ToString() const;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_REPLICA_GROUPS_H_
