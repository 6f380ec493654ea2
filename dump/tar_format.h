// The blocks of tar archives, as the writer of packs and the reader of archives
// share them (POSIX pax and GNU forms).
#ifndef HLOKIT_DUMP_TAR_FORMAT_H_
#define HLOKIT_DUMP_TAR_FORMAT_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

constexpr int64_t kTarBlock = 512;

// The kinds of entries that dumps need.
enum TarKind : char {
  kTarFile = '0',
  kTarOldFile = '\0',
  kTarHardLink = '1',
  kTarSymbolicLink = '2',
  kTarFolder = '5',
  kTarLongName = 'L',  // GNU: the next entry's name, of over 100 bytes
  kTarLongLink = 'K',  // GNU: the next entry's link name
  kTarPax = 'x',       // POSIX: "LENGTH key=value\n" records for the next entry
  kTarPaxGlobal = 'g',
};

struct TarHeader {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
  char kind;
  char link[100], magic[8], user[32], group[32], major[8], minor[8];
  char prefix[155], padding[12];
};
static_assert(sizeof(TarHeader) == kTarBlock);

// Returns the sum that the checksum field of a good header holds.
inline unsigned TarChecksum(TarHeader header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned sum = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  for (int64_t i = 0; i < kTarBlock; ++i) sum += bytes[i];
  return sum;
}

// Reads a number: octal digits, or GNU's binary form.
template <size_t N>
uint64_t TarNumber(const char (&field)[N]) {
  uint64_t value = 0;
  if ((field[0] & 0x80) != 0) {
    for (size_t i = 1; i < N; ++i) {
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  for (const char c : field) {
    if (c >= '0' && c <= '7') value = value << 3 | (c - '0');
  }
  return value;
}

template <size_t N>
std::string TarText(const char (&field)[N]) {
  return std::string(field, ::strnlen(field, N));
}

// Returns the name in a header: POSIX's form may have its start apart.
std::string TarName(const TarHeader& header);

// Returns "./a//b" as "a/b"; "" for a name that leads outside ("../a", "/a"), to
// nothing, or through more than 64 folders.
std::string CleanTarName(absl::string_view name);

// Reads the path and the link's path out of the records of a kTarPax entry;
// leaves alone what they do not hold.
void ReadTarPax(absl::string_view records, std::string* name,
                std::string* link);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_TAR_FORMAT_H_
