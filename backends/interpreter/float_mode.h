// How this thread's floating point unit rounds, and whether it keeps denormal
// numbers.
#ifndef HLOKIT_BACKENDS_INTERPRETER_FLOAT_MODE_H_
#define HLOKIT_BACKENDS_INTERPRETER_FLOAT_MODE_H_

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace hlokit::interpreter {

// While it lives, denormal inputs and results of arithmetic count as zero
// (`flush`) or are kept, and rounding is to nearest. The mode of before comes
// back at the end. On processors that are not known here nothing changes.
class ScopedFloatMode {
 public:
  explicit ScopedFloatMode(bool flush) : saved_(Get()) {
    Set((saved_ & ~(kFlush | kRounding)) | (flush ? kFlush : 0));
  }
  ~ScopedFloatMode() { Set(saved_); }
  // From here on results are rounded up, or else down. The conversions and the
  // functions of the C library hold to it too, except where they set a mode of
  // their own.
  static void RoundUp(bool up) {
    Set((Get() & ~kRounding) | (up ? kUp : kDown));
  }

  ScopedFloatMode(const ScopedFloatMode&) = delete;
  ScopedFloatMode& operator=(const ScopedFloatMode&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr uint64_t kFlush = 0x8040;     // FTZ and DAZ
  static constexpr uint64_t kRounding = 0x6000;  // RC
  static constexpr uint64_t kUp = 0x4000;
  static constexpr uint64_t kDown = 0x2000;
  static uint64_t Get() { return _mm_getcsr(); }
  static void Set(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
  static constexpr uint64_t kFlush = uint64_t{1} << 24;     // FZ
  static constexpr uint64_t kRounding = uint64_t{3} << 22;  // RMode
  static constexpr uint64_t kUp = uint64_t{1} << 22;
  static constexpr uint64_t kDown = uint64_t{2} << 22;
  static uint64_t Get() {
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void Set(uint64_t mode) {
    asm volatile("msr fpcr, %0" : : "r"(mode));
  }
#else
  static constexpr uint64_t kFlush = 0;
  static constexpr uint64_t kRounding = 0;
  static constexpr uint64_t kUp = 0;
  static constexpr uint64_t kDown = 0;
  static uint64_t Get() { return 0; }
  static void Set(uint64_t) {}
#endif

  uint64_t saved_;
};

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_FLOAT_MODE_H_
