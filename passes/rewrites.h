// The rewrites that passes make, one row each of rewrites.def: what a rewrite
// replaces by what, and whether the values stay the same bit for bit.
//
// A rewrite is exact when the module computes the same bits before and after it
// for all arguments, whether denormals are kept or flushed (any NaN is equal to
// any NaN). The others are inexact: XLA makes them, too, and
// PassSelection::exact_arithmetic leaves them out. docs/rewrites.md lists them;
// rewrites_test.cc holds each row against special values.
#ifndef HLOKIT_PASSES_REWRITES_H_
#define HLOKIT_PASSES_REWRITES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

enum class Rewrite {
#define HLO_REWRITE(id, ...) k##id,
#include "passes/rewrites.def"
};

// How a value can differ after an inexact rewrite, as a set of bits.
enum ValueChange : unsigned {
  kExact = 0,
  kZeroSign = 1,    // -0 where there was +0, or the other way round
  kRounding = 2,    // another finite number
  kOverflow = 4,    // an infinity on one side only, or of the other sign
  kUnderflow = 8,   // zero on one side only, denormals being kept
  kNan = 16,        // NaN on one side only
  kDenormal = 32,   // a number that would have been flushed to zero
  kSeveralDevices = 64,  // rounding, in programs of several devices
};

struct RewriteInfo {
  Rewrite rewrite;
  absl::string_view id;
  absl::string_view pass;
  absl::string_view what;  // "x + 0 -> x"
  unsigned changes;        // of ValueChange; kExact for an exact rewrite
  bool exact() const { return changes == kExact; }
};

// In the order of rewrites.def, which is that of the enumeration.
absl::Span<const RewriteInfo> AllRewrites();
inline const RewriteInfo& InfoOf(Rewrite rewrite) {
  return AllRewrites()[static_cast<int>(rewrite)];
}
// Whether the pass makes rewrites and all of them are inexact.
bool IsInexactPass(absl::string_view pass);
// "rounding, overflow".
std::string ValueChangeText(unsigned changes);
// The tables of docs/rewrites.md: inexact rewrites, then exact ones.
std::string RewriteTables();

}  // namespace hlokit

#endif  // HLOKIT_PASSES_REWRITES_H_
