// Finding out what a file holds.

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "base/status.h"
#include "base/suggest.h"
#include "dump/large_snapshot.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"
#include "hlo_opt/file_kinds.h"
#include "hlo_opt/loader.h"

namespace hlokit {
namespace {

using wire::WireField;
using wire::WireType;

// Files may be cut: what is there of a field will do.
wire::WireReader FieldsOf(absl::string_view bytes) {
  return wire::WireReader(bytes, /*clip=*/true);
}

constexpr MessageKind kMessageKinds[] = {
    MessageKind::kHloModuleProto,
    MessageKind::kHloProto,
    MessageKind::kHloSnapshot,
    MessageKind::kHloUnoptimizedSnapshot,
    MessageKind::kHloModuleProtoWithConfig,
};

// The message that a comment of a text proto names, as buildifier and editors
// know it.
MessageKind MessageInComment(absl::string_view comment) {
  constexpr absl::string_view kKey = "proto-message:";
  const size_t at = comment.find(kKey);
  if (at == comment.npos) return MessageKind::kNone;
  absl::string_view name =
      absl::StripAsciiWhitespace(comment.substr(at + kKey.size()));
  const size_t dot = name.rfind('.');
  if (dot != name.npos) name.remove_prefix(dot + 1);
  for (const MessageKind kind : kMessageKinds) {
    if (MessageName(kind) == name) return kind;
  }
  return MessageKind::kNone;
}

bool IsPlainName(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
}

// A module starts with its name, or, without one, with computations.
bool LooksLikeModule(absl::string_view bytes) {
  WireField field;
  if (!FieldsOf(bytes).Next(&field)) return false;
  if (field.type != WireType::kBytes) return false;
  if (field.number == 1 || field.number == 2) return IsPlainName(field.bytes);
  return field.number == 3;
}

bool LooksLikeWrapped(absl::string_view bytes,
                      bool (*looks_like)(absl::string_view)) {
  WireField field;
  return FieldsOf(bytes).Next(&field) && field.Is(1, WireType::kBytes) &&
         looks_like(field.bytes);
}

bool LooksLikeHloProto(absl::string_view bytes) {
  return LooksLikeWrapped(bytes, LooksLikeModule);
}

// HloProto, HloUnoptimizedSnapshot and HloModuleProtoWithConfig all start with a
// module; what follows tells them apart.
MessageKind KindBehindModule(absl::string_view bytes) {
  WireField field;
  MessageKind kind = MessageKind::kHloProto;
  wire::WireReader reader = FieldsOf(bytes);
  while (reader.Next(&field)) {
    if (field.Is(3, WireType::kVarint)) {
      return MessageKind::kHloUnoptimizedSnapshot;
    }
    if (field.Is(2, WireType::kBytes)) {
      // HloInputs holds literals (field 1: a shape first) or descriptors; the
      // configuration starts with a program shape, whose field 1 are shapes.
      xla::HloInputs inputs;
      kind = ParseProtoBytes(field.bytes, &inputs).ok() &&
                     inputs.GetReflection()->GetUnknownFields(inputs).empty()
                 ? MessageKind::kHloUnoptimizedSnapshot
                 : MessageKind::kHloModuleProtoWithConfig;
    }
  }
  return kind;
}

// The large form of an HloUnoptimizedSnapshot: its size, then the message.
bool LooksLikeLargeSnapshot(absl::string_view bytes) {
  uint64_t size = 0;
  wire::WireReader reader(bytes);
  return IsLargeSnapshot(bytes) && reader.Varint(&size) &&
         size <= reader.left() &&
         LooksLikeHloProto(bytes.substr(bytes.size() - reader.left(), size));
}

MessageKind BinaryKind(absl::string_view bytes) {
  if (LooksLikeLargeSnapshot(bytes)) {
    return MessageKind::kHloUnoptimizedSnapshot;
  }
  if (LooksLikeHloProto(bytes)) return KindBehindModule(bytes);
  if (LooksLikeWrapped(bytes, LooksLikeHloProto)) {
    return MessageKind::kHloSnapshot;
  }
  return MessageKind::kHloModuleProto;
}

bool LooksBinary(absl::string_view bytes) {
  // No message of ours begins so; a NUL further on is the text's own fault.
  if (absl::StartsWith(bytes, "HloModule ") ||
      absl::StartsWith(bytes, "ENTRY ")) {
    return false;
  }
  const absl::string_view start = bytes.substr(0, 1 << 16);
  return std::any_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' &&
           c != '\v' && c != 0x1b;
  });
}

