#include "backends/cpu/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hlokit::cpu {
namespace {

struct IsaRow {
  absl::string_view name;
  absl::string_view beyond;
};
constexpr IsaRow kRows[] = {
    {"", ""},
#define HLOKIT_ISA(enumerator, name, beyond) {name, beyond},
#include "backends/cpu/isa.def"
#undef HLOKIT_ISA
};

#if defined(__x86_64__)
// Whether the processor has AMX's tiles with bf16 and s8, and Linux lets this
// process use them: the memory that a thread's tiles take is given on request
// (Documentation/arch/x86/xstate.rst of the kernel).
bool MayUseAmx() {
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kAll = kBf16 | kTile | kInt8;
  if ((d & kAll) != kAll) return false;
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool HasAmxFp16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1u << 21) != 0;
}

Isa FindHostIsa() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("sse4.2")) return Isa::kBaseline;
  if (!__builtin_cpu_supports("avx")) return Isa::kSse42;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return Isa::kAvx;
  }
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl")) {
    return Isa::kAvx2;
  }
  if (!__builtin_cpu_supports("avx512vnni")) return Isa::kAvx512;
  if (!__builtin_cpu_supports("avx512bf16")) return Isa::kAvx512Vnni;
  if (!MayUseAmx()) return Isa::kAvx512Bf16;
  return HasAmxFp16() ? Isa::kAmxFp16 : Isa::kAmx;
}
#else
Isa FindHostIsa() { return Isa::kBaseline; }
#endif

}  // namespace

std::optional<Isa> IsaOf(absl::string_view name) {
  for (size_t i = 1; i < std::size(kRows); ++i) {
    if (absl::EqualsIgnoreCase(name, kRows[i].name)) {
      return static_cast<Isa>(i);
    }
  }
  return std::nullopt;
}

std::vector<absl::string_view> IsaNames() {
  std::vector<absl::string_view> names;
  for (size_t i = 1; i < std::size(kRows); ++i) names.push_back(kRows[i].name);
  return names;
}

Isa HostIsa() {
  static const Isa isa = FindHostIsa();
  return isa;
}

std::string FeaturesBeyond(Isa isa) {
  std::string features(kRows[static_cast<size_t>(isa)].beyond);
  if (isa < Isa::kAmx) {
    absl::StrAppend(&features, features.empty() ? "" : ",",
                    "-amx-tile,-amx-int8,-amx-bf16,-amx-fp16");
  }
  return features;
}

}  // namespace hlokit::cpu
