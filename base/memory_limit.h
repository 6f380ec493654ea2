// Memory that the process may still take, and errors for too little of it.
#ifndef HLOKIT_BASE_MEMORY_LIMIT_H_
#define HLOKIT_BASE_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// Returns the bytes that this process may still allocate: the least of what the
// machine has available, what its control group allows, and what its limit of
// address space (ulimit -v) leaves. Reads /proc each time, so ask before large
// allocations only.
int64_t AvailableMemory();

// Returns the bytes of address space that this process has mapped.
int64_t UsedAddressSpace();

// Returns OK when `bytes` are available, else an OutOfMemory error: "`what`
// needs 14.0 GiB of memory, but only 3.2 GiB are available". Small amounts are
// always granted without a look at the machine.
absl::Status CheckMemory(int64_t bytes, absl::string_view what);

// Makes the error for memory that ran out. ExitCodeFor answers kEnvironment.
absl::Status OutOfMemory(absl::string_view message);
bool IsOutOfMemory(const absl::Status& status);

// Formats a size for people: "512 bytes", "1.5 KiB", "14.0 GiB".
std::string MemoryText(int64_t bytes);

}  // namespace hlokit

#endif  // HLOKIT_BASE_MEMORY_LIMIT_H_
