#include "hlo/wire/message_writer.h"

#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "xla/service/hlo.pb.h"

namespace hlokit {
namespace {

// A guess at the size; a bad one costs a little time.
uint64_t ExpectedBytes(const Module& module) {
  constexpr int64_t kBytesPerInstruction = 128;
  return module.instruction_count() * kBytesPerInstruction;
}

void WriteLiterals(absl::Span<const Literal> literals, int32_t number,
                   wire::WireWriter* writer) {
  for (const Literal& literal : literals) {
    wire::WriteLiteral(literal, number, writer);
  }
}

}  // namespace

wire::LargeMessage LiteralMessage(const Literal& literal) {
  wire::LargeMessage message;
  wire::WireWriter writer(&message);
  wire::WriteLiteralFields(literal, &writer);
  writer.Flush();
  return message;
}

void WriteModuleField(const Module& module, int64_t module_id, int32_t number,
                      wire::WireWriter* writer) {
  const auto begin = writer->BeginHuge(number, ExpectedBytes(module));
  WriteModule(module, module_id, writer);
  writer->EndHuge(begin);
}

void WriteHloProto(const MessageParts& parts, wire::WireWriter* writer) {
  using P = xla::HloProto;
  WriteModuleField(*parts.module, parts.module_id, P::kHloModuleFieldNumber,
                   writer);
  if (parts.buffer_assignment != nullptr) {
    writer->Bytes(P::kBufferAssignmentFieldNumber,
                  SerializeDeterministic(*parts.buffer_assignment));
  }
}

void WriteSnapshot(const MessageParts& parts, wire::WireWriter* writer) {
  using P = xla::HloSnapshot;
  const auto begin =
      writer->BeginHuge(P::kHloFieldNumber, ExpectedBytes(*parts.module));
  WriteHloProto(parts, writer);
  writer->EndHuge(begin);
  WriteLiterals(parts.arguments, P::kArgumentsFieldNumber, writer);
  if (parts.result != nullptr) {
    wire::WriteLiteral(*parts.result, P::kResultFieldNumber, writer);
  }
  writer->Text(P::kExecutionPlatformFieldNumber, parts.execution_platform);
}

void WriteUnoptimizedSnapshot(const MessageParts& parts,
                              absl::Span<const std::vector<Literal>> partitions,
                              wire::WireWriter* writer) {
  using P = xla::HloUnoptimizedSnapshot;
  WriteModuleField(*parts.module, parts.module_id, P::kHloModuleFieldNumber,
                   writer);
  for (const std::vector<Literal>& partition : partitions) {
    const auto begin = writer->BeginHuge(P::kPartitionsFieldNumber, 0);
    WriteLiterals(partition, xla::HloInputs::kArgumentsFieldNumber, writer);
    writer->EndHuge(begin);
  }
}

}  // namespace hlokit
