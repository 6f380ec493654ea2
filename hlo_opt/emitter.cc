#include "hlo_opt/emitter.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "hlo/print/printer.h"
#include "hlo/wire/message_writer.h"
#include "hlo/wire/nesting.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/unknown_fields.h"
#include "xla/xla.pb.h"

namespace hlokit {
namespace {

using wire::WireWriter;

MessageParts PartsOf(const LoadedModule& loaded) {
  MessageParts parts;
  parts.module = loaded.module.get();
  parts.buffer_assignment = loaded.buffer_assignment.get();
  if (!loaded.arguments.empty()) parts.arguments = loaded.arguments[0];
  if (loaded.result.has_value()) parts.result = &*loaded.result;
  parts.execution_platform = loaded.execution_platform;
  return parts;
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
  // Faults are told by status; the library would print them as well.
  const google::protobuf::LogSilencer silence;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok()) {
    return InvalidArgument(
        "the module has no JSON form: %s",
        absl::string_view(status.message().data(), status.message().size()));
  }
  return text;
}

}  // namespace

namespace {

wire::LargeMessage MessageOf(const LoadedModule& loaded, MessageKind kind,
                             bool for_text) {
  wire::LargeMessage message;
  WireWriter writer(&message);
  writer.set_for_text(for_text);
  const MessageParts parts = PartsOf(loaded);
  switch (kind) {
    case MessageKind::kHloModuleProto:
      WriteModule(*parts.module, /*module_id=*/0, &writer);
      break;
    case MessageKind::kHloSnapshot:
      WriteSnapshot(parts, &writer);
      break;
    case MessageKind::kHloUnoptimizedSnapshot:
      WriteUnoptimizedSnapshot(parts, loaded.arguments, &writer);
      break;
    case MessageKind::kHloModuleProtoWithConfig:
      WriteModuleField(
          *parts.module, /*module_id=*/0,
          xla::HloModuleProtoWithConfig::kHloModuleFieldNumber, &writer);
      break;
    default:
      WriteHloProto(parts, &writer);
  }
  writer.Flush();
  return message;
}

}  // namespace

absl::StatusOr<wire::LargeMessage> EmitMessage(const LoadedModule& loaded,
                                               MessageKind kind) {
  HLOKIT_RETURN_IF_ERROR(CheckNesting(PartsOf(loaded)));
  return MessageOf(loaded, kind, /*for_text=*/false);
}

absl::StatusOr<std::string> EmitModule(const LoadedModule& loaded,
                                       const EmitOptions& options) {
  if (options.encoding == Encoding::kHloText) {
    return ToString(*loaded.module, options.print_options);
  }
  HLOKIT_RETURN_IF_ERROR(CheckNesting(PartsOf(loaded)));
  const bool for_text = options.encoding != Encoding::kBinaryProto;
  const wire::LargeMessage bytes =
      MessageOf(loaded, options.message, for_text);
  if (!for_text) return bytes.Join();
  const auto message = MakeMessage(options.message);
  if (bytes.size() >= (uint64_t{1} << 31)) {
    return ResourceExhausted(
        "%s: as a proto it is %d bytes; only the binary form (--emit=proto) "
        "may have 2 GiB and more",
        loaded.file, bytes.size());
  }
  if (!ParseWrittenBytes(bytes.Join(), message.get())) {
    return Internal("%s: protobuf does not take what was written", loaded.file);
  }
  if (wire::HasUnknownFields(*message)) {
    return InvalidArgument(
        "%s: an element type or layout word that this version does not know "
        "has no place in text and JSON protos; take --emit=pb",
        loaded.file);
  }
  if (options.encoding == Encoding::kTextProto) return ToTextProto(*message);
  const std::vector<std::string> changed = ReplaceRawBytes(message.get());
  if (!changed.empty() && options.warnings != nullptr) {
    options.warnings->push_back(absl::StrFormat(
        "%s: warning: JSON has no place for bytes that are not UTF-8; U+FFFD "
        "replaces them in %s. The other forms keep them: --emit=pb, "
        "--emit=pbtxt or text",
        loaded.file, absl::StrJoin(changed, ", ")));
  }
  return ToJson(*message);
}

}  // namespace hlokit