// Skips blanks, `#` comments and protobuf's mark ("goo.gle/debugonly") at the
// start of text protos. Where a comment names the message, as in
// "# proto-message: xla.HloProto", *named becomes its kind.
absl::string_view SkipProtoSpace(absl::string_view text, MessageKind* named) {
  for (;;) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (absl::StartsWith(text, kDebugStringMark)) {
      text.remove_prefix(std::min(text.find_first_of(" \t\r\n"), text.size()));
      continue;
    }
    if (!absl::StartsWith(text, "#")) return text;
    const size_t end = std::min(text.find('\n'), text.size());
    const MessageKind kind = MessageInComment(text.substr(0, end));
    if (kind != MessageKind::kNone) *named = kind;
    text.remove_prefix(end);
  }
}

struct TopField {
  absl::string_view name;
  MessageKind kind;
};

// First fields that tell which message a text or JSON proto holds. The JSON
// spelling is matched without its underscores.
constexpr TopField kTopFields[] = {
    {"hlo", MessageKind::kHloSnapshot},
    {"arguments", MessageKind::kHloSnapshot},
    {"result", MessageKind::kHloSnapshot},
    {"execution_platform", MessageKind::kHloSnapshot},
    {"hlo_module", MessageKind::kHloProto},
    {"buffer_assignment", MessageKind::kHloProto},
    {"partitions", MessageKind::kHloUnoptimizedSnapshot},
    {"version", MessageKind::kHloUnoptimizedSnapshot},
    {"config", MessageKind::kHloModuleProtoWithConfig},
    {"name", MessageKind::kHloModuleProto},
    {"entry_computation_name", MessageKind::kHloModuleProto},
    {"entry_computation_id", MessageKind::kHloModuleProto},
    {"computations", MessageKind::kHloModuleProto},
    {"host_program_shape", MessageKind::kHloModuleProto},
    {"id", MessageKind::kHloModuleProto},
};

std::string WithoutUnderscores(absl::string_view name) {
  std::string result;
  for (char c : name) {
    if (c != '_') result += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return result;
}

MessageKind KindOfField(absl::string_view name) {
  const std::string wanted = WithoutUnderscores(name);
  for (const TopField& field : kTopFields) {
    if (WithoutUnderscores(field.name) == wanted) return field.kind;
  }
  return MessageKind::kNone;
}

absl::string_view Identifier(absl::string_view text) {
  size_t n = 0;
  while (n < text.size() &&
         (absl::ascii_isalnum(static_cast<unsigned char>(text[n])) ||
          text[n] == '_')) {
    ++n;
  }
  return text.substr(0, n);
}

// A message that starts with a module may be one of three; a later top-level
// field says which.
MessageKind RefineTextKind(MessageKind kind, absl::string_view text) {
  if (kind != MessageKind::kHloProto) return kind;
  auto has_line = [&](absl::string_view start) {
    return absl::StartsWith(text, start) ||
           absl::StrContains(text, absl::StrCat("\n", start));
  };
  if (has_line("partitions {") || has_line("partitions:") ||
      has_line("version:")) {
    return MessageKind::kHloUnoptimizedSnapshot;
  }
  if (has_line("config {") || has_line("config:")) {
    return MessageKind::kHloModuleProtoWithConfig;
  }
  return kind;
}

MessageKind TextProtoKind(absl::string_view text) {
  MessageKind named = MessageKind::kNone;
  text = SkipProtoSpace(text, &named);
  const absl::string_view name = Identifier(text);
  absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(text.substr(name.size()));
  if (name.empty() || rest.empty() ||
      (rest[0] != ':' && rest[0] != '{' && rest[0] != '<')) {
    return MessageKind::kNone;
  }
  if (named != MessageKind::kNone) return named;
  return RefineTextKind(KindOfField(name), text);
}

MessageKind JsonKind(absl::string_view text) {
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&rest, "{")) return MessageKind::kNone;
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::ConsumePrefix(&rest, "\"")) return MessageKind::kNone;
  const MessageKind kind = KindOfField(Identifier(rest));
  if (kind != MessageKind::kHloProto) return kind;
  if (absl::StrContains(text, "\"partitions\"")) {
    return MessageKind::kHloUnoptimizedSnapshot;
  }
  return kind;
}

