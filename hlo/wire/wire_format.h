// The protocol buffer wire format itself, for messages that are too many or too
// large for message objects: fields are read where they lie and written straight
// into the result.
//
// Specification: the encoding page of the protocol buffers documentation.
#ifndef HLOKIT_HLO_WIRE_WIRE_FORMAT_H_
#define HLOKIT_HLO_WIRE_WIRE_FORMAT_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
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

inline bool WireReader::Next(WireField* field) {
  if (at_ == end_ || bad_) return false;
  const char* start = at_;
  uint64_t tag;
  if (!Varint(&tag) || tag > UINT32_MAX) {
    return Fail();
  }
  field->number = static_cast<int32_t>(tag >> 3);
  field->type = static_cast<WireType>(tag & 7);
  if (field->number == 0) return Fail();
  switch (field->type) {
    case WireType::kVarint:
      if (!Varint(&field->value)) return Fail();
      break;
    case WireType::kFixed64:
    case WireType::kFixed32: {
      const size_t width = field->type == WireType::kFixed64 ? 8 : 4;
      if (left() < width) return Fail();
      field->value = 0;
      std::memcpy(&field->value, at_, width);
      at_ += width;
      break;
    }
    case WireType::kBytes: {
      uint64_t size;
      if (!Varint(&size)) return Fail();
      if (size > left()) {
        if (!clip_) return Fail();
        size = left();
      }
      field->bytes = absl::string_view(at_, size);
      at_ += size;
      break;
    }
    default:  // groups are not used by any of our messages
      return Fail();
  }
  field->whole = absl::string_view(start, at_ - start);
  return true;
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

inline int VarintSize(uint64_t value) {
  return (static_cast<int>(std::bit_width(value | 1)) + 6) / 7;
}
inline char* PutVarint(uint64_t value, char* to) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

// Bytes that are not made before they are needed: those of a large literal.
struct LargePart {
  using Emit = absl::FunctionRef<void(absl::string_view)>;
  size_t at = 0;  // where they belong, in the string beside them
  uint64_t size = 0;
  std::function<void(Emit)> produce;  // calls emit for one piece after another
};

// A message of any size: `bytes`, and what belongs between them.
struct LargeMessage {
  std::string bytes;
  std::vector<LargePart> parts;  // by `at`
  uint64_t size() const;
  // Calls emit for all pieces in order.
  void Emit(LargePart::Emit emit) const;
  std::string Join() const;
  void Append(LargeMessage more);  // at the end
};

// Appends fields to a string. They are collected in a buffer first, so the
// string has them only after Flush() or when the writer is gone.
class WireWriter {
 public:
  explicit WireWriter(std::string* out) : out_(out) { Init(); }
  // Large parts stay apart.
  explicit WireWriter(LargeMessage* out)
      : out_(&out->bytes), parts_(&out->parts) {
    Init();
  }
  WireWriter(const WireWriter&) = delete;
  WireWriter& operator=(const WireWriter&) = delete;
  ~WireWriter() { Flush(); }

  void Varint(uint64_t value) { at_ = PutVarint(value, Room(kVarint)); }
  void Tag(int32_t number, WireType type) {
    Varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type));
  }
  // proto3 leaves zeros and empty strings out.
  void Number(int32_t number, int64_t value) {
    if (value != 0) NumberAlways(number, value);
  }
  void NumberAlways(int32_t number, int64_t value) {
    Tag(number, WireType::kVarint);
    Varint(static_cast<uint64_t>(value));
  }
  void Float(int32_t number, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (bits == 0) return;
    Tag(number, WireType::kFixed32);
    Append({reinterpret_cast<const char*>(&bits), sizeof(bits)});
  }
  void Text(int32_t number, absl::string_view text) {
    if (!text.empty()) Bytes(number, text);
  }
  void Bytes(int32_t number, absl::string_view bytes) {
    char* p = Room(2 * kVarint + bytes.size());
    p = PutVarint(static_cast<uint64_t>(number) << 3 |
                      static_cast<uint64_t>(WireType::kBytes),
                  p);
    p = PutVarint(bytes.size(), p);
    if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
    at_ = p + bytes.size();
  }
  // Numbers of a packed field; nothing when there are none.
  template <typename List>
  void Packed(int32_t number, const List& values) {
    if (values.empty()) return;
    const Mark begin = Begin(number);
    for (auto value : values) Varint(static_cast<uint64_t>(value));
    End(begin);
  }
  // As they are.
  void Append(absl::string_view bytes) {
    char* p = Room(bytes.size());
    if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
    at_ = p + bytes.size();
  }
  void Append(LargePart part);

  // A message whose size is known only at its end:
  //   const auto begin = w.Begin(3); ...; w.End(begin);
  struct Mark {
    size_t at;
    uint64_t large;
    size_t reserved = 1;  // bytes for the size
  };
  Mark Begin(int32_t number) {
    if (open_ == 0 && buffered() > kEnough) Flush();
    ++open_;
    Tag(number, WireType::kBytes);
    *Room(1) = '\0';
    ++at_;
    return {buffered(), large_};
  }
  void End(Mark begin) {
    const uint64_t size = buffered() - begin.at + large_ - begin.large;
    if (size < 0x80) {
      buffer_[begin.at - 1] = static_cast<char>(size);
    } else {
      EndLong(begin, size);  // may make room, which must not flush yet
    }
    --open_;
  }
  // The same for a message that is too large for the buffer: not within
  // Begin() and End(). Quick when `expected_size` takes as many bytes to write
  // as the size does.
  Mark BeginHuge(int32_t number, uint64_t expected_size);
  void EndHuge(Mark begin);

  void Flush();

  // For the text and JSON forms of protos, which have no unknown fields: those
  // that are kept stay in frontend attributes.
  void set_for_text(bool for_text) { for_text_ = for_text; }
  bool for_text() const { return for_text_; }

 private:
  static constexpr size_t kVarint = 10;
  static constexpr size_t kEnough = 16 << 10;

  void Init();
  size_t buffered() const { return at_ - buffer_.get(); }
  char* Room(size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) MakeRoom(size);
    return at_;
  }
  void MakeRoom(size_t size);
  void EndLong(Mark begin, uint64_t size);

  std::string* out_;
  std::vector<LargePart>* parts_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  char* at_ = nullptr;
  char* end_ = nullptr;
  bool for_text_ = false;
  int open_ = 0;                    // calls of Begin() without their End()
  std::vector<LargePart> pending_;  // among the buffer's bytes
  uint64_t large_ = 0;              // bytes of all large parts so far
};

inline bool IsAscii(absl::string_view text) {
  unsigned char all = 0;
  for (char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_WIRE_FORMAT_H_
