// Fuzz targets: functions that take any bytes at all.
//
// One file and one row of targets.def each. A target calls Require() for what
// must hold; a false condition, a crash, a sanitizer's finding, a hang or an
// allocation beyond reason is a fault of hlokit.
//
// The same functions run under libFuzzer (preset `fuzz`, scripts/fuzz) and, with
// mutations of our own, for a while in every test run (smoke.cc).
#ifndef HLOKIT_FUZZ_TARGET_H_
#define HLOKIT_FUZZ_TARGET_H_

#include "absl/strings/string_view.h"

namespace hlokit::fuzz {

using Target = void (*)(absl::string_view bytes);

// The kind of a target's seeds. Those of kModule are printed modules, which
// module_mutator.h mutates; all others are mutated as bytes.
enum class Seeds { kText, kProto, kSnapshot, kPiece, kFlags, kDumps, kModule };

struct TargetInfo {
  const char* name;
  Target run;
  Seeds seeds;
};

// Ends the process, loudly, when `condition` is false.
void Require(bool condition, const char* what);

#define FUZZ_TARGET(Function, name, seeds) void Function(absl::string_view);
#include "fuzz/targets.def"

}  // namespace hlokit::fuzz

#endif  // HLOKIT_FUZZ_TARGET_H_
