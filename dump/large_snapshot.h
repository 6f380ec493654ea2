// The large form of HloUnoptimizedSnapshot files, which protobuf's limit of
// 2 GiB does not bind:
//
//   varint  size of the message that follows
//   bytes   HloUnoptimizedSnapshot without arguments; each partition has one
//           arguments_descriptor an argument, with its size in bytes
//   the arguments back to back, partition by partition, each
//     u64     size of the ShapeProto, little endian
//     bytes   ShapeProto
//     for each array in it, depth first: the current sizes (i32 each) when it
//     is dynamic, then the elements; types under 8 bits (PRED is one bit) are
//     packed from the low bits on
//
// An ordinary file starts with byte 0x0a. Thread-safe.
#ifndef HLOKIT_DUMP_LARGE_SNAPSHOT_H_
#define HLOKIT_DUMP_LARGE_SNAPSHOT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {

// One list of arguments a partition (device).
using PartitionArguments = std::vector<std::vector<Literal>>;

struct UnoptimizedSnapshot {
  absl::string_view module;  // an HloModuleProto, where it lies in the file
  PartitionArguments arguments;
};

// The bytes of one literal. Elements stand in the order of the shape's layout;
// the layout written is always the descending one.
std::string LiteralToLargeForm(const Literal& literal);
// `bytes` must be one whole literal. Elements that lie in lasting bytes as a
// literal holds them are not copied.
absl::StatusOr<Literal> LiteralFromLargeForm(absl::string_view bytes,
                                             const LastingBytes& lasting = {});

// Elements are not copied: they come from the literals when the message is
// written.
wire::LargeMessage LargeSnapshotMessage(const Module& module, int64_t module_id,
                                        const PartitionArguments& arguments);
absl::StatusOr<UnoptimizedSnapshot> ReadLargeSnapshot(
    absl::string_view bytes, const LastingBytes& lasting = {});

// Whether a file of that kind is in the large form.
bool IsLargeSnapshot(absl::string_view bytes);

// Both encodings.
absl::StatusOr<UnoptimizedSnapshot> ReadUnoptimizedSnapshot(
    absl::string_view bytes, const LastingBytes& lasting = {});

}  // namespace hlokit

#endif  // HLOKIT_DUMP_LARGE_SNAPSHOT_H_
