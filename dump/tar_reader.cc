#include "dump/tar_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "dump/tar_format.h"

namespace hlokit {
namespace {

constexpr size_t kPieceBytes = size_t{64} << 10;
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 20;

}  // namespace

absl::Status TarReader::EndsEarly() const {
  if (entries_ == 0) {
    return InvalidArgument("this is not a tar or zip archive, or it is cut off");
  }
  return InvalidArgument("the archive ends early, after %d entries", entries_);
}

absl::Status TarReader::Contents(FileSystem::EmitPiece emit) {
  char piece[kPieceBytes];
  while (left_ > 0) {
    HLOKIT_ASSIGN_OR_RETURN(
        const size_t got,
        in_->ReadSome(piece, std::min<uint64_t>(left_, sizeof piece)));
    if (got == 0) return EndsEarly();
    emit({piece, got});
    left_ -= got;
  }
  return absl::OkStatus();
}

absl::Status TarReader::Skip(uint64_t count) {
  char piece[kPieceBytes];
  while (count > 0) {
    HLOKIT_ASSIGN_OR_RETURN(
        const size_t got,
        in_->ReadSome(piece, std::min<uint64_t>(count, sizeof piece)));
    if (got == 0) return EndsEarly();
    count -= got;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TarReader::Small() {
  if (left_ > kMaxHeaderBytes) {
    return InvalidArgument("the archive holds a name of %d bytes, after %d "
                           "entries",
                           left_, entries_);
  }
  std::string text;
  HLOKIT_RETURN_IF_ERROR(Contents([&](absl::string_view piece) {
    text.append(piece.data(), piece.size());
  }));
  return text;
}

absl::StatusOr<bool> TarReader::Next(TarEntry* entry) {
  std::string long_name, long_link;
  while (true) {
    HLOKIT_RETURN_IF_ERROR(Skip(std::exchange(left_, 0)));
    HLOKIT_RETURN_IF_ERROR(Skip(std::exchange(padding_, 0)));
    TarHeader header;
    HLOKIT_ASSIGN_OR_RETURN(
        const size_t got,
        in_->Read(reinterpret_cast<char*>(&header), sizeof header));
    // Archives that were joined by hand lack the empty blocks at the end.
    if (got == 0 && entries_ > 0) return false;
    if (got < sizeof header) return EndsEarly();
    if (header.name[0] == '\0') break;
    if (TarNumber(header.checksum) != TarChecksum(header)) {
      return InvalidArgument("this is not a tar archive, or it is broken after "
                             "%d entries",
                             entries_);
    }
    left_ = TarNumber(header.size);
    padding_ = (kTarBlock - left_ % kTarBlock) % kTarBlock;
    switch (header.kind) {
      case kTarLongName: {
        HLOKIT_ASSIGN_OR_RETURN(const std::string text, Small());
        long_name = text.c_str();
        continue;
      }
      case kTarLongLink: {
        HLOKIT_ASSIGN_OR_RETURN(const std::string text, Small());
        long_link = text.c_str();
        continue;
      }
      case kTarPax: {
        HLOKIT_ASSIGN_OR_RETURN(const std::string text, Small());
        ReadTarPax(text, &long_name, &long_link);
        continue;
      }
      case kTarPaxGlobal: continue;
      default: break;
    }
    entry->kind = header.kind;
    entry->name = long_name.empty() ? TarName(header) : long_name;
    entry->link = long_link.empty() ? TarText(header.link) : long_link;
    entry->size = left_;
    ++entries_;
    return true;
  }
  // Checks the rest, which compressed data have a checksum behind.
  char rest[kTarBlock];
  while (true) {
    HLOKIT_ASSIGN_OR_RETURN(const size_t got, in_->ReadSome(rest, sizeof rest));
    if (got == 0) return false;
  }
}

}  // namespace hlokit
