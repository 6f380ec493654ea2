#include "dump/dump_names.h"

#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hlokit {
namespace {

constexpr size_t kMaxFileName = 255;

uint32_t ShortHash(absl::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  }
  return hash;
}

// Keeps the start and the end, with a hash of all between.
std::string CutMiddle(const std::string& name) {
  const std::string middle = absl::StrFormat("~%08x~", ShortHash(name));
  const size_t tail = 100;
  return absl::StrCat(
      name.substr(0, kMaxFileName - tail - middle.size()), middle,
      name.substr(name.size() - tail));
}

}  // namespace

std::string SanitizeFileName(absl::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    const bool taken =
        c == '/' || c == '\\' || c == '[' || c == ']' || c == ' ';
    if (taken || absl::ascii_iscntrl(c)) c = '_';
  }
  // Not an option of other tools, the folder itself or the one above it.
  if (absl::StartsWith(clean, "-") || clean == "." || clean == "..") {
    clean[0] = '_';
  }
  return clean.size() > kMaxFileName ? CutMiddle(clean) : clean;
}

std::string DumpFileName(const DumpNameParts& parts) {
  std::string start;
  if (parts.timestamp_us.has_value()) {
    absl::StrAppend(&start, *parts.timestamp_us, ".");
  }
  if (!parts.prefix.empty()) absl::StrAppend(&start, parts.prefix, ".");
  absl::StrAppend(&start, absl::StrFormat("module_%04d", parts.module_id));
  std::string name = absl::StrCat(
      start, parts.module_name.empty() ? "" : ".", parts.module_name, ".",
      parts.suffix);
  if (name.size() > kMaxFileName) {
    name = absl::StrCat(start, ".", parts.suffix);
  }
  return name.size() > kMaxFileName ? CutMiddle(name) : name;
}

std::string PassSuffix(int64_t step, absl::string_view pipeline,
                       absl::string_view previous, absl::string_view next) {
  return absl::StrFormat("%04d.%s.after_%s.before_%s", step, pipeline, previous,
                         next);
}

std::string HostAndPid() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return absl::StrCat(SanitizeFileName(host), "_", ::getpid());
}

}  // namespace hlokit