absl::Status NotAProto(absl::string_view file, absl::string_view what) {
  return InvalidArgument(
      "%s: holds plain text where %s was expected; the program that wrote the "
      "dump probably failed (a module over protobuf's 2 GiB limit leaves an "
      "error message in its place)",
      file, what);
}

}  // namespace

absl::string_view MessageName(MessageKind kind) {
  switch (kind) {
    case MessageKind::kNone: return "HLO text";
    case MessageKind::kHloModuleProto: return "HloModuleProto";
    case MessageKind::kHloProto: return "HloProto";
    case MessageKind::kHloSnapshot: return "HloSnapshot";
    case MessageKind::kHloUnoptimizedSnapshot: return "HloUnoptimizedSnapshot";
    case MessageKind::kHloModuleProtoWithConfig:
      return "HloModuleProtoWithConfig";
  }
  return "";
}

absl::StatusOr<DetectedFormat> DetectFormat(absl::string_view bytes,
                                            absl::string_view file,
                                            absl::string_view format) {
  static constexpr absl::string_view kFormats[] = {
      "hlo", "txt", "pb", "pbtxt", "textproto", "json"};
  if (!format.empty() && std::find(std::begin(kFormats), std::end(kFormats),
                                   format) == std::end(kFormats)) {
    return InvalidArgument(
        "--format=%s: formats are hlo, txt, pb, pbtxt, textproto and json%s",
        format, DidYouMean(format, kFormats));
  }
  if (bytes.empty()) return InvalidArgument("%s: the file is empty", file);
  if (format == "hlo" || format == "txt") {
    return DetectedFormat{Encoding::kHloText, MessageKind::kNone};
  }
  if (format.empty()) {
    const FileKind* kind = FindFileKind(bytes);
    if (kind != nullptr) return NotHloError(file, *kind);
  }
  const bool binary = LooksBinary(bytes);
  if (format == "pb" || (format.empty() && binary)) {
    if (!binary) return NotAProto(file, "a binary proto");
    return DetectedFormat{Encoding::kBinaryProto, BinaryKind(bytes)};
  }
  const MessageKind json = JsonKind(bytes);
  if (format == "json" || (format.empty() && json != MessageKind::kNone)) {
    if (json == MessageKind::kNone) return NotAProto(file, "a JSON proto");
    return DetectedFormat{Encoding::kJsonProto, json};
  }
  const MessageKind text = TextProtoKind(bytes);
  if (!format.empty() || text != MessageKind::kNone) {
    if (text == MessageKind::kNone) return NotAProto(file, "a text proto");
    return DetectedFormat{Encoding::kTextProto, text};
  }
  // Plain words in a file that should hold a proto.
  if (absl::StrContains(BaseName(file), ".pb") &&
      !absl::StrContains(bytes, "HloModule") &&
      !absl::StrContains(bytes, "ENTRY")) {
    return NotAProto(file, "a binary proto");
  }
  return DetectedFormat{Encoding::kHloText, MessageKind::kNone};
}

}  // namespace hlokit
