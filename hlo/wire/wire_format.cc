#include "hlo/wire/wire_format.h"

#include <algorithm>
#include <utility>

namespace hlokit::wire {

uint64_t LargeMessage::size() const {
  uint64_t size = bytes.size();
  for (const LargePart& part : parts) size += part.size;
  return size;
}

void LargeMessage::Emit(LargePart::Emit emit) const {
  size_t done = 0;
  for (const LargePart& part : parts) {
    emit(absl::string_view(bytes).substr(done, part.at - done));
    part.produce(emit);
    done = part.at;
  }
  emit(absl::string_view(bytes).substr(done));
}

std::string LargeMessage::Join() const {
  std::string joined;
  joined.reserve(size());
  Emit([&](absl::string_view piece) {
    joined.append(piece.data(), piece.size());
  });
  return joined;
}

void LargeMessage::Append(LargeMessage more) {
  for (LargePart& part : more.parts) {
    part.at += bytes.size();
    parts.push_back(std::move(part));
  }
  bytes += more.bytes;
}

void WireWriter::Init() {
  constexpr size_t kBufferBytes = 32 << 10;
  buffer_.reset(new char[kBufferBytes]);
  at_ = buffer_.get();
  end_ = at_ + kBufferBytes;
}

void WireWriter::Flush() {
  size_t done = 0;
  for (LargePart& part : pending_) {
    out_->append(buffer_.get() + done, part.at - done);
    done = part.at;
    if (parts_ != nullptr) {
      part.at = out_->size();
      parts_->push_back(std::move(part));
    } else {
      part.produce([this](absl::string_view piece) {
        out_->append(piece.data(), piece.size());
      });
    }
  }
  pending_.clear();
  out_->append(buffer_.get() + done, buffered() - done);
  at_ = buffer_.get();
}

void WireWriter::MakeRoom(size_t size) {
  if (open_ == 0) Flush();
  const size_t used = buffered();
  const size_t capacity = end_ - buffer_.get();
  if (capacity - used >= size) return;
  const size_t larger = std::max(2 * capacity, used + size);
  std::unique_ptr<char[]> buffer(new char[larger]);
  std::memcpy(buffer.get(), buffer_.get(), used);
  buffer_ = std::move(buffer);
  at_ = buffer_.get() + used;
  end_ = buffer_.get() + larger;
}

void WireWriter::Append(LargePart part) {
  part.at = buffered();
  large_ += part.size;
  pending_.push_back(std::move(part));
}

void WireWriter::EndLong(Mark begin, uint64_t size) {
  const size_t more = VarintSize(size) - 1;
  Room(more);
  char* content = buffer_.get() + begin.at;
  std::memmove(content + more, content, at_ - content);
  at_ += more;
  PutVarint(size, content - 1);
  for (auto it = pending_.rbegin(); it != pending_.rend(); ++it) {
    if (it->at < begin.at) break;
    it->at += more;
  }
}

WireWriter::Mark WireWriter::BeginHuge(int32_t number, uint64_t expected_size) {
  Tag(number, WireType::kBytes);
  Flush();
  const size_t reserved = VarintSize(expected_size);
  out_->append(reserved, '\0');
  return {out_->size(), large_, reserved};
}

void WireWriter::EndHuge(Mark begin) {
  Flush();
  // Without `parts_` the large ones are in the string.
  const uint64_t apart = parts_ == nullptr ? 0 : large_ - begin.large;
  const uint64_t size = out_->size() - begin.at + apart;
  char length[kVarint];
  const size_t width = PutVarint(size, length) - length;
  const size_t reserved = begin.reserved;
  out_->replace(begin.at - reserved, reserved, length, width);
  if (parts_ == nullptr || width == reserved) return;
  for (auto it = parts_->rbegin(); it != parts_->rend(); ++it) {
    if (it->at < begin.at) break;
    it->at += width - reserved;
  }
}

}  // namespace hlokit::wire
