#include "hlo/wire/wire_format.h"

#include <limits>

namespace hlokit::wire {

bool WireReader::Next(WireField* field) {
  if (at_ == end_ || bad_) return false;
  const char* start = at_;
  uint64_t tag;
  if (!Varint(&tag) || tag > std::numeric_limits<uint32_t>::max()) {
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

}  // namespace hlokit::wire
