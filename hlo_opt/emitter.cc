#include "hlo_opt/emitter.h"

#include <memory>

#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "hlo/print/printer.h"
#include "hlo/wire/proto_convert.h"
#include "xla/xla.pb.h"

namespace hlokit {
namespace {

void FillHloProto(const LoadedModule& loaded, xla::HloProto* proto) {
  *proto->mutable_hlo_module() = ModuleToProto(*loaded.module);
  if (loaded.buffer_assignment != nullptr) {
    *proto->mutable_buffer_assignment() = *loaded.buffer_assignment;
  }
}

void FillSnapshot(const LoadedModule& loaded, xla::HloSnapshot* snapshot) {
  FillHloProto(loaded, snapshot->mutable_hlo());
  if (!loaded.arguments.empty()) {
    for (const Literal& argument : loaded.arguments[0]) {
      LiteralToProto(argument, snapshot->add_arguments());
    }
  }
  if (loaded.result.has_value()) {
    LiteralToProto(*loaded.result, snapshot->mutable_result());
  }
  snapshot->set_execution_platform(loaded.execution_platform);
}

void FillUnoptimizedSnapshot(const LoadedModule& loaded,
                             xla::HloUnoptimizedSnapshot* snapshot) {
  *snapshot->mutable_hlo_module() = ModuleToProto(*loaded.module);
  for (const std::vector<Literal>& partition : loaded.arguments) {
    xla::HloInputs* inputs = snapshot->add_partitions();
    for (const Literal& argument : partition) {
      LiteralToProto(argument, inputs->add_arguments());
    }
  }
}

std::unique_ptr<google::protobuf::Message> MakeMessage(
    const LoadedModule& loaded, MessageKind kind) {
  switch (kind) {
    case MessageKind::kHloModuleProto:
      return std::make_unique<xla::HloModuleProto>(
          ModuleToProto(*loaded.module));
    case MessageKind::kHloSnapshot: {
      auto snapshot = std::make_unique<xla::HloSnapshot>();
      FillSnapshot(loaded, snapshot.get());
      return snapshot;
    }
    case MessageKind::kHloUnoptimizedSnapshot: {
      auto snapshot = std::make_unique<xla::HloUnoptimizedSnapshot>();
      FillUnoptimizedSnapshot(loaded, snapshot.get());
      return snapshot;
    }
    case MessageKind::kHloModuleProtoWithConfig: {
      auto message = std::make_unique<xla::HloModuleProtoWithConfig>();
      *message->mutable_hlo_module() = ModuleToProto(*loaded.module);
      return message;
    }
    default: {
      auto proto = std::make_unique<xla::HloProto>();
      FillHloProto(loaded, proto.get());
      return proto;
    }
  }
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

}  // namespace

absl::StatusOr<std::string> EmitModule(const LoadedModule& loaded,
                                       const EmitOptions& options) {
  if (options.encoding == Encoding::kHloText) {
    return ToString(*loaded.module, options.print_options);
  }
  const auto message = MakeMessage(loaded, options.message);
  if (message->ByteSizeLong() >= (size_t{1} << 31)) {
    return ResourceExhausted(
        "%s: as a proto it would be %d bytes; protobuf's limit is 2 GiB",
        loaded.file, message->ByteSizeLong());
  }
  switch (options.encoding) {
    case Encoding::kTextProto: return ToTextProto(*message);
    case Encoding::kJsonProto: return ToJson(*message);
    default: return SerializeDeterministic(*message);
  }
}

}  // namespace hlokit
