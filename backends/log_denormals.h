// When the logarithm takes denormal operands for zero.
#ifndef HLOKIT_BACKENDS_LOG_DENORMALS_H_
#define HLOKIT_BACKENDS_LOG_DENORMALS_H_

#include <cstdint>

namespace hlokit {

// XLA:CPU of jaxlib 0.10.2 flushes denormal operands of log in its vector code
// and not in its scalar code: arrays of at least this many elements give
// -infinity, smaller ones the true logarithm. Found by running it
// (docs/numerics.md); both backends follow it.
inline constexpr int64_t kLogFlushesFrom = 8;

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_LOG_DENORMALS_H_
