#include "base/json_writer.h"

#include <charconv>
#include <cmath>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "base/status.h"

namespace hlokit {
namespace {

// U+FFFD, the replacement character.
constexpr absl::string_view kReplacement = "\xef\xbf\xbd";

void AppendEscapedByte(char c, std::string* out) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  constexpr absl::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr absl::string_view kLetters = "\"\\bfnrt";
  const size_t index = kNamed.find(c);
  if (index != absl::string_view::npos) {
    *out += '\\';
    *out += kLetters[index];
    return;
  }
  absl::StrAppend(out, "\\u00");
  *out += kHexDigits[(c >> 4) & 0xf];
  *out += kHexDigits[c & 0xf];
}

}  // namespace

void AppendJsonString(absl::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    const unsigned char c = text[0];
    const int length = Utf8SequenceLength(text);
    if (c < 0x20 || c == 0x7f || c == '"' || c == '\\') {
      AppendEscapedByte(text[0], out);
    } else if (length == 0) {
      absl::StrAppend(out, kReplacement);
    } else {
      out->append(text.data(), length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  *out += '"';
}

JsonWriter::JsonWriter(std::string* out, int indent)
    : string_(out), indent_(indent) {}

JsonWriter::JsonWriter(std::ostream* out, int indent)
    : stream_(out), indent_(indent) {}

void JsonWriter::Write(absl::string_view text) {
  if (string_ != nullptr) {
    string_->append(text.data(), text.size());
  } else {
    stream_->write(text.data(), static_cast<std::streamsize>(text.size()));
  }
}

void JsonWriter::NewLine() {
  if (indent_ <= 0) return;
  Write("\n");
  Write(std::string(indent_ * levels_.size(), ' '));
}

void JsonWriter::BeforeValue() {
  HLOKIT_CHECK(!done_);
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  HLOKIT_CHECK(!levels_.back().is_object);
  if (!levels_.back().empty) Write(",");
  levels_.back().empty = false;
  NewLine();
}

void JsonWriter::AfterValue() {
  if (levels_.empty()) done_ = true;
}

JsonWriter& JsonWriter::Begin(bool is_object) {
  BeforeValue();
  Write(is_object ? "{" : "[");
  levels_.push_back({is_object, true});
  return *this;
}

JsonWriter& JsonWriter::End(bool is_object) {
  HLOKIT_CHECK(!levels_.empty() && levels_.back().is_object == is_object);
  HLOKIT_CHECK(!after_key_);
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) NewLine();
  Write(is_object ? "}" : "]");
  AfterValue();
  return *this;
}

JsonWriter& JsonWriter::BeginObject() { return Begin(true); }
JsonWriter& JsonWriter::EndObject() { return End(true); }
JsonWriter& JsonWriter::BeginArray() { return Begin(false); }
JsonWriter& JsonWriter::EndArray() { return End(false); }

JsonWriter& JsonWriter::Key(absl::string_view name) {
  HLOKIT_CHECK(!levels_.empty() && levels_.back().is_object && !after_key_);
  std::string text;
  if (!levels_.back().empty) Write(",");
  levels_.back().empty = false;
  NewLine();
  AppendJsonString(name, &text);
  absl::StrAppend(&text, indent_ > 0 ? ": " : ":");
  Write(text);
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Raw(absl::string_view json) {
  BeforeValue();
  Write(json);
  AfterValue();
  return *this;
}

JsonWriter& JsonWriter::String(absl::string_view value) {
  std::string text;
  AppendJsonString(value, &text);
  return Raw(text);
}

JsonWriter& JsonWriter::Int(int64_t value) { return Raw(absl::StrCat(value)); }

JsonWriter& JsonWriter::Uint(uint64_t value) {
  return Raw(absl::StrCat(value));
}

JsonWriter& JsonWriter::Double(double value) {
  if (std::isnan(value)) return String("NaN");
  if (std::isinf(value)) return String(value > 0 ? "Infinity" : "-Infinity");
  char digits[32];
  const std::to_chars_result result =
      std::to_chars(digits, digits + sizeof(digits), value);
  return Raw(absl::string_view(digits, result.ptr - digits));
}

JsonWriter& JsonWriter::Bool(bool value) {
  return Raw(value ? "true" : "false");
}

JsonWriter& JsonWriter::Null() { return Raw("null"); }

}  // namespace hlokit
