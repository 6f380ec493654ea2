// The protocol buffer wire format itself, for messages that are too many or too
// large for message objects: fields are read where they lie and written straight
// into the result.
//
// Specification: the encoding page of the protocol buffers documentation.
#ifndef HLOKIT_HLO_WIRE_WIRE_FORMAT_H_
#define HLOKIT_HLO_WIRE_WIRE_FORMAT_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit::wire {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// One field: where it lies and what it holds.
struct WireField {
  int32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;       // of numbers
  absl::string_view bytes;  // of kBytes
  absl::string_view whole;  // with its tag
  bool Is(int32_t n, WireType t) const { return number == n && type == t; }
  int64_t number_value() const { return static_cast<int64_t>(value); }
};

// Walks the fields of one message.
class WireReader {
 public:
  // With `clip`, bytes that a cut file claims but does not have are left out;
  // else they make the field bad.
  explicit WireReader(absl::string_view bytes, bool clip = false)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), clip_(clip) {}

  // False at the end, and where the bytes are no field: then bad().
  bool Next(WireField* field);
  bool bad() const { return bad_; }
  // A number without tag, as in packed lists.
  bool Varint(uint64_t* value);
  bool done() const { return at_ == end_; }
  // Bytes not read yet.
  size_t left() const { return static_cast<size_t>(end_ - at_); }

 private:
  bool Fail() {
    bad_ = true;
    return false;
  }

  const char* at_;
  const char* end_;
  bool clip_;
  bool bad_ = false;
};

inline bool WireReader::Varint(uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70 && at_ != end_; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at_++);
    if (shift < 64) result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

// Appends all numbers of a repeated field, packed or not. False: bad bytes.
template <typename List>
bool AppendVarints(const WireField& field, List* list) {
  if (field.type == WireType::kVarint) {
    list->push_back(field.number_value());
    return true;
  }
  WireReader reader(field.bytes);
  while (!reader.done()) {
    uint64_t value;
    if (!reader.Varint(&value)) return false;
    list->push_back(static_cast<int64_t>(value));
  }
  return true;
}

// Appends fields to a string.
class WireWriter {
 public:
  explicit WireWriter(std::string* out) : out_(out) {}

  void Varint(uint64_t value) {
    char buffer[10];
    int n = 0;
    while (value >= 0x80) {
      buffer[n++] = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    buffer[n++] = static_cast<char>(value);
    out_->append(buffer, n);
  }
  void Tag(int32_t number, WireType type) {
    Varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type));
  }
  // proto3 leaves zeros and empty strings out.
  void Number(int32_t number, int64_t value) {
    if (value == 0) return;
    Tag(number, WireType::kVarint);
    Varint(static_cast<uint64_t>(value));
  }
  void Text(int32_t number, absl::string_view text) {
    if (!text.empty()) Bytes(number, text);
  }
  void Bytes(int32_t number, absl::string_view bytes) {
    Tag(number, WireType::kBytes);
    Varint(bytes.size());
    out_->append(bytes.data(), bytes.size());
  }
  // A message whose size is known only at its end:
  //   const size_t begin = w.Begin(3); ...; w.End(begin);
  size_t Begin(int32_t number) {
    Tag(number, WireType::kBytes);
    out_->push_back('\0');
    return out_->size();
  }
  void End(size_t begin) {
    uint64_t size = out_->size() - begin;
    if (size < 0x80) {
      (*out_)[begin - 1] = static_cast<char>(size);
      return;
    }
    std::string length;
    WireWriter(&length).Varint(size);
    out_->replace(begin - 1, 1, length);
  }
  std::string* out() { return out_; }

 private:
  std::string* out_;
};

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_WIRE_FORMAT_H_
