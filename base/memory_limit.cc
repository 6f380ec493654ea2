#include "base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace hlokit {
namespace {

constexpr char kOutOfMemoryUrl[] = "hlokit/out-of-memory";
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
constexpr int64_t kAlwaysGranted = int64_t{64} << 20;

// Returns a small file of /proc or /sys; empty when it cannot be read.
std::string SmallFile(const std::string& path) {
  std::string contents;
  if (FILE* file = std::fopen(path.c_str(), "re")) {
    char buffer[4096];
    contents.assign(buffer, std::fread(buffer, 1, sizeof(buffer), file));
    std::fclose(file);
  }
  return contents;
}

int64_t NumberIn(absl::string_view text, int64_t otherwise) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : otherwise;
}

// MemAvailable of /proc/meminfo: free memory and caches that can be dropped.
int64_t MachineMemory() {
  const std::string info = SmallFile("/proc/meminfo");
  for (absl::string_view line : absl::StrSplit(info, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 2 || words[0] != "MemAvailable:") continue;
    const int64_t kibibytes = NumberIn(words[1], -1);
    if (kibibytes >= 0) return kibibytes << 10;
  }
  return kUnlimited;
}

// Version 2 of control groups. The root group has no memory.max.
int64_t GroupMemory() {
  for (absl::string_view line :
       absl::StrSplit(SmallFile("/proc/self/cgroup"), '\n')) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() < 3 || parts[0] != "0") continue;
    const std::string folder = absl::StrCat("/sys/fs/cgroup", parts[2]);
    const int64_t limit =
        NumberIn(SmallFile(absl::StrCat(folder, "/memory.max")), kUnlimited);
    const int64_t used =
        NumberIn(SmallFile(absl::StrCat(folder, "/memory.current")), 0);
    return limit == kUnlimited ? limit : std::max<int64_t>(limit - used, 0);
  }
  return kUnlimited;
}

int64_t FreeAddressSpace() {
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUnlimited;
  }
  return std::max<int64_t>(
      static_cast<int64_t>(limit.rlim_cur) - UsedAddressSpace(), 0);
}

}  // namespace

int64_t UsedAddressSpace() {
  const std::string pages = SmallFile("/proc/self/statm");
  return NumberIn(pages.substr(0, pages.find(' ')), 0) *
         ::sysconf(_SC_PAGESIZE);
}

int64_t AvailableMemory() {
  return std::min({MachineMemory(), GroupMemory(), FreeAddressSpace()});
}

absl::Status CheckMemory(int64_t bytes, absl::string_view what) {
  if (bytes <= kAlwaysGranted) return absl::OkStatus();
  const int64_t available = AvailableMemory();
  if (bytes <= available) return absl::OkStatus();
  return OutOfMemory(absl::StrCat(what, " needs ", MemoryText(bytes),
                                  " of memory, but only ",
                                  MemoryText(available), " are available"));
}

absl::Status OutOfMemory(absl::string_view message) {
  absl::Status status = absl::ResourceExhaustedError(message);
  status.SetPayload(kOutOfMemoryUrl, absl::Cord());
  return status;
}

bool IsOutOfMemory(const absl::Status& status) {
  return status.GetPayload(kOutOfMemoryUrl).has_value();
}

std::string MemoryText(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", amount, units[unit]);
}

}  // namespace hlokit
