#include "hlo/wire/raw_strings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "hlo/wire/proto_convert.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Byte b is kRawBase + b; the code points from U+10FF80 to U+10FFFF.
constexpr char32_t kRawBase = 0x10ff00;
constexpr int kRawLength = 4;

// Whether these are the first bytes of U+10FF80..U+10FFFF.
bool StartsWithRaw(absl::string_view text) {
  return text.size() >= kRawLength && text[0] == '\xf4' && text[1] == '\x8f' &&
         (text[2] == '\xbe' || text[2] == '\xbf');
}

using Replace = absl::FunctionRef<void(char byte, std::string* out)>;

// Calls `replace` for bytes outside of UTF-8 and, with `escaped_too`, for those
// of escapes.
std::string ReplaceBytes(absl::string_view text, bool escaped_too,
                         Replace replace) {
  std::string result;
  while (!text.empty()) {
    const int length = Utf8SequenceLength(text);
    if (length == 0 || (escaped_too && StartsWithRaw(text))) {
      replace(text[0], &result);
      text.remove_prefix(1);
    } else {
      result.append(text.data(), length);
      text.remove_prefix(length);
    }
  }
  return result;
}

std::string EscapeText(absl::string_view text) {
  return ReplaceBytes(text, true, [](char byte, std::string* out) {
    AppendUtf8(kRawBase + static_cast<unsigned char>(byte), out);
  });
}

std::string UnescapeText(absl::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (StartsWithRaw(text)) {
      result += static_cast<char>((text[2] == '\xbf' ? 0x40 : 0) |
                                  (text[3] & 0x3f) | 0x80);
      text.remove_prefix(kRawLength);
    } else {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string ToValidUtf8(absl::string_view text) {
  return ReplaceBytes(text, false, [](char, std::string* out) {
    AppendUtf8(0xfffd, out);  // the replacement character
  });
}

// Appends a field that holds bytes. Without a WireWriter, whose buffer would be
// large for each level of a deep message.
void AppendBytesField(int32_t number, absl::string_view bytes,
                      std::string* out) {
  char head[20];
  char* end = PutVarint(static_cast<uint64_t>(number) << 3 |
                            static_cast<uint64_t>(WireType::kBytes),
                        head);
  end = PutVarint(bytes.size(), end);
  out->append(head, end - head);
  out->append(bytes.data(), bytes.size());
}

using Change = absl::FunctionRef<void(const FieldDescriptor*, std::string*)>;

// Calls `change` for each string that is not plain ASCII.
void ChangeStrings(Message* message, Change change) {
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool repeated = field->is_repeated();
    const int count = repeated ? reflection->FieldSize(*message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        ChangeStrings(repeated
                          ? reflection->MutableRepeatedMessage(message, field, i)
                          : reflection->MutableMessage(message, field),
                      change);
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        std::string text =
            repeated ? reflection->GetRepeatedString(*message, field, i)
                     : reflection->GetString(*message, field);
        if (IsAscii(text)) continue;
        change(field, &text);
        if (repeated) {
          reflection->SetRepeatedString(message, field, i, std::move(text));
        } else {
          reflection->SetString(message, field, std::move(text));
        }
      }
    }
  }
}

}  // namespace

bool EscapeRawBytes(const Descriptor* type, absl::string_view bytes,
                    int nesting, std::string* out) {
  if (nesting <= 0) return false;
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(&field)) {
    const FieldDescriptor* known = type->FindFieldByNumber(field.number);
    if (field.type != WireType::kBytes || known == nullptr) {
      out->append(field.whole.data(), field.whole.size());
    } else if (known->message_type() != nullptr) {
      std::string inner;
      if (!EscapeRawBytes(known->message_type(), field.bytes, nesting - 1,
                          &inner)) {
        return false;
      }
      AppendBytesField(field.number, inner, out);
    } else if (known->type() == FieldDescriptor::TYPE_STRING &&
               !IsAscii(field.bytes)) {
      AppendBytesField(field.number, EscapeText(field.bytes), out);
    } else {
      out->append(field.whole.data(), field.whole.size());
    }
  }
  return !reader.bad();
}

void UnescapeRawBytes(Message* message) {
  ChangeStrings(message, [](const FieldDescriptor*, std::string* text) {
    *text = UnescapeText(*text);
  });
}

}  // namespace wire

std::vector<std::string> ReplaceRawBytes(google::protobuf::Message* message) {
  std::vector<std::string> changed;
  wire::ChangeStrings(
      message, [&](const google::protobuf::FieldDescriptor* field,
                   std::string* text) {
        std::string valid = wire::ToValidUtf8(*text);
        if (valid == *text) return;
        *text = std::move(valid);
        std::string name = absl::StrCat(
            absl::string_view(field->containing_type()->name()), ".",
            absl::string_view(field->name()));
        if (std::find(changed.begin(), changed.end(), name) == changed.end()) {
          changed.push_back(std::move(name));
        }
      });
  return changed;
}

}  // namespace hlokit
