// Modules, shapes, literals and shardings to and from their proto messages.
//
// Reading never trusts the message: ids, references, shapes and literal sizes
// are checked and every fault is an error that names the instruction. What the
// text form does not carry is kept (Module::unprinted, OpMetadata::unprinted)
// and written back.
#ifndef HLOKIT_HLO_WIRE_PROTO_CONVERT_H_
#define HLOKIT_HLO_WIRE_PROTO_CONVERT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace hlokit {

namespace wire {
class WireWriter;
}

// Bytes that outlive a call, those of a mapped file: what they hold need not be
// copied.
struct LastingBytes {
  std::shared_ptr<const void> owner;  // keeps them; null: they go away
  // Told of bytes that were copied nonetheless, for they do not lie at an
  // address that suits the elements: their memory may be given back. May be
  // empty.
  std::function<void(absl::string_view)> copied;
};

struct FromProtoOptions {
  // Ids stay as in the file (holes are kept); else they are dealt anew.
  bool preserve_ids = true;
  int64_t max_literal_bytes = int64_t{1} << 34;
  // Of the module's bytes; constants become views into them.
  LastingBytes lasting;
  // Unknown fields are kept (hlo/ir/unknown.h); with `keep_unknown_meaning`,
  // opcodes and element types too, which are errors otherwise. With
  // `refuse_unknown` all of it is an error.
  bool keep_unknown_meaning = false;
  bool refuse_unknown = false;
  // Unknown fields and unknown enum values found on the way, one line each.
  std::vector<std::string>* notes = nullptr;
};

// The bytes of an HloModuleProto. Instructions are read and written one by one,
// without a message of the whole: that is fast, needs little memory, and knows
// no limit of 2 GiB.
absl::StatusOr<std::unique_ptr<Module>> ModuleFromBytes(
    absl::string_view bytes, const FromProtoOptions& options = {});
// `module_id` is what HloModuleProto.id gets. The bytes are those that the
// protobuf library's deterministic writer gives.
std::string ModuleToBytes(const Module& module, int64_t module_id = 0);
void AppendModuleBytes(const Module& module, int64_t module_id,
                       std::string* out);
// The same by way of a writer, which may keep large literals apart.
void WriteModule(const Module& module, int64_t module_id,
                 wire::WireWriter* writer);

// The same with message objects (of less than 2 GiB).
absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(
    const xla::HloModuleProto& proto, const FromProtoOptions& options = {});
xla::HloModuleProto ModuleToProto(const Module& module, int64_t module_id = 0);

absl::StatusOr<Shape> ShapeFromProto(const xla::ShapeProto& proto);
void ShapeToProto(const Shape& shape, xla::ShapeProto* proto);
absl::StatusOr<Literal> LiteralFromProto(
    const xla::LiteralProto& proto,
    int64_t max_bytes = int64_t{1} << 34);
// Of 2 GiB and more, which no message object holds, only the shape:
// LiteralMessage (message_writer.h) has no limit.
void LiteralToProto(const Literal& literal, xla::LiteralProto* proto);
// The bytes of a LiteralProto, of any size. Of lasting bytes, elements that lie
// there as a literal holds them are not copied.
absl::StatusOr<Literal> LiteralFromBytes(
    absl::string_view bytes, int64_t max_bytes = int64_t{1} << 34,
    const LastingBytes& lasting = {});
absl::StatusOr<Sharding> ShardingFromProto(const xla::OpSharding& proto);
void ShardingToProto(const Sharding& sharding, xla::OpSharding* proto);

// Strings of HLO may hold bytes that are not UTF-8. They are read, kept and
// written as they are: the functions here take messages with such strings, which
// protobuf's own parser refuses.

// Map keys in order, so that equal messages give equal bytes.
std::string SerializeDeterministic(const google::protobuf::Message& message);
// Parses what was written here, however deep it is nested. False: protobuf
// refuses it (2 GiB and more).
bool ParseWrittenBytes(absl::string_view bytes,
                       google::protobuf::Message* message);
// Parses with a nesting limit of 200 and no limit on size but protobuf's own;
// the error says where the bytes end in the middle of a field.
absl::Status ParseProtoBytes(absl::string_view bytes,
                             google::protobuf::Message* message);
// Puts U+FFFD for the bytes in strings that are not UTF-8, for the JSON form,
// which has no place for them. Returns the names of the fields that changed,
// each once ("OpMetadata.op_name").
std::vector<std::string> ReplaceRawBytes(google::protobuf::Message* message);

}  // namespace hlokit

#endif  // HLOKIT_HLO_WIRE_PROTO_CONVERT_H_
