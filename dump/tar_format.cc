#include "dump/tar_format.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"

namespace hlokit {
namespace {

// A name of more folders is not a dump's, and would make as many folders.
constexpr size_t kMaxParts = 64;

}  // namespace

std::string TarName(const TarHeader& header) {
  // GNU's own form has times where POSIX has the prefix.
  if (std::memcmp(header.magic, "ustar\0", 6) != 0) return TarText(header.name);
  return JoinPath(TarText(header.prefix), TarText(header.name));
}

std::string CleanTarName(absl::string_view name) {
  std::vector<absl::string_view> parts;
  if (absl::StartsWith(name, "/")) return "";
  for (absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") return "";
    if (!part.empty() && part != ".") parts.push_back(part);
  }
  return parts.size() > kMaxParts ? "" : absl::StrJoin(parts, "/");
}

void ReadTarPax(absl::string_view records, std::string* name,
                std::string* link) {
  while (!records.empty()) {
    const size_t blank = records.find(' ');
    uint64_t length;
    if (blank == absl::string_view::npos ||
        !absl::SimpleAtoi(records.substr(0, blank), &length) ||
        length <= blank + 1 || length > records.size()) {
      return;
    }
    absl::string_view record = records.substr(blank + 1, length - blank - 2);
    records.remove_prefix(length);
    if (absl::ConsumePrefix(&record, "path=")) *name = std::string(record);
    if (absl::ConsumePrefix(&record, "linkpath=")) {
      *link = std::string(record);
    }
  }
}

}  // namespace hlokit
