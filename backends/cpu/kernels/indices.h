// Indices that a program computes: start indices of slices, index vectors of
// gathers and scatters.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_INDICES_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_INDICES_H_

#include <cstdint>
#include <cstring>
#include <limits>

#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

// Element `i` of integers of `type` (8 bits at least in memory); unsigned ones
// that an int64 cannot hold are its maximum.
inline int64_t IndexAt(PrimitiveType type, const void* data, int64_t i) {
  const auto read = [&](auto value) {
    std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(value),
                sizeof(value));
    return static_cast<int64_t>(value);
  };
  switch (type) {
    case kS32:
      return read(int32_t{0});
    case kS64:
      return read(int64_t{0});
    case kU32:
      return read(uint32_t{0});
    case kU64: {
      const int64_t value = read(uint64_t{0});
      return value < 0 ? std::numeric_limits<int64_t>::max() : value;
    }
    case kS16:
      return read(int16_t{0});
    case kU16:
      return read(uint16_t{0});
    case kU8:
    case kU4:
    case kU2:
    case kU1:
      return read(uint8_t{0});
    default:
      return read(int8_t{0});
  }
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_INDICES_H_
