#include "hlo_opt/emitter.h"

#include <unistd.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "hlo/print/printer.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "xla/xla.pb.h"

namespace hlokit {
namespace {

using wire::WireWriter;

// A guess at the size; a bad one costs a little time.
uint64_t ExpectedBytes(const LoadedModule& loaded) {
  constexpr int64_t kBytesPerInstruction = 128;
  return loaded.module->instruction_count() * kBytesPerInstruction;
}

void WriteModuleField(const LoadedModule& loaded, int32_t number,
                      WireWriter* writer) {
  const auto begin = writer->BeginHuge(number, ExpectedBytes(loaded));
  WriteModule(*loaded.module, /*module_id=*/0, writer);
  writer->EndHuge(begin);
}

void WriteHloProto(const LoadedModule& loaded, WireWriter* writer) {
  using P = xla::HloProto;
  WriteModuleField(loaded, P::kHloModuleFieldNumber, writer);
  if (loaded.buffer_assignment != nullptr) {
    writer->Bytes(P::kBufferAssignmentFieldNumber,
                  SerializeDeterministic(*loaded.buffer_assignment));
  }
}

void WriteSnapshot(const LoadedModule& loaded, WireWriter* writer) {
  using P = xla::HloSnapshot;
  const auto begin =
      writer->BeginHuge(P::kHloFieldNumber, ExpectedBytes(loaded));
  WriteHloProto(loaded, writer);
  writer->EndHuge(begin);
  if (!loaded.arguments.empty()) {
    for (const Literal& argument : loaded.arguments[0]) {
      wire::WriteLiteral(argument, P::kArgumentsFieldNumber, writer);
    }
  }
  if (loaded.result.has_value()) {
    wire::WriteLiteral(*loaded.result, P::kResultFieldNumber, writer);
  }
  writer->Text(P::kExecutionPlatformFieldNumber, loaded.execution_platform);
}

void WriteUnoptimizedSnapshot(const LoadedModule& loaded, WireWriter* writer) {
  using P = xla::HloUnoptimizedSnapshot;
  WriteModuleField(loaded, P::kHloModuleFieldNumber, writer);
  for (const std::vector<Literal>& partition : loaded.arguments) {
    const auto begin = writer->BeginHuge(P::kPartitionsFieldNumber, 0);
    for (const Literal& argument : partition) {
      wire::WriteLiteral(argument, xla::HloInputs::kArgumentsFieldNumber,
                         writer);
    }
    writer->EndHuge(begin);
  }
}

std::string Join(const wire::LargeMessage& message) {
  std::string bytes;
  bytes.reserve(message.size());
  message.Emit([&](absl::string_view piece) {
    bytes.append(piece.data(), piece.size());
  });
  return bytes;
}

absl::StatusOr<std::string> ToTextProto(
    const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(false);
  if (!printer.PrintToString(message, &text)) {
    return Internal("the message has no text form");
  }
  return text;
}

absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) {
    return InvalidArgument(
        "the module has no JSON form: %s",
        absl::string_view(status.message().data(), status.message().size()));
  }
  return text;
}

// Whether a file can be replaced by renaming another one; of what is there,
// anything but an ordinary file has no size.
bool MayRename(const FileSystem& files, absl::string_view path) {
  const absl::StatusOr<FileInfo> info = files.Stat(path);
  return info.ok() && (!info->exists || info->size > 0);
}

}  // namespace

wire::LargeMessage EmitMessage(const LoadedModule& loaded, MessageKind kind) {
  wire::LargeMessage message;
  WireWriter writer(&message);
  switch (kind) {
    case MessageKind::kHloModuleProto:
      WriteModule(*loaded.module, /*module_id=*/0, &writer);
      break;
    case MessageKind::kHloSnapshot:
      WriteSnapshot(loaded, &writer);
      break;
    case MessageKind::kHloUnoptimizedSnapshot:
      WriteUnoptimizedSnapshot(loaded, &writer);
      break;
    case MessageKind::kHloModuleProtoWithConfig:
      WriteModuleField(
          loaded, xla::HloModuleProtoWithConfig::kHloModuleFieldNumber,
          &writer);
      break;
    default:
      WriteHloProto(loaded, &writer);
  }
  writer.Flush();
  return message;
}

absl::StatusOr<std::string> EmitModule(const LoadedModule& loaded,
                                       const EmitOptions& options) {
  if (options.encoding == Encoding::kHloText) {
    return ToString(*loaded.module, options.print_options);
  }
  const wire::LargeMessage bytes = EmitMessage(loaded, options.message);
  if (options.encoding == Encoding::kBinaryProto) return Join(bytes);
  const auto message = MakeMessage(options.message);
  if (bytes.size() >= (uint64_t{1} << 31)) {
    return ResourceExhausted(
        "%s: as a proto it is %d bytes; only the binary form (--emit=proto) "
        "may have 2 GiB and more",
        loaded.file, bytes.size());
  }
  if (!ParseWrittenBytes(Join(bytes), message.get())) {
    return Internal("%s: protobuf does not take what was written", loaded.file);
  }
  return options.encoding == Encoding::kTextProto ? ToTextProto(*message)
                                                  : ToJson(*message);
}

absl::Status WriteLargeFile(const wire::LargeMessage& message,
                            absl::string_view path, FileSystem* files) {
  const bool rename = MayRename(*files, path);
  const std::string target =
      rename ? absl::StrCat(path, ".hlokit-", ::getpid(), ".part")
             : std::string(path);
  absl::Status status = files->WriteFile(target, "");
  message.Emit([&](absl::string_view piece) {
    if (status.ok() && !piece.empty()) {
      status = files->AppendFile(target, piece);
    }
  });
  if (!rename) return status;
  if (status.ok()) status = files->Rename(target, path);
  if (!status.ok()) files->RemoveFile(target).IgnoreError();
  return status;
}

}  // namespace hlokit
