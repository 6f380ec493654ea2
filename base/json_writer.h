// A JSON writer that needs no tree of the document.
//
//   JsonWriter json(&text, /*indent=*/2);
//   json.BeginObject();
//   json.Member("name", "add.3").Member("bytes", int64_t{4096});
//   json.Key("operands").BeginArray();
//   for (...) json.Value(operand->name());
//   json.EndArray().EndObject();
#ifndef HLOKIT_BASE_JSON_WRITER_H_
#define HLOKIT_BASE_JSON_WRITER_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlokit {

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8
// become U+FFFD, one for each.
void AppendJsonString(absl::string_view text, std::string* out);

// Calls in an order that makes no JSON (a value without a key in an object, an
// End too many) are our own mistake and abort. Not thread-safe.
class JsonWriter {
 public:
  // indent 0: everything on one line, without blanks. The sink must outlive
  // this object.
  explicit JsonWriter(std::string* out, int indent = 0);
  explicit JsonWriter(std::ostream* out, int indent = 0);

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(absl::string_view name);

  JsonWriter& String(absl::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  // The shortest digits that read back as the same value. JSON has no NaN and
  // infinity: they become the strings "NaN", "Infinity" and "-Infinity".
  JsonWriter& Double(double value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  // `json` is one value already in JSON.
  JsonWriter& Raw(absl::string_view json);

  // By the type of the value: bool, integers, floating point, strings.
  template <typename T>
  JsonWriter& Value(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return Bool(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return Double(value);
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
      return Uint(value);
    } else if constexpr (std::is_integral_v<T>) {
      return Int(value);
    } else {
      return String(value);
    }
  }
  template <typename T>
  JsonWriter& Member(absl::string_view key, const T& value) {
    return Key(key).Value(value);
  }

  // True when one whole value was written.
  bool done() const { return done_; }

 private:
  struct Level {
    bool is_object = false;
    bool empty = true;
  };

  void BeforeValue();
  void AfterValue();
  void NewLine();
  JsonWriter& Begin(bool is_object);
  JsonWriter& End(bool is_object);
  void Write(absl::string_view text);

  std::string* string_ = nullptr;
  std::ostream* stream_ = nullptr;
  int indent_;
  std::vector<Level> levels_;
  bool after_key_ = false;
  bool done_ = false;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_JSON_WRITER_H_
