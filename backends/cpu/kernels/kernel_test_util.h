// Runs the native kernel of a module's root and holds it against the
// interpreter.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_KERNEL_TEST_UTIL_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_KERNEL_TEST_UTIL_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/cpu/native_kernel.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hlokit::cpu {

struct KernelTestOptions {
  // Differences up to tolerance * scale * (the type's epsilon) count as none;
  // `scale` is the size that values have.
  double tolerance = 0;
  double scale = 1;
  uint64_t seed = 1;
  // Floats: now and then NaN, infinities, zeros of both signs.
  bool special_values = false;
  // Integers and floats from a small range, so that many are equal.
  bool few_values = false;
  // The result lies where operand 0 does.
  bool in_place = false;
  // The instructions that matrix products may use.
  std::optional<Isa> isa;
  // Arguments; random ones where this is short.
  std::vector<Literal> arguments;
};

// OK when the root of the module's entry has a kernel and this gives, with one
// thread and with three, what the interpreter does, the same bits both times.
// NotFound when the factory gives nothing.
absl::Status CheckKernel(absl::string_view text,
                         const KernelTestOptions& options = {});

// Random elements.
Literal RandomLiteral(const Shape& shape, uint64_t seed, bool special_values,
                      bool few_values);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_KERNEL_TEST_UTIL_H_
