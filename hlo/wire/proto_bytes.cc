// Bytes to messages and back.
#include <cctype>
#include <limits>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/stubs/logging.h"

#include "base/status.h"
#include "hlo/wire/part_convert.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/raw_strings.h"

namespace hlokit {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

bool ReadVarint(absl::string_view bytes, size_t* at, uint64_t* value) {
  wire::WireReader reader(bytes.substr(*at));
  if (!reader.Varint(value)) return false;
  *at = bytes.size() - reader.left();
  return true;
}

// Finds out why bytes are no message: walks the fields as the parser does.
class Diagnosis {
 public:
  explicit Diagnosis(absl::string_view bytes) : bytes_(bytes) {}

  // Reads fields of `type` in [at, end). OK when nothing is wrong there.
  absl::Status Walk(const Descriptor* type, size_t at, size_t end, int depth) {
    if (depth > wire::kMaxNesting) {
      return InvalidArgument("messages are nested deeper than %d (in %s)",
                             wire::kMaxNesting, type->name());
    }
    while (at < end) {
      const size_t start = at;
      uint64_t tag;
      if (!ReadVarint(bytes_.substr(0, end), &at, &tag)) {
        return Cut(type->name(), start, end);
      }
      const auto number = static_cast<int>(tag >> 3);
      if (number == 0 || tag > std::numeric_limits<uint32_t>::max()) {
        return InvalidArgument("byte %d: no field begins so (in %s)", start,
                               type->name());
      }
      const FieldDescriptor* field = type->FindFieldByNumber(number);
      HLOKIT_RETURN_IF_ERROR(
          WalkValue(type, field, number, tag & 7, start, &at, end, depth));
    }
    return absl::OkStatus();
  }

 private:
  std::string Name(const Descriptor* type, const FieldDescriptor* field,
                   int number) {
    return absl::StrCat("field ", number,
                        field ? absl::StrCat(" (", field->name(), ")") : "",
                        " of ", type->name());
  }

  absl::Status Cut(absl::string_view where, size_t start, size_t end) {
    if (end == bytes_.size()) {
      return InvalidArgument(
          "the bytes end in the middle of a field: %s begins at byte %d of %d",
          where, start, bytes_.size());
    }
    return InvalidArgument("byte %d: %s does not end where the message does",
                           start, where);
  }

  absl::Status WalkValue(const Descriptor* type, const FieldDescriptor* field,
                         int number, int wire_type, size_t start, size_t* at,
                         size_t end, int depth) {
    uint64_t value = 0;
    switch (wire_type) {
      case 0:
        if (ReadVarint(bytes_.substr(0, end), at, &value)) {
          return absl::OkStatus();
        }
        return Cut(Name(type, field, number), start, end);
      case 1:
      case 5: {
        const size_t width = wire_type == 1 ? 8 : 4;
        if (end - *at < width) return Cut(Name(type, field, number), start, end);
        *at += width;
        return absl::OkStatus();
      }
      case 2: {
        if (!ReadVarint(bytes_.substr(0, end), at, &value)) {
          return Cut(Name(type, field, number), start, end);
        }
        if (value > end - *at) {
          return InvalidArgument(
              "the bytes end in the middle of a field: %s at byte %d claims %d "
              "bytes, %d are left",
              Name(type, field, number), start, value, end - *at);
        }
        const size_t begin = *at;
        *at += value;
        if (field == nullptr || field->message_type() == nullptr) {
          return absl::OkStatus();
        }
        return Walk(field->message_type(), begin, *at, depth + 1);
      }
      default:
        return InvalidArgument("byte %d: no field begins so (in %s)", start,
                               type->name());
    }
  }

  absl::string_view bytes_;
};

bool LooksLikeText(absl::string_view bytes) {
  const absl::string_view head = bytes.substr(0, 256);
  size_t printable = 0;
  for (unsigned char c : head) {
    printable += std::isprint(c) || c == '\n' || c == '\t' || c == '\r';
  }
  return head.size() >= 8 && printable == head.size();
}

// The library's parser, then that for strings that are not UTF-8.
bool ParseWithLimit(absl::string_view bytes, int nesting,
                    google::protobuf::Message* message) {
  // Faults are told by the result; the library would print them as well.
  const google::protobuf::LogSilencer silence;
  const auto parse = [&](absl::string_view all) {
    if (all.size() > std::numeric_limits<int>::max()) return false;
    google::protobuf::io::ArrayInputStream stream(
        all.data(), static_cast<int>(all.size()));
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetRecursionLimit(nesting);
    coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    return message->ParseFromCodedStream(&coded) &&
           coded.ConsumedEntireMessage();
  };
  if (parse(bytes)) return true;
  std::string escaped;
  if (!wire::EscapeRawBytes(message->GetDescriptor(), bytes, nesting,
                            &escaped) ||
      !parse(escaped)) {
    return false;
  }
  wire::UnescapeRawBytes(message);
  return true;
}

}  // namespace

std::string SerializeDeterministic(const google::protobuf::Message& message) {
  // The library prints a line for strings that are not UTF-8.
  const google::protobuf::LogSilencer silence;
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

bool ParseWrittenBytes(absl::string_view bytes,
                       google::protobuf::Message* message) {
  // As deep as HLO text may nest.
  return ParseWithLimit(bytes, 1 << 14, message);
}

absl::Status ParseProtoBytes(absl::string_view bytes,
                             google::protobuf::Message* message) {
  if (bytes.size() > std::numeric_limits<int>::max()) {
    return ResourceExhausted(
        "%d bytes: the protobuf library reads messages of up to 2 GiB only",
        bytes.size());
  }
  if (ParseWithLimit(bytes, wire::kMaxNesting, message)) {
    return absl::OkStatus();
  }
  const absl::string_view name = message->GetDescriptor()->name();
  if (LooksLikeText(bytes)) {
    return InvalidArgument("these bytes are text, not a binary %s", name);
  }
  const absl::Status why =
      Diagnosis(bytes).Walk(message->GetDescriptor(), 0, bytes.size(), 0);
  if (!why.ok()) return Annotate(why, absl::StrCat("no ", name));
  return InvalidArgument("these bytes are not a binary %s", name);
}

}  // namespace hlokit
