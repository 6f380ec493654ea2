// Which instructions code may use.
#ifndef HLOKIT_BACKENDS_CPU_ISA_H_
#define HLOKIT_BACKENDS_CPU_ISA_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hlokit::cpu {

// The instruction sets of x86-64, in the order in which processors got them;
// each has all before it. kAvx2: with FMA, F16C and BMI2. kAvx512: F, BW, CD,
// DQ and VL. kAmx: with BF16 and INT8.
enum class Isa {
  kBaseline,  // what every processor has
#define HLOKIT_ISA(enumerator, name, beyond) enumerator,
#include "backends/cpu/isa.def"
#undef HLOKIT_ISA
};

// A value of xla_cpu_max_isa, in any case; nothing for other words.
std::optional<Isa> IsaOf(absl::string_view name);
// All those values, from the lowest on.
std::vector<absl::string_view> IsaNames();

// The highest that this processor and its operating system have; the baseline
// on other processors than x86-64.
Isa HostIsa();

// Features for LLVM to leave out, after those of the processor:
// "-avx512vnni,-amx-tile".
std::string FeaturesBeyond(Isa isa);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_ISA_H_
