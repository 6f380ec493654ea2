// Messages that hold a module and literals, written piece by piece: no size is too
// large, and elements of large literals are not copied.
//
//   wire::LargeMessage message;
//   {
//     wire::WireWriter writer(&message);
//     WriteSnapshot({.module = &module, .arguments = arguments}, &writer);
//   }
//   files->WritePieces(path, [&](auto emit) { message.Emit(emit); });
//
// Strings that are no UTF-8 get replacement characters.
#ifndef HLOKIT_HLO_WIRE_MESSAGE_WRITER_H_
#define HLOKIT_HLO_WIRE_MESSAGE_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/wire/wire_format.h"

namespace xla {
class BufferAssignmentProto;
}

namespace hlokit {

// What goes into a message; nothing is owned.
struct MessageParts {
  const Module* module = nullptr;
  int64_t module_id = 0;
  const xla::BufferAssignmentProto* buffer_assignment = nullptr;  // may be null
  absl::Span<const Literal> arguments;
  const Literal* result = nullptr;  // may be null
  absl::string_view execution_platform;
};

// A LiteralProto.
wire::LargeMessage LiteralMessage(const Literal& literal);
// A module as field `number` of the message that is being written.
void WriteModuleField(const Module& module, int64_t module_id, int32_t number,
                      wire::WireWriter* writer);
// HloProto: the module and the buffer assignment.
void WriteHloProto(const MessageParts& parts, wire::WireWriter* writer);
// HloSnapshot: all of it.
void WriteSnapshot(const MessageParts& parts, wire::WireWriter* writer);
// HloUnoptimizedSnapshot: the module, and the arguments of each partition.
void WriteUnoptimizedSnapshot(const MessageParts& parts,
                              absl::Span<const std::vector<Literal>> partitions,
                              wire::WireWriter* writer);

}  // namespace hlokit

#endif  // HLOKIT_HLO_WIRE_MESSAGE_WRITER_H_
